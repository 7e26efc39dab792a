"""Whose points are others than after the run before, and why."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode

from examiner.grading.outcome import Change
from examiner.grading.store import REASONS, Key
from examiner.platforms.nbgrader.course import Assignment
from examiner.platforms.nbgrader.gradebook import GradebookEntry
from examiner.platforms.nbgrader.notebook import SHARED


def note_key(nb: NotebookNode, of: Assignment, module: Mapping[str, Any] | None) -> None:
    """Note in a graded notebook's metadata by what module and notebook were judged."""
    key: Key = dict(module["key"]) if module else {}
    answers = (cell.source for cell in nb.cells if not _is_locked(cell))
    checks = (of.cells[name]["source"] for name in of.ids("check"))
    key["submission"] = _hash([key.get("submission", ""), *answers])
    key["tests"] = _hash([key.get("tests", ""), *checks])
    nb.metadata[SHARED].key = key


def key_in(path: Path) -> Key:
    """Return by what a notebook was judged; {} where there is none, or nothing is noted."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return dict(json.loads(path.read_text("utf-8"))["metadata"][SHARED]["key"])
    return {}


def change(of: Assignment, written: GradebookEntry, before: Key, nb: NotebookNode) -> Change | None:
    """Return how a student's points changed with this run, if they did."""
    if written.before is None or (written.before == written.points and not written.changed):
        return None
    now = nb.metadata[SHARED].key
    reasons = [why for part, why in REASONS.items() if before.get(part) != now.get(part)]
    if not before:
        reasons = ["graded by other means before"]
    elif not written.changed:
        reasons = ["the penalty for being late"]
    why = " and ".join(reasons) or "not the same as before: an unsteady test or submission"
    parts = ", ".join(_name(of, each) for each in written.changed)
    text = f"{why}; {parts}" if parts else why
    return Change(written.student, written.before, written.points, text)


def _name(of: Assignment, grade_id: str) -> str:
    return str(of.said(grade_id)["task"]) if of.kind(grade_id) == "task" else grade_id


def _is_locked(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("locked"))


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()
