"""How fast a class is graded: `nextword grade` beside pytest, one warm process and nbgrader.

A class of varied submissions is graded by the same tests on the same cores, in six ways. There are
two classes: of the chapter on n-grams, and of a small chapter with torch (benchmarks/attention).

(a) pytest in a fresh process per submission, no isolation;
(b) one warm process, no isolation: the lower bound, in which one `os._exit` ends everything;
(c) `nbgrader autograde` of notebooks with the same tests, which grades one at a time;
(d) `nextword grade`: a sandboxed process per submission;
(e) the same without what (a) to (c) do not do: a failed test is neither tried again with the
    reference's parts of earlier tasks, nor is the mistake behind it named;
(f) the same, and no test is run again where Python gives sets another order, which (a) to (c) do
    not do either.

All but (c) run with one core and with two: two at a time, or two warm processes side by side. Of
(b) only the tests count, not the collection of the suite; of (d) to (f) everything from reading
the class to the last page of feedback. Beside the seconds on the clock stand those of the
processors, which depend less on what else the machine does.
Of a class, 42 in 100 have the code of another, but for a comment, as stubs and handed on answers
have in a real one, and (d) to (f) judge such code once; with --distinct no two have.
Leaves out submissions that end the process or loop for ever, which (a) to (c) cannot survive alike.
Usage: python benchmarks/grading.py [--of ngrams|torch] [--count N] [--distinct] [--nbgrader N]
    [--json FILE]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.grading_class import courses
from benchmarks.grading_ways import (
    Measured,
    computed,
    nbgrader,
    ours,
    pytest_each,
    tests_alone,
    tests_once,
    warm_processes,
)

COUNTS = {"ngrams": 100, "torch": 20}
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


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
WANTED = {"a": 8.0, "c": 20.0, "b": 1.1}
PAIRS = [
    (f"{own}{jobs}", other)
    for own in "def"
    for jobs in "12"
    for other in (f"a{jobs}", "c1", f"b{jobs}")
]


def ratios(found: dict[str, Measured]) -> dict[str, dict[str, float]]:
    """Return how (d) compares: speed over that of (a) and (c), time over that of (b)."""
    compared = {}
    for own, other in PAIRS:
        if own in found and other in found:
            cost = {key: found[key].computed / found[key].submissions for key in (own, other)}
            clock, less = found[own].rate / found[other].rate, cost[other] / cost[own]
            if other[0] == "b":
                clock, less = 1 / clock, 1 / less
            wanted = WANTED[other[0]]
            compared[f"{own}/{other}"] = {"clock": clock, "computed": less, "wanted": wanted}
    return compared


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", choices=[*COUNTS], default="ngrams", help="whose submissions")
    parser.add_argument("--count", type=int, help=f"of submissions; else {COUNTS}")
    parser.add_argument(
        "--distinct", action="store_true", help="no two have the same code, comments aside"
    )
    parser.add_argument("--nbgrader", type=int, default=12, help="of them by nbgrader; 0: none")
    parser.add_argument(
        "--ways", default="a1 a2 b1 b2 c1 d1 d2 e1 e2 f1 f2", help="such as 'b1 d1'"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != "1":  # libraries read it when loaded: start again
        env = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
    with tempfile.TemporaryDirectory(prefix="grading-") as name:
        base = Path(name)
        course = courses()[options.of]
        count = options.count or COUNTS[options.of]
        sources = course.make_class(count, base / "class", distinct=options.distinct)
        ways: dict[str, Callable[[], Measured]] = {
            "a1": lambda: pytest_each(course, sources, base, 1),
            "a2": lambda: pytest_each(course, sources, base, 2),
            "b1": lambda: warm_processes(course, sources, 1),
            "b2": lambda: warm_processes(course, sources, 2),
            "c1": lambda: nbgrader(course, sources, base, options.nbgrader),
            "d1": lambda: ours(course, base / "class", base, 1),
            "d2": lambda: ours(course, base / "class", base, 2),
            "e1": lambda: tests_alone(course, base / "class", base, 1),
            "e2": lambda: tests_alone(course, base / "class", base, 2),
            "f1": lambda: tests_once(course, base / "class", base, 1),
            "f2": lambda: tests_once(course, base / "class", base, 2),
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
