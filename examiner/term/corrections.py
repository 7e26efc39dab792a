"""What instructors put right by hand: the overrides, a table that a spreadsheet can edit.

    what,student,task,value,reason
    mark,alice,2.3,4,"right, in another way than the test expects"
    mark,bob,,30,agreed in the oral exam
    file,carla,,attempt-2/sorting.py,uploaded the wrong file
    leave out,,2.4,test_sums_to_one,asks for more than the text
    regrade,dora,2.5,,second look

A column `chapter` lets one file serve a term. Leaves out who applies it (standing.py, grading/).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from examiner.catalogue import Catalogue, Chapter, Task
from examiner.errors import UserError
from examiner.results import SubmissionResult, TaskResult
from examiner.term.table import Row, nobody, read_table

MARK, FILE, LEAVE_OUT, REGRADE = "mark", "file", "leave out", "regrade"
KINDS = (MARK, FILE, LEAVE_OUT, REGRADE)
COLUMNS = ("what", "student", "task", "value", "reason", "chapter")


@dataclass(frozen=True)
class Correction:
    """A row of the overrides."""

    what: str  # one of KINDS
    student: str  # "": all
    task: str  # "": the whole chapter
    value: str  # the points, the file, the test
    reason: str
    where: str  # how messages name the row
    beside: Path = Path()  # the folder of the overrides: a file that nobody handed in lies there

    @property
    def points(self) -> float:
        """The points of a mark."""
        return float(self.value)

    @property
    def text(self) -> str:
        """What it does, as instructors and the student read it."""
        why = f" ({self.reason})" if self.reason else ""
        of = f"task {self.task}" if self.task else "the whole"
        if self.what == MARK:
            return f"{of}: {self.points:g} points by hand{why}"
        if self.what == FILE:
            return f"the file {self.value} counts{why}"
        if self.what == LEAVE_OUT:
            return f"task {self.task}: {self.value} was left out{why}"
        return f"{of} was judged again{why}"

    def is_for(self, student: str) -> bool:
        """Tell whether it concerns a student."""
        return self.student.casefold() in ("", student.casefold())


@dataclass(frozen=True)
class Corrections:
    """All that is put right in a chapter."""

    rows: tuple[Correction, ...] = ()

    def of(self, student: str, *kinds: str) -> list[Correction]:
        """Return what concerns a student, in the order of the rows."""
        return [row for row in self.rows if row.what in (kinds or KINDS) and row.is_for(student)]

    def file(self, student: str) -> Correction | None:
        """Return which file counts for a student; None: the one that is found as always."""
        return next(iter(self.of(student, FILE)), None)

    def tasks_again(self, student: str) -> frozenset[str]:
        """Return the tasks of a student's work that are judged again; "" stands for all."""
        return frozenset(row.task for row in self.of(student, REGRADE))


NOTHING = Corrections()


def read_corrections(path: Path, chapter: Chapter, course: Catalogue) -> Corrections:
    """Read the overrides of a chapter; raises UserError, one line that names the row.

    Rows of the course's other chapters are left out.
    """
    found: list[Correction] = []
    for row in read_table(path, "the overrides", ("what", "task", "value"), COLUMNS):
        if row.is_of(chapter.stem, course):
            found.append(replace(_correction(row, chapter), beside=path.parent))
    _require_one_meaning(found)
    return Corrections(tuple(found))


def _correction(row: Row, chapter: Chapter) -> Correction:
    what = " ".join(row.get("what").casefold().replace("-", " ").split())
    if what not in KINDS:
        raise UserError(f"{row.where}: expected one of {', '.join(KINDS)}, got {what!r}")
    student = row.get("student")
    student = "" if student == "*" else student
    one = Correction(what, student, row.get("task"), row.get("value"), row.get("reason"), row.where)
    task = _task(one, chapter)
    one = replace(one, task=task.id if task else "")
    if what in (MARK, FILE) and not student:
        raise UserError(f"{row.where}: whose? Give a student")
    if what in (FILE, LEAVE_OUT) and not one.value:
        wanted = "the file's path" if what == FILE else "the test's name"
        raise UserError(f"{row.where}: which? Give {wanted} as value")
    if what == LEAVE_OUT and task is None:
        raise UserError(f"{row.where}: of which task? Give the task whose test it is")
    if what == MARK:
        one = replace(one, value=_points(one, task.points if task else chapter.points))
        if not one.reason:
            raise UserError(f"{row.where}: a mark by hand needs a reason")
    return one


def _task(one: Correction, chapter: Chapter) -> Task | None:
    """Return the task that a row names, "2.3" or "task 2.3"; None where it names none.

    Raises UserError for a bare "2.1" where there is a 2.10: spreadsheets write both as 2.1.
    """
    if not one.task:
        return None
    found = {task.id: task for task in chapter.tasks}
    name = one.task.casefold().removeprefix("task").strip()
    if name not in found:
        tasks = ", ".join(found)
        raise UserError(f"{one.where}: {chapter.stem} has no task {one.task!r}; it has {tasks}")
    if name == one.task and f"{name}0" in found:
        text = f"{name} may be what a spreadsheet made of {name}0: write `task {name}`"
        raise UserError(f"{one.where}: {text} or `task {name}0`")
    return found[name]


def _points(one: Correction, most: int) -> str:
    try:
        points = float(one.value.replace(",", "."))
    except ValueError:
        points = math.nan
    if not 0 <= points <= most:
        raise UserError(f"{one.where}: expected points from 0 to {most}, got {one.value!r}")
    return f"{points:g}"


def _require_one_meaning(rows: Sequence[Correction]) -> None:
    """Raise UserError for two rows that contradict each other."""
    seen: dict[tuple[str, ...], Correction] = {}
    for row in rows:
        key: tuple[str, ...] = (row.what, row.student.casefold(), row.task)
        if row.what == LEAVE_OUT:
            key = (*key, row.value)
        other = seen.setdefault(key, row)
        if other.value != row.value:
            line = other.where.rpartition(" ")[2]
            raise UserError(
                f"{row.where}: {row.what} {row.value} for {row.student}, "
                f"and {other.value} in line {line}: keep one"
            )


def require_known(rows: Iterable[Correction], students: Collection[str]) -> None:
    """Raise UserError for a row of nobody in the class."""
    known = {each.casefold() for each in students}
    for row in rows:
        if row.student and row.student.casefold() not in known:
            raise UserError(f"{row.where}: {nobody(row.student, students)}")


# ---------------------------------------------------------------------------- application


def corrected(result: SubmissionResult, rows: Sequence[Correction]) -> SubmissionResult:
    """Return a result as its instructor has put it right; what was judged stays as it is kept.

    Raises UserError for a test that is not there, and where no test of a task is left.
    """
    of = {task.task.id: [row for row in rows if row.task == task.task.id] for task in result.tasks}
    tasks = tuple(_corrected(task, of[task.task.id]) for task in result.tasks)
    return replace(result, tasks=tasks)


def _corrected(task: TaskResult, rows: Sequence[Correction]) -> TaskResult:
    out = {row.value: row for row in rows if row.what == LEAVE_OUT}
    tests = tuple(test for test in task.tests if test.name not in out)
    mark = next((row for row in rows if row.what == MARK), None)
    names = [test.name for test in task.tests]
    for name, row in out.items():
        if name not in names:
            has = ", ".join(names)
            raise UserError(f"{row.where}: task {task.task.id} has no test {name!r}; it has {has}")
    if out and not tests and mark is None:
        row = next(iter(out.values()))
        raise UserError(f"{row.where}: no test of task {task.task.id} is left: give marks by hand")
    return replace(task, tests=tests or task.tests, by_hand=mark.points if mark else None)
