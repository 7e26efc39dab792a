"""Tries short programs on a student's module: what each gives, or how it fails.

It runs where the student's code is, which may change what it says: only its author reads that.
Leaves out which programs there are, and what is right (examiner.counterexamples).
"""

from __future__ import annotations

import ast
import collections
import contextlib
import itertools
import math
import reprlib
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from examiner.boundary import wire
from examiner.boundary.errors import WireError
from examiner.candidate.exceptions import builtin_kind, text_of

MOST_ITEMS = 1000  # of an iterator that is given in place of a list
MOST_BYTES = 1 << 16  # of one answer
MAX_TEXT = 500  # characters of an exception's message
MOST_VALUES = 8  # variables that are told of a failing line
AGAIN = 0.05  # seconds after which code that has swallowed its interruption is interrupted anew
_DRAWING = ("np.random.", "torch.Generator")  # arguments that a call changes by using them

# a program: its arguments, by name and as code; its own code; helpers that both may call
Program = Sequence[Any]
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60
_short.maxlist = _short.maxtuple = _short.maxdict = _short.maxset = 6


class TooSlowError(BaseException):
    """A program has used up its time. Not an Exception: code that swallows errors goes on."""


def try_all(
    module: types.ModuleType,
    programs: Sequence[Program],
    seconds: float,
    begin: Callable[[], None],
    passing: tuple[type[BaseException], ...] = (),
) -> list[bytes]:
    """Return what each program gives, up to the first that takes longer than `seconds`.

    `begin` is called before each: it gives all the same luck. Each answer is one of
    ["value", value, changed arguments], ["error", kind, text, lines, values], ["other", kind],
    ["unwritten", text, lines] and ["slow", lines].
    """
    found: list[bytes] = []
    for program in programs:
        begin()
        try:
            found.append(_tried(module, program, seconds, passing))
        except TooSlowError as error:
            found.append(wire.encode(["slow", _own_lines(error, module)]))
            break
    return found


def _tried(
    module: types.ModuleType,
    program: Program,
    seconds: float,
    passing: tuple[type[BaseException], ...],
) -> bytes:
    try:
        with _limited(seconds):
            value, changed = _run(program, _names(module))
            return _sendable(value, changed)
    except TooSlowError:
        raise
    except passing:
        raise
    except NotImplementedError as error:
        return wire.encode(["unwritten", text_of(error, MAX_TEXT), _own_lines(error, module)])
    except BaseException as error:
        return wire.encode(_report(error, module))


def _names(module: types.ModuleType) -> dict[str, Any]:
    """Return what a program may name: the module's own names, and those of a few libraries."""
    known: dict[str, Any] = {"np": np, "math": math, "Counter": collections.Counter}
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "Tensor"):
        known |= {"torch": torch, "nn": torch.nn}
    return known | vars(module)


def _run(program: Program, names: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return a program's value, and the arguments that it has changed."""
    arguments, code, helpers = program
    if helpers:
        exec(compile(helpers, "<helpers>", "exec"), names)
    for name, text in arguments:
        names[name] = eval(text, names)
    *steps, last = ast.parse(code).body
    if steps:
        exec(compile(ast.Module(steps, []), "<example>", "exec"), names)
    assert isinstance(last, ast.Expr)
    value = eval(compile(ast.Expression(last.value), "<example>", "eval"), names)
    if isinstance(value, Iterator):
        value = list(itertools.islice(value, MOST_ITEMS))
    watched = ((name, text) for name, text in arguments if not text.startswith(_DRAWING))
    return value, [name for name, text in watched if _changed(names[name], eval(text, names))]


def _changed(after: Any, before: Any) -> bool:
    try:
        return wire.encode(after) != wire.encode(before)
    except WireError:
        return False


def _sendable(value: Any, changed: list[str]) -> bytes:
    try:
        answer = wire.encode(["value", value, changed])
        if len(answer) <= MOST_BYTES:
            return answer
    except WireError:
        pass
    return wire.encode(["other", type(value).__name__])


def _report(error: BaseException, module: types.ModuleType) -> list[Any]:
    """Return what is told of an exception: builtin kind, message, own lines, and values there."""
    lines, values = _own_lines(error, module), dict[str, str]()
    with contextlib.suppress(BaseException):
        values = _values(error, module)
    return ["error", builtin_kind(error), text_of(error, MAX_TEXT), lines, values]


def _own_frames(error: BaseException, module: types.ModuleType) -> list[types.TracebackType]:
    found, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == (module.__file__ or ""):
            found.append(trace)
        trace = trace.tb_next
    return found


def _own_lines(error: BaseException, module: types.ModuleType) -> list[int]:
    return [trace.tb_lineno for trace in _own_frames(error, module)][-20:]


def _values(error: BaseException, module: types.ModuleType) -> dict[str, str]:
    """Return the variables of the last own line, and of what it reads of objects, as text."""
    frame = _own_frames(error, module)[-1].tb_frame
    rows = sorted(frame.f_locals.items(), key=lambda row: row[0] == "self")
    return {name: _shown(value) for name, value in rows[: 4 * MOST_VALUES]}


def _shown(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None and len(shape) > 1:
        return f"an array of shape {tuple(shape)}"
    if isinstance(value, (types.FunctionType, types.ModuleType, type)):
        return ""
    if type(value).__repr__ is object.__repr__ or hasattr(value, "named_parameters"):
        return ""
    text = " ".join(_short.repr(value).split())[:120]
    return "" if " at 0x" in text else text  # an address, which is another on each run


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Interrupt the block when it has computed for so long, where the system has such a clock."""
    main = threading.current_thread() is threading.main_thread()
    if not (main and hasattr(signal, "setitimer")):
        yield
        return

    def interrupt(number: int, frame: types.FrameType | None) -> None:
        if _imports(frame):  # of a library whose import is cut off, a half stays behind
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN)  # it does not count
        else:
            raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before or signal.SIG_DFL)


def _imports(frame: types.FrameType | None) -> bool:
    """Tell whether an import is under way, such as that of a library at its first use."""
    while frame is not None:
        if frame.f_globals.get("__name__") == "importlib._bootstrap":
            return True
        frame = frame.f_back
    return False
