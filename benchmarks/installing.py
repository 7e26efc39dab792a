"""What a learner's installation takes: seconds, megabytes to load and on disk, and what is said.

    python benchmarks/installing.py

In an empty environment outside of this folder: the course, a task of chapter 2 without PyTorch,
then `nextword install-torch` where the index of builds for processors refuses, and as pip finds it
here. The last is left out where it would load the large build. Needs a connection.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
REFUSES = "http://127.0.0.1:9"  # where nothing listens
SIZE = re.compile(r"Downloading \S+ \(([\d.]+) (k|M|G)B\)")
IN_MB = {"k": 1e-3, "M": 1, "G": 1e3}


def timed(*command, **options):
    """Run a command; return what it said, its exit code, wall and processor seconds."""
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    wall, after = time.perf_counter() - start, os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return done.stdout + done.stderr, done.returncode, wall, spent


def disk(folder):
    """Megabytes of the files below a folder."""
    return sum(p.lstat().st_size for p in folder.rglob("*") if not p.is_dir()) / 1e6


def row(what, said, code, wall, spent, folder):
    loaded = sum(float(number) * IN_MB[unit] for number, unit in SIZE.findall(said))
    print(f"{what}: exit {code}, {wall:.0f} s, {spent:.0f} s of processor, ", end="")
    print(f"{loaded:.0f} MB loaded, {disk(folder):.0f} MB on disk", flush=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        course = Path(name) / "course"
        left = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__", "reading", "runs")
        shutil.copytree(ROOT, course, ignore=left)
        room = course / ".venv"
        subprocess.run(["python3", "-m", "venv", str(room)], check=True)
        keep = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        options = {"cwd": course, "env": {**keep, "PIP_NO_CACHE_DIR": "1"}}
        pip, nextword = str(room / "bin" / "pip"), str(room / "bin" / "nextword")
        row("the course", *timed(pip, "install", "-r", "requirements.txt", **options), room)
        task = timed(nextword, "check", "2", "--package", "solutions", **options)
        row("chapter 2 without PyTorch", *task, room)
        alone = {**options["env"], "PIP_CONFIG_FILE": os.devnull}
        alone.pop("PIP_FIND_LINKS", None)
        refused = timed(*(nextword, "install-torch", "--index", REFUSES), cwd=course, env=alone)
        row("PyTorch, where its index refuses", *refused, room)
        print(refused[0])
        told = timed(nextword, "install-torch", "--dry-run", **options)
        print(told[0])
        if not told[1] and "for processors" in told[0]:
            row("PyTorch", *timed(nextword, "install-torch", **options), room)


if __name__ == "__main__":
    main()
