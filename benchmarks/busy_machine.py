"""What a busy machine changes: checks and grades beside programs that take all processors.

Sixteen programs multiply matrices, each in a session of its own, since Linux shares processors out
by session, and each with two threads. Beside them

(a) `nextword check` of every task finds the reference right, several times;
(b) `nextword grade` gives each sample class what its expected.json says.

Whatever is not as it would be on a quiet machine stands below the table, and the exit code is 1.
Usage: python benchmarks/busy_machine.py [--chapters STEM…] [--tasks ID…] [--times N] [--grades N]
       [--programs N] [--json FILE]; with --programs 0 the machine stays as it is.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from examiner import catalogue
from examiner.catalogue import Chapter
from examiner.project import find_project
from examiner.release.samples import write_samples

ROOT = Path(__file__).parents[1]

# ends after some hours, or when nobody holds the other end of its standard input
PROGRAM = """
import os, sys, threading, time, torch
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
torch.set_num_threads(2)
a, end = torch.ones(700, 700), time.monotonic() + float(sys.argv[1])
print("busy", flush=True)
while time.monotonic() < end:
    a @ a
"""
HOURS = 6
SEED = "sample class"  # for which expected.json was written
NEXTWORD = (sys.executable, "-m", "nextword")


@dataclass
class Row:
    """What came of one command, run several times."""

    what: str
    tries: int = 0
    good: int = 0
    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def note(self, seconds: float, fault: str) -> None:
        """Count a run; `fault` says what was not as it should be."""
        self.tries += 1
        self.good += not fault
        self.seconds.append(round(seconds, 1))
        if fault:
            self.faults.append(fault)

    def __str__(self) -> str:
        times = f"{min(self.seconds):8.1f} {max(self.seconds):8.1f}"
        return f"{self.what:<28} {self.tries:>5} {self.good:>5} {times}"


@contextlib.contextmanager
def load(programs: int) -> Iterator[None]:
    """Keep the processors busy while the block runs."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", PROGRAM, str(HOURS * 3600)]
    running = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        for _ in range(programs)
    ]
    try:
        for each in running:
            assert each.stdout is not None
            each.stdout.readline()
        yield
    finally:
        for each in running:
            each.kill()
        for each in running:
            each.communicate()


def run(row: Row, *arguments: str) -> tuple[float, subprocess.CompletedProcess[str]]:
    """Run the command that a row is about."""
    began = time.monotonic()
    done = subprocess.run([*NEXTWORD, *arguments], cwd=ROOT, capture_output=True, text=True)
    return time.monotonic() - began, done


def check(row: Row, task: str) -> None:
    """Check the reference of a task."""
    seconds, done = run(row, "check", task, "--package", "solutions", "--json")
    fault = "" if done.returncode == 0 else done.stderr.strip()[-300:] or "wrong"
    with contextlib.suppress(ValueError, KeyError):
        tasks = json.loads(done.stdout)["submissions"][0]["tasks"]
        tests = [test for each in tasks for test in each["tests"]]
        found = [test for test in tests if test["verdict"] != "passed"]
        fault = "; ".join(f"{t['name']}: {t['verdict']}, {t['message'][:200]}" for t in found)
    row.note(seconds, fault)


def grade(row: Row, chapter: Chapter) -> None:
    """Grade a chapter's sample class."""
    folder = ROOT / "tests" / chapter.stem / "class"
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        where = ["--out", str(out / "grades"), "--json", str(out / "results.json")]
        seconds, done = run(row, "grade", chapter.stem, str(folder), "--seed", SEED, *where)
        try:
            answer = json.loads((out / "results.json").read_text("utf-8"))
        except (OSError, ValueError):
            row.note(seconds, done.stderr.strip()[-300:] or "no results")
            return
    results = {each["student"]: each for each in answer["submissions"]}
    row.note(seconds, "; ".join(differences(expected_of(folder), results)))


def expected_of(folder: Path) -> dict[str, Any]:
    """Return what each student of a sample class must get."""
    ending = ".expected.json"
    paths = {path.parent.name: path for path in folder.glob("*/expected.json")}
    paths |= {path.name.removesuffix(ending): path for path in folder.glob(f"*{ending}")}
    return {name: json.loads(path.read_text("utf-8")) for name, path in sorted(paths.items())}


def differences(expected: dict[str, Any], results: dict[str, Any]) -> Iterator[str]:
    """Yield what is not as it should be."""
    for student, wanted in expected.items():
        if student not in results:
            yield f"{student} has no result"
            continue
        found = results[student]
        if found["score"] != wanted["score"]:
            yield f"{student} gets {found['score']}, expected {wanted['score']}"
        verdicts = {task["id"]: task["verdict"] for task in found["tasks"]}
        for task, verdict in wanted["tasks"].items():
            if verdicts[task] != verdict:
                yield f"{student}, {task}: {verdicts[task]}, expected {verdict}"


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row for each task that is checked and each class that is graded."""
    project = find_project(ROOT)
    chapters = [c for c in catalogue.chapters() if c.stem in options.chapters]
    every = [task.id for chapter in chapters for task in chapter.tasks]
    wanted = every if options.tasks is None else options.tasks
    for task in wanted if options.times else ():
        row = Row(f"check {task}")
        for _ in range(options.times):
            check(row, task)
        yield row
    for chapter in chapters if options.grades else ():
        write_samples(project, chapter.stem)
        row = Row(f"grade {chapter.stem}")
        for _ in range(options.grades):
            grade(row, chapter)
        yield row


def main() -> None:
    """Measure, and print the table while it grows."""
    stems = [chapter.stem for chapter in catalogue.chapters()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chapters", nargs="+", default=stems, choices=stems, metavar="STEM")
    parser.add_argument("--tasks", nargs="+", metavar="ID", help="check these alone")
    parser.add_argument("--times", type=int, default=3, help="checks of each task")
    parser.add_argument("--grades", type=int, default=1, help="grades of each sample class")
    parser.add_argument("--programs", type=int, default=16)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[Row] = []
    with load(options.programs):
        print(f"{'':<28} {'tries':>5} {'good':>5} {'fastest':>8} {'slowest':>8}  (seconds)")
        for row in measure(options):
            rows.append(row)
            print(row, flush=True)
            for fault in row.faults:
                print(f"    {fault}", flush=True)
    good, tries = sum(row.good for row in rows), sum(row.tries for row in rows)
    print(f"{good} of {tries} as on a quiet machine, beside {options.programs} programs")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    sys.exit(0 if good == tries else 1)


if __name__ == "__main__":
    main()
