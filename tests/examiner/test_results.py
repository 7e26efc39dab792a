"""Scores and verdicts from the tests of a task."""

import pytest

from examiner.catalogue import Chapter
from examiner.grading.page import Part
from examiner.results import SubmissionResult, TestResult, Verdict, combine, group_by_task


def outcome(verdict: Verdict, weight: float = 1.0, visible: bool = False) -> TestResult:
    return TestResult("test", "behaves", verdict, weight, visible)


def test_points_are_shared_by_weight(demo_chapter: Chapter) -> None:
    tests = [
        ("9.1", outcome(Verdict.PASSED, 1)),
        ("9.1", outcome(Verdict.FAILED, 3)),
        ("9.2", outcome(Verdict.PASSED, 7)),
    ]
    result = SubmissionResult("ada", group_by_task(demo_chapter, tests))
    assert [task.score for task in result.tasks] == [1.0, 6.0]
    assert (result.score, result.max_score) == (7.0, 10)


@pytest.mark.parametrize(
    ("hidden", "score"),
    [
        ("failed failed", 0.0),  # as from a table of the known inputs
        ("failed passed", 3.0),
        ("not_judged failed", 0.0),  # which can only rise
        ("failed", 2.67),  # one alone may ask for a rare case
        ("", 4.0),  # a course may have no hidden tests
    ],
)
def test_visible_tests_count_once_a_hidden_one_has_passed(
    demo_chapter: Chapter, hidden: str, score: float
) -> None:
    tests = [("9.1", outcome(Verdict.PASSED, 2, visible=True))]
    tests += [("9.1", outcome(Verdict(verdict))) for verdict in hidden.split()]
    assert group_by_task(demo_chapter, tests)[0].score == score
    told = Part("9-1", "A task", score, 4.0, tests=[test for _, test in tests])
    assert told.only_visible == (score == 0.0)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ("passed passed", "passed"),
        ("passed missing", "failed"),
        ("missing missing", "missing"),
        ("failed missing", "failed"),
        ("passed failed timeout", "timeout"),
        ("timeout crashed", "crashed"),
        ("crashed not_judged", "not_judged"),
        ("", "not_judged"),
    ],
)
def test_the_gravest_verdict_speaks_for_the_task(verdicts: str, expected: str) -> None:
    assert combine(map(Verdict, verdicts.split())) == expected


def test_what_was_not_judged_makes_the_score_provisional(demo_chapter: Chapter) -> None:
    tests = [("9.1", outcome(Verdict.NOT_JUDGED)), ("9.2", outcome(Verdict.PASSED))]
    assert SubmissionResult("ada", group_by_task(demo_chapter, tests)).provisional


def test_every_verdict_is_told_in_words_and_told_apart_without_colours() -> None:
    looks = [verdict.look for verdict in Verdict]
    assert (
        len({look.word for look in looks}) == len({look.sentence for look in looks}) == len(looks)
    )
    troubles = [v.look.letter for v in Verdict if v not in (Verdict.PASSED, Verdict.FAILED)]
    assert all(troubles)
    assert len(set(troubles)) == len(troubles)
