"""The village's words by kind (jobs, animals, foods …), to judge and to colour word vectors.

A word may be of several kinds: bank is a workplace and a landmark. Leaves out: verbs that belong to
no list, and words of grammar.
"""

from nextword.corpora.village import words
from nextword.corpora.village.vocabulary import VOCABULARY
from nextword.corpora.village.world import table

_JOBS, _ANIMALS, _COUNTRIES = (
    list(zip(*table(text), strict=True)) for text in (words.JOBS, words.ANIMALS, words.COUNTRIES)
)
_FOR_DISHES = " ".join(row[1] for row in table(words.DISHES))
_COLD_AND_WARM = "winter spring summer autumn"

# kind -> its words, each once; the first of them are the more frequent ones
KINDS: dict[str, tuple[str, ...]] = {
    kind: tuple(word for word in dict.fromkeys(text.split()) if word in VOCABULARY)
    for kind, text in {
        "woman": words.SHE,
        "man": words.HE,
        "job": " ".join(_JOBS[0]),
        "workers": " ".join(f"{job}s" for job in _JOBS[0]),
        "workplace": " ".join(_JOBS[1]),
        "tool": " ".join(_JOBS[2]),
        "animal": f"{' '.join(_ANIMALS[0])} {words.WILD}",
        "herd": f"{' '.join(_ANIMALS[1])} {words.WILD_HERDS}",
        "sound": " ".join(_ANIMALS[2]),
        "young": " ".join(_ANIMALS[4]),
        "food": f"{words.SNACKS} {_FOR_DISHES}",
        "country": " ".join(_COUNTRIES[0]),
        "capital": " ".join(_COUNTRIES[1]),
        "language": " ".join(_COUNTRIES[2]),
        "dish": " ".join(_COUNTRIES[3]),
        "colour": words.COLOURS,
        "number": words.COUNT,
        "landmark": f"{words.LANDMARKS} bank",
        "season": _COLD_AND_WARM,
        "character": " ".join(cell.split()[1] for row in table(words.CHARACTERS) for cell in row
                              if cell),
        "kin": words.KIN,
        "group": words.GROUPS,
        "ware": words.WARES,
    }.items()
}  # fmt: skip
CONTENT: tuple[str, ...] = tuple(dict.fromkeys(word for kind in KINDS.values() for word in kind))


def kinds_of(word: str) -> frozenset[str]:
    """The kinds that a word is of; none for words of grammar and for unknown words.

    >>> sorted(kinds_of("bank"))
    ['landmark', 'workplace']
    """
    return frozenset(kind for kind, of_it in KINDS.items() if word in of_it)


def alike(word: str, other: str) -> bool:
    """Whether two words are of one kind.

    >>> alike("paris", "rome"), alike("paris", "france")
    (True, False)
    """
    return not kinds_of(word).isdisjoint(kinds_of(other))
