"""A chapter's suite, collected once by pytest and run many times on stand-ins.

Leaves out what an outcome means for a student (wording.py) and the bounds on a test (bounds.py).
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from traceback import TracebackException
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from examiner.catalogue import Chapter
from examiner.errors import MissingPackageError, SuiteError
from examiner.judge import protocol
from examiner.judge.failing import Compared, statement
from examiner.judge.marks import TaskMark, behaviour, generator_for, read_mark
from examiner.judge.runs import VISIBLE_SEED, Ran, Run

SETTINGS = Path(__file__).with_name("pytest.ini")

# What a fresh process would load and a grader does not need; without them a test costs 0.1 ms.
_UNUSED = (
    "cacheprovider capture debugging doctest faulthandler junitxml logging pastebin recwarn "
    "skipping stepwise terminal threadexception tmpdir unraisableexception warnings"
)


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

    @cached_property
    def goes_by_answers(self) -> bool:
        """Whether nothing else is seen by which it could go: a clock, luck of its own, a fixture
        that it shares with other tests, and so what they have heard."""
        known = self.item._fixtureinfo.name2fixturedefs.values()
        if any(each.scope != "function" for fixtures in known for each in fixtures):
            return False
        return not any(_tells_more(each) for each in _names_around(self.item.function))


_MORE = frozenset(("time", "datetime", "random", "secrets", "uuid"))


def _tells_more(value: Any) -> bool:
    """Tell whether a name of a suite is a clock or a source of luck, or has one."""
    owner = getattr(value, "__self__", None)  # of random.random: the module's own generator
    return _module_of(value) in _MORE or type(owner).__module__ in _MORE


def _module_of(value: Any) -> str:
    """Return the name of a module, or of the module that something was defined in; "" for none."""
    found = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return found if isinstance(found, str) else ""


def _names_around(function: Any) -> Iterator[Any]:
    """Yield what stands in the module of a test, and in those of the suite that it imports from."""
    waiting, seen = [function.__module__], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in sys.modules:
            continue
        seen.add(name)
        for value in list(vars(sys.modules[name]).values()):
            yield value
            if _module_of(value).split(".")[0] == "tests":
                waiting.append(_module_of(value))


@dataclass
class _Now:
    """What pytest's callbacks read and write while a test runs; nothing else sees it."""

    test: SuiteTest
    run: Run
    compared: Compared | None = None

    def compare(self, sign: str, left: Any, right: Any) -> str:
        """Note what a failing assertion compared; return it in short."""
        self.compared = Compared(sign, left, right)
        return str(self.compared)

    def generator(self) -> np.random.Generator:
        """Return the test's random generator: visible tests give what `nextword check` gives."""
        terms, name = self.run.terms, self.test.name
        seed = VISIBLE_SEED if self.test.mark.visible else terms.seed
        return generator_for(seed, name, terms.attempts.get(name, 0))


# subtle: not on the item: a fixture that asks for `request`, to find it there, costs 0.1 ms
_NOW: ContextVar[_Now] = ContextVar("_NOW")


@dataclass(frozen=True)
class Suite:
    """The tests of a chapter; exists while `with_suite` runs its work."""

    path: Path
    tests: tuple[SuiteTest, ...]

    def run(self, test: SuiteTest, run: Run) -> Ran:
        """Run a test; return what it raised, if anything, and what its failing assertion says."""
        now = _Now(test, run)
        before = _NOW.set(now)
        try:
            with protocol.comparing(now.compare):
                raised, seconds = self._through(test, run)
        finally:
            _NOW.reset(before)
        if raised is None:
            return Ran(seconds)
        asked = ""
        if test.mark.visible and isinstance(raised, AssertionError):
            asked = statement(raised.__traceback__, self.path.parent)
        trace = TracebackException.from_exception(raised) if run.terms.traced else None
        _forget_frames(raised)
        return Ran(seconds, raised, now.compared, asked, trace)

    def _through(self, test: SuiteTest, run: Run) -> tuple[BaseException | None, float]:
        """Take a test through its three steps; return what was raised, and its seconds."""
        raised: BaseException | None = None
        started = time.perf_counter()
        try:
            with run.terms.bound(run.deadline):
                protocol.set_up(test.item)
                test.item.runtest()
        except (KeyboardInterrupt, SystemExit, pytest.exit.Exception):
            raise
        except BaseException as error:
            raised = error
        seconds = time.perf_counter() - started
        another = self.tests[test.number - 1].item if len(self.tests) > 1 else None
        try:
            protocol.tear_down(test.item, another)
        except Exception as error:
            raised = raised or error
        return raised, seconds

    def require_tasks_of(self, chapter: Chapter) -> None:
        """Raise SuiteError for a test of a task that the chapter lacks."""
        known = {task.id for task in chapter.tasks}
        for test in self.tests:
            if test.mark.id not in known:
                raise SuiteError(f"{test.name}: {chapter.stem} has no task {test.mark.id}")


class _Plugin:
    """Gives the suite its fixtures and hands the collected tests to `work`."""

    def __init__(self, path: Path, work: Callable[[Suite], None]) -> None:
        self.path, self.work = path, work
        self.begun = False
        self.errors: list[str] = []
        self.missing = ""  # a package that is not installed
        self.failure: BaseException | None = None

    @pytest.fixture
    def coursework(self) -> Any:
        """The package under test."""
        return _NOW.get().run.package

    @pytest.fixture
    def rng(self) -> np.random.Generator:
        """The test's own random generator, drawn from the seed and the test's name."""
        return _NOW.get().generator()

    def pytest_configure(self, config: pytest.Config) -> None:
        """Supply the options of the plugins that are left out."""
        config.option.verbose = 0

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a suite that cannot be read."""
        if report.failed:
            self.errors.append(str(report.longrepr))

    def pytest_exception_interact(self, call: pytest.CallInfo[Any]) -> None:
        """Note a package that a suite imports and that is not installed."""
        cause = call.excinfo.value.__cause__ if call.excinfo else None
        if isinstance(cause, ModuleNotFoundError) and cause.name:
            package = cause.name.partition(".")[0]
            if package not in sys.modules and find_spec(package) is None:
                self.missing = self.missing or package

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do the work in place of running each test once."""
        try:
            suite = self._suite(session.items)
            self.begun = True
            self.work(suite)
        except BaseException as error:  # which pytest would print and forget
            self.failure = error
        return True

    def _suite(self, collected: list[pytest.Item]) -> Suite:
        """Return the suite of these tests; raises SuiteError where something is wrong with them."""
        if self.errors:
            text = "\n".join(self.errors)
            raise SuiteError(f"{_shown(self.path)} cannot be read: {text}")
        items = [item for item in collected if isinstance(item, pytest.Function)]
        if not items or len(items) != len(collected):
            raise SuiteError(f"{_shown(self.path)} must hold test functions, and nothing else")
        tests = tuple(
            SuiteTest(number, item.name, behaviour(item), read_mark(item), item)
            for number, item in enumerate(items)
        )
        names = [test.name for test in tests]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise SuiteError(f"two tests are named {twice}: a test is known by its name")
        return Suite(self.path, tests)


def _shown(path: Path) -> str:
    """Return what tells one suite from another: "sorting/suite"."""
    return f"{path.parent.name}/{path.name}"


def with_suite(path: Path, root: Path, work: Callable[[Suite], None]) -> None:
    """Collect the suite with pytest and call `work` with it; what `work` raises is raised here.

    Raises SuiteError when the suite cannot be read, MissingPackageError where a package is to be
    installed first.
    """
    plugin = _Plugin(path, work)
    options = ["-c", str(SETTINGS), "--rootdir", str(root), "--noconftest"]
    options += ["--import-mode=importlib"]
    options += [part for name in _UNUSED.split() for part in ("-p", f"no:{name}")]
    own = ("tests", path.stem)  # as the suite is imported
    with _quiet_imports(root), _own_modules(own), _own_options():
        status = pytest.main([*options, str(path)], plugins=[plugin])
    if plugin.missing:
        raise MissingPackageError(_shown(path), plugin.missing)
    if plugin.failure:
        raise plugin.failure
    if not plugin.begun:
        detail = "\n".join(plugin.errors) or f"pytest ended with {int(status)}"
        raise SuiteError(f"{_shown(path)} cannot be read: {detail}")


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
def _own_modules(packages: Collection[str]) -> Iterator[None]:
    """Have a suite imported anew, and leave this process the modules that it had before."""

    def imported() -> list[str]:
        return [name for name in sys.modules if name.split(".")[0] in packages]

    before = {name: sys.modules[name] for name in imported()}
    for name in before:
        parts = name.split(".")
        if parts[0] != "tests" or "suite" in parts[2:3]:
            del sys.modules[name]
    try:
        yield
    finally:
        for name in imported():
            del sys.modules[name]
        sys.modules.update(before)


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


__all__ = ["Suite", "SuiteError", "SuiteTest", "with_suite"]
