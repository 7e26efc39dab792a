"""Python's text as tokens without what a copy is first disguised by. Leaves out what they mean.

Neither `tokenize` nor Pygments: both are slower (4 and 20 times), and a text that is no Python,
such as a function with a parenthesis missing, must be read as well. It is also the same tokens for
every version of Python, so that a class can be compared with that of another year.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<text>[rRbBfFuU]{0,2}(?:'''(?:[^\\]|\\.)*?''' | \"\"\"(?:[^\\]|\\.)*?\"\"\"
                            | '(?:[^'\\\n]|\\.)*'    | "(?:[^"\\\n]|\\.)*"))
  | (?P<number>(?:\d|\.\d)[\w.]*)
  | (?P<name>\w+)
  | (?P<joined>\\\r?\n)
  | (?P<line>\n)
  | (?P<mark>->|:=|\*\*=?|//=?|<<=?|>>=?|[-+*/%@&|^<>=!]=|\\?\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK = re.compile(r"^[ \t]*(?:@[^\n]*\n[ \t]*){0,9}(?:async[ \t]+def|def|class)\b", re.MULTILINE)
_KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins))  # nobody can rename these
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_CACHED = 1 << 14  # functions whose tokens are kept: most of a class has some in common


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text: a number for each, and where in the text it stands."""

    kinds: NDArray[np.uint64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.kinds)


def blocks(text: str) -> Iterator[tuple[int, Tokens]]:
    """Yield the tokens of each function, with the place where it begins.

    What stands before the first function is one block; a function within another one begins a
    block of its own. So wherever functions are moved to, their blocks are the same.
    """
    starts = [0, *(found.start() for found in _BLOCK.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        if start < end:
            yield start, _tokens(text[start:end])


def words(text: str) -> list[str]:
    """Return the tokens of a text as they are compared.

    Names are all the same, but for keywords and built-in functions; so are strings. Left out are
    comments, docstrings, type hints, line ends, trailing commas, and parentheses that only group.

    >>> words("def mean(xs: list) -> float:\\n    return (sum(xs) / len(xs))  # all")
    ['def', 'v', '(', 'v', ')', ':', 'return', 'sum', '(', 'v', ')', '/', 'len', '(', 'v', ')']
    """
    return [word for word, _, _ in _Reader(text).read()]


@lru_cache(maxsize=_CACHED)
def _tokens(text: str) -> Tokens:
    found = _Reader(text).read()
    return Tokens(
        np.array([_number(word) for word, _, _ in found], np.uint64),
        np.array([start for _, start, _ in found], np.int64),
        np.array([end for _, _, end in found], np.int64),
    )


@lru_cache(maxsize=1 << 12)
def _number(word: str) -> int:
    """Return a number for a token: the same in every process, as Python's own `hash` is not."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


Token = tuple[str, int, int]  # its word, its start and its end


class _Reader:
    """Reads the text of one function, from left to right."""

    def __init__(self, text: str) -> None:
        self._left = [
            (found.lastgroup or "", found[0], found.start(), found.end())
            for found in _TOKEN.finditer(text)
            if found.lastgroup not in ("comment", "joined")
        ]
        self._left.reverse()
        self._found: list[Token] = []
        self._statement = 0  # the number of the first token of the statement that is read
        self._brackets: list[bool] = []  # those that are open: whether it only groups

    def read(self) -> list[Token]:
        """Return the tokens."""
        while self._left:
            kind, word, start, end = self._left.pop()
            if kind == "line":
                self._end_statement()
            elif kind == "text":
                self._take_text(start, end)
            elif kind == "mark":
                self._take_mark(word, start, end)
            else:
                kept = kind == "number" or word in _KEPT
                self._found.append((word if kept else "v", start, end))
        return self._found

    def _end_statement(self) -> None:
        if not self._brackets:
            self._statement = len(self._found)

    def _take_text(self, start: int, end: int) -> None:
        begins = self._statement == len(self._found) and not self._brackets
        if not (begins and self._next() in ("", "\n")):  # else it is a docstring
            self._found.append(("s", start, end))

    def _take_mark(self, word: str, start: int, end: int) -> None:
        if word in _OPEN:
            groups = word == "(" and self._next() != ")" and not self._is_called()
            self._brackets.append(groups)
            if groups:
                return
        elif word in _CLOSE:
            if self._found and self._found[-1][0] == ",":
                self._found.pop()
            if self._brackets and self._brackets.pop():
                return
        elif word == "->":
            self._skip_hint(":")
            return
        elif word == ":" and self._is_before_hint():
            self._skip_hint("=,)\n")
            return
        elif word == ";":
            self._end_statement()
            return
        self._found.append((word, start, end))
        if word == ":":
            self._end_statement()

    def _is_called(self) -> bool:
        """Tell whether a parenthesis that opens here belongs to what stands before it."""
        last = self._found[-1][0] if self._found else ""
        return last in _CLOSE or (last.isidentifier() and not keyword.iskeyword(last))

    def _next(self) -> str:
        return self._left[-1][1] if self._left else ""

    def _is_before_hint(self) -> bool:
        """Tell whether the colon that was just read stands between a name and its type."""
        words = [word for word, _, _ in self._found[self._statement : self._statement + 40]]
        if "lambda" in words or self._next() == "\n":
            return False
        if words[:1] == ["def"] or words[:2] == ["async", "def"]:
            return len(self._brackets) == 1  # of a parameter
        return bool(words) and not self._brackets and not keyword.iskeyword(words[0])

    def _skip_hint(self, until: str) -> None:
        """Leave out what follows, up to one of these marks outside of its brackets."""
        depth = 0
        while self._left and (depth or self._next() not in until):
            word = self._left.pop()[1]
            depth += (word in _OPEN) - (word in _CLOSE)
