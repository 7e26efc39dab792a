"""What is known of a submission's tests on their way through grading: a value for each test."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from examiner.boundary.conversation import Asked
from examiner.grading.candidates import FIRST
from examiner.judge.answers import same_answer
from examiner.judge.transcripts import readable
from examiner.results import TestResult, Verdict

T = TypeVar("T")
MOST_KEPT = 64 << 20  # bytes of what is said in a submission's failed tests


@dataclass(frozen=True)
class Tested:
    """What became of a test, and what was said in it."""

    result: TestResult
    transcript: Sequence[Asked] = ()  # of a failed test, or one whose answers must repeat
    kept: int = 0  # bytes that this takes
    order: int = FIRST  # of sets, in which a second try finds it failed

    @property
    def verdict(self) -> Verdict:
        """How the test ended."""
        return self.result.verdict


Found = Mapping[int, Tested]  # by the test's number


def room_left(found: Found) -> int:
    """Return how many bytes of what is said in a submission's tests may still be kept."""
    return MOST_KEPT - sum(tested.kept for tested in found.values())


class Heard(Protocol):
    """A run of a test."""

    @property
    def transcript(self) -> Sequence[Asked]:
        """What was said in it."""


def same(one: Heard, other: Heard) -> bool:
    """Tell whether two runs of a test heard the same."""
    return same_answer(list(readable(one.transcript)), list(readable(other.transcript)))


def as_far_as_it_goes(step: Iterable[T]) -> list[T]:
    """Return what a step finds; a fault of ours ends the step, and what it found until then stands.

    >>> as_far_as_it_goes(1 / n for n in (1, 0))
    [1.0]
    """
    found: list[T] = []
    with contextlib.suppress(Exception):
        for each in step:
            found.append(each)
    return found
