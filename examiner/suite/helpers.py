"""What lets a suite reach the student's code: the module, helpers that run beside it, changes."""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from types import CodeType, ModuleType
from typing import Any, TypeVar, cast

import pytest

from examiner.boundary.errors import CannotCrossError
from examiner.boundary.library import library_name, module_name
from examiner.boundary.proxy import Changes, Shipped, talk_of
from examiner.fingerprints import ALONE

T = TypeVar("T")


def student_module(stem: str) -> Any:
    """Return a fixture that gives a chapter's module as the student wrote it.

    >>> sorting = student_module("sorting")  # then: def test_merge(sorting): …
    """

    @pytest.fixture(name=stem)
    def module(coursework: Any) -> Any:
        return getattr(coursework, stem)

    return module


def changes(value: T) -> Changes:
    """Wrap an argument that the student's function is to change in place.

    Without it, a function that changes its argument fails the test. Afterwards `.value` is the
    argument as the student's code left it: the student's word. What was wrapped stays as it is.

    >>> changes([2, 1]).value
    [2, 1]
    """
    return Changes(value)


def library_names(function: Any, *, beside: bool = True) -> frozenset[str]:
    """Return the names of libraries that the text of a student's function uses.

    With those of the functions and classes of its file that it leads to, and of whatever the file
    does besides, if `beside`: it may hide a watch there, or compare its work with a library's. For
    what a docstring forbids; what is only called can be watched beside it, but the student's
    process may hide it. Nothing for a function of the test's own.

    >>> library_names(len)
    frozenset()
    """
    talk = talk_of(function)
    return (
        frozenset() if talk is None else talk.names_read(f"{function!r}{'' if beside else ALONE}")
    )


def ship(helper: T) -> T:
    """Let a helper function or class of the suite run where the student's code is.

    For what needs the living object: callbacks, hooks, a subclass of the student's class, steps
    that change a module in place. The helper's source crosses over when it is first used; called
    with something of the student's among its arguments, or passed on as an argument, it runs
    there. Called with plain values and modules of the test's own, it runs here.

    It may use its arguments, what it imports, libraries that the suite has imported, and other
    shipped helpers. Any other name raises CannotCrossError: pass values as arguments.

    The student's code can read and change what runs beside it. So nothing secret may stand in a
    helper, no expected value and no hidden input, and what it returns is the student's word:
    let it return numbers that the test compares, never "right" or "wrong".

    >>> @ship
    ... def calls(module, x):
    ...     seen = []
    ...     module.register_forward_hook(lambda *_: seen.append(1))
    ...     module(x)
    ...     return len(seen)
    >>> import torch
    >>> calls(torch.nn.ReLU(), torch.ones(2))
    1
    """
    if not (inspect.isfunction(helper) or inspect.isclass(helper)):
        raise CannotCrossError(f"{helper!r} is no function or class that can be shipped")
    name = helper.__name__
    if inspect.isfunction(helper) and helper.__code__.co_freevars:
        inner = ", ".join(helper.__code__.co_freevars)
        raise CannotCrossError(f"{name} uses {inner}, local around it: pass it as an argument")
    around = sys._getframe(1).f_globals
    source = _source(helper)
    return cast(T, Shipped(helper, cache(lambda: _packed(name, source, around))))


def _source(helper: Any) -> str:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(helper)))
    except (OSError, TypeError, SyntaxError):
        raise CannotCrossError(f"{helper.__name__} has no source that can be shipped") from None
    definition = cast(ast.FunctionDef, tree.body[0])
    if not isinstance(definition, (ast.FunctionDef, ast.ClassDef)):
        raise CannotCrossError(f"{helper.__name__} is a lambda: write a function to ship it")
    definition.decorator_list = []
    return ast.unparse(tree)


def _packed(
    name: str, source: str, around: dict[str, Any]
) -> tuple[str, str, dict[str, str], dict[str, Shipped]]:
    """Return what a candidate needs to run a helper: its name, source, libraries and helpers."""
    libraries: dict[str, str] = {}
    helpers: dict[str, Shipped] = {}
    code = compile(source, f"<helper {name}>", "exec")
    for used in sorted(set(_global_names(code)) - {name, *dir(builtins)}):
        value = around.get(used)
        known = module_name(value) if isinstance(value, ModuleType) else library_name(value)
        if isinstance(value, Shipped):
            helpers[used] = value
        elif known is not None:
            libraries[used] = known
        elif used in around:
            raise CannotCrossError(f"{name} uses {used} of the suite: pass it as an argument")
    return name, source, libraries, helpers


def _global_names(code: CodeType) -> Iterator[str]:
    """Yield the names that a code reads from the module around it, those like __name__ aside."""
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield each.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)
