"""What the test cells of an assignment notebook call. Leaves out grading, which happens elsewhere.

The notebook stands beside the module it uses (`sorting.ipynb`, `sorting.py`), either in coursework/
of a course folder or in a folder of its own, with the visible tests in its tests.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from examiner.catalogue import Chapter, Task
from examiner.check.apart import run_apart
from examiner.check.example_names import name_of
from examiner.check.job import Job
from examiner.check.terminal import printable
from examiner.errors import UserError
from examiner.plural import count
from examiner.project import COMMAND, Project, find_project
from examiner.results import TaskResult, Verdict, group_by_task


def points(
    task_id: str, *, suite: Mapping[str, str] | None = None, folder: Path | None = None
) -> float:
    """Run a task's tests on the module beside the notebook, print what fails, return the points.

    `suite` holds the texts of the tests by their paths in tests; without it the visible
    ones, which lie there, are run. The module is read anew each time, so an edit counts at once.
    They run in a process of their own, which ends with its time and memory, as `nextword check`.
    """
    here = (folder or Path.cwd()).resolve()
    project = _project(here)
    chapter, (task, *_) = project.catalogue.resolve(task_id)
    if suite is None:
        suite = _visible_suite(project, chapter)
    result = _run(here / f"{chapter.stem}.py", chapter, task, suite, project.known(chapter.stem))
    print(summary(result))
    return result.score


def summary(result: TaskResult) -> str:
    """Return a task's points and, a line each, what its tests found wrong.

    >>> task = Task("1.1", "Insertion", ("insert",), "section 1.1", 2, 10, "easy", ("", "", ""))
    >>> summary(TaskResult(task, ()))
    '1.1 Insertion: 0 of 2 points (no tests)'
    """
    of = f"{result.score:g} of {count(result.task.points, 'point')}"
    passed = sum(test.verdict is Verdict.PASSED for test in result.tests)
    tests = f"{passed} of {count(len(result.tests), 'test')} passed" if result.tests else "no tests"
    lines = [f"{result.task.id} {result.task.title}: {of} ({tests})"]
    shown = printable("\n".join(each.said for each in result.examples))
    lines += shown.splitlines()
    for test in result.tests:
        if test.verdict is Verdict.PASSED:
            continue
        lines.append(f"- {test.verdict.look.word}: {test.behaviour}")
        if not shown:
            lines += [f"    {row}" for row in printable(test.message).splitlines()]
    return "\n".join(lines)


def _project(here: Path) -> Project:
    """Return the folder that the notebook stands in: the assignment's own, or the course's.

    Raises UserError where neither has tasks.
    """
    found = Project(here, flat=True)
    if not (here / "tests").is_dir():
        with contextlib.suppress(UserError):
            found = find_project(here)
    if not found.catalogue.chapters:
        raise UserError(
            "the assignment's tasks should be in a file beside the notebook: "
            "get the whole folder of the assignment again"
        )
    return found


def _visible_suite(project: Project, chapter: Chapter) -> dict[str, str]:
    try:
        files = project.suite_files(chapter.stem)
    except UserError:
        raise UserError(
            f"the tests of {chapter.stem} should be in tests, beside the notebook: "
            "get the whole folder of the assignment again"
        ) from None
    tests = project.root / "tests"
    return {path.relative_to(tests).as_posix(): path.read_text("utf-8") for path in files}


def _run(
    module: Path, chapter: Chapter, task: Task, suite: Mapping[str, str], known: Path
) -> TaskResult:
    # a folder of its own: messages then name the student's lines, and no file beside the
    # notebook can be imported in place of a library
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-") as temporary:
        root = Path(temporary)
        package, tests = root / "coursework", root / "tests"
        package.mkdir()
        tests.mkdir()
        for folder in (package, tests):
            (folder / "__init__.py").touch()
        for name, text in suite.items():
            (tests / name).parent.mkdir(parents=True, exist_ok=True)
            (tests / name).write_text(text, encoding="utf-8")
        if module.is_file():
            shutil.copy(module, package / module.name)
        job = Job(
            suite=str(Project(root).suite(chapter.stem)),
            module=str(package / module.name),
            root=str(root),
            task_ids=[task.id],
            visible_only=False,
            known=str(known),
            symbols=dict.fromkeys(task.symbols, task.id),
            skip=[name_of(symbol) for symbol in task.symbols],  # they count for nothing here
        )
        heard = run_apart(job, lambda task_id, result: None)
    tasks = group_by_task(chapter, heard.results, heard.examples)
    return next(each for each in tasks if each.task.id == task.id)
