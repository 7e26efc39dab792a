"""A chapter's suite, collected once by pytest and run many times on stand-ins.

Leaves out what an outcome means for a student (wording.py) and the bounds on a test (bounds.py).
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.assertion import util

from examiner.boundary.deadline import Deadline
from examiner.catalogue import Chapter
from examiner.judge.failing import Compared, statement
from examiner.judge.marks import SuiteError, TaskMark, behaviour, generator_for, read_mark

VISIBLE_SEED = "visible"  # visible tests give the same inputs to everyone, every time
SETTINGS = Path(__file__).with_name("pytest.ini")
Bound = Callable[[Deadline], contextlib.AbstractContextManager[None]]

# What a fresh process would load and a grader does not need; without them a test costs 0.1 ms.
_UNUSED = (
    "cacheprovider capture debugging doctest faulthandler junitxml logging pastebin recwarn "
    "stepwise terminal threadexception tmpdir unraisableexception warnings"
)


class OverdueError(BaseException):
    """The test itself ran on after its time was up. Not an Exception: no test may swallow it."""


@dataclass(frozen=True)
class SuiteTest:
    """One test of the suite."""

    number: int
    name: str
    behaviour: str
    mark: TaskMark
    item: pytest.Function

    @property
    def draws(self) -> bool:
        """Whether another seed gives it other inputs; the visible ones are the same for all."""
        return not self.mark.visible and "rng" in self.item.fixturenames


class Suite:
    """The tests of a chapter; exists while `with_suite` runs its work."""

    def __init__(self, path: Path, tests: tuple[SuiteTest, ...], session: pytest.Session) -> None:
        self.path, self.tests = path, tests
        self._session = session
        self.package: Any = None  # what the fixture `coursework` gives
        self.seed = ""
        self.attempts: Mapping[str, int] = {}  # test -> which draw of its inputs; else the first
        self.bound: Bound = lambda deadline: contextlib.nullcontext()  # around each test
        self.compared: Compared | None = None  # what the last failing assertion compared
        self.asked = ""  # the last failing assertion, as it is written
        self.raised: Callable[[BaseException], None] = lambda error: None  # told before frames go

    def run(self, test: SuiteTest, deadline: Deadline) -> tuple[BaseException | None, float]:
        """Run a test on `package`; return what it raised, if anything, and its seconds.

        The four steps are those of pytest's own protocol, whose reports and hooks cost 20 times
        as much as a test: they are left out, as nobody reads them here.
        """
        state, item = self._session._setupstate, test.item
        started = time.perf_counter()
        found: BaseException | None = None
        self.compared, self.asked = None, ""
        try:
            with self.bound(deadline):
                item._initrequest()
                state.teardown_exact(item)  # what another file's test left standing
                state.setup(item)
                item.runtest()
        except (KeyboardInterrupt, SystemExit, pytest.exit.Exception):
            raise
        except BaseException as error:
            found = error
        seconds = time.perf_counter() - started
        another = self.tests[test.number - 1].item if len(self.tests) > 1 else None
        try:
            state.teardown_exact(another)  # what the two share stays
        except Exception as error:
            found = found or error
        if found is not None:
            self.raised(found)
            if test.mark.visible and isinstance(found, AssertionError):
                self.asked = statement(found.__traceback__, self.path.parent)
            _forget_frames(found)
        return found, seconds

    def require_tasks_of(self, chapter: Chapter) -> None:
        """Raise SuiteError for a test of a task that the chapter lacks."""
        known = {task.id for task in chapter.tasks}
        for test in self.tests:
            if test.mark.id not in known:
                raise SuiteError(f"{test.name}: {chapter.stem} has no task {test.mark.id}")

    def generator(self, test: SuiteTest) -> np.random.Generator:
        """Return a test's random generator: visible tests give what `nextword check` gives."""
        seed = VISIBLE_SEED if test.mark.visible else self.seed
        return generator_for(seed, test.name, self.attempts.get(test.name, 0))


class _Plugin:
    """Gives the suite its fixtures and hands the collected tests to `work`."""

    def __init__(self, path: Path, work: Callable[[Suite], None]) -> None:
        self.path, self.work = path, work
        self.suite: Suite | None = None
        self.errors: list[str] = []
        self.failure: BaseException | None = None
        self.by_item: dict[str, SuiteTest] = {}

    @pytest.fixture
    def coursework(self) -> Any:
        """The package under test."""
        assert self.suite is not None
        return self.suite.package

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        """The test's own random generator, drawn from the seed and the test's name."""
        assert self.suite is not None
        return self.suite.generator(self.by_item[request.node.nodeid])

    def compare(self, sign: str, left: Any, right: Any) -> str:
        """Note what a failing assertion compared; return it in short."""
        found = Compared(sign, left, right)
        if self.suite is not None:
            self.suite.compared = found
        return str(found)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Supply the options of the plugins that are left out."""
        config.option.verbose = 0

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a suite that cannot be read."""
        if report.failed:
            self.errors.append(str(report.longrepr))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do the work in place of running each test once."""
        try:
            self._do_the_work(session)
        except BaseException as error:  # which pytest would print and forget
            self.failure = error
        return True

    def _do_the_work(self, session: pytest.Session) -> None:
        if self.errors:
            text = "\n".join(self.errors)
            raise SuiteError(f"{_shown(self.path)} cannot be read: {text}")
        items = [item for item in session.items if isinstance(item, pytest.Function)]
        if not items or len(items) != len(session.items):
            raise SuiteError(f"{_shown(self.path)} must hold test functions, and nothing else")
        tests = tuple(
            SuiteTest(number, item.name, behaviour(item), read_mark(item), item)
            for number, item in enumerate(items)
        )
        names = [test.name for test in tests]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise SuiteError(f"two tests are named {twice}: a test is known by its name")
        self.by_item = {test.item.nodeid: test for test in tests}
        self.suite = Suite(self.path, tests, session)
        with _comparing(self.compare):
            self.work(self.suite)
        session._setupstate.teardown_exact(None)


def _shown(path: Path) -> str:
    """Return what tells one suite from another: "sorting/suite"."""
    return f"{path.parent.name}/{path.name}"


def with_suite(path: Path, root: Path, work: Callable[[Suite], None]) -> None:
    """Collect the suite with pytest and call `work` with it; what `work` raises is raised here.

    Raises SuiteError when the suite cannot be read.
    """
    plugin = _Plugin(path, work)
    options = ["-c", str(SETTINGS), "--rootdir", str(root), "--noconftest"]
    options += ["--import-mode=importlib"]
    options += [part for name in _UNUSED.split() for part in ("-p", f"no:{name}")]
    with _quiet_imports(root), _own_tests(), _own_options():
        status = pytest.main([*options, str(path)], plugins=[plugin])
    if plugin.failure:
        raise plugin.failure
    if plugin.suite is None:
        detail = "\n".join(plugin.errors) or f"pytest ended with {int(status)}"
        raise SuiteError(f"{_shown(path)} cannot be read: {detail}")


@contextlib.contextmanager
def _comparing(compare: Callable[[str, Any, Any], str]) -> Iterator[None]:
    """Have pytest's rewritten assertions tell what they compare; its own words leave parts out."""
    before, util._reprcompare = util._reprcompare, compare
    try:
        yield
    finally:
        util._reprcompare = before


@contextlib.contextmanager
def _own_options() -> Iterator[None]:
    """Leave out what the environment adds to each run of pytest: a grade depends on none of it."""
    added = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
    before = {name: os.environ.pop(name) for name in added if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(before)


@contextlib.contextmanager
def _own_tests() -> Iterator[None]:
    """Have a suite imported anew, and leave this process the `tests` that it had before."""
    before = {name: sys.modules[name] for name in _tests_imported()}
    for name in before:
        if len(parts := name.split(".")) > 2 and parts[2] == "suite":
            del sys.modules[name]
    try:
        yield
    finally:
        for name in _tests_imported():
            del sys.modules[name]
        sys.modules.update(before)


def _tests_imported() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "tests"]


@contextlib.contextmanager
def _quiet_imports(root: Path) -> Iterator[None]:
    before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path.remove(str(root))
        if before is None:
            del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        else:
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = before


def _forget_frames(error: BaseException) -> None:
    """Let go of the test's locals: handles in them would hold objects in the candidate."""
    seen: set[int] = set()
    chain: BaseException | None = error
    while chain is not None and id(chain) not in seen:
        seen.add(id(chain))
        chain.__traceback__ = None
        chain = chain.__context__


__all__ = ["VISIBLE_SEED", "OverdueError", "Suite", "SuiteError", "SuiteTest", "with_suite"]
