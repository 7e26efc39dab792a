"""What a run of a suite found: verdicts, scores and their JSON. Leaves out how tests are run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from examiner.catalogue import Chapter, Task
from examiner.errors import UserError

SEVERAL = 2  # hidden tests of a task: who passes not one of so many has answered none of it


@dataclass(frozen=True)
class Look:
    """How a verdict is shown: on a page, in a terminal, in a table for those who see no colours."""

    sign: str
    word: str
    sentence: str
    colour: str  # as rich calls it
    letter: str


class Verdict(StrEnum):
    """How a test, or a task, ended; the gravest first.

    A task with several kinds of failure carries the one that tells most.
    """

    NOT_JUDGED = "not_judged"  # the grader's own fault: never costs a student points silently
    CRASHED = "crashed"
    MEMORY = "memory"
    TIMEOUT = "timeout"
    FAILED = "failed"
    MISSING = "missing"
    PASSED = "passed"

    @property
    def look(self) -> Look:
        """How it is shown."""
        return LOOKS[self]


LOOKS = {
    Verdict.NOT_JUDGED: Look(
        "?",
        "not judged",
        "We could not judge this. It is our fault, not yours.",
        "magenta",
        "?",
    ),
    Verdict.CRASHED: Look("✗", "stopped", "Your code stopped in the middle.", "red", "c"),
    Verdict.MEMORY: Look("✗", "too much memory", "Your code ran out of memory.", "red", "m"),
    Verdict.TIMEOUT: Look("✗", "too slow", "Your code took too long.", "red", "t"),
    Verdict.FAILED: Look("✗", "not right yet", "Your code gives another result.", "red", ""),
    Verdict.MISSING: Look("·", "not written yet", "Not written yet.", "yellow", "-"),
    Verdict.PASSED: Look("✓", "done", "Your code does this.", "green", ""),
}


SLEPT = "waited for more than"  # what is said of a test that slept begins so

# of code that was run and did not do it
_WRONG = frozenset({Verdict.FAILED, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED})

# what a student reads of a test that the reference fails; the instructor is told which, and why
AT_FAULT = "this test is at fault, and will be put right"

HAS_NO = " has no "  # between a file and the name that it lacks

# what is said of a module that may be the wrong file
STRANGE = "seems to define no function of this chapter"


def lacks(file: str, name: object) -> str:
    """Return what is said of a file in which a function is missing."""
    return f"{file}{HAS_NO}{name}"


def says_that_it_lacks(message: str, file: str) -> bool:
    """Tell whether a test's message is that of `lacks`."""
    return message.startswith(f"{file}{HAS_NO}")


def says_it_all(notice: str, tests: Iterable[TestResult]) -> bool:
    """Tell whether a notice says of a whole module what would be said again in each task."""
    kinds = {(test.verdict, test.message) for test in tests}
    verdicts = {verdict for verdict, _ in kinds}
    if not notice or verdicts & {Verdict.PASSED, Verdict.NOT_JUDGED}:
        return False
    if verdicts == {Verdict.MISSING} and STRANGE in notice:
        return True
    return len(verdicts) < 2 and all(message and message in notice for _, message in kinds)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """Return a task's verdict from those of its tests.

    Work that passes some tests and misses others has failed, it is not missing.

    >>> combine([Verdict.PASSED, Verdict.MISSING]).value
    'failed'
    """
    found = set(verdicts)
    if not found:
        return Verdict.NOT_JUDGED
    if found == {Verdict.PASSED, Verdict.MISSING}:
        return Verdict.FAILED
    return next(verdict for verdict in Verdict if verdict in found)


@dataclass(frozen=True)
class TestResult:
    """One test of a suite, judged."""

    __test__ = False  # pytest: this is no test class

    name: str  # the test function, with its parameters if it has any
    behaviour: str  # first line of its docstring: what a student reads
    verdict: Verdict
    weight: float = 1.0
    visible: bool = False
    message: str = ""  # what helps the student, never a hidden input
    misconception: str = ""  # the sentence of the misconception that gives the same answers
    seconds: float = 0.0

    @property
    def calls_for_an_example(self) -> bool:
        """Whether the code was run and was wrong. An example of sleeping would tell nothing."""
        return self.verdict in _WRONG and not self.message.startswith(SLEPT)

    def to_json(self) -> dict[str, Any]:
        """Return the test as it stands in `grade --json`."""
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "message": self.message,
            "misconception": self.misconception,
            "behaviour": self.behaviour,
            "visible": self.visible,
        }


@dataclass(frozen=True)
class SmallestExample:
    """The smallest input on which a function is wrong: what a student reads of it."""

    symbol: str  # "windows" or "MLE.estimate"
    call: str  # code that can be pasted
    gives: str
    right: str
    where: str = ""  # in which way they differ: "row 2 sums to 1.3, not to 1"
    says: str = ""  # the sentence of the misconception that gives the same answers
    size: int = 0  # of the call's arguments, in tokens

    @property
    def lines(self) -> str:
        """All of it as plain text, but for the misconception."""
        rows = [self.call, _aside("gives", self.gives), _aside("right is", self.right)]
        return "\n".join([*rows, *([f"  {self.where}"] if self.where else [])])

    @property
    def said(self) -> str:
        """All of it as plain text, below the misconception if one is known."""
        return "\n".join([*([f"This looks like: {self.says}"] if self.says else []), self.lines])


def _aside(word: str, text: str) -> str:
    head = f"  {word:<9} "
    return head + text.replace("\n", "\n" + " " * len(head))


def passes_only_what_is_visible(tests: Sequence[TestResult]) -> bool:
    """Whether visible tests have passed, and of several hidden ones not one.

    A single hidden test may ask for a rare case, which honest code can miss.
    """
    hidden = [test.verdict for test in tests if not test.visible]
    passed = any(test.verdict is Verdict.PASSED for test in tests)
    return passed and len(hidden) >= SEVERAL and Verdict.PASSED not in hidden


@dataclass(frozen=True)
class TaskResult:
    """One task: its tests and the points they earn."""

    task: Task
    tests: tuple[TestResult, ...]
    examples: tuple[SmallestExample, ...] = ()  # of what is wrong, at most one for each function
    by_hand: float | None = None  # the points that a person gave in the tests' place

    @cached_property
    def verdict(self) -> Verdict:
        """The gravest verdict of its tests."""
        return combine(test.verdict for test in self.tests)

    @cached_property
    def score(self) -> float:
        """Points of the task times the weight of the passed tests over the weight of all.

        A mark by hand takes their place. Answers can be known by heart where inputs are known: so
        visible tests count as soon as a hidden one has passed, where there are several.
        """
        if self.by_hand is not None:
            return self.by_hand
        if passes_only_what_is_visible(self.tests):
            return 0.0
        whole = math.fsum(test.weight for test in self.tests)
        passed = math.fsum(t.weight for t in self.tests if t.verdict is Verdict.PASSED)
        return round(self.task.points * passed / whole, 2) if whole else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the task as it stands in `grade --json`."""
        return {
            "id": self.task.id,
            "title": self.task.title,
            "score": self.score,
            "max_score": self.task.points,
            "verdict": self.verdict.value,
            "tests": [test.to_json() for test in self.tests],
            "examples": [asdict(example) for example in self.examples],
        }


@dataclass(frozen=True)
class Whose:
    """Whose a submission is, and what an instructor should know of how it was handed in."""

    student: str  # the id
    name: str = ""
    email: str = ""
    remarks: tuple[str, ...] = ()
    # task ids, and when each first passed its visible tests: as the student's own machine says
    first_success: tuple[tuple[str, str], ...] = ()

    @property
    def called(self) -> str:
        """The name, where there is one, and the id."""
        return f"{self.name} ({self.student})" if self.name else self.student


@dataclass(frozen=True)
class Standing:
    """What counts of what was earned, and why; it is made when results are told, and never kept."""

    earned: float  # before lateness
    counts: float
    late_line: str = ""  # "handed in 1 day 3 h late: 37.5 - 10 % = 33.75"
    handed_in: str = ""  # ISO 8601; "": not known
    late: int = 0  # seconds
    days_used: int = 0  # of the days in hand
    corrections: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """What is to be said of it."""
        return (*self.corrections, *([self.late_line] if self.late_line else []))

    @property
    def says(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.lines or self.handed_in)

    def to_json(self) -> dict[str, Any]:
        """Return what `grade --json` says besides, where there is something to say."""
        said = {"handed_in": self.handed_in, "late": self.late, "days_used": self.days_used}
        said |= {"corrections": list(self.corrections)}
        changed = {"earned": self.earned} if self.lines else {}
        return changed | {key: value for key, value in said.items() if value}


@dataclass(frozen=True)
class SubmissionResult:
    """What one student's submission earned."""

    student: str
    tasks: tuple[TaskResult, ...]
    notice: str = ""  # what concerns the whole submission: "sorting.py has a syntax error"
    files: tuple[str, ...] = field(default=())  # what was graded, relative to the submission
    of: Whose | None = field(default=None, compare=False)  # None: nothing but the id is known
    standing: Standing | None = field(default=None, compare=False)  # None: as it was judged

    @property
    def whose(self) -> Whose:
        """Whose it is."""
        return self.of or Whose(self.student)

    @cached_property
    def earned(self) -> float:
        """Sum of the tasks' scores."""
        return round(math.fsum(task.score for task in self.tasks), 2)

    @property
    def score(self) -> float:
        """What counts in the end: what was earned, less what lateness costs."""
        return self.standing.counts if self.standing else self.earned

    @property
    def max_score(self) -> int:
        """Sum of the tasks' points."""
        return sum(task.task.points for task in self.tasks)

    @cached_property
    def was_not_read(self) -> bool:
        """Whether no module was there that could be run, as the notice says."""
        return says_it_all(self.notice, (test for task in self.tasks for test in task.tests))

    @property
    def shared_failure(self) -> str:
        """The message that all tests share, such as a syntax error; else nothing."""
        tests = [test for task in self.tasks for test in task.tests]
        messages = {test.message for test in tests}
        return messages.pop() if len(messages) == 1 and len(tests) > 1 else ""

    @property
    def provisional(self) -> bool:
        """Whether something could not be judged, so that the score may still rise."""
        return any(
            task.verdict is Verdict.NOT_JUDGED and task.by_hand is None for task in self.tasks
        )

    def without_examples(self) -> SubmissionResult:
        """Return the result as students see it where examples are held back."""
        return replace(self, tasks=tuple(replace(each, examples=()) for each in self.tasks))

    def to_json(self) -> dict[str, Any]:
        """Return the submission as it stands in `grade --json`."""
        return {
            "student": self.student,
            "name": self.whose.name,
            "email": self.whose.email,
            "score": self.score,
            "max_score": self.max_score,
            "provisional": self.provisional,
            "notice": self.notice,
            "remarks": list(self.whose.remarks),
            **(self.standing.to_json() if self.standing else {}),
            "tasks": [task.to_json() for task in self.tasks],
        }


@dataclass(frozen=True)
class Fault:
    """A test that the reference does not pass: nobody pays for it, and the class is told once."""

    task: str
    test: str
    where: str  # file and line
    why: str

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.task} {self.test}{place}: {self.why}"

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        return {"task": self.task, "test": self.test, "where": self.where, "why": self.why}


def group_by_task(
    chapter: Chapter,
    tests: Sequence[tuple[str, TestResult]],
    examples: Mapping[str, tuple[SmallestExample, ...]] = MappingProxyType({}),
) -> tuple[TaskResult, ...]:
    """Sort (task id, test result) pairs into the chapter's tasks; every task appears.

    The examples come by task id.

    Raises UserError for a test of a task that the chapter lacks.
    """
    known = {task.id for task in chapter.tasks}
    for task_id, test in tests:
        if task_id not in known:
            raise UserError(f"{test.name}: {chapter.stem} has no task {task_id}")
    return tuple(
        TaskResult(
            task,
            tuple(test for task_id, test in tests if task_id == task.id),
            examples.get(task.id, ()),
        )
        for task in chapter.tasks
    )
