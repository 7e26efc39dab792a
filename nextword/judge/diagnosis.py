"""Runs a test on trusted code: on the reference, to see whether the test itself is right, and on
misconceptions, to see whether one gives the answers that a student's code gave."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from nextword.boundary import marks, wire
from nextword.boundary.conversation import Asked
from nextword.judge.local import on_module
from nextword.judge.misconceptions import Misconception
from nextword.judge.session import Session
from nextword.judge.suite import Suite, SuiteTest
from nextword.results import Verdict

MAX_SEARCHES = 2  # failing tests of a task for which all its misconceptions are compared
CLOSE = 1e-9  # relative difference of two numbers that count as the same answer


class Diagnosis:
    """Explains failed tests by code that the course trusts; remembers what it found."""

    def __init__(
        self,
        suite: Suite,
        stem: str,
        reference: Path | None,
        mistakes: Sequence[Misconception] = (),
        running: Callable[[SuiteTest], None] = lambda test: None,
    ) -> None:
        self._suite, self._stem, self._path = suite, stem, reference
        self._mistakes = tuple(mistakes) if reference else ()
        self._running = running  # told before each run of a test on trusted code: someone watches
        self._code: CodeType | None = None
        self._wrong: dict[str, Session] = {}
        self._passes: dict[int, bool] = {}
        self._answers: dict[tuple[int, str], list[Any] | None] = {}
        self._matched: dict[str, Misconception] = {}  # by task, of the submission at hand
        self._searched: Counter[str] = Counter()

    @cached_property
    def _reference(self) -> Session | None:
        if self._path is None:
            return None
        return on_module(self._suite, self._stem, self._module("reference"))

    def test_is_right(self, test: SuiteTest, *, without: bool = True) -> bool:
        """Tell whether the reference passes the test, or what to think `without` a reference."""
        if self._reference is None:
            return without
        if test.number not in self._passes:
            self._passes[test.number] = self._run(self._reference, test) is Verdict.PASSED
        return self._passes[test.number]

    def _run(self, trusted: Session, test: SuiteTest) -> Verdict:
        self._running(test)
        return trusted.run(test).verdict

    def _module(self, name: str) -> ModuleType:
        """Return the reference as a fresh module; its text is compiled once."""
        assert self._path is not None
        if self._code is None:
            self._code = compile(self._path.read_bytes(), str(self._path), "exec")
        module = ModuleType(f"{name}_{self._stem}")
        module.__file__ = str(self._path)
        sys.modules[module.__name__] = module  # dataclasses look their module up
        exec(self._code, vars(module))
        return module

    def begin(self) -> None:
        """Forget what was found out about the last submission."""
        self._matched, self._searched = {}, Counter()

    def misconception(self, test: SuiteTest, transcript: Sequence[Asked]) -> str:
        """Return the sentence of the misconception that gives the same answers, or "".

        A task's first failing tests are searched for; then a mistake is known, or none is.
        """
        task_id = test.mark.id
        known = self._matched.get(task_id)
        if known is None and self._searched[task_id] >= MAX_SEARCHES:
            return ""
        self._searched[task_id] += 1
        mistakes = [known] if known else [m for m in self._mistakes if m.task_id == task_id]
        try:
            found = self._find(mistakes, test, transcript)
        except Exception:  # whatever the answers are: at worst there is no sentence
            return ""
        if found:
            self._matched[task_id] = found
        return found.says if found else ""

    def _find(
        self, mistakes: Sequence[Misconception], test: SuiteTest, transcript: Sequence[Asked]
    ) -> Misconception | None:
        said, more = list[Any](), readable(transcript)  # decoded only as far as it is compared
        for mistake in mistakes:
            wrong = self._wrong_answers(test, mistake)
            if wrong is not None and _begins_alike(said, more, wrong):
                return mistake
        return None

    def _wrong_answers(self, test: SuiteTest, mistake: Misconception) -> list[Any] | None:
        """Return what the misconception answers, or None where the test does not reject it."""
        key = test.number, mistake.name
        if key not in self._answers:
            if mistake.name not in self._wrong:
                module = self._module(f"wrong_{mistake.name}")
                mistake.apply(module)
                self._wrong[mistake.name] = on_module(self._suite, self._stem, module)
            wrong = self._wrong[mistake.name]
            failed = self._run(wrong, test) is Verdict.FAILED
            self._answers[key] = list(readable(wrong.talk.transcript)) if failed else None
        return self._answers[key]


def readable(transcript: Sequence[Asked]) -> Iterator[Any]:
    """Decode a transcript; handles become their order of appearance, which any run shares."""
    order: dict[Any, int] = {}

    def name(kind: int, key: Any) -> Any:
        return ("handle", order.setdefault(key, len(order)) if kind == marks.HANDLE else key)

    for asked in transcript:
        known = len(order)
        request = wire.decode(asked.request, name, trusted=True)
        if request[0] in ("describe", "ship"):  # asked only of what is new: no other run has them
            for key in list(order)[known:]:
                del order[key]
            continue
        status, value, *changes = wire.decode(asked.answer, name)
        yield [request, status, value[0] if status == "error" else value, changes]


def _begins_alike(said: list[Any], more: Iterator[Any], wrong: Sequence[Any]) -> bool:
    """Tell whether a student said what a misconception says, up to where it fails the test."""
    for number, expected in enumerate(wrong):
        if number == len(said):
            said.extend(islice(more, 1))
        if number == len(said) or not alike(said[number], expected):
            return False
    said.extend(islice(more, 1))
    return bool(wrong) and len(said) == len(wrong)


def alike(a: Any, b: Any) -> bool:
    """Tell whether two answers are the same for a reader: 1 and 1.0, a list and a tuple.

    >>> alike([1, 0.1 + 0.2], (1.0, 0.3))
    True
    """
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) or (a != a and b != b)
    if isinstance(a, np.random.Generator) and isinstance(b, np.random.Generator):
        return str(a.bit_generator.state) == str(b.bit_generator.state)
    if hasattr(a, "shape") and hasattr(b, "shape"):
        x, y = np.asarray(a), np.asarray(b)
        return x.shape == y.shape and np.allclose(x, y, rtol=1e-6, atol=CLOSE, equal_nan=True)
    return type(a) is type(b) and bool(a == b)
