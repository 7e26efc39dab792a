"""What stands for a student's module in a test: every use becomes a message to the candidate.

Plain values come back as plain values; the student's own objects as handles, which compare by
identity, count as nothing and print as nothing of the student's. What cannot be done to a
stand-in raises CannotCrossError. Leaves out the messages (conversation.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from examiner.boundary.errors import CannotCrossError, MissingNameError, Stop
from examiner.results import Verdict

if TYPE_CHECKING:
    from examiner.boundary.conversation import Conversation

MAX_ITEMS = 1 << 20  # items taken from one of the student's iterators
BATCH = 256
_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_ORDER = "lt le gt ge"
_UNARY = "neg pos invert abs"


class _Remote:
    """What every stand-in can do: be called, indexed, iterated. Never: compare as equal."""

    stand_in = True
    _talk: Conversation
    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._talk.request("call", self, *args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._talk.request("index", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._talk.request("setitem", self, key, value)

    def __delitem__(self, key: Any) -> None:
        self._talk.request("delitem", self, key)

    def __len__(self) -> int:
        size = self._talk.request("length", self)
        if type(size) is not int or not 0 <= size <= MAX_ITEMS:
            raise TypeError("the length of the answer is no number, or too large")
        return size

    def __contains__(self, item: Any) -> bool:
        return self._talk.request("contains", self, item) is True

    def __instancecheck__(self, instance: Any) -> bool:
        return type(instance) is Handle and (
            self._talk.request("isinstance", instance, self) is True
        )

    def __subclasscheck__(self, kind: Any) -> bool:
        return type(kind) is Named and self._talk.request("issubclass", kind, self) is True

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

    def __next__(self) -> Any:
        items = self._talk.request("take", self, 1)
        if not isinstance(items, list):
            raise TypeError("the answer cannot be iterated")
        if not items:
            raise StopIteration
        return items[0]

    def __enter__(self) -> Any:
        return self._talk.request("enter", self)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        """Leave the student's context; only the student's own exception may be swallowed."""
        if isinstance(error, Stop):
            return False
        own = error is not None and error is self._talk.raised
        known = kind.__name__ if own and kind.__module__ == "builtins" else ""
        swallowed = self._talk.request("exit", self, known, str(error) if own else "")
        return own and swallowed is True

    def remote_map(self, inputs: list[tuple[Any, ...]]) -> Iterator[Any]:
        """Call the function with many inputs; see examiner.boundary.batch."""
        return self._talk.request_all("call", [(self, *args) for args in inputs])

    def __bool__(self) -> bool:
        raise TypeError("expected a plain value, got an object of the student's own class")

    def __mro_entries__(self, bases: Any) -> NoReturn:
        raise CannotCrossError(
            f"the test derives a class from {self!r}: do so in a helper of examiner.suite.ship"
        )

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise CannotCrossError(f"{self!r} cannot be copied or stored: it lives in another process")


def _forward(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    def operator(self: _Remote, *others: Any) -> Any:
        operands = (*others, self) if swapped else (self, *others)
        return self._talk.request("operator", name, *operands)

    return operator


for _name in f"{_BINARY} {_ORDER} {_UNARY}".split():
    setattr(_Remote, f"__{_name}__", _forward(_name))
for _name in _BINARY.split():
    setattr(_Remote, f"__r{_name}__", _forward(_name, swapped=True))


class Named(_Remote):
    """A function or class of the student's module, by its dotted name."""

    __slots__ = ("_name", "_talk")

    def __init__(self, talk: Conversation, name: str) -> None:
        self._talk, self._name = talk, name

    def __getattr__(self, name: str) -> Any:
        """Read an attribute of the function or class, such as a class's static method."""
        if name == "__bases__":  # asked by issubclass
            return self._bases()
        if name.startswith("__"):
            raise AttributeError(name)
        return self._talk.request("get", self, name)

    def _bases(self) -> tuple[type, ...]:
        from examiner.boundary.library import known_class

        found = known_class(self._talk.request("class", self))
        return (found,) if found else ()

    def __repr__(self) -> str:
        return self._name


class Handle(_Remote):
    """An object that stays in the candidate."""

    __slots__ = ("__weakref__", "_number", "_talk")

    def __init__(self, talk: Conversation, number: int) -> None:
        object.__setattr__(self, "_talk", talk)
        object.__setattr__(self, "_number", number)

    @property  # type: ignore[misc]  # mypy: it can be set, on other objects
    def __class__(self) -> Any:
        """The class for `isinstance`: nn.Module for a module of the student's."""
        if self._talk.stopped:
            return Handle
        return self._talk.class_of(self) or Handle

    def __getattr__(self, name: str) -> Any:
        """Read an attribute, or get a method to call."""
        if name.startswith("__"):
            raise AttributeError(name)
        if self._talk.has_method(self, name):
            return Method(self, name)
        return self._talk.request("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._talk.request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._talk.request("delete", self, name)

    def __del__(self) -> None:
        self._talk.released.append(self._number)

    def __repr__(self) -> str:
        return "<your object>"


class Method:
    """A method of an object that stays in the candidate."""

    stand_in = True
    __slots__ = ("_handle", "_name")

    def __init__(self, handle: Handle, name: str) -> None:
        self._handle, self._name = handle, name

    @property
    def _talk(self) -> Conversation:
        return self._handle._talk

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method in the candidate."""
        return self._talk.request("method", self._handle, self._name, *args, **kwargs)

    def remote_map(self, inputs: list[tuple[Any, ...]]) -> Iterator[Any]:
        """Call the method with many inputs; see examiner.boundary.batch."""
        own = (self._handle, self._name)
        return self._talk.request_all("method", [(*own, *args) for args in inputs])

    def __bool__(self) -> bool:
        raise TypeError("expected a plain value, got a method of the student's")

    def __repr__(self) -> str:
        return self._name


class Module:
    """The student's module."""

    stand_in = True
    _name = ""

    def __init__(self, talk: Conversation, directory: dict[str, str]) -> None:
        self._talk, self._directory = talk, directory

    def __getattr__(self, name: str) -> Any:
        """Return a stand-in for a function or class, or the value of a constant."""
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._directory.get(name)
        self._talk.look("defines", name, kind or "")
        if kind is None:
            self._talk.raised = MissingNameError(name)
            raise self._talk.raised
        return (
            Named(self._talk, name) if kind == "callable" else self._talk.request("get", self, name)
        )

    def __repr__(self) -> str:
        return "<your module>"


class Changes:
    """An argument that the student's code is to change in place; `value` is what it is now."""

    stand_in = True

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


class Shipped:
    """A helper of the suite whose source runs beside the student's code.

    `load` returns what the candidate needs: a name, a source, and what its global names mean.
    """

    stand_in = True

    def __init__(self, helper: Any, load: Callable[[], tuple[Any, ...]]) -> None:
        self.helper, self.load = helper, load
        self.__name__, self.__doc__ = helper.__name__, helper.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it where the student's objects among the arguments are; without any, here."""
        talk = talk_of(*args, *kwargs.values())
        if talk is None:
            return self.helper(*args, **kwargs)
        return talk.request("call", self, *args, **kwargs)

    def __repr__(self) -> str:
        return self.__name__


def talk_of(*values: Any) -> Conversation | None:
    """Return the conversation to which the first stand-in among values, or in them, belongs."""
    for value in values:
        kind = type(value)
        if kind in (Handle, Named, Module, Method):
            return value._talk
        inner = value.values() if kind is dict else value if kind in (list, tuple) else ()
        if kind is Changes:
            inner = [value.value]
        found = talk_of(*inner)
        if found is not None:
            return found
    return None
