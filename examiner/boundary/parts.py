"""Small parts of a conversation: errors made again, generators moved on, classes described, advice.

Leaves out the conversation itself (conversation.py).
"""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from examiner.boundary.errors import WireError
from examiner.boundary.library import known_class
from examiner.boundary.proxy import Changes

MAX_NAMES = 10_000  # of a module or a class
MOST_LINES = 1 << 31  # of a file


@dataclass(frozen=True)
class Description:
    """What is known of the objects of a class in the candidate."""

    methods: frozenset[str] = frozenset()
    library_class: type | None = None  # of torch, from which the class derives
    name: str = ""  # of that class

    @classmethod
    def read(cls, found: Any) -> Description:
        """Return what an answer says, which may be anything."""
        names, name = found if isinstance(found, list) and len(found) == 2 else ((), None)
        known = known_class(name)
        methods = frozenset(names) if are_names(names) else frozenset()
        return cls(methods, known, str(name) if known else "")

    def has(self, name: str) -> str:
        """Say whether there is a method of this name: "yes", or nothing."""
        return "yes" if name in self.methods else ""


def unwrapped(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments with values in place of what the test expects to change."""
    return (
        [each.value if type(each) is Changes else each for each in args],
        {key: each.value if type(each) is Changes else each for key, each in kwargs.items()},
    )


def what_to_do(obj: Any) -> str:
    """Return what is wrong with an object that cannot cross, and what its author can do."""
    if isinstance(obj, Changes):
        return "changes(…) must be an argument itself, not inside of one"
    if callable(obj) and hasattr(obj, "__name__"):
        kind = "class" if isinstance(obj, type) else "function"
        what = f"the {kind} {obj.__name__}"
        return f"{what} of the test: ship it with examiner.suite.ship, and it runs over there"
    what = f"an object of type {type(obj).__name__}"
    if callable(obj):
        return f"{what}: make it in a helper that examiner.suite.ship sends over"
    return f"{what}: pass plain data (numbers, texts, lists, dicts, arrays, tensors)"


def are_names(found: Any) -> bool:
    """Tell whether an answer is a list of names, and not too long a one."""
    return (
        isinstance(found, list)
        and len(found) <= MAX_NAMES
        and all(isinstance(name, str) for name in found)
    )


def answer_in(found: Any) -> tuple[str, Any, list[Any]]:
    """Return status, value and changes of an answer; raises WireError for what is none.

    subtle: it may be anything. An array can be unpacked as well, and does not say whether it equals
    a text.
    """
    if type(found) is not list or len(found) < 2 or type(found[0]) is not str:
        raise WireError("no answer")
    status, value, *changes = found
    if (status in ("missing", "unsendable") and type(value) is not str) or (
        status == "error" and not _tells_of_an_error(value)
    ):
        raise WireError(f"no answer of status {status}")
    return status, value, changes


def _tells_of_an_error(value: Any) -> bool:
    """Tell whether a value is the name of an exception, its text, and lines of a file."""
    if type(value) is not list or [type(each) for each in value] != [str, str, list]:
        return False
    return all(type(line) is int and 0 <= line < MOST_LINES for line in value[2])


def exception(kind: Any, text: str) -> BaseException:
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


def move_on(generator: Any) -> None:
    """Jump a generator that was sent ahead, so that a second call does not get equal draws.

    The candidate has a copy; what it draws there cannot be seen here and must not count here.
    """
    if not isinstance(generator, np.random.Generator):  # torch's: they cannot jump
        state = generator.get_state().numpy().tobytes()
        generator.manual_seed(int.from_bytes(hashlib.sha256(state).digest()[:7], "big"))
        return
    bits: Any = generator.bit_generator
    if hasattr(bits, "advance"):
        bits.advance(1 << 64)
    else:
        bits.state = bits.jumped().state
