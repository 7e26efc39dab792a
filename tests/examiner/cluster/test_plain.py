"""A job and a result as JSON: nothing is lost, and nothing else is a result."""

import json

import pytest

from examiner.cluster.grader import same
from examiner.cluster.plain import NonsenseError, job_of, result_of, submission_of
from tests.examiner.cluster.conftest import SOURCES, Known


@pytest.mark.parametrize("name", SOURCES)
def test_a_result_comes_back_as_it_was(known: Known, name: str) -> None:
    result = known.results[name]
    assert known.form.read(result_of(result), known.submissions[name]) == result


@pytest.mark.parametrize("name", SOURCES)
def test_a_job_holds_the_submission_and_nobodys_name(known: Known, name: str) -> None:
    submission = known.submissions[name]
    job = job_of(submission)
    there = submission_of(job, "tiny")
    assert there.student == ""
    assert name not in job.replace("os._exit", "")
    assert (there.data, there.source.text) == (submission.data, submission.source.text)
    assert there.digest == submission.digest


def spoilt(text: str, *path: object, by: object) -> str:
    """Return a result with another value at a place."""
    raw = json.loads(text)
    at = raw
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = by
    return json.dumps(at if not path else raw)


TEST = "test_mean_of_two"
BAD = {
    "points for a test that is none": (("tests", "test_bonus"), ["passed", "", "", 0]),
    "a verdict that is none": (("tests", TEST, 0), "splendid"),
    "a verdict that cannot be hashed": (("tests", TEST, 0), ["passed"]),
    "an escape code": (("tests", TEST, 1), "\x1b[2J"),
    "a mark that turns text around": (("tests", TEST, 1), "a \u202e b"),
    "half of a sign": (("notice",), "\ud800"),
    "a message without end": (("tests", TEST, 1), "x" * 30_000),
    "a message that is no text": (("tests", TEST, 1), {"a": 1}),
    "a sentence of its own": (("tests", TEST, 2), "Send money to this address."),
    "a sentence that cannot be hashed": (("tests", TEST, 2), []),
    "a sentence that is nothing": (("tests", TEST, 2), 0),
    "seconds that are no number": (("tests", TEST, 3), float("nan")),
    "seconds that are true": (("tests", TEST, 3), True),
    "a field more": (("score",), 100),
    "examples of no task": (("examples", "9.9"), []),
    "examples that are none": (("examples", "9.1"), [{"call": "mean([])"}]),
    "a notice that is none": (("notice",), None),
}


@pytest.mark.parametrize("what", BAD)
def test_nonsense_is_no_result(known: Known, what: str) -> None:
    path, value = BAD[what]
    text = spoilt(result_of(known.results["wrong"]), *path, by=value)
    with pytest.raises(NonsenseError):
        known.form.read(text, known.submissions["wrong"])


@pytest.mark.parametrize(
    "text", [None, 7, b"{}", "", "[]", "{", "[" * 100_000, "1e999", "x" * (5 << 20)]
)
def test_what_is_no_json_is_no_result(known: Known, text: object) -> None:
    with pytest.raises(NonsenseError):
        known.form.read(text, known.submissions["wrong"])


def test_a_test_left_out_is_no_result(known: Known) -> None:
    raw = json.loads(result_of(known.results["wrong"]))
    del raw["tests"][TEST]
    with pytest.raises(NonsenseError, match="its tests"):
        known.form.read(json.dumps(raw), known.submissions["wrong"])


def test_seconds_make_no_difference(known: Known) -> None:
    text = spoilt(result_of(known.results["right"]), "tests", TEST, 3, by=9.0)
    other = known.form.read(text, known.submissions["right"])
    assert same(other, known.results["right"])
    assert not same(known.results["wrong"], known.results["right"])
