"""The pytest plugin that gives a suite its fixtures and collects its verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator
from typing import Any

import numpy as np
import pytest

from nextword.check.explain import judge
from nextword.check.timelimit import time_limit
from nextword.judge.marks import SuiteError, TaskMark, behaviour, generator_for, read_mark
from nextword.results import TestResult

Reporter = Callable[[str, TestResult], None]


class SuitePlugin:
    """Runs the tests of some tasks on a package that lives in this process.

    `package` has each chapter's module as an attribute (`package.ngrams`).
    """

    def __init__(
        self,
        package: Any,
        *,
        seed: str,
        task_ids: Collection[str] | None = None,
        visible_only: bool = True,
        report: Reporter | None = None,
    ) -> None:
        self.package = package
        self.seed = seed
        self.task_ids = task_ids
        self.visible_only = visible_only
        self.report = report or (lambda task_id, result: None)
        self.collected: list[str] = []
        self.results: list[tuple[str, TestResult]] = []
        self.errors: list[str] = []
        self._started: dict[str, float] = {}

    @pytest.fixture
    def coursework(self) -> Any:
        """The package under test."""
        return self.package

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        """The test's own random generator, drawn from the seed and the test's name."""
        return generator_for(self.seed, request.node.name)

    def _wanted(self, mark: TaskMark) -> bool:
        of_task = self.task_ids is None or mark.id in self.task_ids
        return of_task and (mark.visible or not self.visible_only)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests that were asked for."""
        items[:] = [item for item in items if self._wanted(read_mark(item))]
        self.collected = [item.name for item in items]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a suite that cannot be read."""
        if report.failed:
            self.errors.append(str(report.longrepr))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start the test's clock."""
        self._started[item.nodeid] = time.perf_counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        """Hold the test to its time limit."""
        with time_limit(read_mark(pyfuncitem).seconds):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what happened into a verdict."""
        report = yield
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self._judge(item, call, report)
        return report

    def _judge(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        mark = read_mark(item)
        verdict, message = judge(call, report, suite=item.path)
        result = TestResult(
            name=item.name,
            behaviour=behaviour(item),
            verdict=verdict,
            weight=mark.weight,
            visible=mark.visible,
            message=message,
            seconds=time.perf_counter() - self._started.get(item.nodeid, time.perf_counter()),
        )
        self.results.append((mark.id, result))
        self.report(mark.id, result)

    def verify(self) -> None:
        """Raise SuiteError unless every collected test was run and judged once."""
        if self.errors:
            raise SuiteError("the suite cannot be read:\n" + "\n".join(self.errors))
        if not self.collected:
            raise SuiteError("the suite has no test for this task")
        judged = sorted(result.name for _, result in self.results)
        if judged != sorted(self.collected):
            missing = sorted(set(self.collected) - set(judged))
            raise SuiteError(f"collected {len(self.collected)} tests, ran {len(judged)}: {missing}")
