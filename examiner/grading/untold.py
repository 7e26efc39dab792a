"""Whose score a run has changed before it could say so: what it knew, the next run tells.

A result takes the place of the one before as soon as it is judged; a run that is killed then would
leave nobody who knows that it was another one.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from examiner.errors import unwritable
from examiner.files import write_whole
from examiner.grading.outcome import Change
from examiner.grading.store import REASONS, Kept, Key
from examiner.results import SubmissionResult

FILE = ".untold.jsonl"
_NO_LINE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)
UNSTEADY = "not the same as before: an unsteady test or submission"


@dataclass(frozen=True)
class Before:
    """What a submission earned when that was last told, and why it no longer counts."""

    score: float
    scores: dict[str, float]  # by task
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, kept: Kept, key: Key, untold: Before | None) -> Before:
        """Return what is to be remembered of a result that is about to be replaced.

        `untold`: what it has itself replaced, if nobody was told.
        """
        reasons = [why for part, why in REASONS.items() if kept.key.get(part) != key.get(part)]
        if untold is None:
            return cls(kept.score, kept.scores, tuple(reasons))
        both = dict.fromkeys((*untold.reasons, *reasons))
        return cls(untold.score, untold.scores, tuple(both))

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Before:
        """Return what a line of the file says; raises one of _NO_LINE where it is none."""
        scores = {str(task): float(score) for task, score in raw["scores"].items()}
        return cls(float(raw["score"]), scores, tuple(map(str, raw["reasons"])))

    def change(self, result: SubmissionResult) -> Change | None:
        """Return in what the score of now is another one."""
        scores = {each.task.id: each.score for each in result.tasks}
        if self.score == result.score and self.scores == scores:
            return None
        both = {**self.scores, **scores}
        tasks = [task for task in both if self.scores.get(task) != scores.get(task)]
        text = f"{' and '.join(self.reasons) or UNSTEADY}; tasks {', '.join(tasks)}"
        return Change(result.student, self.score, result.score, text)


class Untold:
    """A file beside the results, which is there while changes have not been told."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def read(self) -> Mapping[str, Before]:
        """Return what is untold by student: of several lines the first, which was told."""
        found: dict[str, Before] = {}
        for student, before, _ in self._lines():
            found.setdefault(student, before)
        return found

    def _lines(self) -> Iterator[tuple[str, Before, bytes]]:
        with contextlib.suppress(FileNotFoundError):
            for line in self._path.read_bytes().splitlines():
                with contextlib.suppress(*_NO_LINE):  # cut off by a kill, or of a bad disk
                    raw = json.loads(line)
                    yield str(raw["student"]), Before.read(raw), line

    def note(self, student: str, before: Before) -> None:
        """Write down what a student's result was, before it is replaced."""
        line = json.dumps({"student": student, **asdict(before)})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"\n{line}")  # the line before may have been cut off
        except OSError as error:
            raise unwritable(self._path, error) from None

    def told(self, students: Collection[str]) -> None:
        """Forget it of these students: whoever asked has heard."""
        left = [line for student, _, line in self._lines() if student not in students]
        with contextlib.suppress(OSError):  # it is told twice, which is better than not at all
            if left:
                write_whole(self._path, b"\n".join(left), durable=True)
            else:
                self._path.unlink(missing_ok=True)
