"""Asks the reference whether a test is right that failed, and lends parts of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from types import CodeType, ModuleType

from examiner.candidate.lent import put
from examiner.judge.lending import Lender, describe, part
from examiner.judge.local import on_module
from examiner.judge.runs import Terms
from examiner.judge.session import Judged, Session
from examiner.judge.suite import Suite, SuiteTest
from examiner.results import Verdict

Watch = Callable[[SuiteTest], None]  # told before each run of a test on trusted code

_BY_LOAD = (Verdict.TIMEOUT, Verdict.MEMORY)  # of the machine, perhaps: another run may pass


class Diagnosis:
    """Tells of failed tests whether it is they that are wrong; remembers what it found."""

    def __init__(
        self,
        suite: Suite,
        terms: Terms,
        stem: str,
        reference: Path | None,
        watch: Watch = lambda test: None,
        *,
        believing: bool = False,
    ) -> None:
        self._suite, self._terms, self._stem, self._path = suite, terms, stem, reference
        self._believing = believing  # that tests are right: it is the reference that is judged
        self._watch = watch
        self._code: CodeType | None = None
        self._is_right: dict[int, bool] = {}
        self._needs: dict[tuple[int, tuple[str, ...]], bool] = {}

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
        self._watch(test)
        judged = reference.run(test, self._terms)
        return judged

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

    def needs(self, test: SuiteTest, own: Sequence[str], lent: Sequence[str]) -> bool:
        """Tell whether a test needs these functions of its own task, where other parts are lent.

        subtle: a lent part may do their work, also where it calls them itself. It is the reference
        that is asked, and nothing that a student wrote: their code could fail here on purpose.
        """
        asked = test.number, tuple(lent)
        if asked not in self._needs:
            module, whole = self._module("bare"), self._module("whole")
            for name in [each["name"] for each in describe(whole, lent)]:
                put(module, name, part(whole, name))
            for name in own:
                put(module, name, _unwritten)
            judged = self._ask(test, on_module(self._suite, self._stem, module))
            self._needs[asked] = judged.verdict is not Verdict.PASSED
        return self._needs[asked]


def _unwritten(*args: object, **kwargs: object) -> None:
    raise NotImplementedError
