"""The two readers of the story program: the teller samples it, the listener follows a text."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from examiner.errors import UserError
from nextword.corpora.corpus import Corpus
from nextword.corpora.village.kinds import read
from nextword.corpora.village.options import Branch, Options
from nextword.corpora.village.seeds import Rng, drawn_story, first_story, streams
from nextword.corpora.village.story import story
from nextword.corpora.village.world import VILLAGE, World


def tell(world: World, n_tokens: int, number: int) -> Corpus:
    """Tell whole stories from number `number` on, until at least `n_tokens` tokens are out."""
    if n_tokens < 1:
        raise UserError(f"n_tokens must be at least 1, got {n_tokens}")
    tokens: list[str] = []
    log_probs: list[float] = []
    kinds: list[str] = []
    for draws in streams(number):
        program = story(world)
        options = next(program)
        try:
            while True:
                if isinstance(options, str) and "|" not in options:  # nothing to choose
                    words, facts = read(options)
                    logs, phrase = [0.0] * len(words), options
                else:
                    chance = world.phrasebook[options] if isinstance(options, str) else options
                    words, logs, facts, phrase = chance.draw(next(draws))
                tokens += words
                log_probs += logs
                kinds += facts
                options = program.send(phrase)
        except StopIteration:
            if len(tokens) >= n_tokens:
                return Corpus(tokens, np.array(log_probs), kinds)
    raise AssertionError("the streams of draws never end")


def sample(n_tokens: int, rng: Rng, world: World = VILLAGE) -> Corpus:
    """Fresh stories, at least `n_tokens` tokens of them (the last story is told to its end).

    `rng` is a numpy Generator, from which one number is drawn, or a whole number. The stories are
    apart from those of every split, and the same for the same `rng` on every machine.

    >>> corpus = sample(1000, rng=7)
    >>> len(corpus) >= 1000, corpus.tokens[-1]
    (True, '</s>')
    """
    return tell(world, n_tokens, drawn_story(rng))


def split(name: str, n_tokens: int, world: World = VILLAGE) -> Corpus:
    """The first stories of the split "train", "validation" or "test", at least `n_tokens` tokens.

    The splits never share a story. A longer piece of a split begins with every shorter one.

    >>> split("test", 500).tokens == split("test", 2000).tokens[: len(split("test", 500))]
    True
    """
    return tell(world, n_tokens, first_story(name))


class Listener:
    """Follows a text word by word: replays the story program over words that it is given.

    >>> listener = Listener()
    >>> listener.hear("xylophone") is None          # no story begins like that
    True
    """

    def __init__(self, world: World = VILLAGE):
        self.world = world
        self._branch: Branch
        self._begin()

    def hear(self, word: str) -> float | None:
        """The log-probability of `word` as the next word; None if it cannot come next."""
        step = self._branch.get(word)
        if step is None:
            return None
        _, log_p, _, after = step
        self.between_stories = False
        if isinstance(after, dict):
            self._branch = after
        else:
            self._advance(after)
        return log_p

    def possible(self) -> dict[str, float]:
        """The words that can come next with their probabilities, the likeliest first."""
        return dict(sorted(self.probabilities(), key=lambda item: (-item[1], item[0])))

    def probabilities(self) -> Iterator[tuple[str, float]]:
        """The words that can come next with their probabilities, in no particular order."""
        return ((word, step.probability) for word, step in self._branch.items())

    @property
    def kind(self) -> str:
        """The kind of fact that the next word depends on, whichever word comes (see KINDS)."""
        return next(iter(self._branch.values())).kind

    def _begin(self) -> None:
        self._program: Generator[str | Options, str, None] = story(self.world)
        self._branch = self._tree(next(self._program))
        self.between_stories = True  # no word of a story heard yet, or the last one was </s>

    def _advance(self, phrase: str) -> None:
        try:
            self._branch = self._tree(self._program.send(phrase))
        except StopIteration:
            self._begin()

    def _tree(self, options: str | Options) -> Branch:
        return (self.world.phrasebook[options] if isinstance(options, str) else options).tree


@dataclass(frozen=True, eq=False)
class Score:
    """What the listener says of a text.

    `log_probs` has one natural logarithm for each token up to where the text left the language,
    and `kinds` the kind of fact that each of them depends on (see KINDS).
    `left_at` is the position of the first token that could not come there, None if there is none;
    `possible` are then the words that could have come instead (else those that could come next).
    `complete`: the text stayed in the language and ends where a story ends.
    """

    log_probs: np.ndarray
    kinds: list[str]
    left_at: int | None
    possible: dict[str, float]
    complete: bool


def score(tokens: Iterable[str], world: World = VILLAGE) -> Score:
    """The exact log-probability of each word of a text, up to where it leaves the language.

    >>> result = score(["once", "upon", "a", "time"])
    >>> result.left_at, list(result.possible)
    (1, ['a', 'an'])
    """
    listener = Listener(world)
    log_probs: list[float] = []
    kinds: list[str] = []
    left_at = None
    for position, word in enumerate(_words(tokens)):
        kind = listener.kind
        log_p = listener.hear(word)
        if log_p is None:
            left_at = position
            break
        log_probs.append(log_p)
        kinds.append(kind)
    complete = bool(log_probs) and left_at is None and listener.between_stories
    return Score(np.array(log_probs), kinds, left_at, listener.possible(), complete)


def next_words(prefix: Sequence[str], world: World = VILLAGE) -> dict[str, float]:
    """The words that can follow `prefix`, with their probabilities, the likeliest first.

    >>> {word: round(p, 4) for word, p in next_words([]).items()}
    {'once': 0.4167, 'by': 0.25, 'everybody': 0.1667, 'in': 0.1667}
    """
    words = _words(prefix)
    result = score(words, world)
    if result.left_at is not None:
        near = " ".join(words[max(0, result.left_at - 5) : result.left_at + 1])
        could = ", ".join(list(result.possible)[:5])
        raise UserError(
            f"the text leaves the village at word {result.left_at} (… {near}): "
            f"expected one of {could}{', …' if len(result.possible) > 5 else ''}"
        )
    return result.possible


def _words(tokens: Iterable[str]) -> list[str]:
    if isinstance(tokens, str):
        raise UserError("expected a list of words, got one string: use text.split()")
    return list(tokens)
