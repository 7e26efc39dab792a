"""What can be said next: a weighted set of phrases, one of which is spoken."""

from bisect import bisect_right
from functools import cached_property, lru_cache
from itertools import accumulate
from math import log
from typing import NamedTuple

from nextword.corpora.village.kinds import CHOICE, PHRASE, read, unmarked


class PossibleWord(NamedTuple):
    """A word that may come: how likely, of which kind, and what follows it."""

    probability: float
    log_p: float
    kind: str
    after: "Branch | str"  # what may follow, or the whole phrase where it ends


Branch = dict[str, PossibleWord]


class Spoken(NamedTuple):
    """A phrase that is said."""

    words: list[str]
    log_probs: list[float]  # of each word
    kinds: list[str]  # of each word
    phrase: str


class Options:
    """A choice among phrases with whole-number weights; it is spoken word by word.

    Phrases may begin alike ("in the house", "in the barn"): the words that they share are then said
    with the sum of their probabilities. No phrase may be the beginning of another, so the phrase
    is known as soon as it has been said. Weights are whole numbers, so that nothing depends on
    how a machine or a Python version rounds a sum.

    A word may carry its kind, as in "barn/place" (see kinds.py); `kind` is that of all other words.
    Without it a word is a free choice where several can come, and a set phrase where none else can.
    The kind belongs to the choice: a mark at one word holds for all that can come at its place.

    >>> options = Options({"in the house": 1, "in the barn": 2, "outside": 1})
    >>> said = options.draw(0.5)
    >>> said.words, [round(2.718281828459045**log_p, 3) for log_p in said.log_probs]
    (['in', 'the', 'barn'], [0.75, 1.0, 0.667])
    >>> said.kinds
    ['choice', 'phrase', 'choice']
    """

    def __init__(self, weights: dict[str, int], kind: str = ""):
        self.texts = {unmarked(text): text for text in weights}  # each phrase with its marks
        self.weights = dict(zip(self.texts, weights.values(), strict=True))
        self.kind = kind
        self.cumulative = list(accumulate(weights.values()))
        self.total = self.cumulative[-1]

    def draw(self, uniform: float) -> Spoken:
        """The phrase that a number drawn evenly from [0, 1) stands for."""
        return self.spoken[bisect_right(self.cumulative, uniform * self.total)]

    def without(self, *phrases: str) -> "Options":
        """The same choice when some of the phrases can no longer be said."""
        if not phrases:
            return self
        return Fewer(self, phrases) if self.one_word_each else _without(self, frozenset(phrases))

    def first(self, n: int) -> "Options":
        """The same choice cut down to its first `n` phrases."""
        return self.keep(list(self.weights)[:n])

    def keep(self, phrases: list[str]) -> "Options":
        """The same choice with these phrases only."""
        return Options({self.texts[p]: self.weights[p] for p in phrases}, self.kind)

    @cached_property
    def tree(self) -> Branch:
        """The words that can come first, with all that can follow them."""
        phrases = []
        for phrase, weight in self.weights.items():
            words, kinds = read(self.texts[phrase], self.kind)
            phrases.append((list(zip(words, kinds, strict=True)), phrase, weight))
        return _grow(phrases)

    @cached_property
    def spoken(self) -> list[Spoken]:
        """For each phrase its words with their log-probabilities and kinds."""
        return [_speak(self.tree, phrase) for phrase in self.weights]

    @cached_property
    def places(self) -> dict[str, int]:
        """The position of each phrase."""
        return {phrase: place for place, phrase in enumerate(self.weights)}

    @cached_property
    def one_word_each(self) -> bool:
        """Whether every phrase is a single word."""
        return not any(" " in phrase for phrase in self.weights)

    def __repr__(self) -> str:
        return f"Options({self.weights})"


class Fewer(Options):
    """Options of single words without a few of them; cheap to make, since most are used once."""

    def __init__(self, whole: Options, removed: tuple[str, ...]):
        self.whole = whole
        self.kind = whole.kind
        self.removed = removed
        self.places_removed = sorted([whole.places[word] for word in set(removed)])
        self.total = whole.total - sum([whole.weights[word] for word in set(removed)])

    def draw(self, uniform: float) -> Spoken:
        """The phrase that a number drawn evenly from [0, 1) stands for."""
        x = uniform * self.total
        cumulative = self.whole.cumulative
        for place in self.places_removed:  # in order: step over each gap that lies before x
            start = cumulative[place - 1] if place else 0
            if x < start:
                break
            x += cumulative[place] - start
        words, _, kinds, word = self.whole.spoken[bisect_right(cumulative, x)]
        if not self.kind and len(self.places_removed) == len(cumulative) - 1:
            kinds = [PHRASE]  # the last word that is left
        return Spoken(words, [log(self.whole.weights[word] / self.total)], kinds, word)

    def without(self, *phrases: str) -> Options:
        """The same choice when some of the phrases can no longer be said."""
        return Fewer(self.whole, self.removed + phrases)

    @cached_property
    def weights(self) -> dict[str, int]:  # type: ignore[override]
        """The weights of the words that are left."""
        return {word: w for word, w in self.whole.weights.items() if word not in self.removed}

    @cached_property
    def texts(self) -> dict[str, str]:  # type: ignore[override]
        """The words that are left."""
        return {word: self.whole.texts[word] for word in self.weights}

    @cached_property
    def cumulative(self) -> list[int]:  # type: ignore[override]
        """The running sums of the weights."""
        return list(accumulate(self.weights.values()))


@lru_cache(maxsize=4_000)
def _without(options: Options, phrases: frozenset[str]) -> Options:
    return options.keep([p for p in options.weights if p not in phrases])


def _grow(phrases: list[tuple[list[tuple[str, str]], str, int]]) -> Branch:
    """The tree of the words that can follow each other, from (words with kinds, phrase, weight)."""
    total = sum(weight for _, _, weight in phrases)
    starts: dict[str, list[tuple[list[tuple[str, str]], str, int]]] = {}
    for words, phrase, weight in phrases:
        starts.setdefault(words[0][0], []).append((words[1:], phrase, weight))
    kinds = {words[0][1] for words, _, _ in phrases} - {""}
    if len(kinds) > 1:
        raise ValueError(f"words of different kinds at one place: {', '.join(sorted(starts))}")
    kind = kinds.pop() if kinds else CHOICE if len(starts) > 1 else PHRASE
    branch: Branch = {}
    for word, rest in starts.items():
        weight = sum(w for _, _, w in rest)
        ends = [phrase for words, phrase, _ in rest if not words]
        if ends and len(rest) > 1:
            raise ValueError(f"the phrase {ends[0]!r} is the beginning of another one")
        after: Branch | str
        if ends:
            after = ends[0]
        elif len(rest) == 1:
            after = _line(tuple(rest[0][0]), rest[0][1])
        else:
            after = _grow(rest)
        branch[word] = PossibleWord(weight / total, log(weight / total), kind, after)
    return branch


@lru_cache(maxsize=20_000)
def _line(words: tuple[tuple[str, str], ...], phrase: str) -> Branch:
    """The tree of the end of a single phrase, where nothing is left to choose."""
    after: Branch | str = phrase
    for word, kind in reversed(words):
        after = {word: PossibleWord(1.0, 0.0, kind or PHRASE, after)}
    assert isinstance(after, dict)
    return after


def _speak(tree: Branch, phrase: str) -> Spoken:
    """The words of a phrase with their log-probabilities and kinds, read off the tree."""
    words = phrase.split()
    log_probs, kinds = [], []
    after: Branch | str = tree
    for word in words:
        assert isinstance(after, dict)
        _, log_p, kind, after = after[word]
        log_probs.append(log_p)
        kinds.append(kind)
    return Spoken(words, log_probs, kinds, phrase)


def parse(text: str) -> Options:
    """Options written as text: phrases between bars, each with a weight at its end (1 if none).

    >>> parse("once upon a time | long ago 2").weights
    {'once upon a time': 1, 'long ago': 2}
    """
    weights: dict[str, int] = {}
    for part in text.split("|"):
        words = part.split()
        weight = int(words.pop()) if words[-1].isdigit() else 1
        weights[" ".join(words)] = weight
    return Options(weights)


class Phrasebook(dict[str, Options]):
    """Every choice written out in the stories, parsed once; `limit` keeps the first few of each."""

    def __init__(self, limit: int | None = None, size: int = 20_000):
        super().__init__()
        self.limit, self.size = limit, size

    def __missing__(self, text: str) -> Options:
        if len(self) >= self.size:  # a long-running program must not grow without end
            self.clear()
        options = parse(text)
        self[text] = options if self.limit is None else options.first(self.limit)
        return self[text]
