"""Plain rules that turn English text into sentences and words, and documents into splits.

Leaves out: any language but English, and what a learned tokenizer does (chapter 1 builds one).
"""

import hashlib
import re
import unicodedata
from typing import Literal

from examiner.errors import UserError

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")

# A full stop after one of these does not end a sentence, and stays part of the word.
ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "resp.", "al.", "approx.", "Mr.", "Mrs.")

# Typographic quotes are written as escapes: they look like their plain forms.
_WORD = re.compile(
    "|".join(
        [
            *(rf"(?<!\w){re.escape(short)}" for short in ABBREVIATIONS),
            r"\d+(?:[.,]\d+)*",  # 3.11 and 1,000 are one word each
            "\\w+(?:['\u2019.-]\\w+)*",  # don't, so-called, os.path.join
            r"\.\.\.|--+",
            r"[^\w\s]",  # any other sign stands alone
        ]
    )
)
_SENTENCE_END = re.compile(
    "(?<=[.!?])[\"'\u201d\u2019)\\]]*\\s+(?=[\"'\u201c\u2018(\\[]*[A-Z0-9_])"
)


def sentences(paragraph: str) -> list[str]:
    """Cut a paragraph after `.`, `!`, `?` where the next word starts with a capital, digit or `_`.

    >>> sentences("Pass a name, e.g. Path. It is opened at once! Python 3.11 does.")
    ['Pass a name, e.g. Path.', 'It is opened at once!', 'Python 3.11 does.']
    """
    found: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(paragraph):
        sentence = paragraph[start : end.end()].strip()
        if not sentence.endswith(ABBREVIATIONS):
            found.append(sentence)
            start = end.end()
    rest = paragraph[start:].strip()
    return [*found, rest] if rest else found


def words(sentence: str, *, lower: bool = False) -> list[str]:
    """Words, numbers and single signs of a sentence, in order.

    Apostrophes, hyphens and dots inside a word stay in it; any other sign is a word of its own.

    >>> words("Don't call os.path.join() twice, e.g. here.")
    ["Don't", 'call', 'os.path.join', '(', ')', 'twice', ',', 'e.g.', 'here', '.']
    >>> words("Well-known: 3.5 and X", lower=True)
    ['well-known', ':', '3.5', 'and', 'x']
    >>> words("Ba\\u0308cker")
    ['Bäcker']
    """
    # an accent that is a sign of its own would end a word: with its letter, it is one character
    found = _WORD.findall(unicodedata.normalize("NFC", sentence))
    return [word.lower() for word in found] if lower else found


def split_of(name: str, *, validation: int = 10, test: int = 10) -> Split:
    """The split a document of this name belongs to, from a hash of the name alone.

    `validation` and `test` are percent. A document keeps its split when others come or go.

    >>> split_of("module:argparse"), split_of("module:json")
    ('train', 'train')
    """
    bucket = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % 100
    if bucket < test:
        return "test"
    return "validation" if bucket < test + validation else "train"


def checked_split(split: str) -> Split:
    """The split itself when it is one; else an error that lists the three.

    >>> checked_split("train")
    'train'
    """
    for known in SPLITS:
        if split == known:
            return known
    raise UserError(f"unknown split {split!r}: expected one of {', '.join(SPLITS)}")
