"""How fast a class is graded: `nextword grade` beside pytest, one warm process and nbgrader.

A class of varied n-gram submissions is graded four times by the same tests on the same cores:

(a) pytest in a fresh process per submission, no isolation;
(b) one warm process, no isolation: the lower bound, in which one `os._exit` ends everything;
(c) `nbgrader autograde` of notebooks with the same tests;
(d) `nextword grade`: a sandboxed process per submission.

Leaves out submissions that end the process or loop for ever, which (a) to (c) cannot survive alike.
Usage: python benchmarks/grading.py [--count 100] [--nbgrader 100] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from nextword import catalogue
from nextword.catalogue import Chapter
from nextword.check.misconceptions import load_misconceptions
from nextword.grading.run import Options, grade
from nextword.grading.suite import Suite, with_suite
from nextword.project import find_project
from nextword.results import SubmissionResult

PROJECT = find_project(Path(__file__))
CHAPTER: Chapter = catalogue.chapter("ngrams")
SEED = "benchmark"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
CONFTEST = f'''
import pytest

from nextword.check.marks import generator_for, read_mark
from nextword.check.timelimit import time_limit


@pytest.fixture
def coursework():
    import types

    import ngrams

    return types.SimpleNamespace(ngrams=ngrams)


@pytest.fixture
def rng(request):
    visible = read_mark(request.node).visible
    return generator_for("visible" if visible else "{SEED}", request.node.name)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    with time_limit(read_mark(pyfuncitem).seconds):
        return (yield)
'''


@dataclass
class Measured:
    """One way of grading: how long it took, and the number of passed tests per student."""

    name: str
    submissions: int
    seconds: float
    passed: dict[str, int]

    @property
    def rate(self) -> float:
        """Submissions per second."""
        return self.submissions / self.seconds


# ------------------------------------------------------------------------------ the class


def mistakes_as_text() -> str:
    """Return the misconceptions' functions as a student might have them in the module."""
    folder = PROJECT.root / "tests" / "misconceptions"
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("ngrams*.py"))]
    lines = [line for text in texts for line in text.splitlines()]
    kept = [line for line in lines if not line.startswith(("from nextword", "from tests"))]
    return "def misconception(*_, **__):\n    return lambda found: found\n\n" + "\n".join(kept)


def make_class(count: int, folder: Path) -> dict[str, str]:
    """Write `count` submissions: right ones, some with mistakes, some unfinished, some broken."""
    luck = random.Random(2)
    reference = (PROJECT.root / "solutions" / "ngrams.py").read_text("utf-8")
    stubs = (PROJECT.root / "coursework" / "ngrams.py").read_text("utf-8")
    other = (PROJECT.root / "tests/submissions/ngrams/alice/ngrams.py").read_text("utf-8")
    found = PROJECT.misconceptions("ngrams")
    assert found is not None
    mistakes, helpers = load_misconceptions(found), mistakes_as_text()
    sources = {}
    for number in range(count):
        kind, text = number % 10, reference
        if kind == 8:
            text = other
        elif kind == 9:
            text = stubs if number % 20 == 9 else reference.replace("def pad(", "def pad((", 1)
        if kind in (3, 4, 5, 6):
            chosen = luck.sample(mistakes, kind - 2)
            changes = [f"{each.replaces} = {each.name}" for each in chosen]
            text += "\n\n" + "\n".join([helpers, *changes])
        elif kind == 7:
            tasks = luck.sample(CHAPTER.tasks, 3)
            names = [symbol for task in tasks for symbol in task.symbols]
            text += "\n\ndef unwritten(*_, **__):\n    raise NotImplementedError('not yet')\n\n\n"
            text += "\n".join(f"{name} = unwritten" for name in names)
        sources[f"student{number:03d}"] = f"{text}\n# {number}\n"
    for name, text in sources.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "ngrams.py").write_text(text, "utf-8")
    return sources


# ------------------------------------------------------------------------------ four ways


def pytest_each(sources: dict[str, str], base: Path, jobs: int) -> Measured:
    """(a) A fresh pytest per submission, `jobs` at a time."""
    (base / "a").mkdir(exist_ok=True)
    suites = base / "a" / "suites" / "tests" / "suites"
    shutil.copytree(PROJECT.root / "tests" / "suites", suites)
    for folder in (suites, suites.parent):
        (folder / "__init__.py").touch()
    (suites.parents[1] / "conftest.py").write_text(CONFTEST, "utf-8")
    (suites.parents[1] / "pytest.ini").write_text("[pytest]\nmarkers =\n    task: a task\n")
    for name, text in sources.items():
        (base / "a" / name).mkdir()
        (base / "a" / name / "ngrams.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    command += ["--rootdir", str(suites.parents[1]), str(suites / "test_ngrams.py")]
    passed: dict[str, int] = {}
    started = time.perf_counter()
    waiting, running = list(sources), {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name = waiting.pop(0)
            env = {**os.environ, "PYTHONPATH": str(base / "a" / name)}
            env |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
            running[name] = subprocess.Popen(
                command, env=env, cwd=suites.parents[1], stdout=subprocess.PIPE, text=True
            )
        name, process = next(iter(running.items()))
        said = process.communicate()[0]
        del running[name]
        count = re.search(r"(\d+) passed", said)
        passed[name] = int(count.group(1)) if count else 0
    seconds = time.perf_counter() - started
    return Measured(f"(a) pytest per submission, {jobs} at a time", len(sources), seconds, passed)


def warm_process(sources: dict[str, str]) -> Measured:
    """(b) Every submission in this process, which has collected the suite before."""
    passed: dict[str, int] = {}
    seconds = 0.0

    def work(suite: Suite) -> None:
        nonlocal seconds
        suite.seed = SEED
        started = time.perf_counter()
        for name, text in sources.items():
            passed[name] = _warm_one(suite, text)
        seconds = time.perf_counter() - started

    with_suite(PROJECT.suite("ngrams"), PROJECT.root, work)
    return Measured("(b) one warm process, no isolation", len(sources), seconds, passed)


def _warm_one(suite: Suite, text: str) -> int:
    module = ModuleType("ngrams")
    sys.modules["ngrams"] = module
    try:
        exec(compile(text, "ngrams.py", "exec"), vars(module))
    except Exception:
        return 0
    suite.package = SimpleNamespace(ngrams=module)
    return sum(suite.run(test)[0] is None for test in suite.tests)


def ours(folder: Path, base: Path, jobs: int) -> Measured:
    """(d) The examiner with its sandbox, from reading the class to the last page of feedback."""
    out = base / f"d{jobs}"
    options = Options(out=out, jobs=jobs, seed=SEED)
    started = time.perf_counter()
    outcome = grade(PROJECT, CHAPTER, folder, options, _Silent())
    seconds = time.perf_counter() - started
    passed = {
        result.student: sum(t.verdict == "passed" for task in result.tasks for t in task.tests)
        for result in outcome.results
    }
    return Measured(f"(d) nextword grade, {jobs} at a time", len(passed), seconds, passed)


class _Silent:
    def begin(self, total: int, known: int) -> None:
        """Say nothing."""

    def finished(self, result: SubmissionResult) -> None:
        """Say nothing."""

    def tick(self) -> None:
        """Say nothing."""


def nbgrader(sources: dict[str, str], base: Path, count: int) -> Measured:
    """(c) nbgrader's own autograder on notebooks whose test cells run the same tests."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    course = base / "c"
    names: list[str] = []
    with_suite(
        PROJECT.suite("ngrams"),
        PROJECT.root,
        lambda suite: names.extend(test.name for test in suite.tests),
    )

    def cell(name: str, text: str, **settings: Any) -> Any:
        flags = {"schema_version": 3, "grade_id": name, "locked": False, "task": False}
        flags |= {"grade": False, "solution": False, **settings}
        return new_code_cell(text, metadata={"nbgrader": flags})

    def notebook(source: str) -> Any:
        code = f"%%writefile ngrams.py\n{source}"
        cells = [cell("code", code, solution=True)]
        head = (
            f"import sys\nsys.path.insert(0, {str(PROJECT.root)!r})\nimport ngrams\n"
            "from tests.suites import test_ngrams as suite\n"
            "from nextword.check.marks import generator_for\nimport inspect\n"
            "def run(name):\n"
            "    test = getattr(suite, name)\n"
            f"    known = {{'ngrams': ngrams, 'rng': generator_for({SEED!r}, name)}}\n"
            "    test(**{each: known[each] for each in inspect.signature(test).parameters})\n"
        )
        cells.append(cell("head", head, locked=True))
        for name in names:
            run = cell(name, f"run({name!r})", grade=True, locked=True, points=1)
            cells.append(run)
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        return new_notebook(cells=cells, metadata=kernel)

    chosen = list(sources)[:count]
    for place, source in (
        ("source/class", "# BEGIN SOLUTION\n# END SOLUTION"),
        *((f"submitted/{name}/class", sources[name]) for name in chosen),
    ):
        (course / place).mkdir(parents=True)
        nbformat.write(notebook(source), course / place / "ngrams.ipynb")
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.root = '.'\n")
    run = [str(Path(sys.executable).with_name("nbgrader"))]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # for alembic
    env = {**os.environ, "PATH": path}
    quiet: Any = {"cwd": course, "check": True, "capture_output": True, "env": env}
    subprocess.run([*run, "generate_assignment", "class", "--create"], **quiet)
    started = time.perf_counter()
    subprocess.run([*run, "autograde", "class"], **{**quiet, "check": False})
    seconds = time.perf_counter() - started
    return Measured("(c) nbgrader autograde", len(chosen), seconds, _nbgrader_scores(course))


def _nbgrader_scores(course: Path) -> dict[str, int]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        graded = book.assignment_submissions("class")
        return {each.student.id: int(each.score) for each in graded}


# ------------------------------------------------------------------------------ the table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--nbgrader", type=int, default=100, help="of them by nbgrader; 0: none")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if "OMP_NUM_THREADS" not in os.environ:  # numpy reads it when it is loaded: start again
        env = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
    sys.path.insert(0, str(PROJECT.root))
    with tempfile.TemporaryDirectory(prefix="grading-") as name:
        base = Path(name)
        sources = make_class(options.count, base / "class")
        ways: list[Callable[[], Measured]] = [
            lambda: pytest_each(sources, base, 1),
            lambda: warm_process(sources),
            lambda: ours(base / "class", base, 1),
            lambda: ours(base / "class", base, 2),
        ]
        if options.nbgrader:
            ways.insert(2, lambda: nbgrader(sources, base, options.nbgrader))
        found = []
        for way in ways:
            found.append(way())
            print(f"{found[-1].name:42} {found[-1].seconds:8.1f} s", flush=True)
    report(found, options.json)


def report(found: list[Measured], file: Path | None) -> None:
    """Print rates and ratios; say where two ways disagree on a student."""
    best = found[-1]
    print(f"\n{'':42} submissions/s   time of (d) x")
    for each in found:
        print(f"{each.name:42} {each.rate:13.2f} {best.rate / each.rate:15.2f}")
    for each in found[:-1]:
        differing = [name for name in each.passed if each.passed[name] != best.passed[name]]
        if differing:
            print(f"{each.name} passes other numbers of tests for {differing}")
    if file:
        rows = [
            {"name": each.name, "submissions": each.submissions, "seconds": each.seconds}
            for each in found
        ]
        file.write_text(json.dumps({"ways": rows, "cores": os.cpu_count()}, indent=1))


if __name__ == "__main__":
    main()
