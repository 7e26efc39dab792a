"""The process that holds a student's module: does what requests say and answers in plain values.

Leaves out every secret: no test, no expected value, no seed and no reference ever gets here, so
nothing that the student's code does to this process can help it.
"""

from __future__ import annotations

import builtins
import codecs
import contextlib
import importlib.machinery
import importlib.util
import io
import itertools
import operator
import random
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from examiner.boundary import library, marks, wire
from examiner.boundary.channel import Channel, ClosedError
from examiner.boundary.errors import WireError
from examiner.boundary.limits import MAX_TEXT
from examiner.boundary.token import token_of
from examiner.candidate import lent
from examiner.candidate.arguments import Watched
from examiner.candidate.exceptions import builtin_kind, text_of
from examiner.candidate.printing import take_output
from examiner.candidate.trials import try_all

PACKAGE = "coursework"
MAX_LINES = 20  # frames of the student's own code in an error
_MOST_TESTS = 0x7FFF  # that a handle can tell from each other
codecs.lookup("utf-8-sig")  # subtle: now, while Python's own files are within reach


class MissingNameError(WireError):
    """A request names something that the student's module does not have."""


class _Series:
    """Numbers the objects of a test from 1, and their classes, whatever other tests have made.

    So the same answers to the same questions are the same bytes, in every submission: what a test
    makes of them can be kept (judge/kept.py).
    """

    def __init__(self, test: int) -> None:
        self._first = (test & _MOST_TESTS) << (marks.TEST_BITS - marks.CLASS_BITS)
        self._serial = itertools.count(1)
        self._classes: dict[type, int] = {}

    def next(self, kind: type) -> int:
        """Return the number of a new object of this class; no other test gives the same."""
        known = self._classes.setdefault(kind, len(self._classes) + 1)
        return (self._first + known << marks.CLASS_BITS) + next(self._serial)


class Host:
    """The student's module and the objects it made, which examiners know by number."""

    def __init__(self, home: Path, passing: tuple[type[BaseException], ...] = ()) -> None:
        self.home = home  # the folder of the student's module
        self.module: ModuleType | None = None
        self._passing = passing  # exceptions that are not the student's and leave `handle`
        self._objects: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}  # of an object, by its id
        self._all_series: dict[int, _Series] = {}  # by test
        self._series = _Series(0)  # of the running one
        self._test = -1
        self._operations: dict[str, Callable[..., Any]] = {
            "import": self._import,
            "run": self._run,
            "batch": self._batch,
            "chain": self._chain,
            "call": lambda f, *args, **kwargs: f(*args, **kwargs),
            "method": lambda obj, name, *args, **kwargs: getattr(obj, name)(*args, **kwargs),
            "get": getattr,
            "set": setattr,
            "delete": delattr,
            "index": operator.getitem,
            "setitem": operator.setitem,
            "delitem": operator.delitem,
            "operator": lambda name, *args: getattr(operator, f"__{name}__")(*args),
            "length": len,
            "contains": operator.contains,
            "isinstance": isinstance,
            "issubclass": issubclass,
            "class": library.class_of,
            "iterate": iter,
            "take": lambda iterator, count: list(itertools.islice(iterator, count)),
            "enter": lambda obj: type(obj).__enter__(obj),
            "exit": _exit,
            "describe": self._describe,
            "ship": _ship,
            "lend": self._lend,
            "traced": self._traced,
            "try": self._try,
            "pull": lambda number, gradients: self._gradients().pull(number, gradients),
        }
        self.exchange: Callable[[bytes], bytes] | None = None  # an answer for a request
        self._kept: Any = None  # of boundary.gradients, where a part of torch is lent

    def use(self, module: ModuleType) -> None:
        """Hold a module that exists already (the reference, in the examiner's own process)."""
        self.module = module

    def handle(self, test: int, released: list[int], body: bytes) -> bytes:
        """Do what a request says and return the body of its answer."""
        self.release(released)
        if test != self._test:
            self.begin(test)
        return self._answer(body)[0]

    def begin(self, test: int) -> None:
        """Give a test its luck, whatever was drawn before."""
        self._test, self._kept = test, None
        self._series = self._all_series.setdefault(test, _Series(test))
        self._reseed(test)

    def release(self, numbers: list[int]) -> None:
        """Forget objects that the examiner has no handle of any more."""
        for number in numbers:
            self._numbers.pop(id(self._objects.pop(number, None)), None)

    def _answer(self, body: bytes) -> tuple[bytes, bool]:
        """Return the body of the answer to a request, and whether it could be done."""
        try:
            return self._done(*wire.decode(body, self._resolve, trusted=True))
        except self._passing:
            raise
        except BaseException as error:
            return self._report(error), False

    def _done(
        self, operation: str, args: list[Any], kwargs: dict[str, Any], wanted: list[Any]
    ) -> tuple[bytes, bool]:
        try:
            watched = Watched(args, kwargs) if operation in ("call", "method") else None
            value = self._operations[operation](*args, **kwargs)
            answer = ["ok", value]
            changed = watched.changed() if watched else []
            if changed or wanted:
                news = [args[key] if type(key) is int else kwargs[key] for key in wanted]
                answer += [changed, news]
            return wire.encode(answer, self._export), True
        except self._passing:
            raise
        except BaseException as error:
            return self._report(error), False

    def _batch(self, bodies: list[bytes]) -> list[bytes]:
        """Do what requests say, one after the other, up to the first that cannot be done."""
        answers: list[bytes] = []
        for body in bodies:
            answer, done = self._answer(body)
            answers.append(answer)
            if not done:
                break
        return answers

    def _chain(
        self, bodies: list[bytes], tokens: list[bytes], released: list[list[int]]
    ) -> list[bytes]:
        """Do what requests say, as long as each has the answer after which the next one follows."""
        answers: list[bytes] = []
        for number, (body, gone) in enumerate(zip(bodies, released, strict=True)):
            self.release(gone)
            answers.append(self._answer(body)[0])
            if number < len(tokens) and token_of(answers[-1]) != tokens[number]:
                break
        return answers

    # ------------------------------------------------------------------ lent parts

    def _lend(self, parts: list[dict[str, Any]]) -> dict[str, str]:
        """Put stand-ins for parts that the examiner lends into the student's module."""
        assert self.module is not None
        lent.lend(self.module, parts, self._ask)
        return self.directory()

    def _ask(self, question: list[Any]) -> Any:
        """Ask the examiner for a lent part's answer; do what is asked until it comes."""
        assert self.exchange is not None
        body = wire.encode(["lent", question], self._export_lent, self._keep_generator)
        while True:
            request = wire.decode(self.exchange(body), self._resolve, trusted=True)
            if request[0] == "reply":
                break
            body, _ = self._done(*request)
        status, value = request[1][0]
        if status == "ok":
            return value
        kind, text = value
        found = getattr(builtins, kind, Exception)
        raise found(text)

    def _export_lent(self, obj: Any) -> tuple[int, int]:
        number = lent.object_number(obj)
        return self._export(obj) if number is None else (marks.HANDLE, number)

    def _keep_generator(self, generator: Any) -> Any:
        """Let a generator stay here: whoever draws from it has to ask."""
        kind, number = self._export(generator)
        return [marks.MARKS[kind], number]

    def _traced(self, operation: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Do what is asked, and keep what the gradients of the answer need."""
        from examiner.boundary.gradients import tensors_in

        value = self._operations[operation](*args, **kwargs)
        leaves = [each for each in tensors_in([args, kwargs]) if each.requires_grad]
        return self._gradients().keep(value, leaves)

    def _gradients(self) -> Any:
        if self._kept is None:
            from examiner.boundary.gradients import Kept

            self._kept = Kept()
        return self._kept

    # ------------------------------------------------------------------ the module

    def _import(self, stem: str, source: bytes) -> dict[str, str]:
        """Write the student's file, run it as coursework.<stem> and list what it defines."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / f"{stem}.py").write_bytes(source)
        return self._run(stem, source)

    def _run(self, stem: str, source: bytes) -> dict[str, str]:
        """Run a file that lies in `home`; its text is given, since a stored one may be older."""
        path = self.home / f"{stem}.py"
        package = ModuleType(PACKAGE)
        package.__path__ = [str(self.home)]
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            del sys.modules[name]  # an earlier check in this process has seen an older text
        sys.modules[PACKAGE] = package
        name = f"{PACKAGE}.{stem}"
        loader = importlib.machinery.SourceFileLoader(name, str(path))
        spec = importlib.util.spec_from_loader(name, loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = self.module = module
        setattr(package, stem, module)
        tokenize.detect_encoding(io.BytesIO(source).readline)  # raises where there is none such
        # subtle: of bytes Python would take another text, if they declared another encoding
        text = source.decode("utf-8-sig")
        exec(loader.source_to_code(text, str(path)), vars(module))
        return self.directory()

    def directory(self) -> dict[str, str]:
        """Return what the module defines: name -> "callable" or "value"."""
        names = vars(self.module).items()
        return {
            str(name): "callable" if callable(value) else "value"
            for name, value in names
            if not str(name).startswith("__")
        }

    def _try(self, programs: list[Any], seconds: float, luck: int) -> list[bytes]:
        """Return what short programs give that use the module, each with the same luck."""
        assert self.module is not None
        return try_all(self.module, programs, seconds, lambda: self._reseed(luck), self._passing)

    def _describe(self, obj: Any) -> list[Any]:
        """Return the names of an object's methods, and the class of torch that it derives from."""
        kind = type(obj)
        public = (name for name in dir(kind) if not name.startswith("__"))
        methods = [name for name in public if callable(getattr(kind, name, None))]
        return [methods, library.class_of(obj)]

    def _resolve(self, kind: int, key: Any) -> Any:
        if kind == marks.HANDLE:
            return lent.STAND_INS[key] if key & lent.LENT else self._objects[key]
        if kind == marks.LIBRARY:
            return library.find(key)
        if kind == marks.METHOD:
            return getattr(key[0], key[1])
        found: Any = self.module
        for name in key.split(".") if key else ():
            try:
                found = getattr(found, name)
            except AttributeError:
                raise MissingNameError(key) from None
        return found

    def _export(self, obj: Any) -> tuple[int, int]:
        number = self._numbers.get(id(obj))
        if number is None:
            number = self._numbers[id(obj)] = self._series.next(type(obj))
            self._objects[number] = obj
        return marks.HANDLE, number

    def _reseed(self, test: int) -> None:
        # the same luck on every run, and after a restart: a grade must not depend on it
        random.seed(test)
        np.random.seed(test)  # students may use the old interface
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "default_generator"):
            # torch.manual_seed also keeps the seed for graphics cards: milliseconds where none is
            devices = torch.cuda.is_available() or torch.backends.mps.is_available()
            (torch.manual_seed if devices else torch.default_generator.manual_seed)(test)

    def _report(self, error: BaseException) -> bytes:
        """Return the answer that tells of an exception: builtin type, message, own lines."""
        if isinstance(error, MissingNameError):
            return wire.encode(["missing", str(error)])
        if isinstance(error, WireError):
            return wire.encode(["unsendable", str(error)[:MAX_TEXT]])
        lines: list[int] = []
        with contextlib.suppress(BaseException):
            lines = list(self._own_lines(error))[-MAX_LINES:]
        return wire.encode(["error", [builtin_kind(error), text_of(error, MAX_TEXT), lines]])

    def _own_lines(self, error: BaseException) -> Iterator[int]:
        own = str(self.home)
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename.startswith(own):
                yield trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and str(error.filename or "").startswith(own):
            yield error.lineno or 0


def _exit(context: Any, kind: str, text: str) -> bool:
    """Leave a context manager: after an exception of a builtin kind, or after none."""
    found = getattr(builtins, kind, Exception) if kind else None
    error = found(text) if found else None
    return bool(type(context).__exit__(context, found, error, None))


def _ship(name: str, source: str, libraries: Mapping[str, str], helpers: Mapping[str, Any]) -> Any:
    """Run the source of a suite's helper and return what it defines under its name."""
    meant = {alias: library.find(path) for alias, path in libraries.items()}
    namespace: dict[str, Any] = {"__name__": "suite_helper", **meant, **helpers}
    exec(compile(source, f"<helper {name}>", "exec"), namespace)
    return namespace[name]


def serve(channel: Channel, folder: Path) -> None:
    """Answer requests until the examiner closes the channel."""
    take_output()
    sys.dont_write_bytecode = True
    host = Host(folder / PACKAGE)
    number = 0

    def exchange(body: bytes) -> bytes:
        """Give an answer to the last request, and return the next, in the middle of a call."""
        nonlocal number
        channel.answer(number, body)
        number, _, released, request = channel.next_request()
        host.release(released)
        return request

    host.exchange = exchange
    with contextlib.suppress(ClosedError):
        while True:
            number, test, released, body = channel.next_request()
            answer = host.handle(test, released, body)
            channel.answer(number, answer)
