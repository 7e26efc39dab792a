"""Makes an nbgrader course folder from the course.

Leaves out running it (examiner/platforms/nbgrader).
"""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from examiner.catalogue import Chapter
from examiner.catalogue.settings import FILE
from examiner.errors import UserError
from examiner.project import COMMAND, STATE, Project
from examiner.release.assignment import (
    Notebook,
    answers_text,
    nbgrader_source,
    student_notebook,
    variables,
    write_notebook,
)
from examiner.release.student import (
    PERSONAL,
    chapter_files,
    library_zip,
    require_new_folder,
    write_text,
)
from examiner.release.suites import read_suite
from examiner.release.variants import AS_IT_STANDS, Drawing, drawn_assignment, personal_notebooks

GRADER = "grader"  # the part of the folder that never reaches students
LIBRARY = "students"  # the folder of what they install, once for all assignments
SEED = STATE / "grading-seed"  # where `grade` looks for a course's secret
DRAWN = STATE / "variants.json"  # where it looks for what students' own notebooks were drawn from
REFERENCE_SECONDS = 300

CONFIG_FILE = "nbgrader_config.py"
# in the config: of every assignment in source/, also of those that are put there later
KEEPS_MODULES = """\
c.Autograde.exclude_overwriting = {
    folder.name: [f"{folder.name}.py"] for folder in Path(__file__).parent.glob("source/*")
}"""

CONFIG = f'''\
"""nbgrader's settings for this course folder. The commands are in README.md."""

from pathlib import Path

c = get_config()  # noqa: F821 (nbgrader gives it)

c.CourseDirectory.course_id = "COURSE"

# Students hand their module in beside the notebook: keep it when the other files are renewed.
{KEEPS_MODULES}

# zip_collect: put into downloaded/<assignment>/archive/ the files of `{COMMAND} submit`, named
# after the student (ada.zip) or each in a folder of that name, or a learning platform's download
# as it comes. A class list (id, name, e-mail) gives its works their ids:
# c.Extract.roster = "class.csv"
c.FileNameCollectorPlugin.named_regexp = (
    r".*?/extracted/(?P<student_id>[^/]+)/(?:.*/)?(?P<file_id>[^/]+)\\.(?:ipynb|py)$"
)
c.FileNameCollectorPlugin.valid_ext = [".ipynb", ".py"]

# Students' notebooks run in a sandbox, and their modules are tested from outside of it. Without
# the next two lines nbgrader grades alone: that works, but tests run in the student's own process.
import examiner.platforms.nbgrader  # noqa: E402

examiner.platforms.nbgrader.configure(c)
'''

STUDENTS_README = """\
# {title}: how to start

1. Once for all assignments: unzip `{library}.zip`, which you were given beside this folder, and do
   what its README says. (Where your course has a JupyterHub, all is installed there already.)
2. Switch its environment on: `source .venv/bin/activate` in the folder `{library}` (Windows:
   `.venv\\Scripts\\activate`).
3. In this folder: `jupyter lab`. Fill in `{stem}.py` and `{stem}.ipynb`.
4. `{command} check` in this folder says what is right so far, and `{command} check --hint` helps.
5. `{command} submit {stem}` makes the file to hand in, and says what is still missing.
"""

README = """\
# {title}: an nbgrader course folder

Made by `{command} release --format nbgrader`. Needed: Linux with bubblewrap, and the course's
library with the extra `instructor` (`pip install ".[instructor]"` in the course).

| folder | holds | who may see it |
|---|---|---|
| `source/` | the assignments with solutions and hidden tests | you |
| `grader/` | tests, reference and the secret seed that hidden inputs are drawn from | you |
| `release/` | the assignments as students get them (made by the first command below) | students |
| `students/` | the library for students' own machines, and how to install it | students |

    nbgrader generate_assignment {stem}      # source/ -> release/, and into the gradebook
    nbgrader release_assignment {stem}       # or upload the folder release/{stem} to your platform
    nbgrader collect {stem}                  # or zip_collect: see the course's page on nbgrader
    nbgrader autograde {stem}                # or: {command} grade {stem} DOWNLOAD --gradebook …
    jupyter lab                              # then nbgrader > Formgrader: mark written answers
    nbgrader generate_feedback {stem}
    nbgrader release_feedback {stem}         # or: {command} feedback {stem} DOWNLOAD
    nbgrader export

In the course's own folder, `{command} release CHAPTER --format nbgrader --to HERE` puts another
chapter into this one; move `source/CHAPTER` away first, and it writes a chapter anew.
"""


def release_nbgrader(
    project: Project,
    chosen: Sequence[Chapter],
    target: Path,
    drawing: Drawing = AS_IT_STANDS,
) -> list[Path]:
    """Write a course folder for nbgrader, or put chapters into one; return what was written.

    Students' own notebooks lie in `personal`; what they were drawn from, in the grader's part. A
    folder that is one already keeps its secret seed, its config, its README and its gradebook.

    Raises UserError when the folder is not empty and none of ours, when it holds a chapter already
    or was drawn otherwise, or when a chapter has no assignment.
    """
    is_new = not _is_course_folder(target)
    files = _files_of_a_new_folder(project, chosen) if is_new else {}
    if not is_new:
        _require_room(project, chosen, target, drawing)
    zipped = Path(LIBRARY, f"{project.settings.slug}.zip")
    data = {zipped: library_zip(project)}
    for chapter in chosen:
        notebook = assignment_of(project, chapter, drawing)
        files |= _source_files(project, chapter, notebook, Path("source", chapter.stem))
        files |= examiner_files(project, chapter, Path(GRADER))
        data |= examiner_data(project, chapter, Path(GRADER))
    if drawing.students:
        files |= _personal_files(project, chosen, drawing)
    if is_new:
        require_new_folder(target)  # only now, when nothing can be missing any more
        target.chmod(0o700)  # many users may share the machine; what students get goes elsewhere
        (target / GRADER).mkdir(mode=0o700)
    for chapter in chosen:  # of a chapter that was here: its tests may have other names now
        shutil.rmtree(target / GRADER / "tests" / chapter.stem, ignore_errors=True)
    for path, text in files.items():
        write_text(target / path, text)
    for path, content in data.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(content)
    return sorted(target / path for path in (*files, *data))


def _is_course_folder(target: Path) -> bool:
    return (target / CONFIG_FILE).is_file() and (target / GRADER / SEED).is_file()


def _files_of_a_new_folder(project: Project, chosen: Sequence[Chapter]) -> dict[Path, str]:
    settings = project.settings
    readme = README.format(title=settings.title, stem=chosen[0].stem, command=COMMAND)
    return {
        Path(GRADER, SEED): new_seed(),
        Path(CONFIG_FILE): CONFIG.replace("COURSE", settings.id or settings.slug),
        Path("README.md"): readme,
    }


def _require_room(
    project: Project, chosen: Sequence[Chapter], target: Path, drawing: Drawing
) -> None:
    """Raise UserError unless the chapters can be put into a course folder as it is."""
    config = (target / CONFIG_FILE).read_text("utf-8")
    drawn = target / GRADER / DRAWN
    for chapter in chosen:
        source = target / "source" / chapter.stem
        if source.exists():
            raise UserError(
                f"{source} exists already: move it away, and the chapter is written anew"
            )
        if KEEPS_MODULES not in config and f'"{chapter.stem}.py"' not in config:
            raise UserError(
                f"{target / CONFIG_FILE} would have nbgrader put stubs in the place of students' "
                f'{chapter.stem}.py: add "{chapter.stem}": ["{chapter.stem}.py"] to '
                "c.Autograde.exclude_overwriting"
            )
        if not (project.variants(chapter.stem).is_file() and drawn.is_file()):
            continue
        if json.loads(drawn.read_text("utf-8")) != dataclasses.asdict(drawing):
            text = "give the same --variant and --per-student"
            raise UserError(f"{target} was drawn for each student: {text}")


def _personal_files(
    project: Project, chosen: Sequence[Chapter], drawing: Drawing
) -> dict[Path, str]:
    """Return students' own notebooks, and what the grader must know to put them together again."""
    files = {Path(GRADER, DRAWN): json.dumps(dataclasses.asdict(drawing), indent=1)}
    for path in (project.variants(chapter.stem) for chapter in chosen):
        if path.is_file():
            files[Path(GRADER) / path.relative_to(project.root)] = path.read_text("utf-8")
    for name, own, chapter in personal_notebooks(project, chosen, drawing):
        files[Path(PERSONAL, name)] = write_notebook(student_notebook(own, chapter))
    return files


def new_seed() -> str:
    """Return a fresh secret that hidden inputs are drawn from."""
    return secrets.token_hex(16) + "\n"


def assignment_of(project: Project, chapter: Chapter, drawing: Drawing = AS_IT_STANDS) -> Notebook:
    """Return the chapter's assignment notebook; raises UserError where there is none."""
    notebook = drawn_assignment(project, chapter, drawing)
    if notebook is None:
        raise UserError(f"solutions/{chapter.stem}.ipynb is missing: the chapter has no assignment")
    return notebook


def _source_files(
    project: Project, chapter: Chapter, notebook: Notebook, folder: Path
) -> dict[Path, str]:
    suite = read_suite(project, chapter.stem)
    solution = project.module("solutions", chapter.stem)
    reference = reference_answers(notebook, solution)
    source = nbgrader_source(notebook, chapter, suite, reference)
    readme = STUDENTS_README.format(
        title=chapter.title, stem=chapter.stem, library=project.settings.slug, command=COMMAND
    )
    given = {"README.md": readme, f"{chapter.stem}.ipynb": write_notebook(source)}
    given |= chapter_files(project, chapter)
    given |= {f"tests/{name}": text for name, text in suite.visible().items()}
    return {folder / name: text for name, text in given.items()}


def examiner_files(project: Project, chapter: Chapter, folder: Path) -> dict[Path, str]:
    """Return what the examiner needs of a chapter: tests, what they import, tasks, reference."""
    parts = [
        *project.suite_files(chapter.stem),
        *project.mistake_files(chapter.stem),
        project.module("solutions", chapter.stem),
        project.tasks_file(chapter.stem),
    ]
    if (project.root / FILE).is_file():
        parts.append(project.root / FILE)
    packages = ("solutions", "tests")
    found = {folder / package / "__init__.py": "" for package in packages}
    for path in parts:
        found[folder / path.relative_to(project.root)] = path.read_text("utf-8")
    return found


def examiner_data(project: Project, chapter: Chapter, folder: Path) -> dict[Path, bytes]:
    """Return what lies beside a chapter's hidden tests to be read by them."""
    paths = project.suite_data(chapter.stem)
    return {folder / path.relative_to(project.root): path.read_bytes() for path in paths}


def reference_answers(notebook: Notebook, solution: Path) -> dict[str, Any]:
    """Run the notebook's code on the reference; return the variables that its checks read.

    In a process of its own, so that nothing of it stays here. Raises UserError when it fails.
    """
    names = variables(notebook)
    shown = ", ".join(f"{name!r}: {name}" for name in names)
    code = answers_text(notebook) + f"\nprint()\nprint({{{shown}}})\n"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-"],
            input=code,
            cwd=solution.parent,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=REFERENCE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"{solution.stem}.ipynb took longer than {REFERENCE_SECONDS} s") from None
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:]
        raise UserError(f"{solution.stem}.ipynb fails with the reference: {''.join(reason)}")
    return dict(ast.literal_eval(_plain(done.stdout.splitlines()[-1])))


def _plain(text: str) -> str:
    # literal_eval knows no infinity; a number too large for a float is one
    return re.sub(r"\binf\b", "1e999", text)
