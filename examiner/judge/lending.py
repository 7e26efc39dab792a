"""Lends parts of the reference to a student's code: its questions are answered here, in the
examiner's process, so that nothing of the reference ever gets where that code is.

What the student's objects are asked on the way goes back as a message, like those of a test.
Leaves out when something is lent (grading/retry.py) and the stand-ins (candidate/lent.py).
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from examiner.boundary import marks, wire
from examiner.boundary.errors import WireError
from examiner.candidate.learning import measured
from examiner.candidate.lent import LENT

if TYPE_CHECKING:
    from examiner.boundary.conversation import Conversation

MOST_OBJECTS = 10_000
DEEPEST = 100  # parts that call the student's code that calls parts …
_QUESTION = wire.encode(["lent", 0])[:-1]  # how the bytes of a question begin
_TRACED = ("call", "method", "get", "index", "operator")


def describe(module: ModuleType, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return what the stand-ins for these parts must know: nothing but names and kinds.

    A name that the reference lacks is left out.
    """
    found = []
    for name in names:
        with contextlib.suppress(AttributeError):
            found.append(_described(module, name))
    return found


def part(module: ModuleType, name: str) -> Any:
    """Return a part of a module as it stands there, a static method as one."""
    *outer, last = name.split(".")
    owner: Any = module
    for each in outer:
        owner = getattr(owner, each)
    return inspect.getattr_static(owner, last)


def _described(module: ModuleType, name: str) -> dict[str, Any]:
    found = part(module, name)
    if isinstance(found, type):
        known = {m for each in found.__mro__[:-1] for m in vars(each) if _is_public(each, m)}
        torch = sys.modules.get("torch")
        network = torch is not None and issubclass(found, torch.nn.Module)
        if network:
            base = sys.modules["torch"].nn.Module
            known = {m for m in known if getattr(base, m, None) is not getattr(found, m)}
        return {"name": name, "kind": "class", "methods": sorted(known), "module": network}
    kinds = (staticmethod, classmethod, property)
    kind = next((each.__name__ for each in kinds if isinstance(found, each)), "function")
    return {"name": name, "kind": kind}


def _is_public(owner: type, name: str) -> bool:
    special = name.startswith("__") and name not in _OBJECTS_OWN
    return callable(vars(owner)[name]) and (special or not name.startswith("_"))


_OBJECTS_OWN = set(dir(object)) | {"__init__", "__dict__", "__weakref__", "__module__"}
_OBJECTS_OWN -= {"__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"}


class Lender:
    """Has parts of the reference, and answers what a candidate asks of them in a test."""

    def __init__(self, module: ModuleType, names: Sequence[str]) -> None:
        self.parts = describe(module, names)
        self._module, self._names = module, frozenset(each["name"] for each in self.parts)
        self._methods = {
            (each["name"], method) for each in self.parts for method in each.get("methods", ())
        }
        self._classes = sorted(each["name"] for each in self.parts if each["kind"] == "class")
        self.used: set[str] = set()  # names of parts that were asked for in the running test
        self._objects: dict[int, Any] = {}
        self._kept: Any = None  # of boundary.gradients, where torch is used
        self._depth = 0
        self.tracing = False
        self.peak: int | None = None  # most bytes that a part held; None: nobody asks

    @property
    def busy(self) -> bool:
        """Whether a part is at work."""
        return self._depth > 0

    def begin(self) -> None:
        """Forget what a test has asked and made."""
        self.used, self._objects, self._kept, self._depth = set(), {}, None, 0
        self.peak = None

    def asks_for(self, answer: bytes) -> bytes:
        """Return what decides how a question of a candidate's is answered, besides the question
        itself; b"" where an answer is none.

        That is whether its part is lent, and of which classes objects can be.
        """
        if not answer.startswith(_QUESTION):
            return b""
        try:
            _, [operation, name, *_] = wire.decode(answer, lambda kind, key: None)
        except (WireError, ValueError, TypeError):
            return repr(self.parts).encode()
        calls = type(operation) is str and operation in ("call", "make")
        known = not calls or (type(name) is str and name in self._names)
        return repr((known, self._classes)).encode()

    def question(self, answer: bytes, talk: Conversation) -> list[Any] | None:
        """Return what a candidate asks where an answer was expected, or None."""

        def resolve(kind: int, key: Any) -> Any:
            if kind == marks.HANDLE and key & LENT:
                return self._objects[key]
            return talk._resolve(kind, key)

        if not answer.startswith(_QUESTION):  # decoded twice, a handle would be let go of
            return None
        try:
            _, asked = wire.decode(answer, resolve)
        except (WireError, ValueError, TypeError, KeyError):
            return None  # whoever reads the answer will say so
        return list(asked) if isinstance(asked, list) else None

    def reply(self, asked: list[Any], talk: Conversation) -> bytes:
        """Return the message with what a part answers, or with what it raised."""

        def export(obj: Any) -> tuple[int | None, Any]:
            return self._exported(obj) or talk._export(obj)

        before, self._depth = self.tracing, self._depth + 1
        try:
            if self._depth > DEEPEST:
                raise RecursionError("too many calls within each other")
            said = ["ok", self._answer(asked, talk)]
            return wire.encode(["reply", [said], {}, []], export)
        except Exception as error:
            kinds = [each for each in type(error).__mro__ if each.__module__ == "builtins"]
            said = ["error", [kinds[0].__name__, str(error)[:1000]]]
            return wire.encode(["reply", [said], {}, []])
        finally:
            self.tracing, self._depth = before, self._depth - 1

    def _exported(self, obj: Any) -> tuple[int, int] | None:
        if not any(type(obj) is self._class(name) for name in self._names):
            return None
        number = next((n for n, known in self._objects.items() if known is obj), 0)
        return marks.HANDLE, number or self._hold(obj)

    def _class(self, name: str) -> Any:
        return getattr(self._module, name, None) if "." not in name else None

    def _hold(self, obj: Any) -> int:
        if len(self._objects) >= MOST_OBJECTS:
            raise MemoryError("too many objects")
        number = LENT | (len(self._objects) + 1)
        self._objects[number] = obj
        return number

    def _answer(self, asked: list[Any], talk: Conversation) -> Any:
        operation, *rest = asked
        operations: dict[Any, Callable[..., Any]] = {
            "call": self._call,
            "make": self._make,
            "use": self._use,
            "get": lambda number, name: getattr(self._objects[number], _plain_name(name)),
            "set": lambda number, name, value: setattr(
                self._objects[number], _plain_name(name), value
            ),
            "pull": lambda number, gradients: self._gradients().pull(number, gradients),
        }
        return operations[operation](*rest)

    def _part(self, name: str) -> Any:
        if name not in self._names:
            raise NameError(f"{name} is not lent")
        self.used.add(name)
        found: Any = self._module
        for each in name.split("."):
            found = inspect.getattr_static(found, each)
        return getattr(found, "fget", None) or getattr(found, "__func__", found)

    def _call(self, name: str, _: list[Any], args: list[Any], kwargs: Any, gradients: bool) -> Any:
        return self._computed(self._part(name), [], args, kwargs, gradients)

    def _make(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
        made = self._part(name)(*_own(args), **_own(kwargs))
        number = self._hold(made)
        if not hasattr(made, "named_parameters"):
            return [number]
        weights = {key: value.detach() for key, value in made.named_parameters()}
        return [number, weights, {key: value.detach() for key, value in made.named_buffers()}]

    def _use(
        self,
        number: int,
        name: str,
        training: bool,
        weights: list[Any],
        args: list[Any],
        kwargs: dict[str, Any],
        gradients: bool,
    ) -> Any:
        held = self._objects[number]
        if (type(held).__name__, name) not in self._methods:
            raise AttributeError(name)
        own: list[Any] = []
        if weights:
            own = [*held.parameters(), *held.buffers()]
            for mine, theirs in zip(own, weights, strict=True):
                mine.data.copy_(theirs)
            held.train(bool(training))
        leaves = [mine for mine in own if mine.requires_grad]
        return self._computed(getattr(held, name), leaves, args, kwargs, gradients)

    def _computed(
        self, function: Any, leaves: list[Any], args: list[Any], kwargs: Any, gradients: bool
    ) -> Any:
        """Call a part; with gradients, keep what they need."""
        args, kwargs = _own(args), _own(kwargs)
        if not gradients:
            self.tracing = False
            with _without_gradients():
                return self._weighed(function, args, kwargs)
        from examiner.boundary.gradients import tensors_in

        self.tracing = True
        value = function(*args, **kwargs)
        given = [each for each in tensors_in([args, kwargs]) if each.requires_grad]
        return self._gradients().keep(value, [*leaves, *given])

    def _weighed(self, function: Any, args: list[Any], kwargs: Any) -> Any:
        """Call a part; where bytes are counted, what it holds here counts as if it were there."""
        if self.peak is None:
            return function(*args, **kwargs)
        value, held = measured(partial(function, **kwargs), args)
        self.peak = max(self.peak, held)
        return value

    def _gradients(self) -> Any:
        if self._kept is None:
            from examiner.boundary.gradients import Kept

            self._kept = Kept()
        return self._kept

    def traced(self, talk: Conversation, operation: str, args: Any, kwargs: Any) -> Any:
        """Ask the student's object as a part of a graph: gradients flow back into it."""
        from examiner.boundary.gradients import joined, tensors_in

        if operation not in _TRACED or not sys.modules["torch"].is_grad_enabled():
            return talk.plain_request(operation, *args, **kwargs)
        leaves = [each for each in tensors_in([list(args), kwargs]) if each.requires_grad]
        answer = talk.plain_request("traced", operation, list(args), kwargs)
        if not (isinstance(answer, list) and len(answer) == 3):
            raise TypeError("an answer without gradients")
        return joined(answer, leaves, lambda n, found: talk.plain_request("pull", n, found))


def _plain_name(name: Any) -> str:
    if str(name).startswith("_"):
        raise AttributeError(name)
    return str(name)


def _own(value: Any) -> Any:
    """Return arguments that may be written to, as those of a call in one process may."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(map(_own, value))
    if type(value) is dict:
        return {key: _own(each) for key, each in value.items()}
    torch = sys.modules.get("torch")
    if torch is not None and type(value).__module__.startswith(("torch", "examiner.boundary.ten")):
        from examiner.boundary.gradients import own

        return own(value)
    return value


@contextlib.contextmanager
def _without_gradients() -> Iterator[None]:
    torch = sys.modules.get("torch")
    with torch.no_grad() if torch is not None else contextlib.nullcontext():
        yield
