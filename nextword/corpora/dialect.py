"""The second tongue of the village: verbs last, negation after them; for translation models.

Every village sentence has exactly one translation, made by rule. In each clause the verb goes to
the end, its helper after it and "not" after both; a relative clause stays with its noun, so clauses
that followed each other in the village stand inside each other here. Articles are dropped, names
stay, all other words change their sounds. Leaves out: the way back.

>>> " ".join(translate("the hen did not cross the road because it was too tired ."))
'hin ruot cruzzen teten nai tar ed duu derit wozen .'
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from examiner.errors import UserError
from nextword.corpora.corpus import EOS
from nextword.corpora.village import VOCABULARY
from nextword.corpora.village.seeds import first_story
from nextword.corpora.village.telling import tell
from nextword.corpora.village.world import VILLAGE

Pair = tuple[list[str], list[str]]

KNOWN = frozenset(VOCABULARY) - {EOS}
ARTICLES = frozenset({"a", "an", "the"})
NAMES = frozenset(VILLAGE.names.weights)
MARKS = frozenset({".", ",", "?", '"'})
NOT, TO = "not", "to"
JOINTS = {"and": "jo", "but": "ma", "so": "dai", "because": "tar", "when": "kan", "that": "ke"}
ALWAYS_JOINS = frozenset({"so", "because", "when", "that"})  # a new clause follows in every case
RELATIVE = "kiu"  # who, and "that" after an animal
NEGATION = "nai"
PRESENT = "know help visit follow see hear work need sleep sing"
# the verbs of the dialect do not agree with their subject
SAME = {"are": "is", "were": "was"} | {verb + "s": verb for verb in PRESENT.split()}
OTHER_VERBS = """
asked ate bake been began born bought bring brought came can climb close closed come cost could
counted cross danced did drank dreamed eat eaten falling fed fell fly forget forgotten found gave
give gone got grow had hatched have hoped hung hunt hurt is kept knew knocked laugh laughed lay
learned left let liked lit lived longed looked loved made make met move must opened put rained
reach read remember said sang sat say seen sent shared slept sneeze speak spoke stood swim talked
teach thank thanked told took turned waited walked wanted was watched went will win wished won
worked would wrote
"""
VERBS = frozenset(
    [*OTHER_VERBS.split(), *PRESENT.split(), *SAME, *VILLAGE.sound.values()]
    + [work.split()[0] for work in VILLAGE.work.values()]
)
SOUNDS = str.maketrans("aeioubpdtgkvfsz", "oieuapbtdkgfvzs")


@dataclass
class Clause:
    """A clause while it is read: what stands before its verb, and the verb itself."""

    before: list[str] = field(default_factory=list)
    verbs: list[str] = field(default_factory=list)
    negated: bool = False

    def said(self) -> list[str]:
        """The clause in the order of the dialect."""
        if not self.verbs:
            raise UserError(f"not a village sentence: no verb near {' '.join(self.before)!r}")
        verbs = [foreign(verb) for verb in reversed(self.verbs)]
        return self.before + verbs + [NEGATION] * self.negated


def foreign(word: str) -> str:
    """The word of the dialect for a word of the village.

    >>> foreign("milk"), foreign("anna"), foreign("are") == foreign("is")
    ('melg', 'anna', True)
    """
    if word in NAMES or word in MARKS:
        return word
    if word in JOINTS:
        return JOINTS[word]
    changed = SAME.get(word, word).translate(SOUNDS)
    return changed + "en" if word in VERBS else changed


def translate(sentence: str | Sequence[str]) -> list[str]:
    """The translation of one village sentence, given as a list of words or as text with blanks.

    Raises UserError for a sentence that is not of the village: an unknown word, no full stop at the
    end (or one before it), a clause without a verb or with two.

    >>> translate("the bakers who know the tailor are kind .")
    ['pogirz', 'kiu', 'doelur', 'gnuwen', 'gent', 'ezen', '.']
    """
    text = sentence.split() if isinstance(sentence, str) else list(sentence)
    for word in text:
        if word not in KNOWN:
            raise UserError(f"not a village sentence: no sentence holds the word {word!r}")
    if text[-1:] != ["."] or text.count(".") > 1:
        raise UserError("not a village sentence: expected one full stop, at the end")
    reader = _Reader(text)
    while reader.place < len(text) - 1:
        reader.read_one()
    return [*reader.finished(), "."]


class _Reader:
    """Reads a sentence from left to right, with a stack of relative clauses."""

    def __init__(self, text: list[str]):
        self.text = text
        self.place = 0
        self.out: list[str] = []
        self.open = [Clause()]  # the clause of the sentence, then relative clauses in each other

    def read_one(self) -> None:
        """Read one word, or the joint between two clauses."""
        word = self.text[self.place]
        if self._ends_quoted_clause():
            self._new_clause([word])
            return
        joint = self._joint()
        if joint:
            self._new_clause(joint)
            return
        if self._is_relative():
            self.open.append(Clause([RELATIVE]))
        elif word in VERBS:
            self._verb(word)
        elif word == NOT:
            self.open[-1].negated = True
        elif word not in ARTICLES:
            self.open[-1].before.append(foreign(word))
        self.place += 1

    def _new_clause(self, joint: list[str]) -> None:
        """Close what is open, if anything is, say the joint and begin anew."""
        if self.open[0].before or self.open[0].verbs:
            self.out = self.finished()
        self.out += [foreign(word) for word in joint]
        self.open = [Clause()]
        self.place += len(joint)

    def _ends_quoted_clause(self) -> bool:
        """Whether a quotation mark is here, or the mark that closes the clause before it."""
        word, after = self.text[self.place], self.text[self.place + 1]
        return word in {'"', "?"} or (word == "," and after == '"')

    def finished(self) -> list[str]:
        """Everything said so far, with all open clauses closed."""
        while len(self.open) > 1:
            self._close_relative()
        return self.out + self.open[0].said()

    def _close_relative(self) -> None:
        inner = self.open.pop()
        self.open[-1].before += inner.said()

    def _verb(self, word: str) -> None:
        before = self.text[self.place - 1] if self.place else "."
        goes_on = before in VERBS or before in (NOT, TO)  # "did not cross", "wanted to bake"
        while self.open[-1].verbs and not goes_on:
            if len(self.open) == 1:
                raise UserError(f"not a village sentence: a second verb, {word!r}, in one clause")
            self._close_relative()
        self.open[-1].verbs.append(word)
        if before == TO:  # it stays with its verb: "to bake wanted"
            self.open[-1].before.pop()
            self.open[-1].verbs.append(TO)

    def _is_relative(self) -> bool:
        word = self.text[self.place]
        after_animal = self.place > 0 and self.text[self.place - 1] in VILLAGE.beasts
        return word == "who" or (word == "that" and after_animal)

    def _joint(self) -> list[str]:
        """The words here that join two clauses: "because", ", and"; none if they join nouns."""
        end = self.place
        while self._joins(end):
            end += 1
        joint = self.text[self.place : end]
        if self.text[end] == "who":  # "a sister , who grew corn"
            return []
        if not joint or ALWAYS_JOINS & set(joint):
            return joint
        after = end
        while not (self.text[after] in MARKS or self.text[after] in JOINTS):
            after += 1
        a_verb_follows = any(word in VERBS for word in self.text[end:after])
        return joint if a_verb_follows and self.open[0].verbs else []

    def _joins(self, place: int) -> bool:
        word = self.text[place]
        if word == "that":  # "they say that", "and that"; not "that day", not "the hens that"
            return place > 0 and (self.text[place - 1] in VERBS or self.text[place - 1] == "and")
        if word == "because" and self.text[place + 1] == "of":  # of something, not of an event
            return False
        return word in JOINTS or word == ","


def sentences(split: str) -> Iterator[list[str]]:
    """The sentences of the stories of a split, one after another without end."""
    first = first_story(split)
    while True:
        corpus = tell(VILLAGE, 50_000, first)
        stories = corpus.stories()
        first += len(stories)
        for story in stories:
            start = 0
            while start < len(story):
                end = story.index(".", start) + 1
                yield story[start:end]
                start = end


def home_of(sentence: Sequence[str]) -> str:
    """The only split that a sentence may stand in: one in ten for validation, one for test."""
    tenth = crc32(" ".join(sentence).encode("utf-8")) % 10
    return {0: "validation", 1: "test"}.get(tenth, "train")


def pairs(split: str, n: int, shortest: int = 3, longest: int = 40) -> list[Pair]:
    """`n` different sentences of a split with their translations; no two splits share a sentence.

    Lengths count the words of the village sentence, without its full stop.

    >>> source, target = pairs("test", 3)[0]
    >>> translate(source) == target
    True
    """
    if n < 1 or not 1 <= shortest <= longest:
        raise UserError(
            f"expected n >= 1 and 1 <= shortest <= longest, got n={n}, shortest={shortest}, "
            f"longest={longest}"
        )
    found: dict[str, Pair] = {}
    for sentence in sentences(split):
        fits = shortest < len(sentence) <= longest + 1
        if fits and home_of(sentence) == split:
            found.setdefault(" ".join(sentence), (sentence, translate(sentence)))
        if len(found) == n:
            break
    return list(found.values())
