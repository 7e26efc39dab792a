"""How fast a class is graded: `nextword grade` beside pytest, one warm process and nbgrader.

A class of varied n-gram submissions is graded by the same tests on the same cores, in four ways:

(a) pytest in a fresh process per submission, no isolation;
(b) one warm process, no isolation: the lower bound, in which one `os._exit` ends everything;
(c) `nbgrader autograde` of notebooks with the same tests, which grades one at a time;
(d) `nextword grade`: a sandboxed process per submission.

All but (c) run with one core and with two: two at a time, or two warm processes side by side. Of
(b) only the tests count, not the collection of the suite; of (d) everything from reading the class
to the last page of feedback. Beside the seconds on the clock stand those of the processors, which
depend less on what else the machine does.
Leaves out submissions that end the process or loop for ever, which (a) to (c) cannot survive alike.
Usage: python benchmarks/grading.py [--count 100] [--nbgrader 100] [--json FILE]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import multiprocessing
import os
import re
import resource
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

from nextword.grading.run import Options, grade
from nextword.judge.suite import Suite, with_suite
from nextword.results import SubmissionResult

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.grading_class import CHAPTER, PROJECT, make_class

SEED = "benchmark"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
CONFTEST = f'''
import pytest

from nextword.judge.marks import generator_for, read_mark
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


# ------------------------------------------------------------------------------ four ways


def pytest_each(sources: dict[str, str], base: Path, jobs: int) -> Measured:
    """(a) A fresh pytest per submission, `jobs` at a time."""
    base = base / f"a{jobs}"
    suites = base / "suites" / "tests" / "suites"
    shutil.copytree(PROJECT.root / "tests" / "suites", suites)
    for folder in (suites, suites.parent):
        (folder / "__init__.py").touch()
    (suites.parents[1] / "conftest.py").write_text(CONFTEST, "utf-8")
    (suites.parents[1] / "pytest.ini").write_text("[pytest]\nmarkers =\n    task: a task\n")
    for name, text in sources.items():
        (base / name).mkdir(parents=True)
        (base / name / "ngrams.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    command += ["--rootdir", str(suites.parents[1]), str(suites / "test_ngrams.py")]
    passed: dict[str, int] = {}
    started, before = time.perf_counter(), computed()
    waiting, running = list(sources), dict[str, Any]()
    while waiting or running:
        while waiting and len(running) < jobs:
            name = waiting.pop(0)
            env = {**os.environ, "PYTHONPATH": str(base / name)}
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
    name = f"(a) pytest per submission, {jobs} at a time"
    return Measured(f"a{jobs}", name, len(sources), seconds, passed, before)


def warm_processes(sources: dict[str, str], jobs: int) -> Measured:
    """(b) Every submission in one of `jobs` processes, which have collected the suite before."""
    fork = multiprocessing.get_context("fork")
    ready, pipes = fork.Barrier(jobs + 1), []
    for number in range(jobs):
        ours, theirs = fork.Pipe()
        share = dict(list(sources.items())[number::jobs])
        fork.Process(target=_warm_process, args=(share, ready.wait, theirs)).start()
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


def _warm_process(sources: dict[str, str], ready: Callable[[], object], pipe: Any) -> None:
    def work(suite: Suite) -> None:
        suite.seed = SEED
        ready()
        before = computed()
        pipe.send(({name: _warm_one(suite, text) for name, text in sources.items()}, before))

    with_suite(PROJECT.suite("ngrams"), PROJECT.root, work)


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
    started, before = time.perf_counter(), computed()
    outcome = grade(PROJECT, CHAPTER, folder, options, _Silent())
    seconds = time.perf_counter() - started
    passed = {
        result.student: sum(t.verdict == "passed" for task in result.tasks for t in task.tests)
        for result in outcome.results
    }
    name = f"(d) nextword grade, {jobs} at a time"
    return Measured(f"d{jobs}", name, len(passed), seconds, passed, before)


class _Silent:
    def begin(self, total: int, known: int) -> None: ...

    def finished(self, result: SubmissionResult) -> None: ...

    def tick(self) -> None: ...


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
            "from nextword.judge.marks import generator_for\nimport inspect\n"
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
    started, before = time.perf_counter(), computed()
    subprocess.run([*run, "autograde", "class"], **{**quiet, "check": False})
    seconds = time.perf_counter() - started
    passed = _nbgrader_scores(course)
    return Measured("c1", "(c) nbgrader autograde", len(chosen), seconds, passed, before)


def _nbgrader_scores(course: Path) -> dict[str, int]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        graded = book.assignment_submissions("class")
        return {each.student.id: int(each.score) for each in graded}


# ------------------------------------------------------------------------------ the table


def in_a_process(way: Callable[[], Measured]) -> Measured:
    """Measure a way in a process of its own, and what it and all its children computed."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_measure, args=(way, theirs))
    process.start()
    theirs.close()
    found: Measured = ours.recv()
    process.join()
    return found


def _measure(way: Callable[[], Measured], pipe: Any) -> None:
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come here
    found = way()
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        found.computed = computed() - found.computed
    pipe.send(found)


# (d) is to be so many times as fast as (a) and (c), and not to take more than so many times as (b)
WANTED = {"a": 8.0, "c": 20.0, "b": 1.25}
PAIRS = (("d2", "a2"), ("d1", "a1"), ("d2", "c1"), ("d1", "c1"), ("d1", "b1"), ("d2", "b2"))


def ratios(found: dict[str, Measured]) -> dict[str, dict[str, float]]:
    """Return how (d) compares: speed over that of (a) and (c), time over that of (b)."""
    compared = {}
    for ours, other in PAIRS:
        if ours in found and other in found:
            cost = {key: found[key].computed / found[key].submissions for key in (ours, other)}
            clock, less = found[ours].rate / found[other].rate, cost[other] / cost[ours]
            if other[0] == "b":
                clock, less = 1 / clock, 1 / less
            wanted = WANTED[other[0]]
            compared[f"{ours}/{other}"] = {"clock": clock, "computed": less, "wanted": wanted}
    return compared


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--nbgrader", type=int, default=100, help="of them by nbgrader; 0: none")
    parser.add_argument("--ways", default="a1 a2 b1 b2 c1 d1 d2", help="such as 'b1 d1'")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if "OMP_NUM_THREADS" not in os.environ:  # numpy reads it when it is loaded: start again
        env = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
    with tempfile.TemporaryDirectory(prefix="grading-") as name:
        base = Path(name)
        sources = make_class(options.count, base / "class")
        ways: dict[str, Callable[[], Measured]] = {
            "a1": lambda: pytest_each(sources, base, 1),
            "a2": lambda: pytest_each(sources, base, 2),
            "b1": lambda: warm_processes(sources, 1),
            "b2": lambda: warm_processes(sources, 2),
            "c1": lambda: nbgrader(sources, base, options.nbgrader),
            "d1": lambda: ours(base / "class", base, 1),
            "d2": lambda: ours(base / "class", base, 2),
        }
        found: dict[str, Measured] = {}
        for key in options.ways.split():
            if key != "c1" or options.nbgrader:
                found[key] = each = in_a_process(ways[key])
                print(f"{each.name:42} {each.seconds:8.1f} s", flush=True)
    report(found, options.json)


def report(found: dict[str, Measured], file: Path | None) -> None:
    """Print rates and ratios; say where two ways disagree on a student."""
    print(f"\n{'':42} submissions  seconds  computed  submissions/s")
    for each in found.values():
        times = f"{each.seconds:8.1f} {each.computed:9.1f} {each.rate:14.2f}"
        print(f"{each.name:42} {each.submissions:11} {times}")
    compared = ratios(found)
    print("\n            on the clock   computed   wanted")
    for pair, values in compared.items():
        time_of_b = "/b" in pair
        what, bound = ("time ", "at most ") if time_of_b else ("speed", "at least")
        print(
            f"{what} {pair} {values['clock']:11.2f} {values['computed']:10.2f}"
            f"   {bound} {values['wanted']:g}"
        )
    last = list(found.values())[-1]
    for each in found.values():
        differing = [name for name in each.passed if each.passed[name] != last.passed.get(name)]
        if differing:
            print(f"{each.name} passes other numbers of tests for {differing}")
    if file:
        keys = ("name", "submissions", "seconds", "computed", "rate")
        rows = {each.key: {key: getattr(each, key) for key in keys} for each in found.values()}
        text = json.dumps({"ways": rows, "ratios": compared, "cores": os.cpu_count()}, indent=1)
        file.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
