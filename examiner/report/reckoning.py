"""From the counts of a class (tally.py) to what is said of it, by the formulas (formulas.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from examiner.report import formulas
from examiner.report.facts import FirstSuccess, Reliability, Scores, TaskReport, TestReport
from examiner.report.formulas import Estimate, Integers, Moments
from examiner.report.tally import HOUR, HUNDREDTHS, LEVELS, Tally

FEW = 5  # students: of fewer no share is reckoned, and no quartiles
ENOUGH = 20  # students: of fewer no correlation and no reliability is reckoned
BINS = 10  # of the distribution of scores
QUARTERS = (0.25, 0.5, 0.75)


def scores(tally: Tally) -> Scores | None:
    """Return how the scores are distributed; None where nobody wrote anything."""
    students = sum(tally.scores.values())
    if not students:
        return None
    most = max(1, tally.chapter.points * HUNDREDTHS)
    bins = Counter[int]()
    for score, times in tally.scores.items():
        bins[min(BINS - 1, score * BINS // most)] += times
    low, median, high = (formulas.quantile(tally.scores, part) / HUNDREDTHS for part in QUARTERS)
    whole = sum(score * times for score, times in tally.scores.items())
    return Scores(
        students,
        tuple(bins[place] for place in range(BINS)),
        whole / students / HUNDREDTHS,
        formulas.deviation(tally.scores) / HUNDREDTHS,
        (low, median, high),
    )


def tasks(tally: Tally) -> tuple[TaskReport, ...]:
    """Return what is known of each task."""
    covariances = _covariances(tally)
    found = []
    for place, task in enumerate(tally.chapter.tasks):
        written = int(tally.written[place])
        levels = {
            level: int(n) for level, n in zip(LEVELS, tally.levels[place].tolist(), strict=True)
        }
        without = None if covariances is None else formulas.alpha_without(covariances, place)
        found.append(
            TaskReport(
                task,
                levels,
                written,
                _difficulty(tally, place),
                _discrimination(tally, place),
                without,
                tally.mistakes[place].rows(written),
                _first_success(tally.firsts[place]),
            )
        )
    return tuple(found)


def _difficulty(tally: Tally, place: int) -> Estimate | None:
    """Return the mean share of a task's points, of those who wrote it and were judged in it."""
    full = tally.chapter.tasks[place].points * HUNDREDTHS
    judged = int(tally.judged[place])
    if judged < FEW or not full:
        return None
    return formulas.share(int(tally.earned[place]) / full, judged)


def _discrimination(tally: Tally, place: int) -> Estimate | None:
    """Return the correlation of a task's points with the others', of those who wrote it.

    Corrected: the task's own points are no part of the rest, or it would correlate with itself.
    """
    n = x = xx = rest = squares = products = 0
    for score, row in tally.rows.items():
        wrote, own, own_squares = (
            int(each[place]) for each in (row.wrote, row.earned, row.squares)
        )
        n, x, xx = n + wrote, x + own, xx + own_squares
        rest += wrote * score - own
        squares += wrote * score * score - 2 * score * own + own_squares
        products += score * own - own_squares
    if n < ENOUGH:
        return None
    return formulas.correlation(Moments(n, x, rest, xx, squares, products))


def _first_success(hours: Counter[int]) -> FirstSuccess | None:
    students = sum(hours.values())
    if students < FEW:
        return None
    low, median, high = (
        datetime.fromtimestamp(round(formulas.quantile(hours, part)) * HOUR, UTC)
        for part in QUARTERS
    )
    return FirstSuccess(students, (low, median, high))


def tests(tally: Tally) -> tuple[TestReport, ...]:
    """Return what is known of each test, in the order of the tasks."""
    borders = _quarters(tally)
    places = {task.id: place for place, task in enumerate(tally.chapter.tasks)}
    numbers = sorted(tally.tests.numbers.values(), key=lambda n: places[tally.tests.about[n][0]])
    return tuple(_test(tally, number, borders) for number in numbers)


def _test(tally: Tally, number: int, borders: tuple[float, float] | None) -> TestReport:
    task, name, behaviour, points = tally.tests.about[number]
    by_score = [(s, row.judged[number], row.passed[number]) for s, row in tally.rows.items()]
    judged, passed = (sum(each[part] for each in by_score) for part in (1, 2))
    low = high = None
    if borders:
        low = _failing(each for each in by_score if each[0] <= borders[0])
        high = _failing(each for each in by_score if each[0] >= borders[1])
    return TestReport(
        task,
        name,
        behaviour,
        judged,
        judged - passed,
        formulas.share(judged - passed, judged) if judged >= FEW else None,
        _point_biserial(by_score, points * HUNDREDTHS) if judged >= ENOUGH else None,
        low,
        high,
    )


def _point_biserial(by_score: list[tuple[int, int, int]], own: float) -> Estimate | None:
    """Return the correlation of passing a test with all points but those of the test itself.

    by_score: a score, how many of those who have it were judged in the test, how many passed.
    """
    n = x = 0
    rest = squares = products = 0.0
    for score, judged, passed in by_score:
        without = score - own  # of those who passed
        n, x = n + judged, x + passed
        rest += (judged - passed) * score + passed * without
        squares += (judged - passed) * score * score + passed * without * without
        products += passed * without
    return formulas.correlation(Moments(n, x, rest, x, squares, products))


def _failing(by_score: Iterable[tuple[int, int, int]]) -> Estimate | None:
    """Return the share of those judged in a test who fail it."""
    found = list(by_score)
    judged, passed = (sum(each[part] for each in found) for part in (1, 2))
    return formulas.share(judged - passed, judged) if judged >= FEW else None


def _quarters(tally: Tally) -> tuple[float, float] | None:
    """Return up to which score the bottom quarter goes, and from which on the top quarter.

    None for too small a class, and where half of it has the same score.
    """
    counts = {score: row.students for score, row in tally.rows.items()}
    if sum(counts.values()) < ENOUGH:
        return None
    low, high = formulas.quantile(counts, 0.25), formulas.quantile(counts, 0.75)
    return (low, high) if low < high else None


def reliability(tally: Tally) -> Reliability | None:
    """Return alpha over the tasks, and the error of measurement; None where it says nothing.

    Of all who wrote something and were judged in all of it; a task not written counts 0.
    """
    covariances = _covariances(tally)
    value = None if covariances is None else formulas.alpha(covariances)
    if value is None:
        return None
    counts = {score: row.students for score, row in tally.rows.items()}
    interval = formulas.alpha_interval(value, sum(counts.values()), len(tally.chapter.tasks))
    deviation = formulas.deviation(counts) / HUNDREDTHS
    return Reliability(interval, formulas.error_of_measurement(deviation, value))


def _covariances(tally: Tally) -> Integers | None:
    students = sum(row.students for row in tally.rows.values())
    if students < ENOUGH:
        return None
    return formulas.covariances(students, tally.sums, tally.products)
