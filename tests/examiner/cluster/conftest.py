"""A tiny course and its parcel for the tests of clusters."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from examiner.cluster.parcel import Parcel, packed
from examiner.cluster.plain import Form
from examiner.grading.run import Options, prepare
from examiner.grading.submissions import Submission, read
from examiner.grading.works import Entry
from examiner.results import SubmissionResult
from tests.examiner.grading.conftest import REFERENCE, TinyCourse, sandbox_works

RIGHT = "return sum(numbers) / len(numbers)"
SOURCES = {
    "right": REFERENCE,
    "wrong": REFERENCE.replace(RIGHT, "return 0"),
    "leaves": REFERENCE.replace(RIGHT, "import os; os._exit(0)"),
    "broken": "def mean(:",
}


@dataclass(frozen=True)
class Known:
    """A tiny course, a class of it, and what one process makes of it."""

    course: TinyCourse
    parcel: Parcel
    form: Form
    submissions: dict[str, Submission]
    results: dict[str, SubmissionResult]


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """The class, graded once by one process."""
    course = TinyCourse(tmp_path_factory.mktemp("cluster-course"))
    folder = course.hand_in(SOURCES)
    results = {result.student: result for result in course.run(folder).results}
    made: list[tuple[Parcel, Form]] = []

    def use(given, suite, admission) -> None:
        says = [each.says for each in given.misconceptions]
        made.append((packed(course.project, given), Form.of(course.chapter, suite, says)))

    options = Options(course.project.root / "x", jobs=1, seed="s", confined=sandbox_works())
    prepare(course.project, course.chapter, options, use)
    submissions = {name: read(Entry(name, (folder / name,)), "tiny") for name in SOURCES}
    return Known(course, *made[0], submissions, results)


def place(tmp_path: Path, name: str) -> Path:
    """Return a new folder."""
    folder = tmp_path / name
    folder.mkdir()
    return folder
