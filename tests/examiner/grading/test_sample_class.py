"""The examiner gives every submission of the sample classes what its expected.json says."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from examiner.catalogue import Chapter
from examiner.grading.run import Options, grade
from examiner.grading.workers import BOTH, KEPT
from examiner.judge.suite import Suite, with_suite
from examiner.project import find_project
from examiner.release.samples import write_samples
from examiner.results import SubmissionResult
from tests.browser import THOROUGH
from tests.course import CHAPTERS
from tests.examiner.grading.conftest import Quiet

pytestmark = [pytest.mark.slow, pytest.mark.turns("chapter")]
PROJECT = find_project(Path(__file__))
RUN_ALL_THE_SAME = ("ngrams", "attention")
ROW = re.compile(r"^\| (\w+) \|.*\| ([\d.]+)[^|]*\|$", re.MULTILINE)  # of a class's README
Results = dict[str, SubmissionResult]


def class_of(chapter: Chapter) -> Path:
    return PROJECT.root / "tests" / chapter.stem / "class"


@cache
def expected_of(chapter: Chapter) -> dict[str, dict[str, Any]]:
    """What each student must get; for a folder it lies inside, for a zip beside it."""
    folder, ending = class_of(chapter), ".expected.json"
    paths = {path.parent.name: path for path in folder.glob("*/expected.json")}
    paths |= {path.name.removesuffix(ending): path for path in folder.glob(f"*{ending}")}
    return {name: json.loads(path.read_text("utf-8")) for name, path in sorted(paths.items())}


CASES = [(chapter, name) for chapter in CHAPTERS for name in expected_of(chapter)]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Chapter], Results]:
    """A chapter's sample class, graded once, with the reference and the stubs."""

    @cache
    def results(chapter: Chapter) -> Results:
        write_samples(PROJECT, chapter.stem)
        out = tmp_path_factory.mktemp(chapter.stem)
        # every test is run that is judged by what was said in others, to see that it ends alike
        judging = BOTH if THOROUGH or chapter.stem in RUN_ALL_THE_SAME else KEPT
        packages = ("solutions", "coursework")
        options = Options(out=out, seed="sample class", packages=packages, judging=judging)
        outcome = grade(PROJECT, chapter, class_of(chapter), options, Quiet())
        if not outcome.all_judged:  # other tests crowd the machine: again, as an instructor would
            alone = replace(options, jobs=1)
            outcome = grade(PROJECT, chapter, class_of(chapter), alone, Quiet())
        return {result.student: result for result in outcome.results}

    return results


@pytest.mark.parametrize(
    ("chapter", "case"), CASES, ids=lambda value: getattr(value, "stem", value)
)
def test_a_sample_submission_gets_its_expected_result(
    graded: Callable[[Chapter], Results], chapter: Chapter, case: str
) -> None:
    expected, result = expected_of(chapter)[case], graded(chapter)[case]
    found = {task.task.id: task.verdict.value for task in result.tasks}
    assert {task: found[task] for task in expected["tasks"]} == expected["tasks"]
    assert result.score == expected["score"]
    assert expected.get("notice", "") in result.notice
    said = {test.misconception for task in result.tasks for test in task.tests}
    assert set(expected.get("misconceptions", ())) <= said


@pytest.mark.always
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_sample_class_was_graded_by_the_tests_of_now(chapter: Chapter) -> None:
    """In each run, while the class itself waits for its turn."""

    lines = list[str]()

    def weigh(suite: Suite) -> None:
        lines.extend(f"{test.name} {test.mark.weight}" for test in suite.tests)

    with_suite(PROJECT.suite(chapter.stem), PROJECT.root, weigh)
    now = hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
    path = class_of(chapter) / ".graded_by"
    assert path.read_text("utf-8").strip() == now, (
        f"tests of {chapter.stem} were added, or weigh otherwise: see what its sample class gets "
        f"now, by TURN=all pytest {__file__} -k {chapter.stem}, and then write {now} to {path}"
    )


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_the_readme_of_a_class_says_what_each_student_gets(chapter: Chapter) -> None:
    text = (class_of(chapter) / "README.md").read_text("utf-8")
    said = {name: float(points) for name, points in ROW.findall(text)}
    assert said == {name: answer["score"] for name, answer in expected_of(chapter).items()}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_sample_class_is_complete(graded: Callable[[Chapter], Results], chapter: Chapter) -> None:
    results, expected = graded(chapter), expected_of(chapter)
    assert sorted(results) == sorted([*expected, "solutions", "coursework"])
    assert not any(result.provisional for result in results.values())
    scores = [answer["score"] for answer in expected.values()]
    assert chapter.points in scores, "a right solution in another style"
    assert 0 in scores
    assert len(expected) >= min(8, 2 + len(chapter.tasks))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_stubs_get_nothing_and_solutions_everything(
    graded: Callable[[Chapter], Results], chapter: Chapter
) -> None:
    results = graded(chapter)
    assert results["solutions"].score == results["solutions"].max_score == chapter.points
    assert results["coursework"].score == 0
    assert {task.verdict.value for task in results["coursework"].tasks} == {"missing"}
