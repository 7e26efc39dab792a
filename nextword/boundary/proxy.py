"""What stands for a student's module in a test: every use becomes a message to the candidate.

Plain values come back as plain values; the student's own objects as handles, which compare, count
as true and print as nothing of the student's. Leaves out who answers (see Conversation.ask).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from nextword.boundary import wire
from nextword.boundary.deadline import Deadline, Waits
from nextword.candidate.host import CLASS_BITS
from nextword.results import Verdict

MAX_KEPT = 4 << 20  # bytes of a test's messages that are kept to find misconceptions
MAX_ITEMS = 1 << 20  # items taken from one of the student's iterators
MAX_NAMES = 10_000  # of a module or a class
BATCH = 256


class Stop(BaseException):
    """Ends a test at once with a verdict. Not an Exception, so that no test can swallow it."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict, self.message = verdict, message


class MissingNameError(AttributeError):
    """The student's module has no such name."""


class CannotCrossError(TypeError):
    """A test passes something that cannot be sent to a candidate: the suite's fault."""


@dataclass
class Asked:
    """One request of a test and the answer it got, as bytes."""

    request: bytes
    answer: bytes


@dataclass
class Conversation:
    """What a test says to a candidate and hears from it.

    `ask(number, test, released, body, deadline)` carries a request over and returns how much has
    been printed so far and the answer; it raises Stop when there will be none.
    """

    ask: Callable[[int, int, list[int], bytes, Deadline], tuple[int, bytes]]
    waits: Waits | None = None  # of the candidate
    number: int = 0  # of the last request
    test: int = 0
    deadline: Deadline = field(default_factory=lambda: Deadline(0.0))
    printed: int = 0
    released: list[int] = field(default_factory=list)
    methods: dict[int, frozenset[str]] = field(default_factory=dict)  # by class number
    # what happened in the running test:
    transcript: list[Asked] = field(default_factory=list)
    kept: int = 0  # bytes in the transcript
    answers: int = 0
    raised: BaseException | None = None  # the student's last exception, as the test saw it
    lines: tuple[int, ...] = ()  # where it came from, in the student's file
    unwritten: str | None = None  # message of a NotImplementedError
    stopped: Stop | None = None

    def begin(self, test: int, seconds: float) -> None:
        """Forget the last test and give the next one its time."""
        self.test, self.deadline = test, Deadline(seconds, self.waits)
        self.transcript, self.kept, self.answers = [], 0, 0
        self.raised, self.lines, self.unwritten, self.stopped = None, (), None, None

    def request(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        """Have the candidate do something; return its answer or raise what it raised."""
        if self.stopped:
            raise self.stopped
        try:
            body = wire.encode([operation, list(args), kwargs], _export)
        except wire.WireError as error:
            raise CannotCrossError(f"{operation}: {error}") from None
        _move_on([*args, *kwargs.values()])
        self.number += 1
        released, self.released = self.released, []
        try:
            self.printed, answer = self.ask(self.number, self.test, released, body, self.deadline)
            self._keep(body, answer)
            status, value = self._read(answer)
        except Stop as stop:
            self.stopped = stop
            raise
        if status == "ok":
            self.answers += 1
            return value
        self._raise(status, value)

    def _read(self, answer: bytes) -> tuple[str, Any]:
        try:
            status, value = wire.decode(answer, self._resolve)
        except (wire.WireError, ValueError, TypeError):
            raise Stop(Verdict.CRASHED, "your code sent something that is no answer") from None
        return status, value

    def _keep(self, request: bytes, answer: bytes) -> None:
        self.kept += len(request) + len(answer)
        if self.kept <= MAX_KEPT:
            self.transcript.append(Asked(request, answer))

    def _raise(self, status: str, value: Any) -> NoReturn:
        if status == "missing":
            self.raised = MissingNameError(str(value))
        elif status == "unsendable":
            self.answers += 1
            self.raised = TypeError(f"the answer cannot be used: {value}")
        elif status == "error":
            self.raised = self._student_error(value)
        else:
            self.stopped = Stop(Verdict.CRASHED, "your code sent something that is no answer")
            raise self.stopped
        raise self.raised

    def _student_error(self, value: Any) -> BaseException:
        try:
            kind, text, lines = value
            self.lines = tuple(int(line) for line in lines)
            text = str(text)
        except (TypeError, ValueError):
            kind, text = "Exception", ""
        if kind in ("SystemExit", "KeyboardInterrupt", "GeneratorExit"):
            self.stopped = Stop(Verdict.CRASHED, f"your code ended the program ({kind})")
            return self.stopped
        if kind == "NotImplementedError":
            self.unwritten = text
        return _exception(kind, text)

    def _resolve(self, kind: int, key: Any) -> Any:
        if kind != wire.HANDLE or not 0 < key < 1 << 64:
            raise wire.WireError("a broken handle")
        return Handle(self, key)

    def methods_of(self, handle: Handle) -> frozenset[str]:
        """Return the names of a handle's methods, asking once per class."""
        kind = handle._number >> CLASS_BITS
        if kind not in self.methods:
            names = self.request("describe", handle)
            self.methods[kind] = frozenset(names) if _are_names(names) else frozenset()
        return self.methods[kind]


def _are_names(found: Any) -> bool:
    return (
        isinstance(found, list)
        and len(found) <= MAX_NAMES
        and all(isinstance(name, str) for name in found)
    )


def _exception(kind: Any, text: str) -> BaseException:
    """Return a builtin exception by name; where it needs more than a text, its nearest base.

    subtle: a StopIteration would end a `map` in the test, as if there were nothing more to test.
    """
    found = getattr(builtins, kind, None) if isinstance(kind, str) else None
    if not (isinstance(found, type) and issubclass(found, Exception)):
        found = Exception
    if issubclass(found, (StopIteration, StopAsyncIteration)):
        found, text = RuntimeError, f"{found.__name__} {text}".strip()
    for each in found.__mro__:
        try:
            return each(text)
        except TypeError:
            continue
    return Exception(text)


def _export(obj: Any) -> tuple[int, Any]:
    if isinstance(obj, Handle):
        return wire.HANDLE, obj._number
    if isinstance(obj, Named):
        return wire.NAME, obj._name
    if isinstance(obj, Module):
        return wire.NAME, ""
    return wire._refuse(obj)


def _move_on(args: list[Any]) -> None:
    """Jump the generators that were sent ahead, so that a second call does not get equal draws.

    The candidate has a copy; what it draws there cannot be seen here and need not be.
    """
    for each in args:
        if isinstance(each, np.random.Generator):
            bits: Any = each.bit_generator
            if hasattr(bits, "advance"):
                bits.advance(1 << 64)
            else:
                bits.state = bits.jumped().state


class _Remote:
    """What every stand-in can do: be called, indexed, iterated. Never: compare as equal."""

    _talk: Conversation

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._talk.request("call", self, *args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._talk.request("index", self, key)

    def __len__(self) -> int:
        size = self._talk.request("length", self)
        if type(size) is not int or not 0 <= size <= MAX_ITEMS:
            raise TypeError("the length of the answer is no number, or too large")
        return size

    def __contains__(self, item: Any) -> bool:
        return self._talk.request("contains", self, item) is True

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, Handle) and (
            self._talk.request("isinstance", instance, self) is True
        )

    def __iter__(self) -> Iterator[Any]:
        iterator = self._talk.request("iterate", self)
        taken = 0
        while taken < MAX_ITEMS:
            # one at a time at first: the student's generator may be endless, or have side effects
            count = 1 if taken < BATCH else BATCH
            items = self._talk.request("take", iterator, count)
            if not isinstance(items, list):
                raise TypeError("the answer cannot be iterated")
            yield from items
            taken += len(items)
            if len(items) < count:
                return
        raise Stop(Verdict.FAILED, f"your code gave more than {MAX_ITEMS} items")

    def __bool__(self) -> bool:
        raise TypeError("expected a plain value, got an object of the student's own class")

    def remote_gradients(self, inputs: tuple[Any, ...], weights: Any) -> Any:
        """Take the gradients where the function is; see nextword.check.gradients."""
        return self._talk.request("gradients", self, "", inputs, weights)


class Named(_Remote):
    """A function or class of the student's module, by its dotted name."""

    def __init__(self, talk: Conversation, name: str) -> None:
        self._talk, self._name = talk, name

    def __getattr__(self, name: str) -> Any:
        """Read an attribute of the function or class, such as a class's static method."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self._talk.request("get", self, name)

    def __repr__(self) -> str:
        return self._name


class Handle(_Remote):
    """An object that stays in the candidate."""

    def __init__(self, talk: Conversation, number: int) -> None:
        self._talk, self._number = talk, number

    def __getattr__(self, name: str) -> Any:
        """Read an attribute, or get a method to call."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._talk.methods_of(self):
            return Method(self, name)
        return self._talk.request("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_talk", "_number"):
            object.__setattr__(self, name, value)
        else:
            self._talk.request("set", self, name, value)

    def __del__(self) -> None:
        self._talk.released.append(self._number)

    def __repr__(self) -> str:
        return "<your object>"


class Method:
    """A method of an object that stays in the candidate."""

    def __init__(self, handle: Handle, name: str) -> None:
        self._handle, self._name = handle, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method in the candidate."""
        return self._handle._talk.request("method", self._handle, self._name, *args, **kwargs)

    def remote_gradients(self, inputs: tuple[Any, ...], weights: Any) -> Any:
        """Take the gradients where the method is; see nextword.check.gradients."""
        return self._handle._talk.request("gradients", self._handle, self._name, inputs, weights)

    def __bool__(self) -> bool:
        raise TypeError("expected a plain value, got a method of the student's")

    def __repr__(self) -> str:
        return self._name


class Module:
    """The student's module."""

    def __init__(self, talk: Conversation, directory: dict[str, str]) -> None:
        self._talk, self._directory = talk, directory

    def __getattr__(self, name: str) -> Any:
        """Return a stand-in for a function or class, or the value of a constant."""
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._directory.get(name)
        if kind is None:
            self._talk.raised = MissingNameError(name)
            raise self._talk.raised
        return (
            Named(self._talk, name) if kind == "callable" else self._talk.request("get", self, name)
        )

    def __repr__(self) -> str:
        return "<your module>"
