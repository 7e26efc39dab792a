"""Dialogues about the village: requests for stories and questions about them, with exact answers.

The program that tells a story knows its facts, so it can ask for them and judge every answer.
Leaves out: how a dialogue becomes a row of ids (solutions/after_training.py), and any network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from examiner.errors import UserError
from nextword.corpora.corpus import EOS
from nextword.corpora.village import VILLAGE, VOCABULARY, Listener, World, score
from nextword.corpora.village.opening import OPPOSITE, introduction, opening
from nextword.corpora.village.people import Hero, Speaking, Tale
from nextword.corpora.village.scenes import animals, food
from nextword.corpora.village.story import goes_on
from nextword.given.batches import number_words

MARKS = {"user": "<user>", "assistant": "<assistant>"}  # the token that begins a turn of a role
# what requests and questions need beyond the words of stories
SPOKEN = "tell story does live colour how job keep language yes wish true or"
NEW_WORDS = tuple(SPOKEN.split())
MOST = 300  # words of an answer; the village's stories are shorter but for one in a thousand

SAYABLE = frozenset(VOCABULARY) - {EOS}

Words = list[str]


def vocabulary() -> dict[str, int]:
    """The village's words with the ids that every network of the book gives them, then the new.

    >>> number = vocabulary()
    >>> number["hens"] < number["<user>"] < number["or"] == len(number) - 1
    True
    """
    return number_words([*sorted({*VOCABULARY, EOS}), *MARKS.values(), *NEW_WORDS])


# ------------------------------------------------------------------ what a story says
class Reader(Listener):
    """A listener that also keeps what the story says, as the program that tells stories does."""

    def __init__(self, world: World = VILLAGE):
        self.tale: Tale | None = None
        super().__init__(world)

    def _begin(self) -> None:
        self._program = self._story()
        self._branch = self._tree(next(self._program))
        self.between_stories = True

    def _story(self) -> Speaking[None]:
        """The village's story (see `story`), which leaves its facts in `tale`."""
        self.tale = yield from opening(self.world)
        yield from goes_on(self.tale)


class Introduced(Reader):
    """A listener that hears no more of a story than whom it is about."""

    def __init__(self, world: World = VILLAGE):
        self.hero: Hero | None = None
        super().__init__(world)

    def _story(self) -> Speaking[None]:
        self.hero = yield from introduction(self.world)


def hero_of(text: Iterable[str]) -> Hero | None:
    """Whom a text is about, by its first sentence or two; None if it does not begin as a story.

    >>> hero_of("once a shy cook named anna lived by the sea . and then ?".split()).job
    'cook'
    """
    listener = Introduced()
    for word in text:
        if listener.hear(word) is None or listener.hero:
            break
    return listener.hero


def facts(story: Iterable[str]) -> Tale:
    """What a whole story says. Raises UserError for a text that is none."""
    reader, words = Reader(), [*story, EOS]
    heard = all(reader.hear(word) is not None for word in words)
    if reader.tale is None or not heard or not reader.between_stories or words.count(EOS) > 1:
        raise UserError("expected a whole story of the village: see village.score(text).left_at")
    return reader.tale


# ------------------------------------------------------------------ questions
class Question(NamedTuple):
    """A question about a story, and the one answer that is right."""

    kind: str
    words: tuple[str, ...]
    answer: tuple[str, ...]


def questions(tale: Tale) -> list[Question]:
    """All that can be asked about a story that was read to its end, at most one of each kind..."""
    hero, friend, told = tale.hero, tale.friend, tale.told
    found = [
        _question("name", "who is the story about ?", hero.name),
        _question("home", f"where does {hero.name} live ?", f"by the {hero.home}"),
        _question("job", f"what is the job of {hero.name} ?", hero.job),
        _question("job of the other", f"what is the job of {friend.name} ?", friend.job),
        _question("number", f"how many {hero.herd} does {hero.name} have ?", hero.number),
    ]
    if hero.tool:
        found.append(_question("colour", f"what colour is the {hero.tool} ?", hero.colour))
    if tale.wish:
        asked = f"did the wish of {tale.wish.wisher.name} come true ?"
        found.append(_question("wish", asked, "yes" if tale.wish.comes_true else "no"))
    if hero.kept:
        asked = f"where does {hero.name} keep the {hero.tool} ?"
        found.append(_question("place", asked, hero.kept))
    if tale.contrast:
        more, less = (friend, hero) if tale.friend_is_more else (hero, friend)
        fewer = {long: short for short, long in OPPOSITE.items()}[tale.contrast]
        pair = f"{hero.name} or {friend.name} ?"
        found.append(_question("more", f"who is {tale.contrast} , {pair}", more.name))
        found.append(_question("less", f"who is {fewer} , {pair}", less.name))
    if tale.finder:
        found.append(_question("finder", f"who found the {hero.tool} ?", tale.finder.name))
    if tale.guest:
        language = tale.world.language[tale.origin]
        found.append(_question("guest", f"who came from {tale.origin} ?", tale.guest.name))
        asked = f"what language does {tale.guest.name} speak ?"
        found.append(_question("language", asked, language))
    if tale.giver:
        found.append(_question("promise", "who kept the promise ?", tale.giver.name))
    if tale.traveller:
        asked = f"who went to {tale.country} ?"
        found.append(_question("traveller", asked, tale.traveller.name))
    if animals.COUNTED in told:
        found.append(_question("gate", "was the gate open ?", "yes" if tale.gate_open else "no"))
    if food.COOKED in told:
        found.append(_question("dish", f"what did {friend.name} make ?", tale.dish))
    return found


def _question(kind: str, asked: str, answer: str) -> Question:
    return Question(kind, tuple(asked.split()), tuple(answer.split()))


# ------------------------------------------------------------------ requests
FOOD = frozenset(VILLAGE.snacks.weights).union(
    *(needed.weights for needed in VILLAGE.needed.values())
)


class Judged(NamedTuple):
    """What the program says of an answer to a request."""

    form: bool  # an answer that ends, of words that stories have
    name: bool  # its first sentences tell of the one who was asked for
    job: bool  # ... who has the job that was asked for
    thing: bool  # the thing that was asked for occurs
    accepted: bool  # all of it is one story of the village

    @property
    def followed(self) -> bool:
        """The answer has the right form and all that was asked for."""
        return self.form and self.name and self.job and self.thing


class Request(NamedTuple):
    """A request for a story."""

    name: str
    job: str
    thing: str

    @property
    def words(self) -> Words:
        """The request as it is spoken.

        >>> " ".join(Request("anna", "cook", "plums").words)
        'tell a story about anna , a cook , with plums'
        """
        return f"tell a story about {self.name} , a {self.job} , with {self.thing}".split()

    def judge(self, answer: Sequence[str]) -> Judged:
        """Judge an answer, given without its `</s>`; one that never ended is longer than MOST."""
        hero = hero_of(answer)
        return Judged(
            form=0 < len(answer) <= MOST and set(answer) <= SAYABLE,
            name=hero is not None and hero.name == self.name,
            job=hero is not None and hero.job == self.job,
            thing=self.thing in answer,
            accepted=EOS not in answer and score([*answer, EOS]).complete,
        )

    def judge_written(self, answer: Sequence[str]) -> Judged:
        """Judge an answer as a network wrote it, with `</s>` last; without it, it never ended."""
        if answer[-1:] == [EOS]:
            return self.judge(answer[:-1])
        return self.judge([*answer, *[""] * MOST])


def request(
    story: Sequence[str], tale: Tale, rng: np.random.Generator, food: bool | None = None
) -> Request:
    """A request that a story fulfils: for the hero's animals, or for food that the story names.

    food: None to draw which of the two. Where the story names no food, animals are asked for.
    """
    named = sorted(FOOD.intersection(story))
    if food is None:
        food = bool(rng.random() < 0.5)
    thing = named[rng.integers(len(named))] if food and named else tale.hero.herd
    return Request(tale.hero.name, tale.hero.job, thing)


# ------------------------------------------------------------------ dialogues
def dialogue(
    story: Sequence[str], request: Request, asked: Sequence[Question]
) -> list[tuple[str, Words]]:
    """The turns of a talk about a story: the request, the story, then questions and answers."""
    turns = [("user", request.words), ("assistant", list(story))]
    for question in asked:
        turns += [("user", list(question.words)), ("assistant", list(question.answer))]
    return turns


class Told(NamedTuple):
    """A dialogue about one story: the request that it fulfils, and questions about it."""

    story: Words
    request: Request
    questions: list[Question]

    def spoken(self) -> list[tuple[str, Words]]:
        """The turns of the dialogue, each with its role."""
        return dialogue(self.story, self.request, self.questions)


def told(stories: Iterable[Words], seed: int, n: int | None) -> list[Told]:
    """A dialogue about each story, with n of the questions that it answers, or with all (None)."""
    rng = np.random.default_rng(seed)
    found = []
    for story in stories:
        tale = facts(story)
        known = questions(tale)
        asked = [known[k] for k in rng.permutation(len(known))[:n]]
        found.append(Told(story, request(story, tale, rng), asked))
    return found
