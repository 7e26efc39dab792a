"""GPT-2's tokenizer: text to the numbers of its word pieces, and back. Leaves out: training one."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

from examiner.errors import UserError

ENDINGS = "'s|'t|'re|'ve|'m|'ll|'d"


@cache
def byte_signs() -> dict[int, str]:
    """A sign for each byte, as GPT-2's files write them: no blank, no control sign.

    >>> byte_signs()[ord("a")], byte_signs()[ord(" ")]
    ('a', 'Ġ')
    """
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    signs = {byte: chr(byte) for byte in plain}
    return signs | {byte: chr(256 + k) for k, byte in enumerate(others)}


def chunks(text: str) -> list[str]:
    """Cut a text as GPT-2 does: endings, letters, digits, signs, each with the blank before it.

    >>> chunks("They're 21, OK?")
    ['They', "'re", ' 21', ',', ' OK', '?']
    """
    letters, digits = (
        re.escape("".join(sign for sign in sorted(set(text)) if category(sign) == kind)) or "\0"
        for kind in "LN"
    )
    known = rf" ?[{letters}]+| ?[{digits}]+| ?[^\s{letters}{digits}]+"
    return re.findall(rf"{ENDINGS}|{known}|\s+(?!\S)|\s+", text)


def category(sign: str) -> str:
    """Unicode's kind of a sign: L for letters, N for digits.

    >>> category("é"), category("²"), category("-")
    ('L', 'N', 'P')
    """
    return unicodedata.category(sign)[0]


class WordPieces:
    """The pieces and the order in which they join (byte-pair encoding; Radford et al. 2019)."""

    def __init__(self, number: Mapping[str, int], merges: Sequence[tuple[str, str]]):
        self.number = dict(number)
        self.rank = {pair: rank for rank, pair in enumerate(merges)}
        self._pieces_of = cache(self._join)

    @classmethod
    def read(cls, pieces: Path, merges: Path) -> WordPieces:
        """Read `vocab.json` and `merges.txt`; `UserError` names the one that is damaged."""
        try:
            number = json.loads(pieces.read_text("utf-8"))
            lines = merges.read_text("utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise UserError(f"{pieces} or {merges} cannot be read: {error}") from error
        pairs = [line.split() for line in lines if line and not line.startswith("#version")]
        return cls(number, [(left, right) for left, right in pairs])

    @cached_property
    def sign_of(self) -> dict[int, str]:
        """The piece of each number."""
        return {number: piece for piece, number in self.number.items()}

    def encode(self, text: str) -> list[int]:
        """The numbers of the pieces of a text."""
        signs = byte_signs()
        words = ("".join(signs[byte] for byte in chunk.encode()) for chunk in chunks(text))
        return [self.number[piece] for word in words for piece in self._pieces_of(word)]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the pieces; bytes that are no UTF-8 become a replacement sign."""
        byte_of = {sign: byte for byte, sign in byte_signs().items()}
        signs = "".join(self.sign_of[int(number)] for number in ids)
        return bytes(byte_of[sign] for sign in signs).decode(errors="replace")

    def _join(self, word: str) -> list[str]:
        """Join the two neighbours that come first in the order, until no two join."""
        parts = list(word)
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            best = min(pairs, key=lambda pair: self.rank.get(pair, len(self.rank)))
            if best not in self.rank:
                break
            joined: list[str] = []
            for part in parts:
                if joined and (joined[-1], part) == best:
                    joined[-1] += part
                else:
                    joined.append(part)
            parts = joined
        return parts
