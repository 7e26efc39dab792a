"""How long a class takes: nbgrader alone, nbgrader with our engine, `nextword grade --gradebook`.

The same submissions of the n-gram assignment (module and notebook, both right), one way after the
other on the same processors. nbgrader alone is slow, so a part of the class may stand for all.
With --odd ten of the class hand in what tests/examiner/nbgrader/odd.py makes of theirs: an endless
loop, a broken zip, floods of output; nbgrader alone is then left out, and the points of all others
checked.

    python benchmarks/nbgrader_class.py --students 100 --nbgrader 20 --json class.json
    python benchmarks/nbgrader_class.py --students 100 --odd
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.examiner.nbgrader.odd import ODD

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
ALONE = "nbgrader autograde, stock tests in the kernel"
INSIDE = "nbgrader autograde, our engine inside"
GRADE = "nextword grade --gradebook"
FULL = 50.0  # points without marks by hand


@dataclass(frozen=True)
class Timing:
    """One way: how many submissions were graded, in how many seconds, with what mean score."""

    way: str
    submissions: int
    seconds: float
    mean_score: float

    @property
    def per_second(self) -> float:
        """Submissions per second."""
        return self.submissions / self.seconds


def run(folder: Path, *command: str, good: tuple[int, ...] = (0,)) -> float:
    """Run a command in the folder; return the seconds it took."""
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    done = subprocess.run(
        [str(BIN / command[0]), *command[1:]], cwd=folder, env=environment, capture_output=True
    )
    if done.returncode not in good:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode()[-2000:]}")
    return time.perf_counter() - started


def make_course(folder: Path, students: int, odd: bool) -> None:
    """Release the assignment and hand in the reference, no two modules the same.

    Where some are `odd`, they stand evenly among the others.
    """
    run(ROOT, "nextword", "release", "ngrams", "--format", "nbgrader", "--to", str(folder))
    run(folder, "nbgrader", "generate_assignment", "ngrams")
    source = json.loads((folder / "source/ngrams/ngrams.ipynb").read_text("utf-8"))
    answers = {
        cell["metadata"]["nbgrader"]["grade_id"]: cell["source"]
        for cell in source["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }
    module = (ROOT / "solutions/ngrams.py").read_text("utf-8")
    for number in range(students):
        work = folder / "submitted" / f"student{number:03d}" / "ngrams"
        shutil.copytree(folder / "release" / "ngrams", work)
        (work / "ngrams.py").write_text(f"{module}\nNUMBER = {number}\n", "utf-8")
        notebook = json.loads((work / "ngrams.ipynb").read_text("utf-8"))
        for cell in notebook["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = answers.get(name, cell["source"])
        (work / "ngrams.ipynb").write_text(json.dumps(notebook), "utf-8")
    if odd:
        for number, change in enumerate(ODD.values()):
            place = students * number // len(ODD)
            change(folder / "submitted" / f"student{place:03d}" / "ngrams")


def copy_of(course: Path, name: str, students: int) -> Path:
    """Return a copy of the course folder with the first students only."""
    made = course.with_name(name)
    shutil.copytree(course, made)
    for folder in sorted((made / "submitted").iterdir())[students:]:
        shutil.rmtree(folder)
    return made


def scores(course: Path) -> list[float]:
    """Return the grades, so that a fast way that judges nothing would be seen."""
    run(course, "nbgrader", "export", "--to", "grades.csv")
    with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
        return [float(row["score"]) for row in csv.DictReader(file)]


def measure(students: int, alone: int, odd: bool) -> list[Timing]:
    """Grade the class each way; `odd`: ten of them are, and the others must get every point."""
    autograde = ("nbgrader", "autograde", "ngrams")
    grade = ("nextword", "grade", "ngrams", "submitted", "--gradebook", "gradebook.db")
    ways = [(ALONE, alone, autograde), (INSIDE, students, autograde), (GRADE, students, grade)]
    ways = ways[1:] if odd else ways
    found = []
    with tempfile.TemporaryDirectory(prefix="nextword-bench-") as name:
        first = Path(name) / "first"
        make_course(first, students, odd)
        for number, (way, count, command) in enumerate(ways):
            course = copy_of(first, f"way-{number}", count)
            if way == ALONE:
                config = course / "nbgrader_config.py"
                lines = config.read_text("utf-8").splitlines()
                kept = [line for line in lines if "examiner.platforms.nbgrader" not in line]
                config.write_text("\n".join(kept) + "\n", "utf-8")
            seconds = run(course, *command, good=(0, 1) if odd else (0,))
            earned = scores(course)
            found.append(Timing(way, count, seconds, sum(earned) / len(earned)))
            show(found[-1], found[0])
            if odd and earned.count(FULL) < students - len(ODD):
                sys.exit(
                    f"only {earned.count(FULL)} of {students - len(ODD)} neighbours got {FULL:g}"
                )
    return found


def show(timing: Timing, slowest: Timing) -> None:
    """Print a line of the table."""
    ratio = timing.per_second / slowest.per_second
    print(
        f"{timing.way:<46}{timing.submissions:5} submissions {timing.seconds:8.1f} s "
        f"{timing.per_second:7.3f} per second {ratio:6.1f} times  mean {timing.mean_score:g}",
        flush=True,
    )


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=100, help="size of the class")
    parser.add_argument("--nbgrader", type=int, help="how many of them nbgrader alone grades")
    parser.add_argument("--odd", action="store_true", help="with ten odd submissions")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    alone = min(options.nbgrader or options.students, options.students)
    processors = len(os.sched_getaffinity(0))
    print(f"{options.students} students, {processors} processors")
    found = measure(options.students, alone, options.odd)
    if options.json:
        rows = [{**asdict(each), "per_second": each.per_second} for each in found]
        made = {"students": options.students, "processors": processors, "ways": rows}
        options.json.write_text(json.dumps(made, indent=1), "utf-8")


if __name__ == "__main__":
    main()
