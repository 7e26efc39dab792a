"""How long a class takes: nbgrader alone, with our engine, and `nextword grade --gradebook`.

The same submissions of the n-gram assignment, one after the other in time, on the same processors.

    python benchmarks/nbgrader_class.py --students 8 --json class.json
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent


def run(folder: Path, *command: str) -> float:
    """Run a command in the folder; return the seconds it took."""
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    done = subprocess.run(
        [str(BIN / command[0]), *command[1:]], cwd=folder, env=environment, capture_output=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.decode()[-2000:]}")
    return time.perf_counter() - started


def make_course(folder: Path, students: int) -> None:
    """Release the assignment and hand in the reference, no two files the same."""
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
        (work / "ngrams.py").write_text(f"{module}\n# {number}\n", "utf-8")
        notebook = json.loads((work / "ngrams.ipynb").read_text("utf-8"))
        for cell in notebook["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = answers.get(name, cell["source"])
        (work / "ngrams.ipynb").write_text(json.dumps(notebook), "utf-8")


def measure(students: int) -> dict[str, float]:
    """Return the seconds of each way."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="nextword-bench-") as name:
        first = Path(name) / "first"
        make_course(first, students)
        for way in ("nbgrader alone", "nbgrader, our engine", "nextword grade"):
            course = Path(name) / way.replace(" ", "-").replace(",", "")
            shutil.copytree(first, course)
            config = course / "nbgrader_config.py"
            if way == "nbgrader alone":
                lines = config.read_text("utf-8").splitlines()
                kept = [line for line in lines if "nextword.nbgrader" not in line]
                config.write_text("\n".join(kept) + "\n", "utf-8")
            if way == "nextword grade":
                command = ("nextword", "grade", "ngrams", "submitted")
                found[way] = run(course, *command, "--gradebook", "gradebook.db")
            else:
                found[way] = run(course, "nbgrader", "autograde", "ngrams")
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measure(options.students)
    slowest = found["nbgrader alone"]
    print(f"{options.students} submissions, {len(os.sched_getaffinity(0))} processors")
    for way, seconds in found.items():
        each = seconds / options.students
        print(f"{way:<22} {seconds:7.1f} s  {each:6.2f} s each  {slowest / seconds:5.1f} times")
    if options.json:
        options.json.write_text(json.dumps({"students": options.students, "seconds": found}))


if __name__ == "__main__":
    main()
