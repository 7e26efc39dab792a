"""What is known of a training as it goes, in a file beside its checkpoint: a JSON value a line.

    {"step": 7, "loss": 4.12, "rate": 0.0002, "seconds": 0.31, "tokens": 14336}
    {"step": 200, "validation": 2.31, "training": 2.45, "sample": "once upon a time"}

Seconds and tokens are those of all steps so far; losses are nats per token. Leaves out: what the
training goes on from (saved.py).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from examiner.errors import unwritable
from examiner.files import SHARED, write_whole

FILE = "log.jsonl"
KEPT = 200  # lines that wait before they are written

Line = dict[str, Any]


class Log:
    """The log of a run; `path` None writes nothing, as all processes but the first do."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._waiting: list[Line] = []

    def begin(self, n_done: int) -> float:
        """Forget what was told of later steps than these; return the seconds that they took.

        A killed training has told more than its checkpoint holds. Those steps are made again.
        """
        if self.path is None:
            return 0.0
        before = read(self.path)
        kept = [line for line in before if line["step"] <= n_done]
        try:
            write_whole(self.path, "".join(map(_text, kept)).encode(), mode=SHARED)
        except OSError as error:
            raise unwritable(self.path, error) from error
        return max((line.get("seconds", 0.0) for line in kept), default=0.0)

    def write(self, line: Line) -> None:
        """Tell one thing; it is in the file after the next `flush`, or sooner."""
        if self.path is not None:
            self._waiting.append(line)
        if len(self._waiting) >= KEPT:
            self.flush()

    def flush(self) -> None:
        """Write all that waits; raises `UserError` where that fails."""
        if self.path is None or not self._waiting:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.writelines(map(_text, self._waiting))
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._waiting.clear()


def _text(line: Line) -> str:
    """A line of the file; what is no number is null there."""
    plain = {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in line.items()
    }
    return json.dumps(plain, ensure_ascii=False) + "\n"


def read(path: Path) -> list[Line]:
    """The lines of a log; one that was cut off by a kill is left out. No file: no lines."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [found for line in lines if (found := _line(line)) is not None]


def _line(line: str) -> Line | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("step"), int) else None


def steps_of(lines: Iterable[Line]) -> list[Line]:
    """Those lines that tell of a step."""
    return [line for line in lines if line.get("loss") is not None]


def looks_of(lines: Iterable[Line]) -> list[Line]:
    """Those lines that tell of a look at the validation text."""
    return [line for line in lines if line.get("validation") is not None]
