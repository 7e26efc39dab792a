"""The folder that students get: stubs, visible tests, notebooks and the library to check them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.catalogue.settings import AT_ONCE, FILE
from examiner.check.needs import uses_package
from examiner.errors import UserError
from examiner.files import pack
from examiner.project import COMMAND, Project
from examiner.release.assignment import student_assignment
from examiner.release.known import without_shown
from examiner.release.library import library_files, students_rooms
from examiner.release.plain_markdown import folded, plain_markdown
from examiner.release.suites import read_suite
from examiner.stubs import make_stub

LIBRARY_README = """\
# {course}: the library for your assignments

Install it once; every assignment uses it.

1. You need Python 3.11 or newer on Linux, macOS or Windows.
2. In this folder, make a virtual environment and install the library into it:

       python -m venv .venv
       .venv/bin/pip install -r requirements.txt    (Windows: .venv\\Scripts\\pip …)
       .venv/bin/{command} install-torch    (where an assignment uses PyTorch; says its size first)

3. Before you work, switch it on: `source .venv/bin/activate` (Windows: `.venv\\Scripts\\activate`).
4. `{command} doctor` says whether anything is missing.

The README of each assignment's own folder says how to go on.
"""

README = """\
# {course}: {titles}

This folder holds what you need to do the assignment.

1. Python 3.11 or newer. Make a virtual environment and install the course's library:

       python -m venv .venv
       .venv/bin/pip install -r requirements.txt    (Windows: .venv\\Scripts\\pip …)
{torch}
2. Read the chapter: `.venv/bin/jupyter lab chapters` (Windows: `.venv\\Scripts\\jupyter`).
3. Fill in {stubs}: replace each `raise NotImplementedError(...)`.
4. Ask whether it is right: `.venv/bin/{command} check {example}`; ask for a hint:
   `.venv/bin/{command} check {example} --hint`.
5. Where there is a notebook beside it, such as `coursework/{stem}.ipynb`, fill that in, too.
6. `.venv/bin/{command} submit {stem}` makes the file to hand in and says what is still missing.

The tests in `tests` are the visible ones. Your work is graded with more of them, on other
inputs. If something does not work, `{command} doctor` says what is missing.
"""


def release_student(project: Project, chosen: Sequence[Chapter], target: Path) -> list[Path]:
    """Write the students' folder for the chapters; return its files.

    Raises UserError when the folder exists and is not empty: nothing of a student's is overwritten.
    """
    require_new_folder(target)
    settings = project.root / FILE
    parts = library_files(project, students_rooms)
    for inside, path in [*parts, *([(Path(FILE), settings)] if settings.is_file() else [])]:
        (target / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target / inside)
    write_text(
        target / "coursework" / "__init__.py", '"""What you write, one module per chapter."""\n'
    )
    for chapter in chosen:
        for name, text in chapter_files(project, chapter).items():
            write_text(target / "coursework" / name, text)
        if assignment := project.assignment(chapter.stem):
            text = student_assignment(assignment.read_text("utf-8"), assignment.name, chapter)
            write_text(target / "coursework" / assignment.name, text)
        for name, text in read_suite(project, chapter.stem).visible().items():
            write_text(target / "tests" / name, text)
        _copy_pages(project, chapter, target)
    write_text(target / "README.md", _readme(project, chosen))
    return sorted(path for path in target.rglob("*") if path.is_file())


def chapter_files(project: Project, chapter: Chapter) -> dict[str, str]:
    """Return the stub, its tasks and what `check` knows of it, by path beside the stub."""
    solution = project.module("solutions", chapter.stem)
    tasks, known = project.tasks_file(chapter.stem), project.known(chapter.stem)
    files = {
        solution.name: make_stub(solution.read_text("utf-8"), chapter, solution.name),
        tasks.name: tasks.read_text("utf-8"),
    }
    if known.is_file():
        text = known.read_text("utf-8")
        if project.settings.examples != AT_ONCE:
            text = without_shown(text)
        files[f"{known.parent.name}/{known.name}"] = text
    return files


def require_new_folder(target: Path) -> None:
    """Make the folder; raises UserError when it exists and is not empty."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target} exists already: give a new or empty folder with --to")
    target.mkdir(parents=True, exist_ok=True)


def student_notebook(text: str) -> str:
    """Return a chapter's notebook for a student: it imports coursework and has no outputs.

    Its boxes are those that JupyterLab can show, and what the book folds is folded.
    """
    notebook = json.loads(text)
    notebook["cells"] = [folded(cell) for cell in notebook["cells"]]
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            cell["source"] = plain_markdown(source).splitlines(keepends=True)
            continue
        renamed = re.sub(r"^(\s*(?:from|import) )solutions\b", r"\1coursework", source, flags=re.M)
        cell["source"] = renamed.splitlines(keepends=True)
        cell["outputs"], cell["execution_count"] = [], None
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _copy_pages(project: Project, chapter: Chapter, target: Path) -> None:
    """Write the chapter's pages, and copy what they read."""
    pages = project.notebooks(chapter.number, chapter.stem)
    for page in pages:
        write_text(target / "chapters" / page.name, student_notebook(page.read_text("utf-8")))
    for name in project.settings.with_pages if pages else ():
        folder = Path(name.format(stem=chapter.stem))
        if (project.root / folder).is_dir():
            shutil.copytree(project.root / folder, target / folder, dirs_exist_ok=True)


def library_zip(project: Project) -> bytes:
    """Return a zip with what students install to work on an assignment, and how."""
    parts = library_files(project, students_rooms)
    files = {inside.as_posix(): path.read_bytes() for inside, path in parts}
    readme = LIBRARY_README.format(course=project.settings.title, command=COMMAND)
    files["README.md"] = readme.encode()
    return pack({f"{project.settings.slug}/{name}": data for name, data in files.items()})


def _readme(project: Project, chosen: Sequence[Chapter]) -> str:
    uses = any(uses_package(project, chapter, "torch") for chapter in chosen)
    torch = f"       .venv/bin/{COMMAND} install-torch    (PyTorch: says first how large it is)\n"
    return README.format(
        course=project.settings.title,
        command=COMMAND,
        torch=torch if uses else "",
        titles=", ".join(chapter.title for chapter in chosen),
        stubs=" and ".join(f"`coursework/{chapter.stem}.py`" for chapter in chosen),
        stem=chosen[0].stem,
        example=chosen[0].tasks[0].id if chosen[0].tasks else chosen[0].stem,
    )


def write_text(path: Path, text: str) -> None:
    """Write a text file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
