"""Looks for the first program of a pool on which a module differs from the reference.

The pool is sorted by size, so the first is the smallest. It is asked for in batches, and not to its
end where something wrong was found: a module that is right costs nothing, since nobody asks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from examiner.boundary.conversation import Conversation
from examiner.counterexamples.comparing import another_form, differs, same
from examiner.counterexamples.pool import SECONDS, Case, Outcome, Pool, outcomes

ENOUGH = 48  # programs that are asked for at once: by their answers, too, a mistake is known
ANOTHER_LUCK = 1
_SURE = ("value", "error")  # outcomes that are compared with a second run


@dataclass(frozen=True)
class Found:
    """A program on which a module is wrong: what it gave, and perhaps gave when asked again."""

    case: Case
    got: Outcome
    again: Outcome | None = None  # where it was another
    form: str = ""  # where the values are equal: "a list where a tuple is expected"


@dataclass(frozen=True)
class Asked:
    """What a module gave on the programs that it was asked for, the simplest first."""

    rows: tuple[tuple[Case, Outcome], ...]

    @cached_property
    def wrong(self) -> list[bool]:
        """Which of them differ from what is right."""
        return [differs(case, got) for case, got in self.rows]

    @property
    def first(self) -> tuple[Case, Outcome] | None:
        """The first that differs."""
        return next((row for row, wrong in zip(self.rows, self.wrong, strict=True) if wrong), None)


def ask(talk: Conversation, pool: Pool, cases: Sequence[Case]) -> Asked:
    """Return what a module gives, up to the batch in which something is wrong.

    Raises Stop where the module ends, ValueError where it gives what is no answer.
    """
    asked = Asked(())
    for batch in _batches(cases):
        found = outcomes(talk, pool.programs(batch), SECONDS)
        if found[-1].kind == "slow":  # perhaps it was the first to use a library, which was set up
            found[-1:] = outcomes(talk, pool.programs(batch[len(found) - 1 :]), SECONDS)
        asked = Asked((*asked.rows, *zip(batch, found, strict=False)))
        if len(found) < len(batch) or asked.first is not None:
            break
    return asked


def _batches(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    usual = [case for case in cases if not case.last]
    last = cases[len(usual) :]
    yield from (batch for batch in (usual[:ENOUGH], usual[ENOUGH:], last) if batch)


def smallest(talk: Conversation, pool: Pool, asked: Asked) -> Found | None:
    """Return the smallest program on which the module is wrong; None where there is none.

    Where no value differs, it is the first that has another form. Raises Stop, too.
    """
    if asked.first is not None:
        return Found(*asked.first, again=_again(talk, pool, *asked.first))
    for case, got in asked.rows:
        assert case.right is not None
        if case.chances is None and got.kind == "value" == case.right.kind:
            text = another_form(got.value, case.right.value)
            if text:
                return Found(case, got, form=text)
    return None


def _again(talk: Conversation, pool: Pool, case: Case, got: Outcome) -> Outcome | None:
    """Return what the same program gives in a second run, if it is something else."""
    if got.kind not in _SURE:
        return None
    [again] = outcomes(talk, pool.programs([case]), SECONDS, ANOTHER_LUCK)
    return None if same(case, got, again) else again
