"""Runs a chapter's suite on a student's file in this process.

The tests are judged by the examiner's own path (examiner.judge); only its walls are missing.
`nextword check` does so in a child process, which can be ended (apart.py).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from examiner.errors import SuiteError
from examiner.judge.local import IMPORT_SECONDS, time_bound
from examiner.judge.runs import VISIBLE_SEED, Terms
from examiner.judge.session import Judged, Refusal, Session
from examiner.judge.suite import Suite, SuiteTest, with_suite
from examiner.results import TestResult

Opener = Callable[[Suite], Session | Refusal]


@dataclass(frozen=True)
class Checked:
    """What a run of a suite on a student's file found."""

    results: tuple[tuple[str, TestResult], ...]  # with the task ids
    refusal: Refusal | None  # why the file could not be imported


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
    seconds: Callable[[SuiteTest], float] = lambda test: test.mark.seconds,
    begins: Callable[[str, float], None] = lambda name, seconds: None,
    report: Callable[[str, Judged], None] = lambda task_id, judged: None,
    printed: TextIO | None = None,
) -> Checked:
    """Run a suite's tests on the module that `opener` gives.

    `planned` is told of all tests before the first, `begins` of each one and its limit, which is
    that of `seconds`, and of the import, which has no name, and `report` what became of each.
    Tests named in `skip` are left out.
    What is printed meanwhile goes to `printed`, or nowhere.
    Raises SuiteError when the suite cannot be read or has no test for these tasks.
    """
    checked: list[Checked] = []
    terms = Terms(seed, bound=time_bound)

    def work(found: Suite) -> None:
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
        opened = opener(found)
        results = []
        for test in wanted:
            if test.name in skip:
                continue
            limit = seconds(test)
            begins(test.name, limit)
            judged = _judged(test, opened, terms, limit)
            results.append((test.mark.id, judged.result))
            report(test.mark.id, judged)
        checked.append(Checked(tuple(results), opened if isinstance(opened, Refusal) else None))

    with _nowhere() as null:
        said = null if printed is None else printed
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(null):
            with_suite(suite, root, work)
    return checked[0]


def _judged(test: SuiteTest, opened: Session | Refusal, terms: Terms, seconds: float) -> Judged:
    if isinstance(opened, Refusal):
        return Judged(opened.of(test))
    return opened.run(test, terms, seconds)


@contextlib.contextmanager
def _nowhere() -> Iterator[TextIO]:
    """Yield where prints go: they are not kept, however many they are."""
    null = Path(os.devnull).open("w", encoding="utf-8", errors="replace")  # noqa: SIM115 (see below)
    try:
        yield null
    finally:
        # subtle: a student's own `os.fdopen(sys.stdout.fileno())` has closed what it opened anew
        with contextlib.suppress(OSError):
            null.close()


__all__ = ["SuiteError", "run_suite"]
