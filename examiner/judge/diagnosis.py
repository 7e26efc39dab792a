"""Runs a test on trusted code: on the reference, to see whether the test itself is right, and on
misconceptions, to see whether one gives the answers that a student's code gave."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from examiner.boundary.conversation import Asked
from examiner.catalogue import Task
from examiner.judge.answers import same_answer
from examiner.judge.direction import direction
from examiner.judge.lending import Lender
from examiner.judge.local import on_module
from examiner.judge.mistakes import Misconception
from examiner.judge.runs import Terms
from examiner.judge.session import Judged, Session
from examiner.judge.suite import Suite, SuiteTest
from examiner.judge.transcripts import Replay, Told, readable
from examiner.results import Verdict

# told before each run of a test on trusted code, and whether it is to explain: someone watches
Watch = Callable[[SuiteTest, bool], None]

_BY_LOAD = (Verdict.TIMEOUT, Verdict.MEMORY)  # of the machine, perhaps: another run may pass


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
        terms: Terms,
        stem: str,
        reference: Path | None,
        mistakes: Sequence[Misconception] = (),
        watch: Watch = lambda test, explaining: None,
        *,
        believing: bool = False,
    ) -> None:
        self._suite, self._terms, self._stem, self._path = suite, terms, stem, reference
        self._mistakes = tuple(mistakes) if reference else ()
        self._believing = believing  # that tests are right: it is the reference that is judged
        self._watch = watch
        self._code: CodeType | None = None
        self._wrong: dict[str, Session] = {}
        self._is_right: dict[int, bool] = {}
        self._seconds: dict[int, float] = {}  # that the reference took, by test
        self._replays: dict[tuple[int, str], Replay] = {}  # by test and misconception
        self._right: dict[int, list[Any]] = {}  # what the reference answers, by test

    @cached_property
    def _reference(self) -> Session | None:
        return self._fresh_reference() if self._path else None

    def _fresh_reference(self) -> Session:
        return on_module(self._suite, self._stem, self._module("reference"))

    def test_is_right(self, test: SuiteTest, *, without: bool = True) -> bool:
        """Tell whether the reference passes the test, or what to think `without` a reference.

        It is asked twice, and then as a fresh module, before a test is at fault. A run that ended
        by its time or memory says nothing of the test, and is not kept.
        """
        if self._reference is None or self._believing:
            return without
        if test.number in self._is_right:
            return self._is_right[test.number]
        result = self._ask(test, self._reference)
        if result.verdict is not Verdict.PASSED:
            result = self._ask(test, self._fresh_reference())
        if result.verdict in _BY_LOAD:
            return True
        self._is_right[test.number] = result.verdict is Verdict.PASSED
        return self._is_right[test.number]

    def _ask(self, test: SuiteTest, reference: Session) -> Judged:
        """Run a test on the reference, and remember what it answers."""
        judged = self._run(reference, test, explaining=False)
        self._seconds[test.number] = judged.result.seconds
        self._right[test.number] = list(readable(judged.transcript))
        return judged

    def _run(self, trusted: Session, test: SuiteTest, *, explaining: bool) -> Judged:
        self._watch(test, explaining)
        return trusted.run(test, self._terms)

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

    def lender(self, names: Sequence[str], blanks: Sequence[str] = ()) -> Lender | None:
        """Return who lends these parts of the reference, or None where there is none.

        The `blanks` are taken away from the student's module, and nothing is put in their place.
        """
        return Lender(self._module("lent"), names, blanks) if self._path else None

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

    def _named(self, task: Task, failed: list[Seen], seen: Sequence[Seen]) -> dict[int, str]:
        if not failed:
            return {}
        told = {each.test.number: Told(each.transcript) for each in failed}
        quick = min(failed, key=self._cost).test.number  # what explains all explains this one
        known, others = list[Misconception](), list[Misconception]()
        for mistake in self._mistakes:
            if mistake.task_id == task.id:
                alike = self._replay(self._suite.tests[quick], mistake).is_told(told[quick])
                (known if alike else others).append(mistake)
        explained = self._explained(known, told, seen)
        everything = frozenset(told)
        alone = {mistake.says for mistake, tests in explained if tests == everything}
        if len(alone) == 1:
            return dict.fromkeys(everything, alone.pop())
        if alone or not explained or len(task.symbols) == 1:
            return {}
        explained += self._explained(others, told, seen)
        pairs = [
            (one, other)
            for one, other in combinations(explained, 2)
            if one[0].symbol != other[0].symbol and one[1] | other[1] == everything
        ]
        if len(pairs) != 1:
            return {}
        return {number: mistake.says for mistake, tests in pairs[0] for number in tests}

    def _cost(self, seen: Seen) -> float:
        """Return about how many seconds a run of a failed test takes, up to where it failed."""
        number = seen.test.number
        part = len(seen.transcript) / max(1, len(self._right.get(number, [])))
        return self._seconds.get(number, 0.0) * min(1.0, part)

    def _explained(
        self, mistakes: Sequence[Misconception], told: dict[int, Told], seen: Sequence[Seen]
    ) -> list[tuple[Misconception, frozenset[int]]]:
        """Return in which failed tests each mistake answers alike, of those that fit the rest."""
        found = []
        for mistake in mistakes:
            replays = {each.test.number: self._replay(each.test, mistake) for each in seen}
            alike = {number for number in told if replays[number].is_told(told[number])}
            if alike and not any(replays[each].fails for each in replays.keys() - alike):
                found.append((mistake, frozenset(alike)))
        return found

    def direction(self, test: SuiteTest, transcript: Sequence[Asked]) -> str:
        """Return in which way the first wrong answer of a test is off, or ""."""
        try:
            return self._direction(test, transcript)
        except Exception:  # whatever the answers are
            return ""

    def _direction(self, test: SuiteTest, transcript: Sequence[Asked]) -> str:
        right, form = self._right.get(test.number, []), ""
        for said, meant in zip(readable(transcript), right, strict=False):
            if not same_answer(said[0], meant[0]):
                return ""
            _, status, value, _ = said
            found = direction(value, meant[2]) if status == meant[1] == "ok" else ""
            text = f"{_function(said[0])} gives {found}" if found else ""
            if not same_answer(said, meant):
                return text
            form = form or text  # a list for a tuple: what is wrong, if nothing else is
        return form

    def _replay(self, test: SuiteTest, mistake: Misconception) -> Replay:
        """Return what is known of the misconception in this test."""
        key = test.number, mistake.name
        if key not in self._replays:
            if mistake.name not in self._wrong:
                session = on_module(self._suite, self._stem, mistake.module())
                self._wrong[mistake.name] = session
            session = self._wrong[mistake.name]
            self._replays[key] = Replay(partial(self._rejects, session, test), session.talk)
        return self._replays[key]

    def _rejects(self, wrong: Session, test: SuiteTest) -> Verdict:
        """Return a test's verdict on wrong code."""
        return self._run(wrong, test, explaining=True).verdict


def _function(request: Sequence[Any]) -> str:
    """Return the name of what a request asks, as the test wrote it."""
    operation, args, *_ = request
    if operation == "method" and isinstance(args[1], str):
        return args[1]
    if operation == "call" and isinstance(args[0], tuple) and isinstance(args[0][1], str):
        return args[0][1].rpartition(".")[2]
    return "your code"
