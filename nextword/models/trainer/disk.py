"""Tokens of a text in a file that is mapped into memory, made once and in pieces.

So a text may be larger than memory: of it only what a batch asks for is read. The file is made anew
where the text, or what is a token, has changed. Leaves out: the corpora of the course in words,
which are small.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import numpy as np

from examiner.errors import UserError
from examiner.files import SHARED, write_whole
from nextword.corpora import text
from nextword.given.batches import BOS, EOS, number_words
from nextword.given.vocabulary import EOS as END
from nextword.given.vocabulary import UNK
from nextword.models.trainer import tokenizers
from nextword.models.trainer.sources import Source
from nextword.models.trainer.tokenizers import FIRST, Tokenizer

FILE, NOTES = "tokens.bin", "tokens.json"
VERSION = 1  # of the file
HELD_OUT = 10  # one part in so many, the last, is for validation
LEARNED_FROM = 1_000_000  # characters of the beginning from which byte pairs are learned
BLOCK = 2**20  # tokens that are worked on at once
LONGEST = 2**22  # characters of a paragraph
SEEN_OFTEN_ENOUGH = 2  # a word that was seen less in training is <unk>

Row = np.ndarray  # ids, one after the other
Say = Callable[[str], object]
Check = Callable[[str], object]  # raises UserError for the digest of a text that is not wanted


@dataclass(frozen=True)
class Tokens:
    """A text in numbers on disk: what is trained on and what is held out, and its tokenizer."""

    train: Row
    validation: Row
    tokenizer: Tokenizer
    digest: str


def tokens(
    source: Source,
    kind: str,
    folder: Path,
    *,
    n_merges: int = 0,
    language_models: ModuleType | None = None,
    say: Say = lambda line: None,
    check: Check = lambda digest: None,
) -> Tokens:
    """The tokens of a text, from the file in the folder if it is there, else made and kept.

    kind: words, characters or bpe, with as many merges. language_models: chapter 1, for bpe. `say`
    is told what takes long. Raises `UserError` where a file is no text, or nothing can be written;
    what is raised by `check`, too, and the tokens that were there before are then as they were.
    """
    wanted = {"version": VERSION, "kind": kind, "merges": n_merges if kind == "bpe" else 0}
    try:
        notes = _read(folder)
        if any(notes.get(key) != wanted[key] for key in wanted) or not _same_text(notes, source):
            say("reading the text, once")
            made = _make_whole(source, kind, folder, n_merges, language_models, check)
            notes = {**wanted, **made}
            data = json.dumps(notes, ensure_ascii=False).encode()
            write_whole(folder / NOTES, data, mode=SHARED)
    except OSError as error:
        raise UserError(f"no tokens can be written to {folder}: {error.strerror}") from error
    if not notes["n"]:
        raise UserError(f"{source.name} holds no {kind}: give a text with more than blanks")
    ids = np.memmap(folder / FILE, dtype=notes["dtype"], mode="r")
    border = notes["border"]
    if kind == "bpe":
        assert language_models is not None
        tokenizer = tokenizers.byte_pairs(language_models, notes["pairs"])
    else:
        tokenizer = Tokenizer(kind, tuple(notes["vocabulary"]))
    return Tokens(ids[:border], ids[border:], tokenizer, notes["digest"])


def _read(folder: Path) -> dict[str, Any]:
    """What is known of the tokens in a folder; nothing where they are not there, or cut off."""
    try:
        found: dict[str, Any] = json.loads((folder / NOTES).read_text("utf-8"))
        size = (folder / FILE).stat().st_size
    except (OSError, ValueError):
        return {}
    whole = found.get("n", -1) * np.dtype(found.get("dtype", "u1")).itemsize
    return found if size == whole else {}


def _same_text(notes: dict[str, Any], source: Source) -> bool:
    """Whether the tokens are of this text: files as they were, or else the same content."""
    marks = source.marks()
    return bool(marks and marks == notes["marks"]) or source.digest() == notes["text"]


def _make_whole(source: Source, *how: Any) -> dict[str, Any]:
    """Write the tokens of a text that stays as it is; raises UserError where it changes."""
    before = source.marks()
    try:
        notes = _make(source, *how)
    except LookupError:  # a character that was not there when they were numbered
        if source.marks() == before:
            raise
        notes = {}
    if source.marks() != before:
        raise UserError(f"{source.name} changed while it was read: try again")
    return notes


def _make(
    source: Source,
    kind: str,
    folder: Path,
    n_merges: int,
    language_models: ModuleType | None,
    check: Check,
) -> dict[str, Any]:
    """Write the tokens; return what is to be known of them."""
    notes: dict[str, Any] = {"marks": source.marks(), "text": source.digest()}
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "bpe":
        assert language_models is not None
        beginning = _beginning(source)
        if not beginning:
            raise UserError(f"{source.name} holds no text to learn byte pairs from")
        notes["pairs"] = language_models.train_bpe(beginning, n_merges)
        rows = _byte_pairs(source, language_models, notes["pairs"])
        return notes | _store(rows, folder, FIRST + 256 + len(notes["pairs"]), check)
    if kind == "characters":
        found = _characters(source)
        number = number_words(map(chr, found))
        table = np.zeros(found[-1] + 1 if found else 1, dtype=np.int64)
        table[found] = range(FIRST, FIRST + len(found))
        rows = (table[_code_points(piece)] for piece in source.pieces())
        return notes | {"vocabulary": list(number)} | _store(rows, folder, len(number), check)
    return notes | _words(source, folder, check)


def _beginning(source: Source) -> str:
    """The first characters of a text, at most as many as byte pairs are learned from."""
    found = ""
    for piece in source.pieces():
        found += piece[: LEARNED_FROM - len(found)]
        if len(found) >= LEARNED_FROM:
            break
    return found


def _byte_pairs(source: Source, course: ModuleType, pairs: Sequence[Any]) -> Iterator[Row]:
    """The ids of all pieces; each different chunk is encoded once, by the chapter's function."""
    seen: dict[str, list[int]] = {}
    for piece in source.pieces():
        ids: list[int] = []
        for chunk in course.chunks(piece):
            if chunk not in seen:
                seen[chunk] = [FIRST + k for k in course.encode(chunk, pairs)]
            ids += seen[chunk]
        yield np.array(ids, dtype=np.int64)


def _code_points(piece: str) -> Row:
    return np.frombuffer(piece.encode("utf-32-le"), dtype="<u4")


def _characters(source: Source) -> list[int]:
    """The code points of a text in order, each once."""
    found: set[int] = set()
    for piece in source.pieces():
        found.update(np.unique(_code_points(piece)).tolist())
    return sorted(found)


# ------------------------------------------------------------------ words
def _words(source: Source, folder: Path, check: Check) -> dict[str, Any]:
    """Write a text in words; those that training saw once are <unk>.

    Words get numbers as they come; when all are counted, these become the ids of the vocabulary.
    """
    order: dict[str, int] = number_words([])
    with _scratch(folder) as file:
        for sentence in sentences(source.pieces()):
            ids = [order.setdefault(word, len(order)) for word in sentence]
            file.write(np.array([BOS, *ids, EOS], dtype=np.uint32).tobytes())
        file.flush()
        found = np.memmap(file.name, dtype=np.uint32, mode="r") if file.tell() else np.zeros(0, int)
        border = len(found) - len(found) // HELD_OUT
        counts = np.zeros(len(order), dtype=np.int64)
        for start in range(0, border, BLOCK):
            block = found[start : min(border, start + BLOCK)]
            counts += np.bincount(block, minlength=len(order))
        kept = [w for w, k in order.items() if k >= FIRST and counts[k] >= SEEN_OFTEN_ENOUGH]
        number = number_words(sorted([*kept, END, UNK]))
        table = np.array([number.get(word, number[UNK]) for word in order])
        blocks = (table[found[k : k + BLOCK]] for k in range(0, len(found), BLOCK))
        return {"vocabulary": list(number)} | _store(blocks, folder, len(number), check)


def sentences(pieces: Iterable[str]) -> Iterator[list[str]]:
    """The sentences of a text: paragraphs end at a blank line, or at each line if none is.

    Whether there are blank lines is told by the first piece.

    >>> list(sentences(["One day\\nit rained. It\\n\\nstopped.\\n"]))
    [['one', 'day', 'it', 'rained', '.'], ['it'], ['stopped', '.']]
    """
    rest, mark = "", ""
    for piece in pieces:
        mark = mark or ("\n\n" if "\n\n" in piece.strip() else "\n")
        *blocks, rest = (rest + piece).split(mark)
        if len(rest) > LONGEST:  # a text without such marks: cut it between two words
            block, _, rest = rest.rpartition(" ")
            blocks.append(block)
        yield from _of_paragraphs(blocks)
    yield from _of_paragraphs([rest])


def _of_paragraphs(blocks: Iterable[str]) -> Iterator[list[str]]:
    for block in blocks:
        for sentence in text.sentences(" ".join(block.split())):
            yield text.words(sentence, lower=True)


# ------------------------------------------------------------------ files
def _scratch(folder: Path) -> Any:
    """A file of the folder that is gone when it is closed."""
    return tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=".part")


def _store(
    rows: Iterable[Row], folder: Path, V: int, check: Check = lambda digest: None
) -> dict[str, Any]:
    """Write ids below V in as few bytes as they need; the file appears when it is whole, and has
    passed the check."""
    dtype = "<u2" if V <= 2**16 else "<u4"
    digest, n = hashlib.sha256(), 0
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            for row in rows:
                n += _append(file, digest.update, row.astype(dtype))
        check(digest.hexdigest())
        Path(name).chmod(SHARED)
        Path(name).replace(folder / FILE)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return {"dtype": dtype, "n": n, "border": n - n // HELD_OUT, "digest": digest.hexdigest()}


def _append(file: BinaryIO, note: Callable[[bytes], object], row: Row) -> int:
    data = row.tobytes()
    file.write(data)
    note(data)
    return len(row)
