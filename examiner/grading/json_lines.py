"""Results as lines of JSON, each written when its submission ends."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from examiner.errors import KEPT, unwritable
from examiner.files import is_stream, open_stream
from examiner.grading.store import write_atomically
from examiner.results import SubmissionResult


class JsonLines:
    """A file with a line for each submission."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file = path, file
        self._listed: set[str] = set()  # students
        self._twice = False

    def add(self, result: SubmissionResult) -> None:
        """Write a line; raises UserError on a full disk."""
        self._twice |= result.student in self._listed
        self._listed.add(result.student)
        data = _line(result).encode("utf-8", errors="replace")
        with _told(self._path):
            while data:
                data = data[self._file.write(data) :]

    def finish(self, results: Iterable[SubmissionResult]) -> None:
        """Leave one line for each: where a submission was judged again, all are written anew.

        In a stream both stay, and the later one counts.
        """
        if self._twice and not is_stream(self._path):
            write_atomically(self._path, map(_line, results))


@contextmanager
def json_lines(path: Path) -> Iterator[JsonLines]:
    """Begin a new file, which can be read while the block runs; raises UserError."""
    with contextlib.ExitStack() as stack:
        with _told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            # without a buffer: a line that does not fit on the disk is not tried again at the end
            opened = open_stream(path, 0) if is_stream(path) else path.open("wb", buffering=0)
            file = stack.enter_context(opened)
        yield JsonLines(path, file)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(path, error, but=KEPT) from None


def _line(result: SubmissionResult) -> str:
    return json.dumps(result.to_json(), ensure_ascii=False) + "\n"
