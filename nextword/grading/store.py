"""Keeps results as each submission ends, so that a killed run goes on where it was.

A result is found again only while everything that could change it is the same: the key is a hash
of the submission, the suite, the reference, the seed, the versions and the grader itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from nextword.catalogue import Chapter
from nextword.errors import UserError
from nextword.results import SubmissionResult, TaskResult, TestResult, Verdict

_GRADER = Path(__file__).parents[1]


def context_key(paths: Iterable[Path | None], settings: dict[str, Any]) -> str:
    """Return a hash of what all results of a run depend on besides the submissions."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    own = [*_GRADER.glob("grading/*.py"), *_GRADER.glob("check/*.py"), _GRADER / "results.py"]
    for path in [*paths, *sorted(own)]:
        digest.update(path.read_bytes() if path else b"-")
    for name in ("numpy", "torch", "msgpack"):
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            digest.update(name.encode())
    digest.update(platform.python_version().encode())
    return digest.hexdigest()


def file_name(student: str) -> str:
    """Return a safe file name for a student, another one for every student.

    >>> file_name("Ada Lovelace"), file_name("../x")
    ('Ada Lovelace', '.._x-d6b96a97')
    """
    safe = re.sub(r"[^\w.\- ]", "_", student)[:80].strip() or "_"
    if safe == student and not safe.startswith("."):
        return safe
    return f"{safe}-{hashlib.sha256(student.encode(errors='replace')).hexdigest()[:8]}"


def write_atomically(path: Path, text: str, *, durable: bool = True) -> None:
    """Write a whole file or nothing; raises UserError on a full disk.

    `durable`: also if the machine stops. Pages that can be made again need not be.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        text = f"{path} cannot be written: {error.strerror}; what was graded before is kept"
        raise UserError(text) from None


class Store:
    """The results of a class in a folder, one file per student."""

    def __init__(self, folder: Path, chapter: Chapter) -> None:
        self._folder, self._chapter = folder, chapter

    def _path(self, student: str) -> Path:
        return self._folder / f"{file_name(student)}.json"

    def load(self, student: str) -> tuple[str, SubmissionResult] | None:
        """Return a student's last result and its key, or None where there is none to be read."""
        try:
            raw = json.loads(self._path(student).read_text("utf-8"))
            return str(raw["key"]), self._result(raw["result"])
        except (OSError, ValueError, KeyError, TypeError):
            return None  # a broken file is graded again

    def save(self, key: str, result: SubmissionResult) -> None:
        """Keep a result."""
        raw = {
            "key": key,
            "result": {
                "student": result.student,
                "notice": result.notice,
                "files": result.files,
                "tasks": {
                    each.task.id: [asdict(test) for test in each.tests] for each in result.tasks
                },
            },
        }
        write_atomically(self._path(result.student), json.dumps(raw, ensure_ascii=False))

    def _result(self, raw: dict[str, Any]) -> SubmissionResult:
        tasks = tuple(
            TaskResult(task, tuple(_test(each) for each in raw["tasks"][task.id]))
            for task in self._chapter.tasks
        )
        return SubmissionResult(raw["student"], tasks, raw["notice"], tuple(raw["files"]))


def _test(raw: dict[str, Any]) -> TestResult:
    return TestResult(**{**raw, "verdict": Verdict(raw["verdict"])})
