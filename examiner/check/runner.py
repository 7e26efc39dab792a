"""Runs a chapter's suite on a student's file in this process.

The tests are judged by the examiner's own path (examiner.judge); only its walls are missing.
`nextword check` does so in a child process, which can be ended (apart.py).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TextIO

from examiner.judge.local import IMPORT_SECONDS
from examiner.judge.marks import SuiteError
from examiner.judge.session import Refusal, Session
from examiner.judge.suite import VISIBLE_SEED, Suite, SuiteTest, with_suite
from examiner.judge.timelimit import time_limit
from examiner.results import TestResult

Reporter = Callable[[str, TestResult], None]
Opener = Callable[[Suite], Session | Refusal]


def run_suite(
    suite: Path,
    opener: Opener,
    *,
    root: Path,
    seed: str = VISIBLE_SEED,
    task_ids: Collection[str] | None = None,
    visible_only: bool = True,
    skip: Collection[str] = (),
    planned: Callable[[list[SuiteTest]], None] = lambda tests: None,
    begins: Callable[[str, float], None] = lambda name, seconds: None,
    report: Reporter = lambda task_id, result: None,
) -> list[tuple[str, TestResult]]:
    """Run a suite's tests on the module that `opener` gives; return (task id, result) of each.

    `planned` is told of all tests before the first, `begins` of each one and its limit, and of the
    import, which has no name. Tests named in `skip` are left out.
    Raises SuiteError when the suite cannot be read or has no test for these tasks.
    """
    results: list[tuple[str, TestResult]] = []

    def work(found: Suite) -> None:
        found.seed = seed
        found.bound = lambda deadline: time_limit(deadline.seconds)
        wanted = [
            test
            for test in found.tests
            if (task_ids is None or test.mark.id in task_ids)
            and (test.mark.visible or not visible_only)
        ]
        if not wanted:
            raise SuiteError(f"{suite.name} has no test for this task")
        planned(wanted)
        begins("", IMPORT_SECONDS)
        session = opener(found)
        for test in wanted:
            if test.name in skip:
                continue
            begins(test.name, test.mark.seconds)
            result = session.of(test) if isinstance(session, Refusal) else session.run(test)
            results.append((test.mark.id, result))
            report(test.mark.id, result)

    with _nowhere() as null, contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
        with_suite(suite, root, work)
    return results


def _nowhere() -> contextlib.AbstractContextManager[TextIO]:
    """Return where prints go: they are not kept, however many they are."""
    return Path(os.devnull).open("w", encoding="utf-8", errors="replace")


__all__ = ["SuiteError", "run_suite"]
