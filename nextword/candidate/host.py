"""The process that holds a student's module: does what requests say and answers in plain values.

Leaves out every secret: no test, no expected value, no seed and no reference ever gets here, so
nothing that the student's code does to this process can help it.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.machinery
import importlib.util
import io
import itertools
import operator
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from nextword.boundary import wire
from nextword.boundary.channel import Channel, ClosedError

PACKAGE = "coursework"
MAX_PRINTED = 64 << 20  # characters; whoever prints more gets an OSError
MAX_TEXT = 2000  # characters of an exception's message
MAX_LINES = 20  # frames of the student's own code in an error
CLASS_BITS = 32  # a handle is (number of the object's class << 32) + number of the object


class MissingName(wire.WireError):
    """A request names something that the student's module does not have."""


class Tally(io.RawIOBase):
    """Stands in for the terminal: counts what is printed and forgets it."""

    def __init__(self) -> None:
        self.count = 0

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, data: Any) -> int:
        """Count the bytes."""
        self.count += len(data)
        if self.count > MAX_PRINTED:
            raise OSError(f"more than {MAX_PRINTED >> 20} MB printed")
        return len(data)


class Host:
    """The student's module and the objects it made, which examiners know by number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.module: ModuleType | None = None
        self._objects: dict[int, Any] = {}
        self._serial = itertools.count(1)
        self._classes: dict[type, int] = {}
        self._test = -1
        self._operations: dict[str, Callable[..., Any]] = {
            "import": self._import,
            "call": lambda f, *args, **kwargs: f(*args, **kwargs),
            "method": lambda obj, name, *args, **kwargs: getattr(obj, name)(*args, **kwargs),
            "get": getattr,
            "set": setattr,
            "index": operator.getitem,
            "length": len,
            "contains": operator.contains,
            "isinstance": isinstance,
            "iterate": iter,
            "take": lambda iterator, count: list(itertools.islice(iterator, count)),
            "describe": self._describe,
            "gradients": _gradients,
        }

    def use(self, module: ModuleType) -> None:
        """Hold a module that exists already (the reference, in the examiner's own process)."""
        self.module = module

    def handle(self, test: int, released: list[int], body: bytes) -> bytes:
        """Do what a request says and return the body of its answer."""
        for number in released:
            self._objects.pop(number, None)
        try:
            if test != self._test:
                self._test = test
                self._reseed(test)
            operation, args, kwargs = wire.decode(body, self._resolve, trusted=True)
            value = self._operations[operation](*args, **kwargs)
            return wire.encode(["ok", value], self._export)
        except BaseException as error:
            return self._report(error)

    def _import(self, stem: str, source: bytes) -> dict[str, str]:
        """Write the student's file, run it as coursework.<stem> and list what it defines."""
        home = self.folder / PACKAGE
        home.mkdir(parents=True, exist_ok=True)
        path = home / f"{stem}.py"
        path.write_bytes(source)
        package = ModuleType(PACKAGE)
        package.__path__ = [str(home)]
        sys.modules[PACKAGE] = package
        name = f"{PACKAGE}.{stem}"
        loader = importlib.machinery.SourceFileLoader(name, str(path))
        spec = importlib.util.spec_from_loader(name, loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = self.module = module
        setattr(package, stem, module)
        loader.exec_module(module)
        return self.directory()

    def directory(self) -> dict[str, str]:
        """Return what the module defines: name -> "callable" or "value"."""
        names = vars(self.module).items()
        return {
            str(name): "callable" if callable(value) else "value"
            for name, value in names
            if not name.startswith("__")
        }

    def _describe(self, obj: Any) -> list[str]:
        """Return the names of an object's methods."""
        kind = type(obj)
        public = (name for name in dir(kind) if not name.startswith("__"))
        return [name for name in public if callable(getattr(kind, name, None))]

    def _resolve(self, kind: int, key: Any) -> Any:
        if kind == wire.HANDLE:
            return self._objects[key]
        found: Any = self.module
        for name in key.split(".") if key else ():
            try:
                found = getattr(found, name)
            except AttributeError:
                raise MissingName(key) from None
        return found

    def _export(self, obj: Any) -> tuple[int, int]:
        kind = self._classes.setdefault(type(obj), len(self._classes) + 1)
        number = (kind << CLASS_BITS) + next(self._serial)
        self._objects[number] = obj
        return wire.HANDLE, number

    def _reseed(self, test: int) -> None:
        # the same luck on every run, and after a restart: a grade must not depend on it
        random.seed(test)
        np.random.seed(test)  # students may use the old interface
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "manual_seed"):
            torch.manual_seed(test)

    def _report(self, error: BaseException) -> bytes:
        """Return the answer that tells of an exception: builtin type, message, own lines."""
        if isinstance(error, MissingName):
            return wire.encode(["missing", str(error)])
        if isinstance(error, wire.WireError):
            return wire.encode(["unsendable", str(error)[:MAX_TEXT]])
        kinds = (each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins")
        kind = next((name for name in kinds if hasattr(builtins, name)), "Exception")
        text, lines = "", []
        with contextlib.suppress(BaseException):  # the exception's own methods may raise
            text = str(error)[:MAX_TEXT]
        with contextlib.suppress(BaseException):
            lines = list(self._own_lines(error))[-MAX_LINES:]
        return wire.encode(["error", [kind, text, lines]])

    def _own_lines(self, error: BaseException) -> Iterator[int]:
        own = str(self.folder / PACKAGE)
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename.startswith(own):
                yield trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and str(error.filename or "").startswith(own):
            yield error.lineno or 0


def _gradients(function: Any, name: str, inputs: tuple[Any, ...], weights: Any) -> Any:
    """Take the gradients of a function or module, or of its method `name`."""
    from nextword.check.gradients import local_gradients

    return local_gradients(getattr(function, name) if name else function, inputs, weights)


def serve(channel: Channel, folder: Path) -> None:
    """Answer requests until the examiner closes the channel."""
    tally = Tally()
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(tally), errors="replace", line_buffering=True)
    sys.stderr = io.TextIOWrapper(io.BufferedWriter(tally), errors="replace", line_buffering=True)
    sys.dont_write_bytecode = True
    host = Host(folder)
    with contextlib.suppress(ClosedError):
        while True:
            number, test, released, body = channel.next_request()
            channel.answer(number, tally.count, host.handle(test, released, body))
