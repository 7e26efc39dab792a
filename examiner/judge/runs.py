"""What one run of a test needs and what it finds: plain values, from which nothing is taken away.

Leaves out the running itself (suite.py) and what an outcome means for a student (wording.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from traceback import TracebackException
from typing import Any

from examiner.boundary.deadline import Deadline
from examiner.judge.failing import Compared

VISIBLE_SEED = "visible"  # visible tests give the same inputs to everyone, every time
Bound = Callable[[Deadline], contextlib.AbstractContextManager[None]]


class OverdueError(BaseException):
    """The test itself ran on after its time was up. Not an Exception: no test may swallow it."""


def unbounded(deadline: Deadline) -> contextlib.AbstractContextManager[None]:
    """Let a test run for as long as it likes."""
    return contextlib.nullcontext()


@dataclass(frozen=True)
class Terms:
    """On what terms tests run: what they draw, and what bounds them."""

    seed: str = ""  # of what hidden tests draw
    attempts: Mapping[str, int] = field(default_factory=dict)  # test -> which draw; else the first
    bound: Bound = unbounded  # around each test
    traced: bool = False  # whether authors want to see where an error was raised


@dataclass(frozen=True)
class Run:
    """All that one run of a test needs."""

    package: Any  # what the fixture `coursework` gives
    deadline: Deadline
    terms: Terms


@dataclass(frozen=True)
class Ran:
    """What one run of a test found."""

    seconds: float
    raised: BaseException | None = None  # without its frames: they would hold the student's objects
    compared: Compared | None = None  # by the last failing assertion
    asked: str = ""  # that assertion as it is written, in a visible test
    trace: TracebackException | None = None  # of what was raised, on terms that ask for it
