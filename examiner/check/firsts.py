"""When each task first passed its visible tests: to the hour, for a teacher who plans a course.

It is noted while the student checks, and goes into the file to hand in unless the student leaves it
out. It holds task ids and hours, nothing else; no mark depends on it. Leaves out what a class makes
of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.files import write_whole
from examiner.project import STATE, Project
from examiner.results import TaskResult, Verdict

IN_SUBMISSION = "progress.json"
LONGEST = 1 << 14  # bytes that are read of a student's file
FORM = re.compile(r"20\d\d-\d\d-\d\dT\d\d:00Z")

Firsts = tuple[tuple[str, str], ...]  # task ids, each with its hour


def firsts_file(project: Project) -> Path:
    """Return where it is noted in a course folder."""
    return project.root / STATE / "firsts.json"


def note(path: Path, tasks: Iterable[TaskResult], now: datetime) -> None:
    """Add the tasks that pass for the first time; where nothing can be written, do nothing."""
    known = dict(_noted(path))
    hour = f"{now.astimezone(UTC):%Y-%m-%dT%H}:00Z"
    passed = [each.task.id for each in tasks if each.tests and each.verdict is Verdict.PASSED]
    if new := {task: hour for task in passed if task not in known}:
        try:
            write_whole(path, json.dumps({**known, **new}, indent=1).encode(), mode=0o644)
        except OSError:
            return


def to_hand_in(path: Path, chapter: Chapter) -> bytes:
    """Return the file to hand in for a chapter; b"" where nothing was noted."""
    mine = {task: hour for task, hour in _noted(path) if task in {t.id for t in chapter.tasks}}
    return (json.dumps(mine, indent=1) + "\n").encode() if mine else b""


def parsed(data: bytes) -> Firsts:
    """Return what such a file says; () for one that is none: anybody may have written it.

    >>> parsed(b'{"2.1": "2026-11-20T14:00Z", "2.2": "yesterday"}')
    (('2.1', '2026-11-20T14:00Z'),)
    """
    try:
        raw = json.loads(data) if len(data) <= LONGEST else {}
    except (ValueError, RecursionError):
        return ()
    rows = raw.items() if isinstance(raw, dict) else ()
    return tuple((task, hour) for task, hour in rows if _is_hour(hour))


def _is_hour(text: object) -> bool:
    if not isinstance(text, str) or not FORM.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _noted(path: Path) -> Firsts:
    try:
        return parsed(path.read_bytes())
    except OSError:
        return ()
