"""Runs a test on trusted code: on the reference, to see whether the test itself is right, and on
misconceptions, to see whether one gives the answers that a student's code gave."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from nextword.boundary import marks, wire
from nextword.boundary.conversation import Asked
from nextword.candidate import learning
from nextword.catalogue import Chapter, Task
from nextword.judge.alike import alike
from nextword.judge.direction import direction
from nextword.judge.lending import Lender
from nextword.judge.local import on_module
from nextword.judge.misconceptions import Misconception
from nextword.judge.session import Session
from nextword.judge.suite import Suite, SuiteTest
from nextword.judge.unordered import tasks_with_sets
from nextword.results import Verdict

MEASURED = f"{learning.__name__}.{learning.peak_bytes.__name__}"


@dataclass(frozen=True)
class Seen:
    """What became of a test on a student's code: whether it passed, and what was said in it."""

    test: SuiteTest
    passed: bool
    transcript: Sequence[Asked] = ()  # of a test that failed


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
        self._right: dict[int, list[Any]] = {}  # what the reference answers, by test

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
            self._right[test.number] = list(readable(self._reference.talk.transcript))
        return self._passes[test.number]

    @cached_property
    def _text(self) -> str:
        return self._path.read_text("utf-8") if self._path else ""

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

    def lender(self, names: Sequence[str]) -> Lender | None:
        """Return who lends these parts of the reference, or None where there is none."""
        return Lender(self._module("lent"), names) if self._path else None

    def tasks_with_sets(self, source: str, chapter: Chapter) -> frozenset[str]:
        """Return the tasks in which a student's text has to do with sets where ours does not."""
        return tasks_with_sets(source, self._text, chapter)

    def named(self, task: Task, seen: Sequence[Seen]) -> dict[int, str]:
        """Return the sentences of the mistakes behind a task's failed tests, by test.

        A mistake is named if it gives the student's answers in each test that it fails, passes
        those that the student passed, and is the only one that explains all that failed. In a task
        of several functions two may do so together, one for each of two functions.
        """
        try:
            return self._named(task, [each for each in seen if not each.passed], seen)
        except Exception:  # whatever the answers are: at worst there is no sentence
            return {}

    def _named(self, task: Task, failed: Sequence[Seen], seen: Sequence[Seen]) -> dict[int, str]:
        told = {each.test.number: _Told(each.transcript) for each in failed}
        explained: dict[str, tuple[Misconception, frozenset[int]]] = {}
        for mistake in self._mistakes:
            if mistake.task_id == task.id and failed:
                tests = self._explains(mistake, told, seen, whole=len(task.symbols) == 1)
                if tests:
                    explained[mistake.name] = mistake, tests
        everything = frozenset(told)
        alone = {mistake.says for mistake, tests in explained.values() if tests == everything}
        if len(alone) == 1:
            return dict.fromkeys(everything, alone.pop())
        pairs = [
            (one, other)
            for one, other in combinations(explained.values(), 2)
            if one[0].replaces != other[0].replaces and one[1] | other[1] == everything
        ]
        if alone or len(pairs) != 1:
            return {}
        return {number: mistake.says for mistake, tests in pairs[0] for number in tests}

    def _explains(
        self, mistake: Misconception, told: dict[int, _Told], seen: Sequence[Seen], *, whole: bool
    ) -> frozenset[int]:
        """Return the failed tests in which the mistake answers alike; none if it does not fit."""
        found = []
        for each in sorted(seen, key=lambda each: each.passed):  # failures tell most apart
            wrong = self._wrong_answers(each.test, mistake)
            if wrong is None and (each.passed or not whole):
                continue
            if wrong is None or each.passed or not told[each.test.number].is_alike(wrong):
                return frozenset()
            found.append(each.test.number)
        return frozenset(found)

    def direction(self, test: SuiteTest, transcript: Sequence[Asked]) -> str:
        """Return in which way the first wrong answer of a test is off, or ""."""
        try:
            return self._direction(test, transcript)
        except Exception:  # whatever the answers are
            return ""

    def _direction(self, test: SuiteTest, transcript: Sequence[Asked]) -> str:
        right, form = self._right.get(test.number, []), ""
        for said, meant in zip(readable(transcript), right, strict=False):
            if not alike(said[0], meant[0]):
                return ""
            _, status, value, _ = said
            found = direction(value, meant[2]) if status == meant[1] == "ok" else ""
            text = f"{_function(said[0])} gives {found}" if found else ""
            if not alike(said, meant):
                return text
            form = form or text  # a list for a tuple: what is wrong, if nothing else is
        return form

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
            self._answers[key] = list(comparable(wrong.talk.transcript)) if failed else None
        return self._answers[key]


def readable(transcript: Sequence[Asked]) -> Iterator[Any]:
    """Decode a transcript; handles become their order of appearance, which any run shares."""
    order: dict[Any, int] = {}

    def name(kind: int, key: Any) -> Any:
        if kind == marks.HANDLE:
            return "handle", order.setdefault(key, len(order))
        return "name", key

    for asked in transcript:
        known = len(order)
        request = wire.decode(asked.request, name, trusted=True)
        if request[0] in ("describe", "ship"):  # asked only of what is new: no other run has them
            for key in list(order)[known:]:
                del order[key]
            continue
        status, value, *changes = wire.decode(asked.answer, name)
        yield [request, status, value[:2] if status == "error" else value, changes]


def comparable(transcript: Sequence[Asked]) -> Iterator[Any]:
    """Decode a transcript for a comparison with a misconception's: bytes held are left out.

    How many a call holds depends on how it is written, even where the mistake is the same.
    """
    for said in readable(transcript):
        operation, args, *_ = said[0]
        if operation == "call" and args[0] == ("name", MEASURED):
            said[2] = None
        yield said


class _Told:
    """What a student's code said in a test, decoded only as far as it is compared."""

    def __init__(self, transcript: Sequence[Asked]) -> None:
        self._said, self._more = list[Any](), comparable(transcript)

    def is_alike(self, wrong: Sequence[Any]) -> bool:
        """Tell whether it is what a misconception says, up to where that fails the test."""
        for number, expected in enumerate(wrong):
            if number == len(self._said):
                self._said.extend(islice(self._more, 1))
            if number == len(self._said) or not alike(self._said[number], expected):
                return False
        self._said.extend(islice(self._more, 1))
        return bool(wrong) and len(self._said) == len(wrong)


def _function(request: Sequence[Any]) -> str:
    """Return the name of what a request asks, as the test wrote it."""
    operation, args, *_ = request
    if operation == "method" and isinstance(args[1], str):
        return args[1]
    if operation == "call" and isinstance(args[0], tuple) and isinstance(args[0][1], str):
        return args[0][1].rpartition(".")[2]
    return "your code"
