"""The task catalogue: every chapter's tasks with points, time, difficulty and hints.

Leaves out the tests (tests/<chapter>/suite) and the text (chapters); both refer to a task by its
id.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import resources
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
    hints: tuple[str, str, str]  # from a nudge to nearly the answer
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
    known = {each.name for each in fields(kind)}
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
    hints = tuple(raw["hints"])
    if len(hints) != 3:
        raise UserError(f"{where} has {count(len(hints), 'hint')}, expected exactly 3")
    if raw["difficulty"] not in DIFFICULTIES:
        raise UserError(f"{where}: difficulty is none of {', '.join(DIFFICULTIES)}")
    exercise = raw.get("exercise", "").strip()
    return Task(**{**raw, "symbols": tuple(raw["symbols"]), "hints": hints, "exercise": exercise})


def parse_chapter(text: str, name: str = "catalogue") -> Chapter:
    """Read a chapter from the text of its TOML file, which is called `name`.

    Raises UserError, one line with file and task, where the text is no catalogue.

    >>> parse_chapter('stem = "rnns"\\nnumber = 4\\ntitle = "RNNs"').tasks
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


@cache
def chapters() -> tuple[Chapter, ...]:
    """Return every chapter that has an assignment, by number."""
    files = [e for e in resources.files(__name__).iterdir() if e.name.endswith(".toml")]
    found = [_read_file(entry.read_text("utf-8"), entry.name) for entry in files]
    return tuple(sorted(found, key=lambda chapter: chapter.number))


def _read_file(text: str, name: str) -> Chapter:
    found = parse_chapter(text, name)
    if f"{found.stem}.toml" != name:
        raise UserError(f"{name}: its stem is {found.stem!r}; the file should be {found.stem}.toml")
    return found


def chapter(stem: str) -> Chapter:
    """Return the chapter of this stem; raises UserError that lists the known ones."""
    for each in chapters():
        if each.stem == stem:
            return each
    known = ", ".join(each.stem for each in chapters())
    raise UserError(f"there is no chapter {stem!r}; the chapters are: {known}")


def task(task_id: str) -> Task:
    """Return the task of this id, such as "2.3"; raises UserError for an unknown one."""
    number = task_id.split(".")[0]
    for each in chapters():
        if str(each.number) == number:
            return each.task(task_id)
    known = ", ".join(f"{each.tasks[0].id} to {each.tasks[-1].id}" for each in chapters())
    raise UserError(f"there is no task {task_id!r}; the tasks are {known}")


def resolve(name: str) -> tuple[Chapter, tuple[Task, ...]]:
    """Turn what a user typed, a chapter's stem or number or a task's id, into chapter and tasks.

    >>> resolve("2.3")[0].stem
    'ngrams'
    """
    if "." in name:
        found = task(name)
        return next(each for each in chapters() if each.number == found.order[0]), (found,)
    stems = {str(each.number): each.stem for each in chapters()}
    whole = chapter(stems.get(name, name))
    return whole, whole.tasks
