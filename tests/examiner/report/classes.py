"""Classes of plain results for the report's tests: nothing is run."""

from collections.abc import Iterable, Sequence

from examiner.catalogue import Chapter, parse_chapter
from examiner.results import SmallestExample, SubmissionResult, TaskResult, TestResult, Verdict
from tests.examiner.small_course import catalogue_text

VERDICTS = {
    "+": Verdict.PASSED,
    "x": Verdict.FAILED,
    ".": Verdict.MISSING,
    "?": Verdict.NOT_JUDGED,
}
SAYS = "You divided by one less."
EXAMPLE = SmallestExample("f1", "f1([3.0])", "4.0", "3.0", says=SAYS)


def chapter_of(*points: int) -> Chapter:
    """Return a chapter with a task of so many points each."""
    tasks = {f"Title {n}": (each, f"f{n}") for n, each in enumerate(points, 1)}
    return parse_chapter(catalogue_text("tiny", tasks))


def result_of(
    chapter: Chapter, student: str, tests: str, notice: str = "", says: str = ""
) -> SubmissionResult:
    """Return a result from a word for each task and a sign for each test: "++x .. +?".

    What fails in the first task is the mistake that `says` names.
    """
    tasks = []
    for task, signs in zip(chapter.tasks, tests.split(), strict=True):
        first = task is chapter.tasks[0] and bool(says) and "x" in signs
        found = tuple(
            TestResult(
                f"test_{n}",
                f"Behaviour {n} of {task.id}.",
                VERDICTS[sign],
                misconception=says if first and sign == "x" else "",
            )
            for n, sign in enumerate(signs, 1)
        )
        tasks.append(TaskResult(task, found, (EXAMPLE,) if first and says == SAYS else ()))
    return SubmissionResult(student, tuple(tasks), notice)


def class_of(chapter: Chapter, works: Iterable[str]) -> list[SubmissionResult]:
    """Return a class, named s1, s2, … in the order of their works."""
    return [result_of(chapter, f"s{n}", each) for n, each in enumerate(works, 1)]


def points(results: Sequence[SubmissionResult]) -> list[list[float]]:
    """Return the points of each student in each task."""
    return [[task.score for task in result.tasks] for result in results]
