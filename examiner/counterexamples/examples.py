"""The smallest examples of a failed task, with the mistakes behind them: what graders ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from examiner.boundary.conversation import Conversation
from examiner.boundary.errors import Stop
from examiner.catalogue import Task
from examiner.counterexamples.causes import causes_alone
from examiner.counterexamples.comparing import same
from examiner.counterexamples.naming import alone, signature
from examiner.counterexamples.pool import Case, Pool, outcomes, pool_of, with_right
from examiner.counterexamples.search import Asked, Found, ask, smallest
from examiner.counterexamples.telling import shown, stopped
from examiner.judge.local import on_module
from examiner.judge.mistakes import Misconception
from examiner.judge.modules import load_module
from examiner.judge.session import Refusal, Session
from examiner.judge.suite import Suite
from examiner.judge.wording import Source
from examiner.results import SmallestExample

SECONDS = 10.0  # for the programs of one task
TRUSTED_SECONDS = 300.0
ONE_BY_ONE = 16  # programs that are asked for alone, where one of them ends the process

Open = Callable[[], Session | Refusal]  # a session that lives until it is called again
Says = Callable[[Found, Asked], str]  # the sentence of the mistake behind an example, or ""


def find(
    pool: Pool, task_id: str, symbols: Sequence[str], opener: Open, says: Says
) -> Iterator[SmallestExample]:
    """Yield the smallest example of each function of a task that is wrong.

    `opener` gives a session on the student's module.
    """
    session: Session | None = None
    for symbol in symbols:
        cases = pool.of(task_id, symbol)
        if not cases:
            continue
        if session is None or session.ended:
            opened = opener()
            if isinstance(opened, Refusal):
                return
            session = opened
            session.talk.begin(0, SECONDS)
        example = _of_function(pool, cases, session, opener, says)
        if example is not None:
            yield example


def _of_function(
    pool: Pool, cases: Sequence[Case], session: Session, opener: Open, says: Says
) -> SmallestExample | None:
    try:
        asked = ask(session.talk, pool, cases)
        found = smallest(session.talk, pool, asked)
    except Stop:
        return _that_stops(pool, cases, opener)
    except ValueError:  # what came back is no answer
        return None
    if found is None or found.got.kind == "unwritten":
        return None
    return replace(shown(found, pool, session.source), says=says(found, asked))


def _that_stops(pool: Pool, cases: Sequence[Case], opener: Open) -> SmallestExample | None:
    """Return the first program that ends the process of a student's module, asked for alone."""
    opened = opener()
    for case in cases[:ONE_BY_ONE]:
        if isinstance(opened, Refusal):
            return None
        try:
            opened.talk.begin(0, SECONDS)
            ask(opened.talk, pool, [case])
        except Stop as stop:
            return stopped(case, pool, stop.message)
        except ValueError:
            return None
    return None


class Examples:
    """Finds the smallest examples of a chapter's tasks; remembers what our own code answers."""

    def __init__(
        self, suite: Suite, stem: str, reference: Path, mistakes: Sequence[Misconception]
    ) -> None:
        self._suite, self._stem, self._path = suite, stem, reference
        self._mistakes = mistakes
        self._right: dict[str, Pool] = {}  # by task
        self._talks: dict[str, Conversation] = {}  # with mistakes, by name
        self._asked: dict[str, Asked] = {}  # what they give, by name

    @cached_property
    def _pool(self) -> Pool:
        return pool_of(self._suite.path, self._suite.path.parents[2], self._path)

    @cached_property
    def _reference(self) -> Conversation:
        module = load_module(self._path, f"shown_{self._stem}")
        return _begun(on_module(self._suite, self._stem, module))

    def pool(self, task_id: str) -> Pool:
        """Return the programs of a task, with what is right."""
        if task_id not in self._right:
            self._right[task_id] = with_right(self._pool, self._reference, [task_id])
        return self._right[task_id]

    def of(self, task: Task, opener: Open) -> tuple[SmallestExample, ...]:
        """Return the smallest example of each function of a task that is wrong.

        `opener` gives a session on the student's module, which lives until it is called again.
        """
        sources: list[Source] = []

        def opened() -> Session | Refusal:
            session = opener()
            sources.extend([session.source] if isinstance(session, Session) else [])
            return session

        pool = self.pool(task.id)
        found = list(find(pool, task.id, task.symbols, opened, self._says))
        return causes_alone(found, sources[0]) if found else ()

    def _says(self, found: Found, asked: Asked) -> str:
        """Return the sentence of the only mistake that gives the same answers, or ""."""
        told = signature(asked)
        said = {
            mistake.says
            for mistake in self._mistakes
            if mistake.symbol == found.case.symbol and self._explains(mistake, found, told)
        }
        return said.pop() if len(said) == 1 else ""

    def _explains(self, mistake: Misconception, found: Found, told: str) -> bool:
        """Tell whether a mistake is wrong alike: on the example, and then on all programs."""
        pool = self.pool(mistake.task_id)
        if mistake.name not in self._asked:
            talk = self._talk_to(mistake)
            [got] = outcomes(talk, pool.programs([found.case]))
            if not same(found.case, got, found.got):
                return False
            cases = pool.of(mistake.task_id, mistake.symbol)
            self._asked[mistake.name] = ask(talk, pool, cases)
        return signature(self._asked[mistake.name]) == told

    def _talk_to(self, mistake: Misconception) -> Conversation:
        if mistake.name not in self._talks:
            session = on_module(self._suite, self._stem, mistake.module())
            self._talks[mistake.name] = _begun(session)
        return self._talks[mistake.name]

    def sentences(self, task: Task) -> dict[str, dict[str, str]]:
        """Return what is said of each wrong way of answering a task's programs, by function.

        The ways are signatures: naming.py.
        """
        pool = self.pool(task.id)
        said: dict[str, list[tuple[str, str]]] = {}
        for mistake in self._mistakes:
            cases = pool.of(mistake.task_id, mistake.symbol)
            if mistake.task_id == task.id and cases:
                asked = ask(self._talk_to(mistake), pool, cases)
                if smallest(self._talk_to(mistake), pool, asked) is not None:
                    said.setdefault(mistake.symbol, []).append((signature(asked), mistake.says))
        return {symbol: alone(pairs) for symbol, pairs in said.items()}


def _begun(session: Session) -> Conversation:
    session.talk.begin(0, TRUSTED_SECONDS)
    return session.talk
