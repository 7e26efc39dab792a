"""What the child process of `nextword check` is told to do."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, field

from examiner.catalogue import Chapter
from examiner.project import Project

SHOWING = "(smallest examples)"  # in place of a test's name: what is done after all tests
SHOWING_SECONDS = 60.0


@dataclass(frozen=True)
class Job:
    """What the child is told: as text on its command line."""

    suite: str
    module: str
    root: str
    task_ids: list[str] | None
    skip: list[str] = field(default_factory=list)  # tests that an earlier child has been through
    visible_only: bool = True
    known: str = ""  # the file of what is known besides the tests
    symbols: dict[str, str] = field(default_factory=dict)  # the task of each function
    chapters: list[str] = field(default_factory=list)  # the stems of all of the course
    wrong: list[str] = field(default_factory=list)  # tasks that an earlier child found wrong
    slow: list[str] = field(default_factory=list)  # tasks a test of which used up its time
    fresh: str = ""  # what to do for a fresh file, where none was handed out

    def to_json(self) -> str:
        """Return the job as text."""
        return json.dumps(asdict(self))


def job_of(
    project: Project,
    chapter: Chapter,
    *,
    package: str = "coursework",
    task_ids: Collection[str] | None = None,
) -> Job:
    """Return what is to be done to check these tasks, or all of the chapter."""
    return Job(
        suite=str(project.suite(chapter.stem)),
        module=str(project.package(package) / f"{chapter.stem}.py"),
        root=str(project.root),
        task_ids=None if task_ids is None else sorted(task_ids),
        known=str(project.known(chapter.stem)),
        symbols={symbol: task.id for task in chapter.tasks for symbol in task.symbols},
        chapters=[each.stem for each in project.catalogue.chapters],
    )
