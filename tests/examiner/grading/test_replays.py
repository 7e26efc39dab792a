"""Wrong code of ours is run beside a student's only as far as the two say the same."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

from examiner.boundary.errors import Stop
from examiner.boundary.proxy import Module
from examiner.candidate.host import Host
from examiner.judge.local import _talk_to
from examiner.judge.transcripts import Replay, Told
from examiner.results import TestResult, Verdict

HALF = "def half(n): return n / 2"
FLOORS = "def half(n): return n // 2"  # 2, 4 and 6 have the same halves
DOUBLES = "def half(n): return n * 2"
LUCKY = "import random\ndef half(n): return random.random()"


@dataclass
class Halves:
    """A test that asks for halves and compares them with the true ones."""

    source: str
    numbers: Sequence[int] = (2, 4, 5, 6)
    asked: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        module = ModuleType("tiny")
        exec(self.source, vars(module))
        host = Host(Path())
        host.use(module)
        self.talk = _talk_to(host)
        self.module = Module(self.talk, host.directory())

    def run(self) -> TestResult:
        self.asked.clear()
        self.talk.begin(7, 9.0)
        verdict = Verdict.PASSED
        try:
            for number in self.numbers:
                self.asked.append(number)
                if self.module.half(number) != number / 2:
                    verdict = Verdict.FAILED
        except Stop as stop:
            verdict = stop.verdict
        return TestResult("test_half", "halves", verdict)

    @property
    def replay(self) -> Replay:
        return Replay(self.run, self.talk)


def told(source: str, numbers: Sequence[int] = (2, 4, 5, 6)) -> Told:
    """What a student's code says in the test."""
    test = Halves(source, numbers)
    test.run()
    return Told(test.talk.transcript)


def test_it_ends_at_the_first_answer_that_differs() -> None:
    wrong = Halves(DOUBLES)
    assert not wrong.replay.is_told(told(FLOORS))
    assert wrong.asked == [2]


def test_it_goes_to_the_end_where_all_answers_are_the_same() -> None:
    wrong = Halves(FLOORS)
    assert wrong.replay.is_told(told("def half(n): return int(n / 2)"))
    assert wrong.asked == [2, 4, 5, 6]


def test_what_is_known_is_not_run_again() -> None:
    wrong = Halves(FLOORS)
    replay = wrong.replay
    assert not replay.is_told(told(DOUBLES))
    assert wrong.asked == [2]
    wrong.asked.clear()
    assert not replay.is_told(told("def half(n): return 0"))  # differs in what was heard
    assert wrong.asked == []
    assert replay.is_told(told(FLOORS))  # one answer was the same: from the beginning
    assert wrong.asked == [2, 4, 5, 6]
    wrong.asked.clear()
    assert replay.is_told(told(FLOORS))
    assert not replay.is_told(told(HALF))
    assert replay.fails
    assert wrong.asked == []


def test_whether_it_fails_needs_the_whole_test() -> None:
    wrong = Halves(FLOORS)
    replay = wrong.replay
    assert not replay.is_told(told(DOUBLES))
    assert replay.fails
    assert wrong.asked == [2, 4, 5, 6]


def test_wrong_code_that_passes_a_test_explains_nothing() -> None:
    numbers = (2, 4, 6)
    replay = Halves(FLOORS, numbers).replay
    assert not replay.fails
    assert not replay.is_told(told(FLOORS, numbers))


@pytest.mark.parametrize("numbers", [(2, 4), (2, 4, 5), (2, 4, 5, 6, 8)])
def test_another_number_of_answers_is_another_mistake(numbers: Sequence[int]) -> None:
    assert not Halves(FLOORS).replay.is_told(told(FLOORS, numbers))


def test_the_same_luck_when_it_is_run_again() -> None:
    wrong = Halves(LUCKY)
    replay, student = wrong.replay, told(LUCKY)
    assert not replay.is_told(told(DOUBLES))
    random.seed(1)  # whatever happens in between
    assert replay.is_told(student)


def test_a_listener_ends_a_test_for_good() -> None:
    test = Halves(HALF)
    test.talk.heard = lambda asked: False
    assert test.run().verdict is Verdict.NOT_JUDGED
    assert test.asked == [2]
    with pytest.raises(Stop):
        test.module.half(4)
