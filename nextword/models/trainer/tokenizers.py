"""What is one token: a word, a character, or a byte pair of chapter 1; from text to ids and back.

Ids below 3 are taken (PAD, BOS, EOS). A tokenizer is kept with its run, as plain values. Leaves
out: texts larger than memory (nextword.models.trainer.disk).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import ModuleType
from typing import Any

from examiner.errors import UserError
from nextword.corpora import text, village
from nextword.given.batches import EOS, number_words
from nextword.given.vocabulary import UNK

KINDS = ("words", "characters", "bpe")
FIRST = 3  # the first id that is free
SAID = 5  # unknown words that a message names


@dataclass(frozen=True)
class Tokenizer:
    """A cut of text into tokens, each with an id."""

    kind: str
    vocabulary: tuple[str, ...]  # the sign of each id; of byte pairs, what can be read of them
    merges: tuple[tuple[int, int], ...] = ()
    language_models: ModuleType | None = field(default=None, compare=False)  # chapter 1, for bpe

    def to_json(self) -> dict[str, Any]:
        """All but the vocabulary, as plain values."""
        return {"kind": self.kind, "merges": [list(pair) for pair in self.merges]}

    def encode(self, written: str) -> list[int]:
        """The ids of a text; `UserError` names what the vocabulary lacks.

        >>> Tokenizer("characters", ("<pad>", "<s>", "</s>", "a", "b")).encode("abba")
        [3, 4, 4, 3]
        """
        if self.kind == "bpe":
            return [FIRST + k for k in self._chapter().encode(written, list(self.merges))]
        signs = text.words(written, lower=True) if self.kind == "words" else list(written)
        number = {sign: k for k, sign in enumerate(self.vocabulary)}
        unknown = self.unknown(written)
        if unknown and UNK not in number:
            shown = ", ".join(map(repr, unknown[:SAID])) + (", …" if len(unknown) > SAID else "")
            raise UserError(
                f"the run has never seen {shown}: its {self.kind} are those of its text"
            )
        return [number.get(sign, number.get(UNK, EOS)) for sign in signs]

    def unknown(self, written: str) -> list[str]:
        """The words or characters of a text that the vocabulary lacks, each once."""
        if self.kind == "bpe":
            return []
        signs = text.words(written, lower=True) if self.kind == "words" else list(written)
        known = set(self.vocabulary)
        return [sign for sign in dict.fromkeys(signs) if sign not in known]

    def decode(self, ids: Sequence[int], *, as_prose: bool = False) -> str:
        """The text of ids: characters and byte pairs are joined, words stand apart.

        as_prose: words are the village's, and get capitals and close punctuation.

        >>> words = Tokenizer("words", ("<pad>", "<s>", "</s>", "hens", "the", "."))
        >>> words.decode([4, 3, 5]), words.decode([4, 3, 5], as_prose=True)
        ('the hens .', 'The hens.')
        """
        if self.kind == "bpe":
            found: str = self._chapter().decode([k - FIRST for k in ids if k >= FIRST], self.merges)
            return found
        signs = [self.vocabulary[k] for k in ids]
        if self.kind == "characters":
            return "".join(signs[k] for k, i in enumerate(ids) if i >= FIRST)
        return village.prose(signs) if as_prose else _lines(signs)

    def _chapter(self) -> ModuleType:
        assert self.language_models is not None
        return self.language_models


def _lines(signs: Iterable[str]) -> str:
    """Words with a space between them; each sentence on a line of its own."""
    lines: list[list[str]] = [[]]
    for sign in signs:
        if sign == "</s>":
            lines.append([])
        elif sign not in ("<s>", "<pad>"):
            lines[-1].append(sign)
    return "\n".join(" ".join(line) for line in lines)


def byte_pairs(language_models: ModuleType, merges: Iterable[Sequence[int]]) -> Tokenizer:
    """The tokenizer of merges that chapter 1 has learned; its functions encode and decode."""
    pairs = [(int(a), int(b)) for a, b in merges]
    pieces = language_models.token_bytes(pairs)
    signs = (repr(piece)[1:] for piece in pieces)  # b'x' without its b: different for all bytes
    return Tokenizer("bpe", tuple(chain(number_words([]), signs)), tuple(pairs), language_models)


def of_run(notes: dict[str, Any], language_models: ModuleType | None = None) -> Tokenizer:
    """The tokenizer that a checkpoint keeps; one from before it was kept is told by its signs."""
    vocabulary = tuple(notes["vocabulary"])
    kept = notes.get("tokenizer")
    if kept is None:
        single = all(len(sign) == 1 for sign in vocabulary[FIRST:])
        return Tokenizer("characters" if single else "words", vocabulary)
    if kept["kind"] == "bpe":
        assert language_models is not None
        return byte_pairs(language_models, kept["merges"])
    return Tokenizer(kept["kind"], vocabulary)
