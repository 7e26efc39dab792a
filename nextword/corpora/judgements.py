"""How alike people find pairs of words: published judgements, as optional downloads.

Leaves out: questions of analogy, and the village, whose truth is known (`village.similarity`).
"""

from examiner.errors import UserError
from nextword.corpora import downloads

NAMES = ("wordsim353", "simlex999")


def pairs(name: str, *, progress: bool = True) -> list[tuple[str, str, float]]:
    """Return (word, other word, mean score from 0 to 10) for each pair, in small letters.

    wordsim353 asks how *related* two words are (cup and coffee are), simlex999 how *similar* (they
    are not). The file is fetched once and checked. Raises UserError for another name, and like
    `downloads.fetch` where the file cannot be had.
    """
    if name not in NAMES:
        raise UserError(f"unknown judgements {name!r}: expected one of {', '.join(NAMES)}")
    return parsed(downloads.read(name, progress=progress))


def parsed(text: str) -> list[tuple[str, str, float]]:
    """Return the pairs of such a file, whose lines hold two words and a score between tabs.

    >>> parsed("# a remark\\nTiger\\tcat\\t7.35\\n")
    [('tiger', 'cat', 7.35)]
    """
    rows = (line.split("\t") for line in text.splitlines()
            if line.strip() and not line.startswith("#"))  # fmt: skip
    return [(first.lower(), second.lower(), float(score)) for first, second, score in rows]
