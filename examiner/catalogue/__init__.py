"""The task catalogue: every chapter's tasks with points, time, difficulty and hints.

Leaves out where its files are in a course folder (project.py), the tests and the text (chapters),
which refer to a task by its id. What else a course says of itself: settings.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path, PurePath
from typing import Any

from examiner.errors import UserError
from examiner.plural import count

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Task:
    """One graded function or class of a chapter."""

    id: str  # chapter.task, such as "2.3"
    title: str
    symbols: tuple[str, ...]  # qualified names in the module whose bodies students write
    see: str  # where the book explains it: "section 2.3, equation 2.5"
    points: int
    minutes: int  # expected working time
    difficulty: str  # one of DIFFICULTIES
    hints: tuple[str, str, str]  # Markdown, from a nudge to nearly the code
    exercise: str = ""  # Markdown: what the exercise box of the book asks for

    @property
    def order(self) -> tuple[int, ...]:
        """Key that sorts 2.10 after 2.9."""
        return tuple(int(part) for part in self.id.split("."))


@dataclass(frozen=True)
class Chapter:
    """A chapter that has an assignment: its stem names notebook, solution, stub and suite."""

    stem: str
    number: int
    title: str
    tasks: tuple[Task, ...]
    course: str = ""  # the course's title, which its settings give and no file of the catalogue

    @property
    def heading(self) -> str:
        """What stands above a student's page: course, number and title."""
        return f"{self.course} · chapter {self.number}, {self.title}".removeprefix(" · ")

    @property
    def points(self) -> int:
        """Sum of the points of all tasks."""
        return sum(task.points for task in self.tasks)

    def task(self, task_id: str) -> Task:
        """Return the task with this id; raises UserError for an unknown one."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        known = ", ".join(task.id for task in self.tasks)
        raise UserError(f"chapter {self.stem} has no task {task_id}; its tasks are {known}")

    def task_of(self, symbol: str) -> Task | None:
        """Return the task in which students write `symbol` (a qualified name), if there is one."""
        return next((task for task in self.tasks if symbol in task.symbols), None)


def _require_keys(found: set[str], kind: type, where: str, optional: set[str]) -> None:
    known = {each.name for each in fields(kind)} - {"course"}
    needed = {each.name for each in fields(kind) if each.default is MISSING} - optional
    if unknown := sorted(found - known):
        raise UserError(
            f"{where}: unknown key {unknown[0]!r}; the keys are {', '.join(sorted(known))}"
        )
    if missing := sorted(needed - found):
        raise UserError(f"{where}: the key {missing[0]!r} is missing")


def _read_task(raw: dict[str, Any], name: str) -> Task:
    where = f"{name}: task {raw.get('id', '(without an id)')}"
    _require_keys(set(raw), Task, where, optional=set())
    if not re.fullmatch(r"\d+\.\d+", str(raw["id"])):
        raise UserError(f'{where}: an id is chapter.task, such as "2.3"')
    hints = tuple(str(hint).strip() for hint in raw["hints"])
    if len(hints) != 3:
        raise UserError(f"{where} has {count(len(hints), 'hint')}, expected exactly 3")
    if raw["difficulty"] not in DIFFICULTIES:
        raise UserError(f"{where}: difficulty is none of {', '.join(DIFFICULTIES)}")
    exercise = raw.get("exercise", "").strip()
    return Task(**{**raw, "symbols": tuple(raw["symbols"]), "hints": hints, "exercise": exercise})


def parse_chapter(text: str, name: str = "catalogue") -> Chapter:
    """Read a chapter from the text of its TOML file, which is called `name`.

    Raises UserError, one line with file and task, where the text is no catalogue.

    >>> parse_chapter('stem = "sorting"\\nnumber = 1\\ntitle = "Sorting"').tasks
    ()
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name} is no TOML: {error}") from None
    _require_keys(set(raw), Chapter, name, optional={"tasks"})
    read = [_read_task(each, name) for each in raw.pop("tasks", [])]
    tasks = tuple(sorted(read, key=lambda task: task.order))
    owners: dict[str, str] = {}
    for task in tasks:
        if task.order[0] != raw["number"]:
            raise UserError(f"{name}: task {task.id} stands in chapter {raw['number']}")
        for known in (task.id, *task.symbols):
            if known in owners:
                raise UserError(f"{name}: {known} belongs to task {owners[known]} and to {task.id}")
            owners[known] = task.id
    return Chapter(**raw, tasks=tasks)


@dataclass(frozen=True)
class Catalogue:
    """Every chapter of a course folder that has an assignment, by number."""

    chapters: tuple[Chapter, ...]

    def chapter(self, name: str) -> Chapter:
        """Return the chapter of this stem, number or title; raises UserError that lists the stems.

        >>> sorting = parse_chapter('stem = "sorting"\\nnumber = 1\\ntitle = "To sort"')
        >>> {Catalogue((sorting,)).chapter(name).stem for name in ("1", "Sorting", "to sort")}
        {'sorting'}
        """
        wanted = " ".join(name.casefold().split())
        for each in self.chapters:
            if wanted in (each.stem, str(each.number), each.title.casefold()):
                return each
        known = ", ".join(each.stem for each in self.chapters) or "none"
        raise UserError(f"there is no chapter {name!r}; the chapters are: {known}")

    def named(self, names: Iterable[str]) -> list[Chapter]:
        """Return the chapters of these stems or numbers, in their order, each once."""
        return list(dict.fromkeys(map(self.chapter, names)))

    def task(self, task_id: str) -> Task:
        """Return the task of this id, such as "2.3"; raises UserError for an unknown one."""
        number = task_id.split(".")[0]
        for each in self.chapters:
            if str(each.number) == number:
                return each.task(task_id)
        spans = (
            f"{each.tasks[0].id} to {each.tasks[-1].id}" for each in self.chapters if each.tasks
        )
        known = ", ".join(spans) or "none"
        raise UserError(f"there is no task {task_id!r}; the tasks are {known}")

    def resolve(self, name: str) -> tuple[Chapter, tuple[Task, ...]]:
        """Turn what a user typed, a chapter's stem, number or file or a task's id, into both.

        Raises UserError, which says what there is, or to which task a function belongs.

        >>> sorting = parse_chapter('stem = "sorting"\\nnumber = 1\\ntitle = "Sorting"')
        >>> Catalogue((sorting,)).resolve("1") == (sorting, ())
        True
        """
        if name.endswith(".py"):  # the path of a chapter's file
            name = PurePath(name).stem
        if re.match(r"\d+\.", name):
            found = self.task(name)
            return next(each for each in self.chapters if each.number == found.order[0]), (found,)
        try:
            whole = self.chapter(name)  # first: a chapter may be called as one of its functions
        except UserError:
            for each in self.chapters:
                if task := each.task_of(name):
                    text = f"{name} is a part of task {task.id}: name that instead"
                    raise UserError(text) from None
            raise
        return whole, whole.tasks


def read_catalogue(files: Iterable[Path], course: str = "") -> Catalogue:
    """Read the chapters of a course, which is called `course`, from a TOML file each.

    Raises UserError for a file that is no catalogue, and for one that is not named after its stem.
    """
    found = [replace(_read_file(path), course=course) for path in files]
    return Catalogue(tuple(sorted(found, key=lambda chapter: chapter.number)))


def _read_file(path: Path) -> Chapter:
    found = parse_chapter(path.read_text("utf-8"), path.name)
    if found.stem != path.stem:
        raise UserError(
            f"{path.name}: its stem is {found.stem!r}; the file should be {found.stem}.toml"
        )
    return found
