"""The texts that a training reads: files, folders of them, and the corpora of the course by name.

Texts are read in pieces, so that they may be larger than memory. Leaves out: what is a token.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from nextword.corpora import downloads, names, pydocs, shakespeare, village
from nextword.models.trainer.config import Config

WORDS = 1_000_000  # that are read of a corpus with a name, unless it is said
PIECE = 2**20  # characters that are read at once
LOOKED_AT = 2**16  # bytes at the beginning of a file that tell whether it is text
TEXTS = "*.txt"  # what is read of a folder
NAMED = 3  # files that an error names
BY_NAME = (*names.KNOWN, *downloads.TEXTS)


@dataclass(frozen=True)
class Source:
    """A text in order, in pieces that can be read again."""

    name: str  # for the folder of a run
    pieces: Callable[[], Iterator[str]]
    files: tuple[Path, ...] = ()  # none: the text comes from a corpus or a download

    def marks(self) -> list[Any]:
        """What changes when a file does, without reading it: path, size and time of each."""
        stats = [(path, path.stat()) for path in self.files]
        return [[str(path.resolve()), s.st_size, s.st_mtime_ns] for path, s in stats]

    def digest(self) -> str:
        """A hash of the text."""
        found = hashlib.sha256()
        for piece in self.pieces():
            found.update(piece.encode())
        return found.hexdigest()


def is_file_or_folder(names_given: Sequence[str]) -> bool:
    """Tell whether a corpus is given by paths, not by its name."""
    return len(names_given) != 1 or names_given[0] not in BY_NAME


def find(names_given: Sequence[str], n_tokens: int = WORDS) -> Source:
    """The text of files and folders, or of a corpus by name; `UserError` says what is wrong.

    n_tokens: how many words the village tells.
    """
    if not is_file_or_folder(names_given):
        return _by_name(names_given[0], n_tokens)
    files = [path for name in names_given for path in _files(name)]
    files = list(dict.fromkeys(files))
    wrong = {path: why for path in files if (why := _fault(path))}
    if wrong:
        shown = "; ".join(f"{path} {why}" for path, why in list(wrong.items())[:NAMED])
        more = f" (and {len(wrong) - NAMED} more)" if len(wrong) > NAMED else ""
        raise UserError(f"{shown}{more}: leave such files out, or save them as UTF-8 text")
    return Source(name_of(names_given), lambda: _pieces(files), tuple(files))


def name_of(names_given: Sequence[str]) -> str:
    """A name for a corpus that is given by its name, or by paths."""
    if not is_file_or_folder(names_given):
        return names_given[0]
    first = Path(names_given[0]).expanduser()
    name = slug(first.resolve().name if first.is_dir() else first.stem)
    return name if len(names_given) == 1 else f"{name}-and-{len(names_given) - 1}-more"


def slug(name: str) -> str:
    """A name that any file system takes.

    >>> slug("My Book (2nd).v1")
    'my-book-2nd-v1'
    """
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-") or "text"


def _files(name: str) -> list[Path]:
    """The file of this name, or the texts in the folder of this name."""
    path = Path(name).expanduser()
    if path.is_dir():
        found = sorted(p for p in path.rglob(TEXTS) if p.is_file())
        if not found:
            raise UserError(f"the folder {path} holds no text: no file in it ends with .txt")
        return found
    if not path.is_file():
        raise UserError(
            f"unknown corpus {name!r}: expected {', '.join(BY_NAME)}, a text file or a folder of "
            f"them (there is no file {path})"
        )
    return [path]


def _fault(path: Path) -> str:
    """What keeps a file from being read as text, in words; empty where nothing does."""
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if not head.strip():
        return "is empty"
    return "is binary" if b"\0" in head else ""


def _pieces(files: Sequence[Path]) -> Iterator[str]:
    """The texts one after the other; a piece ends where a line does."""
    for path in files:
        try:
            with path.open(encoding="utf-8-sig") as file:
                while piece := file.read(PIECE):
                    yield piece + file.readline(PIECE)
        except UnicodeDecodeError as error:
            raise UserError(
                f"{path} is not UTF-8 text ({error.reason}): save it as UTF-8, or leave it out"
            ) from error
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}") from error


def _by_name(name: str, n_tokens: int) -> Source:
    """The text of a download, or of a corpus whose sentences stand on lines."""
    if name in downloads.TEXTS:
        parts = downloads.DOWNLOADS[name].parts
        text = downloads.read(name, next((p for p in ("all", "train") if p in parts), None))
    elif name == "village":
        stories = village.split("train", n_tokens).stories()
        text = "\n".join(village.prose(story) for story in stories)
    else:
        sentences = {"pydocs": pydocs, "shakespeare": shakespeare}[name].sentences("train")
        text = "\n".join(" ".join(sentence) for sentence in sentences)
    return Source(name, lambda: (text[k : k + PIECE] for k in range(0, len(text), PIECE)))


def folder_of(config: Config, given: Sequence[str], text: dict[str, Any]) -> str:
    """The name of a run's folder: another one for each corpus, cut into tokens, and plan.

    text: the other arguments of `streams.read`.
    """
    rest: dict[str, Any] = {}
    if is_file_or_folder(given):
        rest["paths"] = [str(Path(name).expanduser().resolve()) for name in given]
    elif text["n_tokens"] != WORDS:
        rest["n_tokens"] = text["n_tokens"]
    if text["tokens_as"] == "bpe":
        rest["merges"] = text["n_merges"]
    return config.folder_name(name_of(given), text["tokens_as"], rest)
