"""How values and calls are written in a message: short, whole items, no addresses in memory."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from examiner.boundary import marks, wire
from examiner.boundary.conversation import Asked

ROOM = 300  # characters of a value
SMALL = 40  # characters of a constructor that is written where its object is used
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class _Short(reprlib.Repr):
    """Leaves out whole items, never a part of one."""

    def __init__(self, items: int) -> None:
        super().__init__()
        self.maxlevel = 6
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = items
        self.maxdeque = self.maxarray = items
        self.maxstring = self.maxlong = self.maxother = 120
        self.fillvalue = "…"

    def repr_Counter(self, value: dict[Any, Any], level: int) -> str:  # noqa: N802 (reprlib's)
        """Show what counts as a dict is shown."""
        return self.repr_dict(dict(value), level)

    repr_defaultdict = repr_Counter

    def repr_float(self, value: float, level: int) -> str:
        """Show a number with the digits that a reader compares."""
        return repr(float(f"{value:.10g}"))

    def repr_dict(self, value: dict[Any, Any], level: int) -> str:
        """Show the items in the dict's own order."""
        if level <= 0 and value:
            return "{…}"
        rows = list(value.items())[: self.maxdict]
        parts = [f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}" for k, v in rows]
        return "{" + ", ".join([*parts, *(["…"] if len(value) > len(rows) else [])]) + "}"

    def repr_ndarray(self, value: np.ndarray, level: int) -> str:
        """Show an array on one line."""
        text = np.array2string(value, threshold=self.maxlist, separator=", ", precision=6)
        return f"array({' '.join(text.split())})"

    def repr_instance(self, value: Any, level: int) -> str:
        """Show anything else without its address."""
        try:
            text = " ".join(_ADDRESS.sub("", repr(value)).split())
            kind = type(value).__name__.lower().replace("answer", "tensor")
            short = f"<{kind} {tuple(value.shape)}>" if hasattr(value, "shape") else f"<{kind}>"
        except Exception:
            return f"<{type(value).__name__}>"
        return text if len(text) <= ROOM // 2 else short


def show(value: Any, room: int = ROOM) -> str:
    """Return a value as text of about so many characters.

    >>> show([("the",)] * 90, 30)
    "[('the',), ('the',), …]"
    """
    value = exact(value)
    for items in (60, 30, 15, 8, 4, 2, 1):
        text = _Short(items).repr(value)
        if len(text) <= room:
            return text
    return text[:room] + " …"


def exact(value: Any) -> Any:
    """Return what pytest.approx was made of, and any other value as it is."""
    approximate = type(value).__name__.startswith("Approx")
    return getattr(value, "expected", value) if approximate else value


@dataclass(frozen=True)
class Reference:
    """A handle or a name in a message."""

    kind: int
    key: Any


@dataclass(frozen=True)
class Call:
    """A call of the student's code, as a test made it."""

    name: str  # "pad", "MLE(…).prob"
    args: Sequence[Any]
    kwargs: dict[str, Any]
    answer: Any = None
    failed: bool = False  # it raised
    before: str = ""  # how the object was made whose method this is: a line of its own

    def __str__(self) -> str:
        parts = [show(each, ROOM // 2) for each in self.args]
        parts += [f"{key}={show(each, ROOM // 2)}" for key, each in self.kwargs.items()]
        return f"{self.name}({', '.join(parts)})"

    @property
    def lines(self) -> str:
        """The call, below the line that makes its object."""
        return "\n".join(filter(None, (self.before, str(self))))


def calls(transcript: Sequence[Asked]) -> list[Call]:
    """Return the calls of functions and methods in a transcript, in their order."""
    return list(_calls(transcript))


def _calls(transcript: Sequence[Asked]) -> Iterator[Call]:
    made: dict[Any, tuple[str, str]] = {}  # handle -> what it is called, and how it was made
    for asked in transcript:
        operation, args, kwargs, _ = wire.decode(asked.request, Reference, trusted=True)
        if operation not in ("call", "method"):
            continue
        status, answer, *_ = wire.decode(asked.answer, Reference)
        name, rest, before = _name(operation, args, made)
        if not name:
            continue
        given = [_named(each, made) for each in rest]
        call = Call(name, given, kwargs, answer, status != "ok", before)
        if isinstance(answer, Reference) and answer.kind == marks.HANDLE:
            text = str(call)
            known = (text, "") if len(text) <= SMALL else ("it", f"it = {text}")
            made.setdefault(answer.key, known)
        yield call


def _name(
    operation: str, args: list[Any], made: dict[Any, tuple[str, str]]
) -> tuple[str, list[Any], str]:
    """Return what is called ("": a helper of the suite), its arguments, how its object was made."""
    target = args[0]
    if not isinstance(target, Reference):
        return "", [], ""
    if operation == "method":
        name, before = made.get(target.key, ("<your object>", ""))
        return f"{name}.{args[1]}", args[2:], before
    if target.kind == marks.NAME:
        return str(target.key), args[1:], ""
    name, before = made.get(target.key, ("", ""))
    return name, args[1:], before


class _Text(str):
    """A text that is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _named(value: Any, made: dict[Any, tuple[str, str]]) -> Any:
    if isinstance(value, Reference):
        if value.kind == marks.HANDLE:
            return _Text(made.get(value.key, ("<your object>", ""))[0])
        return _Text(value.key if isinstance(value.key, str) else "<your method>")
    return value
