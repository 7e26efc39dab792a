"""Fixtures keep their word: what a suite passes has the shapes and types that the stub promises.

Every call that the tests of a chapter make of the reference is checked against its signature, and
weights that come as a dict against its docstring. A right answer may rely on either.
"""

import functools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from beartype import beartype
from jaxtyping import Float, TypeCheckError, jaxtyped
from torch import Tensor, zeros

from examiner.judge.local import on_module
from examiner.judge.runs import Terms
from examiner.judge.suite import Suite, with_suite
from examiner.project import find_project
from examiner.results import Verdict
from tests.course import CHAPTERS
from tests.reference import reference

pytestmark = [pytest.mark.slow, pytest.mark.turns("stem")]
PROJECT = find_project(Path(__file__))


@jaxtyped(typechecker=beartype)
def window_of_weights(
    E: Float[Tensor, "V D"],
    W: Float[Tensor, "H ND"],
    b: Float[Tensor, " H"],
    U: Float[Tensor, "V H"],
    c: Float[Tensor, " V"],
) -> None:
    """Accept the weights of tasks 4.1 and 4.2, which their signature only calls a dict."""
    assert W.shape[1] % E.shape[1] == 0, "W has N D columns"


def watched(module: ModuleType, symbol: str) -> None:
    """Have the weights checked that are the first argument of a function."""
    function = getattr(module, symbol)

    @functools.wraps(function)
    def checking(p: Any, *args: Any, **kwargs: Any) -> Any:
        window_of_weights(**p)
        return function(p, *args, **kwargs)

    setattr(module, symbol, checking)


def broken_promises(stem: str) -> list[str]:
    """Run a suite on the type-checked reference; say which test passes what the stub rules out."""
    module = reference(stem)
    sys.modules[module.__name__] = module
    for symbol in ("feedforward", "loss_and_gradients") if stem == "rnns" else ():
        watched(module, symbol)
    found: list[str] = []

    def work(suite: Suite) -> None:
        session = on_module(suite, stem, module)
        for test in suite.tests:
            judged = session.run(test, Terms("shapes"))
            if judged.verdict is not Verdict.PASSED:
                said = judged.raised or judged.result.message
                found.append(f"{test.mark.id} {test.name}: {said}")

    with_suite(PROJECT.suite(stem), PROJECT.root, work)
    sys.modules.pop(module.__name__)
    return found


@pytest.mark.parametrize("stem", [chapter.stem for chapter in CHAPTERS])
def test_fixtures_keep_the_shapes_of_the_stub(stem: str) -> None:
    assert not broken_promises(stem)


def test_a_window_that_breaks_its_word_is_seen() -> None:
    p = {"E": zeros(3, 1), "W": zeros(1, 2), "b": zeros(1), "U": zeros(2, 1), "c": zeros(2)}
    with pytest.raises(TypeCheckError):
        window_of_weights(**p)
