"""The pool of a chapter: short programs for each function, the simplest first, and what is right.

It depends on the suite's small.py alone: everybody gets the same programs, on any machine. None
of them is a hidden test's input; those are drawn elsewhere, from another seed.
"""

from __future__ import annotations

import ast
import base64
import inspect
import json
import sys
import textwrap
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from examiner.boundary import wire
from examiner.boundary.conversation import Conversation
from examiner.candidate.trials import MOST_BYTES
from examiner.counterexamples.axes import axes_of
from examiner.counterexamples.literals import emptiness, literal, names_in, size
from examiner.counterexamples.small import Example, Maker, Small
from examiner.errors import SuiteError
from examiner.judge.marks import generator_for
from examiner.judge.modules import load_module

FILES = "small*.py"
STREAM = "counterexamples"  # of random numbers: another than that of tests
SECONDS = 0.25  # of computing that a program may take
EMPTY = 5  # tokens that an empty list counts as, by which programs are sorted
GROWTH = 12  # draws between one size and the next


@dataclass(frozen=True)
class Outcome:
    """What a program gave on a module."""

    kind: str  # value, error, other, unwritten, slow
    value: Any = None  # of a value; of an error its builtin kind, of something else its type
    text: str = ""  # of an error
    lines: tuple[int, ...] = ()  # of the student's file, where it was raised
    values: Mapping[str, str] | None = None  # of variables there
    changed: tuple[str, ...] = ()  # arguments

    @classmethod
    def read(cls, body: Any) -> Outcome:
        """Return what a module's answer says, which may be anything; raises ValueError."""
        if type(body) is not bytes or len(body) > MOST_BYTES:
            raise ValueError("no outcome")
        kind, *rest = wire.decode(body)
        if kind == "value":
            value, changed = rest
            return cls("value", value, changed=tuple(map(str, changed)))
        if kind == "error":
            name, text, lines, values = rest
            told = {str(key): str(each) for key, each in dict(values).items()}
            return cls("error", str(name), str(text), tuple(map(int, lines)), told)
        if kind == "unwritten":
            return cls("unwritten", "", str(rest[0]), tuple(map(int, rest[1])))
        if kind == "slow":
            return cls("slow", lines=tuple(map(int, rest[0])))
        if kind == "other":
            return cls("other", str(rest[0]))
        raise ValueError(f"no outcome: {kind!r}")


@dataclass(frozen=True)
class Case:
    """A program of the pool, and what is right."""

    symbol: str
    arguments: tuple[tuple[str, str], ...]  # name and code
    code: str
    size: int  # of its arguments, in tokens
    empty: int = 0  # how many of them, or of their parts, are empty
    chances: Mapping[Any, float] | None = None
    rtol: float | None = None
    atol: float | None = None
    changes: tuple[str, ...] = ()
    right: Outcome | None = None
    last: bool = False  # asked of those alone who are right on all others

    @property
    def key(self) -> tuple[Any, ...]:
        """What it is to a reader: two programs with one key are the same."""
        return self.symbol, self.arguments, self.code

    @property
    def order(self) -> tuple[bool, int, int]:
        """By which programs are sorted: the simplest first, what is empty later."""
        letters = sum(len(text) for _, text in self.arguments) + len(self.code)
        return self.last, self.size + EMPTY * self.empty, letters

    def program(self, helpers: str) -> list[Any]:
        """Return it as it crosses to a module."""
        return [[list(each) for each in self.arguments], self.code, helpers]


@dataclass(frozen=True)
class Pool:
    """The programs of a chapter by task, the simplest first; of each function apart."""

    cases: Mapping[str, Sequence[Case]]  # by task
    helpers: Mapping[str, str]  # the source of functions that programs call, by name
    axes: Mapping[str, Sequence[str]] = field(default_factory=dict)  # letters of what they return
    # programs that have crossed already: to find which helpers one calls, it is parsed
    _crossed: dict[Any, list[Any]] = field(default_factory=dict, compare=False, repr=False)

    def of(self, task_id: str, symbol: str) -> list[Case]:
        """Return the programs of a task's function."""
        return [case for case in self.cases.get(task_id, ()) if case.symbol == symbol]

    def programs(self, cases: Iterable[Case]) -> list[list[Any]]:
        """Return cases as they cross to a module."""
        return [self._program(case) for case in cases]

    def _program(self, case: Case) -> list[Any]:
        if case.key not in self._crossed:
            self._crossed[case.key] = case.program(self._helpers(case))
        return self._crossed[case.key]

    def _helpers(self, case: Case) -> str:
        found, given = dict[str, str](), {name for name, _ in case.arguments}
        waiting = [case.code, *(text for _, text in case.arguments)]
        while waiting:
            for name in sorted(names_in(waiting.pop()) - given):
                if name in self.helpers and name not in found:
                    found[name] = self.helpers[name]
                    waiting.append(found[name])
        return "\n\n".join(reversed(found.values()))


def outcomes(
    talk: Conversation, programs: Sequence[Any], seconds: float = SECONDS, luck: int = 0
) -> list[Outcome]:
    """Return what programs give on a module, up to the first that is too slow.

    Raises Stop, and ValueError for what is no answer.
    """
    answers = talk.plain_request("try", list(programs), seconds, luck)
    if not isinstance(answers, list) or not 0 < len(answers) <= len(programs):
        raise ValueError("no outcomes")
    return [Outcome.read(each) for each in answers]


# ------------------------------------------------------------------------------ made


def pool_of(suite: Path, root: Path, reference: Path) -> Pool:
    """Return the pool of a suite, without what is right; empty where it has no small.py.

    What is too long for one file stands in several, small_WHAT.py. What they import of the suite is
    found below `root`; the reference's signatures name the axes of arrays. Raises SuiteError for a
    file that cannot be read, or draws what is no example.
    """
    cases, helpers = dict[str, list[Case]](), dict[str, str]()
    for path in sorted(suite.glob(FILES)):
        module = _read(path, suite, root)
        helpers |= _helpers(module)
        for maker in vars(module).values():
            if isinstance(maker, Maker):
                cases.setdefault(maker.task_id, []).extend(_drawn(maker))
    axes = axes_of(ast.parse(reference.read_bytes())) if cases else {}
    return Pool({task: _sorted(found) for task, found in cases.items()}, helpers, axes)


def _read(path: Path, suite: Path, root: Path) -> ModuleType:
    sys.path.insert(0, str(root))
    try:
        return load_module(path, f"{path.stem}_{suite.parent.name}")
    except Exception as error:
        raise SuiteError(f"{suite.parent.name}/{suite.name}/{path.name}: {error}") from error
    finally:
        sys.path.remove(str(root))


def _drawn(maker: Maker) -> Iterator[Case]:
    for number in range(maker.tries):
        draw = Small(generator_for(STREAM, maker.name, number), number // GROWTH)
        made = maker.draw(draw)
        if not isinstance(made, Example):
            raise SuiteError(f"{maker.name} gives {type(made).__name__}, which is no example")
        try:
            yield replace(_case(maker.symbol, made), last=maker.last)
        except (TypeError, SyntaxError) as error:
            raise SuiteError(f"{maker.name}: {error}") from error


def _case(symbol: str, made: Example) -> Case:
    code = textwrap.dedent(made.code).strip()
    last = ast.parse(code).body[-1]
    if not isinstance(last, ast.Expr):
        raise SyntaxError(f"the last line of an example is an expression, not {code!r}")
    arguments = tuple((name, literal(value)) for name, value in made.arguments.items())
    whole = sum(size(value) for value in made.arguments.values())
    empty = sum(emptiness(value) for value in made.arguments.values())
    given = made.chances, made.rtol, made.atol, made.changes
    return Case(symbol, arguments, code, whole, empty, *given)


def _sorted(cases: Iterable[Case]) -> list[Case]:
    different = {case.key: case for case in cases}
    return sorted(different.values(), key=lambda case: case.order)


def _helpers(module: ModuleType) -> dict[str, str]:
    own = {
        name: each
        for name, each in vars(module).items()
        if inspect.isfunction(each) and each.__module__ == module.__name__
    }
    return {name: inspect.getsource(each).rstrip() for name, each in own.items()}


def with_right(pool: Pool, talk: Conversation, tasks: Iterable[str] | None = None) -> Pool:
    """Return the pool, or a part of it, with what the reference gives.

    Raises SuiteError for a program that the reference cannot run.
    """
    wanted = pool.cases if tasks is None else [task for task in tasks if task in pool.cases]
    return replace(pool, cases={task: _answered(pool, pool.cases[task], talk) for task in wanted})


def _answered(pool: Pool, cases: Sequence[Case], talk: Conversation) -> list[Case]:
    found = outcomes(talk, pool.programs(cases), 60 * SECONDS)
    for case, outcome in zip(cases, found, strict=False):
        misnamed = outcome.kind == "error" and outcome.value == "NameError"  # never meant
        if outcome.kind in ("other", "slow", "unwritten") or misnamed:
            gave = outcome.text or outcome.kind
            said = f"{case.symbol}: the reference gives no value ({gave}) of {case.code}"
            raise SuiteError(f"{said} with {dict(case.arguments)}")
    return [replace(case, right=each) for case, each in zip(cases, found, strict=True)]


def merged(pools: Sequence[Pool]) -> Pool:
    """Return the pools of several tasks as one."""
    cases = {task: found for pool in pools for task, found in pool.cases.items()}
    return replace(pools[0], cases=cases) if pools else Pool({}, {})


# ------------------------------------------------------------------------------ stored


def to_json(pool: Pool) -> dict[str, Any]:
    """Return a pool with what is right as JSON; the programs of each task are packed."""
    return {
        "helpers": dict(pool.helpers),
        "axes": dict(pool.axes),
        "cases": {task: _packed(cases) for task, cases in pool.cases.items()},
    }


def _packed(cases: Sequence[Case]) -> str:
    text = json.dumps([_stored(case) for case in cases], ensure_ascii=False)
    return base64.b85encode(zlib.compress(text.encode(), level=9)).decode()


def _stored(case: Case) -> list[Any]:
    assert case.right is not None
    body = wire.encode([case.right.kind, case.right.value, case.chances, case.rtol, case.atol])
    known = [case.symbol, [list(each) for each in case.arguments], case.code, case.size]
    return [*known, list(case.changes), case.last, base64.b85encode(body).decode()]


def from_json(raw: Mapping[str, Any]) -> Pool:
    """Return what `to_json` wrote."""
    texts = {task: zlib.decompress(base64.b85decode(each)) for task, each in raw["cases"].items()}
    cases = {task: [_case_of(row) for row in json.loads(text)] for task, text in texts.items()}
    return Pool(cases, dict(raw["helpers"]), dict(raw["axes"]))


def _case_of(row: Sequence[Any]) -> Case:
    symbol, arguments, code, number, changes, last, body = row
    kind, value, chances, rtol, atol = wire.decode(base64.b85decode(body))
    pairs = tuple((str(name), str(text)) for name, text in arguments)
    right = Outcome(kind, value)
    told = chances, rtol, atol, tuple(changes), right, bool(last)
    return Case(symbol, pairs, code, number, 0, *told)
