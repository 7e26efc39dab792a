"""The grader's count of jobs, with a courier that says what a test wants."""

import errno
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from examiner.cluster import grader, last_words
from examiner.cluster.grader import CHARGED, Cluster, CourierError, Way
from examiner.cluster.keeper import HouseError
from examiner.cluster.parcel import Parcel
from examiner.cluster.plain import result_of
from examiner.errors import UserError
from examiner.results import SubmissionResult
from tests.examiner.cluster.conftest import Known

NAMES = ["right", "wrong", "broken", "leaves"] * 3


class Courier:
    """Answers at once, as `answer` says; one of three workers has each job, in turn."""

    def __init__(
        self,
        known: Known,
        answer: Callable[[dict[str, Any], str, str], Any],
        say: Sequence[dict[str, Any]],
    ) -> None:
        self.known, self.answer = known, answer
        self.said: list[dict[str, Any]] = [{"window": 4}, *say]
        self.bad: list[str] = []
        self.turn = 0

    def send(self, **what: Any) -> None:
        if "bad" in what:
            self.bad.append(what["bad"])
        if "n" not in what:
            return
        free = [w for w in ("w0", "w1", "w2") if w not in (*what["not"], *self.bad)]
        if not free:
            self.said.append({"n": what["n"], "nobody": True})
            return
        worker, self.turn = free[self.turn % len(free)], self.turn + 1
        right = result_of(self.known.results[NAMES[what["n"]]])
        answer = self.answer(what, worker, right)
        if isinstance(answer, dict):
            self.said.append(answer)
        else:
            self.said.append({"n": what["n"], "worker": worker, "result": answer})

    def receive(self, seconds: float) -> list[dict[str, Any]]:
        said, self.said = self.said, []
        for each in said:
            if each.get("end"):
                raise CourierError("it has ended")
        return said

    def close(self) -> None:
        pass


def graded(
    known: Known,
    monkeypatch,
    answer: Callable[..., Any],
    audit: float = 0.0,
    house: Any = None,
    say: Sequence[dict[str, Any]] = (),
    at_first: int = len(NAMES),
    sharing: int = 1,
) -> tuple[dict[int, list[SubmissionResult]], list[str]]:
    """Return what was finished, by number, and what was told; `say`: the courier's first words.

    `at_first`: so many are to be judged; with each that is finished one more. `sharing`: so many
    students get each result.
    """
    lines: list[str] = []
    monkeypatch.setattr(grader, "_Courier", lambda *_: Courier(known, answer, say))
    cluster = Cluster(Way("tls://x:1", audit=audit), known.parcel, known.form, lines.append)
    if house:
        monkeypatch.setattr(cluster._house, "ask", house)
    found: dict[int, list[SubmissionResult]] = {}
    order, later = [*range(at_first)], [*range(at_first, len(NAMES))]

    def finished(number: int, result: SubmissionResult) -> None:
        found.setdefault(number, []).append(result)
        order.extend(later[:1])
        del later[:1]

    submissions = [known.submissions[name] for name in NAMES]
    cluster.run(submissions, order, finished, lambda: None, lambda number: sharing)
    return found, lines


def by_text(known: Known) -> Callable[[str], str]:
    """Return a house at home that knows the right results."""
    from examiner.cluster.plain import job_of

    right = {job_of(known.submissions[n]): result_of(known.results[n]) for n in known.results}
    return lambda job: right[job]


def require_right(known: Known, found: dict[int, list[SubmissionResult]]) -> None:
    assert sorted(found) == [*range(len(NAMES))]
    for number, results in found.items():
        assert results[-1] == known.results[NAMES[number]]


@pytest.mark.slow
def test_all_come_once(known: Known, monkeypatch) -> None:
    found, lines = graded(known, monkeypatch, lambda what, worker, right: right)
    require_right(known, found)
    assert {len(each) for each in found.values()} == {1}
    assert not lines


def test_who_is_to_be_judged_after_all_is_judged_too(known, monkeypatch) -> None:
    found, lines = graded(known, monkeypatch, lambda what, worker, right: right, at_first=2)
    require_right(known, found)
    assert {len(each) for each in found.values()} == {1}
    assert not lines


def test_nonsense_is_asked_again_elsewhere_and_its_worker_sent_away(known, monkeypatch) -> None:
    def answer(what, worker, right):
        return "{}" if worker == "w1" else right

    found, lines = graded(known, monkeypatch, answer)
    require_right(known, found)
    (line,) = lines
    assert line.startswith("w1 answered nonsense")


def test_a_liar_is_found_by_the_audit_and_all_it_judged_is_judged_again(known, monkeypatch) -> None:
    def answer(what, worker, right):
        return right.replace('"failed"', '"passed"') if worker == "w2" else right

    found, lines = graded(known, monkeypatch, answer, audit=1.0, house=by_text(known))
    require_right(known, found)
    (line,) = lines
    assert line.startswith("w2 judged a submission in another way")


def test_what_many_share_is_audited_as_if_each_had_been_judged(known, monkeypatch) -> None:
    def answer(what, worker, right):
        return right.replace('"failed"', '"passed"') if worker == "w2" else right

    house = by_text(known)
    found, lines = graded(known, monkeypatch, answer, audit=0.02, house=house, sharing=3000)
    require_right(known, found)
    assert lines[0].startswith("w2 judged a submission in another way")


def test_what_nobody_judges_well_is_judged_at_home(known, monkeypatch) -> None:
    def answer(what, worker, right):
        return None if what["n"] == 5 else right

    found, _ = graded(known, monkeypatch, answer, house=by_text(known))
    require_right(known, found)


@pytest.mark.parametrize("harmless", [True, False])
def test_who_ends_two_workers_is_tried_once_more_and_then_charged(
    known, monkeypatch, harmless: bool
) -> None:
    def answer(what, worker, right):
        return {"n": 3, "died": True} if what["n"] == 3 else right

    def dies(job):
        raise HouseError("gone")

    house = by_text(known) if harmless else dies
    found, lines = graded(known, monkeypatch, answer, house=house)
    assert sorted(found) == [*range(len(NAMES))]
    assert "leaves: 2 workers died with this in hand" in lines
    (last,) = found.pop(3)
    if harmless:
        assert last == known.results["leaves"]
    else:
        assert (last.score, last.notice) == (0.0, CHARGED)
        assert not last.provisional


def test_a_courier_that_ends_is_replaced_and_nothing_is_lost(known, monkeypatch) -> None:
    ended: list[int] = []

    def answer(what, worker, right):
        if what["n"] in (2, 7) and what["n"] not in ended:
            ended.append(what["n"])
            return {"end": True}
        return right

    found, _ = graded(known, monkeypatch, answer)
    require_right(known, found)
    assert {len(each) for each in found.values()} == {1}


def test_couriers_that_end_at_once_end_the_run(known, monkeypatch) -> None:
    with pytest.raises(UserError, match="cannot be reached"):
        graded(known, monkeypatch, lambda what, worker, right: {"end": True})


def test_where_no_courier_can_be_started_the_run_ends_in_a_line(known, monkeypatch) -> None:
    def popen(*_: Any, **__: Any) -> Any:
        raise BlockingIOError(errno.EAGAIN, "no room for a process")

    monkeypatch.setattr(grader.subprocess, "Popen", popen)
    cluster = Cluster(Way("tls://x:1", confined=False), known.parcel, known.form, print)
    with pytest.raises(UserError, match="no room for a process; what was graded is kept"):
        cluster.run(
            [known.submissions["right"]], [0], lambda *_: None, lambda: None, lambda number: 1
        )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"gone": "tls://x:1 does not answer (OSError)"}, "does not answer"),
        ({"none": "w0 is left out: it has torch 1, the grader 2"}, "no worker of tls://x:1 can"),
        ({"none": "w0 is left out: \x1b[2J\nall is well"}, "left out: \ufffd.2J all is well$"),
    ],
)
def test_what_ends_a_run_is_one_line(known, monkeypatch, message, said: str) -> None:
    with pytest.raises(UserError, match=said) as raised:
        graded(known, monkeypatch, lambda what, worker, right: message)
    assert "\n" not in str(raised.value)


def test_what_a_worker_says_of_itself_is_one_harmless_line(known, monkeypatch) -> None:
    said = {"say": "w0 is left out: \x1b[2J\ud800\nall 12 are graded", "window": "many"}
    found, lines = graded(known, monkeypatch, lambda what, worker, right: right, say=[said])
    require_right(known, found)
    assert lines == ["w0 is left out: \ufffd[2J\ufffd all 12 are graded"]


TALKATIVE = """
import sys
sys.stdin.readline()
sys.stderr.write("a word of Dask's\\n" * 100_000)
print('{"window": 3}', flush=True)
sys.exit("the last words")
"""


def test_a_courier_that_says_much_goes_on_and_its_last_words_are_told(monkeypatch) -> None:
    begin = subprocess.Popen

    def popen(command: list[str], **options: Any) -> Any:
        return begin([sys.executable, "-c", TALKATIVE], **options)

    monkeypatch.setattr(grader.subprocess, "Popen", popen)
    way = Way("tcp://127.0.0.1:1", confined=False)
    courier = grader._Courier(way, Parcel(b"parts"))
    heard: list[dict[str, Any]] = []
    try:
        for _ in range(100):
            heard += courier.receive(0.1)
            if heard:
                break
        assert heard == [{"window": 3}]
        assert courier._words is not None
        assert len(courier._words._said) <= last_words.MOST_BYTES
        with pytest.raises(CourierError, match="has ended: the last words"):
            courier.receive(10.0)
    finally:
        courier.close()
