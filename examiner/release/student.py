"""The folder that students get: stubs, visible tests, notebooks and the library to check them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.catalogue.schedule import shown
from examiner.catalogue.settings import AT_ONCE, FILE
from examiner.check.needs import uses_package
from examiner.errors import UserError
from examiner.files import pack
from examiner.junk import files_in
from examiner.project import COMMAND, Project
from examiner.release.assignment import student_notebook as fill_in_notebook
from examiner.release.assignment import write_notebook
from examiner.release.exercises import HINTS
from examiner.release.known import without_shown
from examiner.release.library import library_files, students_rooms
from examiner.release.plain_markdown import LEFT_OUT, folded, plain_markdown
from examiner.release.suites import read_suite
from examiner.release.variants import AS_IT_STANDS, Drawing, drawn_assignment, personal_notebooks
from examiner.release.wheel import SETTINGS, wheel_of
from examiner.release.withheld import catalogue_without_last_hints
from examiner.stubs import make_stub

HANDOUT = "handout"  # the folder for all, where there are others beside it
PERSONAL = "personal"  # the folder of notebooks that are one student's alone
OWN_NOTEBOOK = """\
   That notebook is yours alone, and asks for other numbers than everybody else's. You get it
   separately: put it there.
"""
PACKAGE = '"""What you write, one module per chapter."""\n'
CONSTRAINTS = "constraints.txt"  # the versions that were tested

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
{due}
1. Python 3.11 or newer. Make a virtual environment and install the course's library:

       python -m venv .venv
       .venv/bin/pip install -r requirements.txt    (Windows: .venv\\Scripts\\pip …)
{torch}{for_pages}
2. Read the chapter: `.venv/bin/jupyter lab chapters` (Windows: `.venv\\Scripts\\jupyter`).
3. Fill in {stubs}: replace each `raise NotImplementedError(...)`.
4. Ask whether it is right: `.venv/bin/{command} check {example}`; ask for a hint:
   `.venv/bin/{command} check {example} --hint`.
5. Where there is a notebook beside it, such as `coursework/{stem}.ipynb`, fill that in, too.
{personal}\
6. {submit}

The tests in `tests` are the visible ones. Your work is graded with more of them, on other
inputs. If something does not work, `{command} doctor` says what is missing.
"""


def release_student(
    project: Project,
    chosen: Sequence[Chapter],
    target: Path,
    drawing: Drawing = AS_IT_STANDS,
    last_hints: bool = True,
) -> list[Path]:
    """Write the students' folder for the chapters; return its files.

    Where students have notebooks of their own, the folder lies in `target` as `handout`, and their
    notebooks beside it in `personal`. Raises UserError when the folder exists and is not empty:
    nothing of a student's is overwritten.
    """
    require_new_folder(target)
    own = list(personal_notebooks(project, chosen, drawing))
    files = install_files(project)
    if (project.root / FILE).is_file():
        files[FILE] = (project.root / FILE).read_bytes()
    for name, notebook, chapter in own:
        text = write_notebook(fill_in_notebook(notebook, chapter))
        write_text(target / PERSONAL / name, text)
    if drawing.students:
        target = target / HANDOUT
    for inside, data in files.items():
        (target / inside).parent.mkdir(parents=True, exist_ok=True)
        (target / inside).write_bytes(data)
    write_text(target / "coursework" / "__init__.py", PACKAGE)
    apart = {chapter.stem for _, _, chapter in own}
    for chapter in chosen:
        assignment = drawn_assignment(project, chapter, drawing)
        if assignment and chapter.stem not in apart:
            text = write_notebook(fill_in_notebook(assignment, chapter))
            write_text(target / "coursework" / f"{chapter.stem}.ipynb", text)
        _write_chapter(project, chapter, target, last_hints)
    write_text(target / "README.md", _readme(project, chosen, bool(own)))
    return sorted(path for path in target.rglob("*") if path.is_file())


def _write_chapter(project: Project, chapter: Chapter, target: Path, last_hints: bool) -> None:
    """Write a chapter's stub, visible tests and pages."""
    for name, text in chapter_files(project, chapter, last_hints).items():
        write_text(target / "coursework" / name, text)
    for name, text in read_suite(project, chapter.stem).visible().items():
        write_text(target / "tests" / name, text)
    _copy_pages(project, chapter, target, last_hints)


def chapter_files(project: Project, chapter: Chapter, last_hints: bool = True) -> dict[str, str]:
    """Return the stub, its tasks and what `check` knows of it, by path beside the stub."""
    solution = project.module("solutions", chapter.stem)
    tasks, known = project.tasks_file(chapter.stem), project.known(chapter.stem)
    listed = tasks.read_text("utf-8")
    files = {
        solution.name: make_stub(solution.read_text("utf-8"), chapter, solution.name),
        tasks.name: listed if last_hints else catalogue_without_last_hints(listed),
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


def student_notebook(text: str, last_hints: bool = True) -> str:
    """Return a chapter's notebook for a student: it imports coursework and has no outputs.

    Its boxes are those that JupyterLab can show, and what the book folds is folded.
    """
    notebook = json.loads(text)
    notebook["cells"] = [folded(cell) for cell in notebook["cells"]]
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            left_out = LEFT_OUT if last_hints else (*LEFT_OUT, HINTS[-1])
            cell["source"] = plain_markdown(source, left_out).splitlines(keepends=True)
            continue
        renamed = re.sub(r"^(\s*(?:from|import) )solutions\b", r"\1coursework", source, flags=re.M)
        cell["source"] = renamed.splitlines(keepends=True)
        cell["outputs"], cell["execution_count"] = [], None
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _copy_pages(project: Project, chapter: Chapter, target: Path, last_hints: bool) -> None:
    """Write the chapter's pages, and copy what they read."""
    pages = project.notebooks(chapter.number, chapter.stem)
    for page in pages:
        text = student_notebook(page.read_text("utf-8"), last_hints)
        write_text(target / "chapters" / page.name, text)
    for name in project.settings.with_pages if pages else ():
        folder = Path(name.format(stem=chapter.stem))
        if (project.root / folder).is_dir():
            for path in files_in(project.root / folder):
                copy = target / path.relative_to(project.root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)


def install_files(project: Project) -> dict[str, bytes]:
    """Return what students install, by place: a wheel, its requirements, the versions to take.

    A course that is not installable gives its packages as they are.
    """
    parts = library_files(project, students_rooms)
    files = {inside.as_posix(): path.read_bytes() for inside, path in parts}
    if SETTINGS not in files:
        return files
    beside = {CONSTRAINTS: files[CONSTRAINTS]} if CONSTRAINTS in files else {}
    return {**wheel_of(files).files, **beside}


def library_zip(project: Project) -> bytes:
    """Return a zip with what students install to work on an assignment, and how."""
    files = install_files(project)
    readme = LIBRARY_README.format(course=project.settings.title, command=COMMAND)
    files["README.md"] = readme.encode()
    return pack({f"{project.settings.slug}/{name}": data for name, data in files.items()})


def _readme(project: Project, chosen: Sequence[Chapter], personal: bool) -> str:
    uses = any(uses_package(project, chapter, "torch") for chapter in chosen)
    torch = f"       .venv/bin/{COMMAND} install-torch    (PyTorch: says first how large it is)\n"
    return README.format(
        course=project.settings.title,
        command=COMMAND,
        torch=torch if uses else "",
        for_pages=_for_pages(project, chosen),
        submit=_to_submit(chosen),
        titles=", ".join(chapter.title for chapter in chosen),
        due=_due(project, chosen),
        personal=OWN_NOTEBOOK if personal else "",
        stubs=" and ".join(f"`coursework/{chapter.stem}.py`" for chapter in chosen),
        stem=chosen[0].stem,
        example=chosen[0].tasks[0].id if chosen[0].tasks else chosen[0].stem,
    )


def _for_pages(project: Project, chosen: Sequence[Chapter]) -> str:
    """Return a line for each package that the pages mention and requirements.txt cannot ask for."""
    pages = [page for each in chosen for page in project.notebooks(each.number, each.stem)]
    texts = [page.read_text("utf-8") for page in pages]
    lines = []
    for words in project.settings.pages_install:
        package = re.split(r"[^\w.-]", words.rpartition(" ")[2])[0]
        if any(re.search(rf"\bimport\b.*\b{re.escape(package)}\b", text) for text in texts):
            lines.append(f"       .venv/bin/pip {words}    (cells of the pages read it)\n")
    return "".join(lines)


def _to_submit(chosen: Sequence[Chapter]) -> str:
    commands = [f"`.venv/bin/{COMMAND} submit {chapter.stem}`" for chapter in chosen]
    if len(commands) == 1:
        return f"{commands[0]} makes the file to hand in and says what is still missing."
    rows = "\n".join(f"   - {command}" for command in commands)
    return f"Each of these makes a file to hand in and says what is still missing:\n\n{rows}"


def _due(project: Project, chosen: Sequence[Chapter]) -> str:
    dates = ((each.title, project.schedule.of(each.stem).due) for each in chosen)
    return "".join(f"{title} is due on {shown(due)}.\n" for title, due in dates if due)


def write_text(path: Path, text: str) -> None:
    """Write a text file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
