"""What needs no thought earns nothing: constants, echoes, errors, zeros, the course's own helpers.

Each cheat stands in for every function of an untouched stub. `make test` runs, in turn, half of the
tests on each of the plainest cheats and a fortieth on each of the others; `make test-thorough` runs
every test on all, and tries each cheat for each function alone, too.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
import pytest
import torch

from examiner.boundary.proxy import Shipped
from examiner.catalogue import Chapter, Task
from examiner.judge.local import on_module
from examiner.judge.modules import load_module
from examiner.judge.runs import Terms
from examiner.judge.suite import Suite, with_suite
from examiner.judge.timelimit import time_limit
from examiner.project import find_project
from examiner.results import Verdict
from tests.browser import THOROUGH
from tests.course import CHAPTERS
from tests.reference import replace

pytestmark = [pytest.mark.slow, pytest.mark.turns("chapter")]
PROJECT = find_project(Path(__file__))
SECONDS = 0.5  # for a test: a cheat that never ends earns nothing either
CONSTANTS: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, 1e-9, 1.0001, math.nan, math.inf, -math.inf),
    *("", "a", b"", [], [0], [""], (), (0, 0), {}, {"a": 1}, set(), range(0)),
)
ERRORS = (
    *(Exception, ValueError, TypeError, IndexError, KeyError, RuntimeError, AssertionError),
    *(ZeroDivisionError, AttributeError, StopIteration, OverflowError, MemoryError),
)
PLAIN = {
    *("the first argument", "agrees with everything", "always None", "always 1", "always nan"),
    "reckons for itself",
    *("raises Exception", "0 everywhere", "nan everywhere"),
}
# of the plainest cheats and of the others, every so manieth is tried on a test
SHARE_OF_PLAIN, SHARE = (1, 1) if THOROUGH else (3, 60)
Cheat = Callable[..., Any]


class Agrees:
    """Equal to everything, larger and smaller than everything, callable, iterable, without end."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self

    def __eq__(self, other: object) -> bool:
        return True

    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __ne__ = __eq__  # type: ignore[assignment]
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __call__
    __neg__ = __abs__ = __getitem__ = __enter__ = __call__
    __hash__ = object.__hash__

    def __float__(self) -> float:
        return 1.0

    def __int__(self) -> int:
        return 1

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        return iter([self])

    def __exit__(self, *args: object) -> None:
        pass


class Reckons:
    """Gives a plain 0 for every sum, difference and product: two of them are the same number."""

    def __sub__(self, other: object) -> float:
        return 0.0

    __add__ = __radd__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __sub__
    __truediv__ = __rtruediv__ = __pow__ = __sub__

    def __abs__(self) -> float:
        return 0.0

    def __getitem__(self, key: object) -> float:
        return 0.0

    def __lt__(self, other: object) -> bool:
        return True

    __le__ = __gt__ = __ge__ = __contains__ = __lt__

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class AgreesAsNumber(float):
    """A number that equals every other one."""

    def __eq__(self, other: object) -> bool:
        return True

    __lt__ = __le__ = __gt__ = __ge__ = __eq__  # type: ignore[assignment]
    __hash__ = float.__hash__


def constant(value: Any) -> Cheat:
    return lambda *args, **kwargs: value


def raising(kind: type[Exception]) -> Cheat:
    def cheat(*args: object, **kwargs: object) -> NoReturn:
        raise kind("no")

    return cheat


def of_right_shape(fill: float, right: Cheat) -> Cheat:
    """What the reference would answer, with one number in place of every number."""

    def cheat(*args: Any, **kwargs: Any) -> Any:
        with contextlib.suppress(Exception):  # what it does to its arguments would be the answer
            args, kwargs = copy.deepcopy((args, kwargs))
        return filled(right(*args, **kwargs), fill)

    return cheat


def filled(value: Any, fill: float) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.full_like(value, bool(fill) if value.dtype == torch.bool else fill)
    if isinstance(value, torch.nn.Module):
        value = copy.deepcopy(value)
        for p in value.parameters():
            p.data = torch.full_like(p, fill)
        return value
    if isinstance(value, np.ndarray):
        return np.full_like(value, fill) if value.dtype.kind in "biuf" else value[:0]
    if isinstance(value, bool):
        return bool(fill)
    if isinstance(value, (int, float, np.number)):
        return type(value)(fill)
    if isinstance(value, dict):
        return {key: filled(each, fill) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(filled(each, fill) for each in value)
    return "" if isinstance(value, str) else value


# ------------------------------------------------------------------ the course's own helpers


def helpers(stem: str, suite_modules: list[ModuleType]) -> dict[str, Cheat]:
    """What lies beside a student's code: what its file may import, and what suites ship."""
    reference = load_module(PROJECT.module("solutions", stem), f"imports_of_{stem}")
    given = [value for value in vars(reference).values() if _is_given(value)]
    modules = [value for value in given if isinstance(value, ModuleType)]
    given += [value for module in modules for value in vars(module).values() if _is_given(value)]
    shipped = [value for module in suite_modules for value in vars(module).values()]
    given += [value.helper for value in shipped if isinstance(value, Shipped)]
    found: dict[str, Cheat] = {}
    for helper in given:
        if inspect.isfunction(helper):
            found[helper.__name__] = helper
        elif inspect.isclass(helper):
            found[helper.__name__] = partial(_made, helper)
            methods = {k: each for k, each in vars(helper).items() if inspect.isfunction(each)}
            found |= {f"{helper.__name__}.{name}": each for name, each in methods.items()}
    return found


def _is_given(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return str(name).startswith("nextword.corpora")


def _made(kind: type, *args: Any, **kwargs: Any) -> Any:
    return kind(*args, **kwargs)


# ------------------------------------------------------------------ what they earn


def cheats(right: Cheat, given: dict[str, Cheat], *, method: bool) -> dict[str, Cheat]:
    """Every cheat that can stand for a function, by name."""
    first = int(method)
    found: dict[str, Cheat] = {
        "the first argument": lambda *args, **kwargs: args[first] if len(args) > first else None,
        "the last argument": lambda *args, **kwargs: args[-1],
        "all arguments": lambda *args, **kwargs: args[first:],
        "agrees with everything": constant(Agrees()),
        "agrees as a number": constant(AgreesAsNumber(1.0)),
        "reckons for itself": constant(Reckons()),
        "yields nothing": lambda *args, **kwargs: iter(()),
    }
    found |= {f"always {value!r}": constant(value) for value in CONSTANTS}
    found |= {f"raises {kind.__name__}": raising(kind) for kind in ERRORS}
    for fill in (0, 1, math.nan):
        found[f"{fill} everywhere"] = of_right_shape(fill, right)
    for name, helper in given.items():
        found[f"the helper {name}"] = helper
        if method:
            found[f"the helper {name} without self"] = _without_self(helper)
    return found


def _without_self(helper: Cheat) -> Cheat:
    return lambda self, *args, **kwargs: helper(*args, **kwargs)


class Table:
    """Which cheats earn something in a chapter, by test."""

    def __init__(self, chapter: Chapter, suite: Suite) -> None:
        self.chapter, self.suite, self.earned = chapter, suite, dict[str, list[str]]()
        self.terms = Terms("cheats", bound=lambda deadline: time_limit(SECONDS))
        stem = chapter.stem
        right = load_module(PROJECT.module("solutions", stem), f"right_{stem}")
        modules = [m for name, m in sys.modules.items() if name.startswith(f"tests.{stem}.suite")]
        given = helpers(stem, [*modules, *{test.item.module for test in suite.tests}])
        self.cheats = {
            symbol: cheats(attrgetter(symbol)(right), given, method="." in symbol)
            for task in chapter.tasks
            for symbol in task.symbols
        }

    def fill(self) -> None:
        """Try each cheat for all functions at once, and for each of them alone."""
        names = dict.fromkeys(name for each in self.cheats.values() for name in each)
        for number, name in enumerate(names):
            everywhere = {
                symbol: each[name] for symbol, each in self.cheats.items() if name in each
            }
            share = SHARE_OF_PLAIN if name in PLAIN else SHARE
            self.judge(name, everywhere, self.chapter.tasks, number % share, share)
            for task in self.chapter.tasks if THOROUGH else ():
                if len(task.symbols) > 1:
                    for symbol in set(task.symbols) & everywhere.keys():
                        self.judge(f"{name} for {symbol}", {symbol: everywhere[symbol]}, (task,))

    def judge(
        self,
        name: str,
        replaced: dict[str, Cheat],
        tasks: tuple[Task, ...],
        turn: int = 0,
        share: int = 1,
    ) -> None:
        """Note what an untouched stub earns with these functions, in tests whose turn it is."""
        stub = load_module(PROJECT.module("coursework", self.chapter.stem), "cheat")
        for symbol, cheat in replaced.items():
            replace(stub, symbol, cheat)
        session = on_module(self.suite, self.chapter.stem, stub)
        for task in tasks:
            for test in self.suite.tests:
                if (turn + test.number) % share:
                    continue
                if test.mark.id != task.id:
                    continue
                if session.run(test, self.terms).verdict is Verdict.PASSED:
                    self.earned.setdefault(f"{task.id} {test.name}", []).append(name)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_what_needs_no_thought_earns_nothing(chapter: Chapter) -> None:
    tables: list[Table] = []

    def work(suite: Suite) -> None:
        tables.append(Table(chapter, suite))
        tables[-1].fill()

    with_suite(PROJECT.suite(chapter.stem), PROJECT.root, work)
    found = [f"{test}: {', '.join(names)}" for test, names in tables[0].earned.items()]
    assert not found, "\n".join(found)
