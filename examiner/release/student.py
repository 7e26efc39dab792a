"""The folder that students get: stubs, visible tests, notebooks and the library to check them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.files import pack
from examiner.library import library_folder
from examiner.project import Project
from examiner.release.assignment import student_assignment
from examiner.release.known import known_files
from examiner.release.plain_markdown import plain_markdown
from examiner.release.suites import read_suite
from examiner.stubs import make_stub
from nextword.models.checkpoints.places import RUNGS
from nextword.models.shipped import FOLDER

# What grades, releases and knows answers stays with the course.
INSTRUCTORS_PARTS = (
    "examiner/grading",
    "examiner/platforms",
    "examiner/release",
    "examiner/sandbox",
    "examiner/judge/mutants.py",
    "nextword/press",
    *(
        f"nextword/cli/{name}.py"
        for name in ("feedback", "grade", "new_chapter", "pdf", "release", "similar", "suites")
    ),
    "nextword/cli/sync.py",
)

LIBRARY_FILES = (
    *("pyproject.toml", "requirements.txt", "constraints.txt"),
    *("LICENSE", "LICENSE-TEXT"),
)

LIBRARY_README = """\
# Next Word: the library for your assignments

Install it once; every assignment uses it.

1. You need Python 3.11 or newer on Linux, macOS or Windows.
2. In this folder, make a virtual environment and install the library into it:

       python -m venv .venv
       .venv/bin/pip install -r requirements.txt    (Windows: .venv\\Scripts\\pip …)

3. Before you work, switch it on: `source .venv/bin/activate` (Windows: `.venv\\Scripts\\activate`).
4. `nextword doctor` says whether anything is missing.

The README of each assignment's own folder says how to go on.
"""

README = """\
# Next Word: {titles}

This folder holds what you need to do the assignment.

1. Python 3.11 or newer. Make a virtual environment and install the course's library:

       python -m venv .venv
       .venv/bin/pip install -r requirements.txt    (Windows: .venv\\Scripts\\pip …)

2. Read the chapter: `.venv/bin/jupyter lab chapters` (Windows: `.venv\\Scripts\\jupyter`).
3. Fill in {stubs}: replace each `raise NotImplementedError(...)`.
4. Ask whether it is right: `.venv/bin/nextword check {example}`; ask for a hint:
   `.venv/bin/nextword check {example} --hint`.
5. Where there is a notebook beside it, such as `coursework/{stem}.ipynb`, fill that in, too.
6. `.venv/bin/nextword submit {stem}` makes the file to hand in and says what is still missing.

The tests in `tests` are the visible ones. Your work is graded with more of them, on other
inputs. If something does not work, `nextword doctor` says what is missing.
"""


def release_student(project: Project, chosen: Sequence[Chapter], target: Path) -> list[Path]:
    """Write the students' folder for the chapters; return its files.

    Raises UserError when the folder exists and is not empty: nothing of a student's is overwritten.
    """
    require_new_folder(target)
    _copy_library(project, target)
    write_text(
        target / "coursework" / "__init__.py", '"""What you write, one module per chapter."""\n'
    )
    for chapter in chosen:
        solution = project.module("solutions", chapter.stem)
        stub = make_stub(solution.read_text("utf-8"), chapter, solution.name)
        write_text(target / "coursework" / solution.name, stub)
        if assignment := project.assignment(chapter.stem):
            text = student_assignment(assignment.read_text("utf-8"), assignment.name, chapter)
            write_text(target / "coursework" / assignment.name, text)
        visible = read_suite(project, chapter.stem).visible() | known_files(project, chapter)
        for name, text in visible.items():
            write_text(target / "tests" / name, text)
        for notebook in (notebooks := project.notebooks(chapter.number, chapter.stem)):
            text = student_notebook(notebook.read_text("utf-8"))
            write_text(target / "chapters" / notebook.name, text)
        if notebooks:
            _copy_models(project, chapter.stem, target)
    write_text(target / "README.md", _readme(chosen))
    return sorted(path for path in target.rglob("*") if path.is_file())


def require_new_folder(target: Path) -> None:
    """Make the folder; raises UserError when it exists and is not empty."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target} exists already: give a new or empty folder with --to")
    target.mkdir(parents=True, exist_ok=True)


def student_notebook(text: str) -> str:
    """Return a chapter's notebook for a student: it imports coursework and has no outputs.

    Its boxes are those that JupyterLab can show.
    """
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            cell["source"] = plain_markdown(source).splitlines(keepends=True)
            continue
        renamed = re.sub(r"^(\s*(?:from|import) )solutions\b", r"\1coursework", source, flags=re.M)
        cell["source"] = renamed.splitlines(keepends=True)
        cell["outputs"], cell["execution_count"] = [], None
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def package_files() -> Iterator[tuple[Path, Path]]:
    """Yield the files of the examiner and of the course's package, each with its place."""
    for package in (Path(__file__).parents[1], library_folder()):
        for path in sorted(package.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(package.parent), path


def _library_files(project: Project) -> Iterator[tuple[Path, Path]]:
    """Yield the files that a student installs, each with its place in the folder.

    Raises UserError where one is missing.
    """
    for inside, path in package_files():
        if not any(inside.is_relative_to(part) for part in INSTRUCTORS_PARTS):
            yield inside, path
    for name in LIBRARY_FILES:
        source = project.root / name
        if not source.is_file():
            raise UserError(f"{source} is missing: a release is made from the full course")
        yield Path(name), source


def _copy_library(project: Project, target: Path) -> None:
    for inside, path in _library_files(project):
        (target / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target / inside)


def library_zip(project: Project) -> bytes:
    """Return a zip with what students install to work on an assignment, and how."""
    files = {inside.as_posix(): path.read_bytes() for inside, path in _library_files(project)}
    files["README.md"] = LIBRARY_README.encode()
    return pack({f"next-word/{name}": data for name, data in files.items()})


def _copy_models(project: Project, stem: str, target: Path) -> None:
    """Give the chapter's page the trained models that it shows."""
    for name in (stem, RUNGS):
        folder = project.root / FOLDER / name
        if folder.is_dir():
            shutil.copytree(folder, target / FOLDER / name, dirs_exist_ok=True)


def _readme(chosen: Sequence[Chapter]) -> str:
    return README.format(
        titles=", ".join(chapter.title for chapter in chosen),
        stubs=" and ".join(f"`coursework/{chapter.stem}.py`" for chapter in chosen),
        stem=chosen[0].stem,
        example=chosen[0].tasks[0].id if chosen[0].tasks else chosen[0].stem,
    )


def write_text(path: Path, text: str) -> None:
    """Write a text file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
