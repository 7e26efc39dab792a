"""What is told of an exception of the student's: a kind that every process knows, and its text."""

from __future__ import annotations

import builtins
import contextlib

from examiner.boundary.memory import out_of_memory


def builtin_kind(error: BaseException) -> str:
    """Return the name of the nearest builtin class; MemoryError for torch's own, too.

    >>> class MyError(KeyError): ...
    >>> builtin_kind(MyError())
    'KeyError'
    """
    if out_of_memory(error):
        return "MemoryError"
    kinds = (each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins")
    return next((name for name in kinds if hasattr(builtins, name)), "Exception")


def text_of(error: BaseException, most: int) -> str:
    """Return at most so many characters of the message; "" where telling it raises."""
    with contextlib.suppress(BaseException):  # the exception's own methods may raise
        return str(error)[:most]
    return ""
