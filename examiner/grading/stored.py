"""Small programs with what is right, as they lie beside the course: nothing need be computed.

`nextword sync` writes them for `nextword check` (release/known.py). They count where they were made
of the same suite and reference by the same means; else what is right is found out anew.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from examiner.catalogue import Chapter
from examiner.counterexamples.examples import Examples
from examiner.counterexamples.pool import Pool, from_json
from examiner.judge.mistakes import Misconception
from examiner.judge.suite import Suite
from examiner.project import Project
from examiner.release.known import fingerprint

Packed = dict[str, Any]  # what a Pool is stored as


def packed_pool(project: Project, chapter: Chapter) -> Packed:
    """Return the stored programs of a chapter, {} where there are none of these sources."""
    try:
        raw = json.loads(project.known(chapter.stem).read_text("utf-8"))
        if raw["of"] == fingerprint(project, chapter) and raw["pool"]["cases"]:
            return dict(raw["pool"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


class StoredExamples(Examples):
    """Finds smallest examples by stored programs, and by others where a task has none stored."""

    def __init__(
        self,
        suite: Suite,
        stem: str,
        reference: Path,
        mistakes: Sequence[Misconception],
        packed: Packed,
    ) -> None:
        super().__init__(suite, stem, reference, mistakes)
        self._packed = packed

    def pool(self, task_id: str) -> Pool:
        """Return the programs of a task, with what is right."""
        if task_id not in self._right and self._packed.get("cases", {}).get(task_id):
            try:
                cases = {task_id: self._packed["cases"][task_id]}
                self._right[task_id] = from_json({**self._packed, "cases": cases})
            except (ValueError, KeyError, TypeError, zlib.error):  # nobody but us has written it
                self._packed = {}
        return super().pool(task_id)
