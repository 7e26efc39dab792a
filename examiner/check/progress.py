"""How far a student has come: tasks whose visible tests pass, over all chapters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from examiner.catalogue import Chapter
from examiner.check.chapter import check_chapter
from examiner.check.needs import missing_package
from examiner.errors import UserError
from examiner.project import Project
from examiner.results import SubmissionResult, Verdict


@dataclass(frozen=True)
class Progress:
    """One chapter; without a result the student has no such module yet, or a package is missing."""

    chapter: Chapter
    result: SubmissionResult | None
    missing: str = ""  # the package without which nothing can be said

    @property
    def done(self) -> list[str]:
        """Ids of the tasks whose visible tests all pass."""
        tasks = self.result.tasks if self.result else ()
        return [each.task.id for each in tasks if each.verdict is Verdict.PASSED]

    @property
    def trouble(self) -> str:
        """What keeps the whole module from being run, such as a syntax error; empty: nothing."""
        return self.result.shared_failure if self.result else ""

    @property
    def next_task(self) -> str | None:
        """Id of the first task that is not done."""
        return next((task.id for task in self.chapter.tasks if task.id not in self.done), None)

    @property
    def minutes_left(self) -> int:
        """Expected working time of the tasks that are not done."""
        return sum(task.minutes for task in self.chapter.tasks if task.id not in self.done)

    def to_json(self) -> dict[str, Any]:
        """Return the chapter as `progress --json` prints it."""
        return {
            "chapter": self.chapter.stem,
            "done": self.done,
            "tasks": len(self.chapter.tasks),
            "next": self.next_task,
            **({"missing": self.missing} if self.missing else {}),
            **({"trouble": self.trouble} if self.trouble else {}),
            "minutes_left": self.minutes_left,
        }


def measure(project: Project, package: str = "coursework") -> list[Progress]:
    """Run the visible tests of every chapter that the student's folder has.

    Raises UserError where there is no such package.
    """
    if not project.package(package).is_dir():
        raise UserError(f"there is no folder {package} in {project.root}")
    found = []
    for chapter in project.catalogue.chapters:
        module = project.package(package) / f"{chapter.stem}.py"
        ready = module.is_file() and project.has_suite(chapter.stem)
        if ready and (package_missing := missing_package(project, chapter)):
            found.append(Progress(chapter, None, package_missing))
        elif ready:
            found.append(Progress(chapter, check_chapter(project, chapter, package=package)))
        else:
            found.append(Progress(chapter, None))
    return found
