"""The examiner gives every submission of the sample class what its expected.json says."""

import json
from pathlib import Path
from typing import Any

import pytest

from nextword import catalogue
from nextword.grading.run import Options, grade
from nextword.project import find_project
from nextword.results import SubmissionResult
from tests.grading.conftest import Quiet

CLASS = Path(__file__).parents[1] / "submissions" / "ngrams"
# of a folder it lies inside, of a zip beside: nora.zip, nora.expected.json
EXPECTED = {path.parent.name: path for path in CLASS.glob("*/expected.json")} | {
    path.name.removesuffix(".expected.json"): path for path in CLASS.glob("*.expected.json")
}
CASES = sorted(EXPECTED)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SubmissionResult]:
    options = Options(out=tmp_path_factory.mktemp("grades"), seed="sample class")
    project = find_project(Path(__file__))
    outcome = grade(project, catalogue.chapter("ngrams"), CLASS, options, Quiet())
    return {result.student: result for result in outcome.results}


@pytest.mark.parametrize("case", CASES)
def test_a_sample_submission_gets_its_expected_result(
    results: dict[str, SubmissionResult], case: str
) -> None:
    expected: dict[str, Any] = json.loads(EXPECTED[case].read_text("utf-8"))
    result = results[case]
    found = {task.task.id: task.verdict.value for task in result.tasks}
    assert {task: found[task] for task in expected["tasks"]} == expected["tasks"]
    assert result.score == expected["score"]
    assert expected.get("notice", "") in result.notice
    said = {test.misconception for task in result.tasks for test in task.tests}
    assert set(expected.get("misconceptions", ())) <= said


def test_the_sample_class_is_complete(results: dict[str, SubmissionResult]) -> None:
    assert len(CASES) >= 8
    assert sorted(results) == CASES
    assert not any(result.provisional for result in results.values())
