"""A function that changes an argument in place loses something, and never much.

Visible tests alone watch for it. Each function of each reference is made careless here: it gives
the right answer, and then changes the lists, dicts, arrays and tensors that a test has given it.
`make test` tries every second function of the chapter whose turn it is, `make test-thorough` all.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from examiner.candidate.arguments import Watched
from examiner.judge.local import on_module
from examiner.judge.modules import load_module
from examiner.judge.runs import Terms
from examiner.judge.suite import Suite, with_suite
from examiner.project import find_project
from examiner.results import Verdict
from tests.browser import THOROUGH
from tests.course import CHAPTERS
from tests.every_chapter.share_kept import EDGE_KEEPS, does_nothing, needing, share_kept
from tests.reference import replace

pytestmark = [pytest.mark.slow, pytest.mark.turns("stem")]
PROJECT = find_project(Path(__file__))
CASES = [
    (chapter.stem, task.id, symbol)
    for chapter in CHAPTERS
    for task in chapter.tasks
    for symbol in task.symbols
][:: 1 if THOROUGH else 2]


@dataclass(frozen=True)
class Found:
    """What became of a function that changes its arguments."""

    kept: float  # of its points
    seen: bool  # whether a test noticed
    could: bool  # whether any test gave it something that can be changed


def spoil(value: Any) -> bool:
    """Change a value in place, if it can be changed; tell whether it was."""
    if type(value) is list:
        value.append(value[-1] if value else 0)
    elif type(value) is dict:
        value[next(iter(value), "new")] = None
    elif isinstance(value, np.ndarray) and value.size and value.flags.writeable:
        value.flat[0] = ~value.flat[0] if value.dtype == bool else value.flat[0] + 1
    elif _is_data(value) and value.numel():
        first = (0,) * value.ndim
        value[first] = ~value[first] if value.dtype == torch.bool else value[first] + 1
    else:
        return False
    return True


def _is_data(value: Any) -> bool:
    """Tell whether it is a tensor that no gradient flows through: a change would hurt that, too."""
    return isinstance(value, torch.Tensor) and not value.requires_grad


def careless(original: Callable[..., Any], home: str, spoiled: list[str]) -> Callable[..., Any]:
    """The same function, which spoils its arguments when it is called from outside its module."""

    @wraps(original)
    def spoiling(*args: Any, **kwargs: Any) -> Any:
        own = [*(args[1:] if "." in original.__qualname__ else args), *kwargs.values()]
        watched = Watched(own, {})
        value = original(*args, **kwargs)
        if _caller() != home:
            value = copy.deepcopy(value) if _may_share_memory(value) else value
            meant = watched.changed()  # what the task is to change
            others = [each for place, each in enumerate(own) if place not in meant]
            if any(list(map(spoil, others))):
                spoiled.append(original.__name__)
        return value

    return spoiling


def _caller() -> str:
    """Return the file that called the careless function, past torch's own."""
    frame: Any
    try:
        raise LookupError  # chapter 6 forbids sys._getframe, and this is called in its watch
    except LookupError as error:
        here: Any = error.__traceback__
        frame = here.tb_frame.f_back.f_back
    while "/torch/" in frame.f_code.co_filename and frame.f_back:
        frame = frame.f_back
    return str(frame.f_code.co_filename)


def _may_share_memory(value: Any) -> bool:
    return isinstance(value, (list, dict, np.ndarray)) or _is_data(value)


def judged(suite: Suite, stem: str, task_id: str, symbol: str) -> Found:
    """Run a task's tests on the careless function."""
    path = PROJECT.module("solutions", stem)

    def verdicts(replacement: Callable[..., Any]) -> dict[str, Verdict]:
        module = load_module(path, f"careless_{stem}")
        replace(module, symbol, replacement)
        session = on_module(suite, stem, module)
        tests = [test for test in suite.tests if test.mark.id == task_id]
        return {test.name: session.run(test, Terms("careless")).verdict for test in tests}

    original = attrgetter(symbol)(load_module(path, f"careful_{stem}"))
    spoiled: list[str] = []
    weights = {test.name: test.mark.weight for test in suite.tests}
    own = needing(verdicts(does_nothing))
    found = verdicts(careless(original, str(path), spoiled))
    seen = Verdict.FAILED in found.values()
    return Found(share_kept(own, weights, found), seen, bool(spoiled))


@cache
def all_judged(stem: str) -> dict[str, Found]:
    found: dict[str, Found] = {}

    def work(suite: Suite) -> None:
        for of, task_id, symbol in CASES:
            if of == stem:
                found[symbol] = judged(suite, stem, task_id, symbol)

    with_suite(PROJECT.suite(stem), PROJECT.root, work)
    return found


@pytest.mark.parametrize(("stem", "symbol"), [(stem, symbol) for stem, _, symbol in CASES])
def test_a_change_in_place_costs_something_and_not_much(stem: str, symbol: str) -> None:
    found = all_judged(stem)[symbol]
    if found.could:
        assert found.seen, "no visible test gives it an argument that can be changed"
        assert found.kept >= EDGE_KEEPS, f"it keeps {found.kept:.0%}"
