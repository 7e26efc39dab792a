"""Several ways to grade the same class with the same tests, each with its time; see grading.py."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

from benchmarks.grading_class import Course
from examiner.boundary.deadline import Deadline
from examiner.grading.examiner import Examiner, Skip
from examiner.grading.run import Options, grade
from examiner.grading.submissions import Submission
from examiner.judge.bounds import Bounds
from examiner.judge.runs import Run, Terms
from examiner.judge.session import Refusal
from examiner.judge.suite import Suite, SuiteTest, with_suite
from examiner.results import SubmissionResult

SEED = "benchmark"
CONFTEST = """
import pytest

from examiner.judge.marks import generator_for, read_mark
from examiner.judge.timelimit import time_limit


@pytest.fixture
def coursework():
    import types

    import {stem}

    return types.SimpleNamespace({stem}={stem})


@pytest.fixture
def rng(request):
    visible = read_mark(request.node).visible
    return generator_for("visible" if visible else "{seed}", request.node.name)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    with time_limit(read_mark(pyfuncitem).seconds):
        return (yield)
"""


@dataclass
class Measured:
    """One way of grading: how long it took, and the number of passed tests per student."""

    key: str  # the way and the number of cores: "d2"
    name: str
    submissions: int
    seconds: float
    passed: dict[str, int]
    computed: float  # seconds of all processors; until its processes have ended, those before

    @property
    def rate(self) -> float:
        """Submissions per second."""
        return self.submissions / self.seconds


def computed() -> float:
    """Return the processor seconds of this process and of its children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def pytest_each(course: Course, sources: dict[str, str], base: Path, jobs: int) -> Measured:
    """(a) A fresh pytest per submission, `jobs` at a time."""
    base = base / f"a{jobs}"
    tests = base / "suites" / "tests"
    kept = tests / course.stem / "suite"
    shutil.copytree(course.project.suite(course.stem), kept)
    (tests / "__init__.py").touch()
    (tests.parent / "conftest.py").write_text(CONFTEST.format(stem=course.stem, seed=SEED), "utf-8")
    (tests.parent / "pytest.ini").write_text("[pytest]\nmarkers =\n    task: a task\n")
    for name, text in sources.items():
        (base / name).mkdir(parents=True)
        (base / name / f"{course.stem}.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    command += ["--rootdir", str(tests.parent), str(kept)]
    passed: dict[str, int] = {}
    started, before = time.perf_counter(), computed()
    waiting, running = list(sources), dict[str, Any]()
    while waiting or running:
        while waiting and len(running) < jobs:
            name = waiting.pop(0)
            env = {**os.environ, "PYTHONPATH": str(base / name)}
            env |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            env.pop("PYTHONDONTWRITEBYTECODE", None)  # the suite is compiled once, as by us
            running[name] = subprocess.Popen(
                command, env=env, cwd=tests.parent, stdout=subprocess.PIPE, text=True
            )
        name, process = next(iter(running.items()))
        said = process.communicate()[0]
        del running[name]
        count = re.search(r"(\d+) passed", said)
        passed[name] = int(count.group(1)) if count else 0
    seconds = time.perf_counter() - started
    name = f"(a) pytest per submission, {jobs} at a time"
    return Measured(f"a{jobs}", name, len(sources), seconds, passed, before)


def warm_processes(course: Course, sources: dict[str, str], jobs: int) -> Measured:
    """(b) Every submission in one of `jobs` processes, which have collected the suite before."""
    fork = multiprocessing.get_context("fork")
    ready, pipes = fork.Barrier(jobs + 1), []
    for number in range(jobs):
        ours, theirs = fork.Pipe()
        share = dict(list(sources.items())[number::jobs])
        fork.Process(target=_warm_process, args=(course, share, ready.wait, theirs)).start()
        pipes.append(ours)
    ready.wait()
    started, before = time.perf_counter(), computed()
    passed: dict[str, int] = {}
    for pipe in pipes:
        found, collected = pipe.recv()
        passed |= found
        before += collected
    seconds = time.perf_counter() - started
    name = f"(b) {'one warm process' if jobs == 1 else f'{jobs} warm processes'}, no isolation"
    return Measured(f"b{jobs}", name, len(sources), seconds, passed, before)


def _warm_process(
    course: Course, sources: dict[str, str], ready: Callable[[], object], pipe: Any
) -> None:
    def work(suite: Suite) -> None:
        terms = Terms(SEED, bound=Bounds())
        ready()
        before = computed()
        stem = course.stem
        passed = {name: _warm_one(suite, terms, stem, text) for name, text in sources.items()}
        pipe.send((passed, before))

    with_suite(course.project.suite(course.stem), course.project.root, work)


def _warm_one(suite: Suite, terms: Terms, stem: str, text: str) -> int:
    module = ModuleType(stem)
    sys.modules[stem] = module
    try:
        exec(compile(text, f"{stem}.py", "exec"), vars(module))
    except Exception:
        return 0
    package = SimpleNamespace(**{stem: module})
    runs = (
        suite.run(test, Run(package, Deadline(test.mark.seconds), terms)) for test in suite.tests
    )
    return sum(ran.raised is None for ran in runs)


def ours(course: Course, folder: Path, base: Path, jobs: int) -> Measured:
    """(d) The examiner with its sandbox, from reading the class to the last page of feedback."""
    out = base / f"d{jobs}"
    options = Options(out=out, jobs=jobs, seed=SEED)
    started, before = time.perf_counter(), computed()
    outcome = grade(course.project, course.chapter, folder, options, _Silent())
    seconds = time.perf_counter() - started
    passed = {
        result.student: sum(t.verdict == "passed" for task in result.tasks for t in task.tests)
        for result in outcome.results
    }
    name = f"(d) nextword grade, {jobs} at a time"
    return Measured(f"d{jobs}", name, len(passed), seconds, passed, before)


def tests_alone(course: Course, folder: Path, base: Path, jobs: int) -> Measured:
    """(e) As (d), but a failed test is neither tried again nor explained: what pytest does."""
    nothing = mock.Mock(return_value=())
    with (
        mock.patch.object(Examiner, "second_try", nothing),
        mock.patch.object(Examiner, "explain", nothing),
    ):
        found = ours(course, folder, base / "alone", jobs)
    return replace(found, key=f"e{jobs}", name=f"(e) its tests alone, {jobs} at a time")


def tests_once(course: Course, folder: Path, base: Path, jobs: int) -> Measured:
    """(f) As (e), and no test is run again in a second order of sets."""
    read = Examiner.read

    def in_one_order(
        self: Examiner, submission: Submission, skip: Skip, *, whole: bool
    ) -> list[SuiteTest] | Refusal:
        return read(self, submission, skip, whole=False)

    with mock.patch.object(Examiner, "read", in_one_order):
        found = tests_alone(course, folder, base / "once", jobs)
    return replace(found, key=f"f{jobs}", name=f"(f) each test once, {jobs} at a time")


class _Silent:
    def begin(self, total: int, known: int) -> None: ...

    def finished(self, result: SubmissionResult) -> None: ...

    def tick(self) -> None: ...


def _notebook(course: Course, names: Sequence[str], source: str) -> Any:
    """An assignment whose one answer is the module; each test named is a cell with a point."""
    from nbformat.v4 import new_code_cell, new_notebook

    root, stem = course.project.root, course.stem
    suite = course.project.suite(stem)
    package = ".".join(suite.relative_to(root).parts)

    def cell(name: str, text: str, **settings: Any) -> Any:
        flags = {"schema_version": 3, "grade_id": name, "locked": False, "task": False}
        flags |= {"grade": False, "solution": False, **settings}
        return new_code_cell(text, metadata={"nbgrader": flags})

    head = (
        f"import importlib, inspect, pathlib, sys\nsys.path.insert(0, {str(root)!r})\n"
        f"import {stem}\nfrom examiner.judge.marks import generator_for\n"
        "suite = {}\n"
        f"for path in sorted(pathlib.Path({str(suite)!r}).glob('test_*.py')):\n"
        f"    suite |= vars(importlib.import_module('{package}.' + path.stem))\n"
        "def run(name):\n"
        "    test = suite[name]\n"
        f"    known = {{{stem!r}: {stem}, 'rng': generator_for({SEED!r}, name)}}\n"
        "    test(**{each: known[each] for each in inspect.signature(test).parameters})\n"
    )
    cells = [cell("code", f"%%writefile {stem}.py\n{source}", solution=True)]
    cells.append(cell("head", head, locked=True))
    for name in names:
        cells.append(cell(name, f"run({name!r})", grade=True, locked=True, points=1))
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return new_notebook(cells=cells, metadata=kernel)


def nbgrader(course: Course, sources: dict[str, str], base: Path, count: int) -> Measured:
    """(c) nbgrader's own autograder on notebooks whose test cells run the same tests."""
    import nbformat

    folder, root, stem = base / "c", course.project.root, course.stem
    names: list[str] = []
    with_suite(
        course.project.suite(stem),
        root,
        lambda suite: names.extend(test.name for test in suite.tests),
    )

    chosen = list(sources)[:count]
    for place, source in (
        ("source/class", "# BEGIN SOLUTION\n# END SOLUTION"),
        *((f"submitted/{name}/class", sources[name]) for name in chosen),
    ):
        (folder / place).mkdir(parents=True)
        nbformat.write(_notebook(course, names, source), folder / place / f"{stem}.ipynb")
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.root = '.'\n")
    run = [str(Path(sys.executable).with_name("nbgrader"))]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # for alembic
    env = {**os.environ, "PATH": path}
    quiet: Any = {"cwd": folder, "check": True, "capture_output": True, "env": env}
    subprocess.run([*run, "generate_assignment", "class", "--create"], **quiet)
    started, before = time.perf_counter(), computed()
    subprocess.run([*run, "autograde", "class"], **{**quiet, "check": False})
    seconds = time.perf_counter() - started
    passed = _nbgrader_scores(folder)
    return Measured("c1", "(c) nbgrader autograde", len(chosen), seconds, passed, before)


def _nbgrader_scores(folder: Path) -> dict[str, int]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        graded = book.assignment_submissions("class")
        return {each.student.id: int(each.score) for each in graded}
