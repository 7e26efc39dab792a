"""What a report says of a class: on plain results, against the same by numpy from all of them."""

import gc
import random
import weakref
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from examiner.report.report import Report
from examiner.report.tally import Group, Level, Tally
from examiner.results import SubmissionResult, Verdict, Whose
from tests.examiner.report.classes import EXAMPLE, SAYS, chapter_of, class_of, points, result_of

TWO = chapter_of(4, 6)
THREE = chapter_of(4, 6, 3)


def simulated(size: int, seed: int = 0) -> list[SubmissionResult]:
    """Three tasks of three tests; the last test of the third is passed by the bad alone."""
    rng = random.Random(seed)
    works = []
    for _ in range(size):
        ability = rng.gauss(0, 1)

        def word(last: str = "", ability: float = ability) -> str:
            signs = ["+" if rng.gauss(ability, 1) > hard else "x" for hard in (-1, 0, 1)]
            return "".join(signs[:2]) + (last or signs[2])

        third = "..." if rng.random() < 0.2 else word("x" if ability > 0 else "+")
        works.append(f"{word()} {word()} {third}")
    return class_of(THREE, works)


def test_only_who_wrote_something_counts() -> None:
    works = {
        "ann": result_of(TWO, "ann", "++ x+"),
        "bo": result_of(TWO, "bo", "++ .."),
        "stub": result_of(TWO, "stub", ".. .."),
        "typo": result_of(TWO, "typo", "xx xx", "tiny.py cannot be imported: SyntaxError"),
        "twice": result_of(TWO, "twice", "?? ??", "handed in twice"),
        "note": result_of(TWO, "note", "xx x.", "only tiny.py is graded"),
    }
    report = Report.of(TWO, works.values(), absent=2)
    assert report.groups == {
        Group.WROTE: 3,
        Group.STUBS: 1,
        Group.NEVER_RAN: 1,
        Group.NOT_JUDGED: 1,
    }
    assert (report.handed_in, report.absent, report.provisional) == (6, 2, 0)
    assert report.scores
    assert report.scores.students == 3
    first, second = report.tasks
    assert first.written == 3
    assert second.written == 2
    assert second.levels[Level.UNWRITTEN] == 1
    assert (first.levels[Level.FULL], second.levels[Level.PART]) == (2, 1)


def test_scores() -> None:
    report = Report.of(TWO, class_of(TWO, ["++ ++", "++ +x", "x+ xx", "+x .."]))
    assert report.scores
    assert report.scores.quartiles == (2, 4.5, 7.75)
    assert report.scores.mean == pytest.approx((10 + 7 + 2 + 2) / 4)
    assert report.scores.bins == (0, 0, 2, 0, 0, 0, 0, 1, 0, 1)


def test_a_task_is_as_hard_as_it_is_for_those_who_wrote_it() -> None:
    works = ["++ ++"] * 3 + ["++ +x"] * 2 + ["++ .."] * 5
    second = Report.of(TWO, class_of(TWO, works)).tasks[1]
    assert second.difficulty
    assert second.difficulty.value == pytest.approx(4 / 5)
    assert Report.of(TWO, class_of(TWO, works[:4])).tasks[1].difficulty is None


def test_numbers_are_those_of_plain_lists() -> None:
    results = simulated(120)
    report = Report.of(THREE, results)
    table = np.array(points(results))
    rest = table.sum(1, keepdims=True) - table
    for place, task in enumerate(report.tasks):
        wrote = np.array([r.tasks[place].verdict is not Verdict.MISSING for r in results])
        right = np.corrcoef(table[wrote, place], rest[wrote, place])[0, 1]
        assert task.discrimination
        assert task.discrimination.value == pytest.approx(right)
    whole = table.sum(1)
    assert report.reliability
    right = 3 / 2 * (1 - table.var(0, ddof=1).sum() / whole.var(ddof=1))
    assert report.reliability.alpha.value == pytest.approx(right)
    error = whole.std(ddof=1) * np.sqrt(1 - right)
    assert report.reliability.error == pytest.approx(error)
    two = np.delete(table, 1, axis=1)
    right = 2 * (1 - two.var(0, ddof=1).sum() / two.sum(1).var(ddof=1))
    assert report.tasks[1].alpha_without == pytest.approx(right)


def test_a_test_that_fails_the_good_is_found() -> None:
    results = simulated(200)
    report = Report.of(THREE, results)
    (against,) = report.against_the_good
    assert (against.task, against.name) == ("9.3", "test_3")
    assert against.is_sure
    wrote = [r for r in results if r.tasks[2].verdict is not Verdict.MISSING]
    passed = np.array([r.tasks[2].tests[2].verdict is Verdict.PASSED for r in wrote])
    rest = np.array([r.score for r in wrote]) - passed * 1.0  # a third of three points
    assert against.discrimination
    assert against.discrimination.value == pytest.approx(np.corrcoef(passed, rest)[0, 1])
    scores = np.array([r.score for r in results])
    low, high = np.quantile(scores, [0.25, 0.75])
    fails = np.array([r.tasks[2].tests[2].verdict is Verdict.FAILED for r in wrote])
    own = np.array([r.score for r in wrote])
    assert against.fail_low
    assert against.fail_high
    assert against.fail_low.value == pytest.approx(fails[own <= low].mean())
    assert against.fail_high.value == pytest.approx(fails[own >= high].mean())


def test_tests_that_nobody_fails() -> None:
    works = ["++ +x", "++ xx"] * 10
    report = Report.of(TWO, class_of(TWO, works))
    assert [(t.task, t.name) for t in report.never_failed] == [("9.1", "test_1"), ("9.1", "test_2")]
    assert Report.of(TWO, class_of(TWO, works[:19])).never_failed == []


def test_mistakes_are_shares_of_those_who_wrote_the_task() -> None:
    works = [result_of(TWO, f"m{n}", "+x xx", says=SAYS) for n in range(3)]
    works += class_of(TWO, ["++ ++"] * 5 + [".. xx"] * 4 + [".. .."] * 30)
    first, second = Report.of(TWO, works).tasks
    (made,) = first.mistakes
    assert (made.says, made.named, made.students, made.written) == (SAYS, True, 3, 8)
    assert made.names == ("m0", "m1", "m2")
    assert made.share.value == 3 / 8
    assert made.example == EXAMPLE
    assert [each.students for each in second.mistakes] == [7]
    assert Report.of(TWO, works).for_the_lecture == [made]  # of 9.2 nothing is known to say


def test_a_rare_mistake_is_no_matter_for_the_lecture() -> None:
    common = [result_of(TWO, f"m{n}", "+x ++", says=SAYS) for n in range(2)]
    assert Report.of(TWO, [*common, *class_of(TWO, ["++ ++"] * 30)]).for_the_lecture
    assert not Report.of(TWO, [*common, *class_of(TWO, ["++ ++"] * 50)]).for_the_lecture
    assert not Report.of(TWO, common[:1]).for_the_lecture


@pytest.mark.parametrize("size", [0, 1, 19, 20, 60])
@pytest.mark.parametrize("work", [".. ..", "++ ++", "xx xx", "+x .."])
def test_a_class_that_is_all_alike(size: int, work: str) -> None:
    report = Report.of(TWO, class_of(TWO, [work] * size))
    assert report.reliability is None
    assert all(task.discrimination is None for task in report.tasks)
    assert report.against_the_good == []
    assert (report.scores is None) == (size == 0 or work == ".. ..")


def test_a_chapter_of_one_task() -> None:
    one = chapter_of(4)
    report = Report.of(one, class_of(one, ["++", "+x", "xx"] * 10))
    assert report.reliability is None
    assert report.tasks[0].discrimination is None
    assert report.tests[0].discrimination


def test_nothing_is_said_of_fewer_than_twenty() -> None:
    results = simulated(40)
    few = Report.of(THREE, results[:19])
    assert few.reliability is None
    assert {task.discrimination for task in few.tasks} == {None}
    assert {test.discrimination for test in few.tests} == {None}
    assert Report.of(THREE, results).reliability


def test_what_was_not_judged_is_compared_with_nothing() -> None:
    results = simulated(60)
    unjudged = [result_of(THREE, f"u{n}", "+?x +++ xx+") for n in range(30)]
    both, judged = Report.of(THREE, [*results, *unjudged]), Report.of(THREE, results)
    assert (both.provisional, both.judged) == (30, 60)
    assert both.reliability == judged.reliability
    assert both.tests == judged.tests
    assert both.tasks[0].difficulty == judged.tasks[0].difficulty
    assert both.tasks[0].levels[Level.NOT_JUDGED] == 30
    assert both.tasks[0].mistakes[0].students > judged.tasks[0].mistakes[0].students
    assert both.tasks[0].written == 90


def test_the_order_of_the_results_does_not_matter() -> None:
    results = simulated(150)
    report = Report.of(THREE, results)
    random.Random(5).shuffle(results)
    again = Report.of(THREE, results).to_json()
    assert again == report.to_json()


def test_results_are_not_kept() -> None:
    """What is held grows with the number of different scores alone."""
    alive: list[weakref.ref[SubmissionResult]] = []

    def fed() -> Iterator[SubmissionResult]:
        for result in simulated(300):
            fresh = replace(result)
            alive.append(weakref.ref(fresh))
            yield fresh

    tally = Tally(THREE)
    for each in fed():
        tally.add(each)
    del each
    gc.collect()
    assert [ref for ref in alive if ref() is not None] == []
    assert len(tally.rows) <= len({result.score for result in simulated(300)})


def test_times_of_first_success() -> None:
    def handed_in(hour: int) -> SubmissionResult:
        when = (("9.1", f"2026-11-20T{hour:02}:00+00:00"), ("7.7", "2026-11-20T01:00+00:00"))
        return replace(result_of(TWO, "a", "++ .."), of=Whose("a", first_success=when))

    report = Report.of(TWO, map(handed_in, (8, 9, 10, 11, 20)))
    first = report.tasks[0].first
    assert first
    assert first.students == 5
    assert [each.hour for each in first.quartiles] == [9, 10, 11]
    assert report.tasks[1].first is None
    assert Report.of(TWO, map(handed_in, range(4))).tasks[0].first is None
