"""`nextword check --watch`: checks the first open task on every save, then the next one.

Leaves out how a check is run (chapter.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from examiner.catalogue import Chapter, Task
from examiner.check.chapter import check_chapter
from examiner.check.firsts import firsts_file, note
from examiner.check.terminal import CheckReport
from examiner.project import Project
from examiner.results import SubmissionResult, Verdict

LOOK_SECONDS = 0.3  # between two looks at the file
Stamp = tuple[int, int]


def _stamp(path: Path) -> Stamp:
    try:
        about = path.stat()
    except OSError:  # an editor may write the file anew
        return 0, 0
    return about.st_mtime_ns, about.st_size


def wait_for_save(path: Path, before: Stamp) -> None:
    """Return when the file is another one than it was, and is there."""
    while (now := _stamp(path)) == before or now == (0, 0):
        time.sleep(LOOK_SECONDS)


def watch(
    project: Project,
    wanted: Sequence[tuple[Chapter, Sequence[Task]]],
    package: str,
    wait: Callable[[Path, Stamp], None] = wait_for_save,
) -> None:
    """Stay until all of these tasks pass."""
    console = Console(highlight=False, soft_wrap=True)
    for chapter, tasks in wanted:
        while left := _open(check_chapter(project, chapter, package=package), tasks):
            for task in left:
                _stay_with(project, chapter, task, package, wait)
                console.print(f"[green]{task.id} is done.[/]")
        console.print(f"All of chapter {chapter.number} passes its visible tests.")


def _open(result: SubmissionResult, tasks: Sequence[Task]) -> list[Task]:
    passed = {each.task.id for each in result.tasks if each.verdict is Verdict.PASSED}
    return [task for task in tasks if task.id not in passed]


def _stay_with(
    project: Project,
    chapter: Chapter,
    task: Task,
    package: str,
    wait: Callable[[Path, Stamp], None],
) -> None:
    """Check a task on every save until it passes."""
    path = project.package(package) / f"{chapter.stem}.py"
    while True:
        stamp, report = _stamp(path), CheckReport(chapter)
        report.start(path.parent)
        result = check_chapter(
            *(project, chapter),
            package=package,
            task_ids={task.id},
            report=report.test,
            printed=report.prints,
        )
        report.finish(result)
        if package == "coursework":
            note(firsts_file(project), result.tasks, datetime.now(UTC))
        if not _open(result, [task]):
            return
        report.console.print(f"Waiting until you save {path.name} … (Ctrl-C ends this)\n")
        wait(path, stamp)
