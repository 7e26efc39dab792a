"""What is told of an exception of the student's: a kind that every process knows, and its text."""

from __future__ import annotations

import builtins
import contextlib

from examiner.boundary.memory import out_of_memory

WAITS = "it waits for somebody to type, as input() and breakpoint() do: take that out"
_NOBODY_TYPES = "EOF when reading a line"  # what input() says of it


def builtin_kind(error: BaseException) -> str:
    """Return the name of the nearest builtin class; MemoryError for torch's own, too.

    >>> class MyError(KeyError): ...
    >>> builtin_kind(MyError())
    'KeyError'
    """
    if out_of_memory(error):
        return "MemoryError"
    if _waits(error):
        return "EOFError"
    kinds = (each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins")
    return next((name for name in kinds if hasattr(builtins, name)), "Exception")


def text_of(error: BaseException, most: int) -> str:
    """Return at most so many characters of the message; "" where telling it raises.

    >>> text_of(EOFError("EOF when reading a line"), 45)
    'it waits for somebody to type, as input() and'
    """
    with contextlib.suppress(BaseException):  # the exception's own methods may raise
        return (WAITS if _waits(error) else str(error))[:most]
    return ""


def _waits(error: BaseException) -> bool:
    """Tell whether the code asked somebody to type, also to a debugger."""
    with contextlib.suppress(BaseException):  # the exception's own methods may raise
        debugged = type(error).__module__ == "bdb"
        return debugged or (isinstance(error, EOFError) and error.args == (_NOBODY_TYPES,))
    return False
