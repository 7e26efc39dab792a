"""Keeps which draw of its inputs each test takes, so that the reference is asked once and not for
each run: nbgrader and other graders start a process for each submission.

Kept beside the course folder's seed, under a hash of all that it depends on. Leaves out tests that
the reference failed: they are asked about again. A file that cannot be read counts for nothing.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from examiner.grading.admission import ATTEMPTS, Admission
from examiner.grading.store import Key, write_atomically
from examiner.project import Project

MOST = 8  # ways of grading a chapter that are kept: seeds, sandboxes, versions


def load(project: Project, stem: str, key: Key) -> tuple[dict[str, int], bool]:
    """Return the draws of tests that are known, and whether no other test is left to ask about."""
    try:
        kept = _read(_path(project, stem))[_name(key)]
        attempts = {str(test): _attempt(value) for test, value in kept["attempts"].items()}
        return attempts, kept["whole"] is True
    except (TypeError, KeyError, AttributeError, ValueError):
        return {}, False


def save(project: Project, stem: str, key: Key, admission: Admission) -> None:
    """Keep what was settled."""
    path = _path(project, stem)
    entries = _read(path)
    entries.pop(_name(key), None)
    entries[_name(key)] = {"attempts": admission.attempts, "whole": not admission.faults}
    latest = dict(list(entries.items())[-MOST:])
    write_atomically(path, json.dumps(latest, indent=1))


def _path(project: Project, stem: str) -> Path:
    return project.state(f"admitted-{stem}.json")


def _name(key: Key) -> str:
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _attempt(value: Any) -> int:
    if type(value) is not int or not 0 <= value < ATTEMPTS:
        raise ValueError(value)
    return value
