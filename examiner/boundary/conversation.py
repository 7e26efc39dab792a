"""What a test says to a candidate and hears from it. Leaves out the stand-ins that speak for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from examiner.boundary import marks, structures, wire
from examiner.boundary.companions import Lender, Way
from examiner.boundary.deadline import Deadline, Rest
from examiner.boundary.errors import (
    CannotCrossError,
    ChangedArgumentError,
    MissingNameError,
    Stop,
    TooLargeError,
    WireError,
)
from examiner.boundary.library import library_name
from examiner.boundary.limits import MAX_TEXT
from examiner.boundary.parts import (
    Description,
    answer_in,
    exception,
    move_on,
    unwrapped,
    what_to_do,
)
from examiner.boundary.proxy import Changes, Handle, Method, Module, Named, Shipped
from examiner.boundary.usage import Meter, own_meter
from examiner.results import Verdict

OF_OUR_OWN = frozenset(("import", "describe", "ship"))  # what no test asks by itself
MAX_KEPT = 4 << 20  # bytes of a test's messages that are kept to find misconceptions
NO_ANSWER = "your code sent something that is no answer"
NO_ROOM = "your code's answer needs too much memory"
TOO_LARGE = "your code's answer is too large, or nested too deeply, to go on with it"


@dataclass
class Asked:
    """One request of a test and the answer it got, as bytes."""

    request: bytes
    answer: bytes


@dataclass(frozen=True)
class _Prepared:
    """A request that is ready to be sent."""

    operation: str
    args: dict[Any, Any]  # by place or name
    body: bytes
    wanted: dict[Any, Changes]  # arguments that the test expects to change


@dataclass(frozen=True)
class Changed:
    """An argument that the student's code has changed in place."""

    function: str  # dotted name
    argument: int | str  # its place or its name


@dataclass
class Conversation:
    """What a test says to a candidate and hears from it.

    `ask(number, test, released, body, deadline)` carries a request over and returns the
    answer; it raises Stop when there will be none.
    """

    ask: Callable[[int, int, list[int], bytes, Deadline], bytes]
    meter: Meter | None = None  # of the candidate
    rest: Rest = field(default_factory=Rest)  # of the submission, over all its candidates
    # which names of libraries a function of the student's file uses, as its text tells
    reads: Callable[[str], frozenset[str]] = lambda symbol: frozenset()
    number: int = 0  # of the last request
    test: int = 0
    deadline: Deadline = field(default_factory=lambda: Deadline(0.0))
    released: list[int] = field(default_factory=list)
    handles: WeakValueDictionary[int, Handle] = field(default_factory=WeakValueDictionary)
    described: dict[int, Description] = field(default_factory=dict)  # by class number
    shipped: dict[Shipped, Handle] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)  # of the student's module, in the running test
    lender: Lender | None = None  # of parts of the reference, in a second try
    way: Way | None = None  # of the running test, where what tests make of answers is kept
    made: set[int] = field(default_factory=set)  # handles of the running test
    tests: int = 0  # that have begun
    public: bool = True  # whether all of them are visible: session.py keeps it so
    # what happened in the running test:
    transcript: list[Asked] = field(default_factory=list)
    kept: int = 0  # bytes in the transcript
    answers: int = 0  # to what the test asked, but for errors
    holds_answers: bool = False  # whether what the test passes on may be the student's
    raised: BaseException | None = None  # the student's last exception, as the test saw it
    lines: tuple[int, ...] = ()  # where it came from, in the student's file
    unwritten: str | None = None  # message of a NotImplementedError
    watching: bool = True  # whether a change of an argument in place fails the test
    changed: Changed | None = None  # the first such argument
    stopped: Stop | None = None

    def begin(self, test: int, seconds: float, *, watching: bool = True) -> None:
        """Forget the last test and give the next one its time.

        `watching`: whether it fails when the student's code changes an argument in place.
        """
        self.watching = watching
        meters = (own_meter(), self.meter) if self.meter else ()
        self.test = test
        self.deadline = Deadline(seconds, *meters, asleep=self.rest.of(seconds))
        self.tests += 1
        self.transcript, self.kept, self.answers = [], 0, 0
        self.holds_answers = False
        self.raised, self.lines, self.unwritten, self.stopped = None, (), None, None
        self.changed, self.way = None, None
        # subtle: each test sends its helpers and asks for its classes anew, so that what is said
        # in it does not depend on the tests before it
        self.made, self.named = set(), set()
        self.shipped.clear()
        self.described.clear()
        if self.lender is not None:
            self.lender.begin()

    def request(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        """Have the candidate do something; return its answer or raise what it raised."""
        if self.lender is not None and self.lender.tracing:
            return self.lender.traced(self, operation, args, kwargs)
        return self.plain_request(operation, *args, **kwargs)

    def plain_request(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        """Like `request`; no gradient flows back through the answer."""
        asked = self._prepare(operation, args, kwargs)
        return self._hear(asked, self._exchange(asked.body))

    def request_all(self, operation: str, inputs: Sequence[Sequence[Any]]) -> Iterator[Any]:
        """Have the candidate do something with many inputs, by one message.

        Yields each value, and raises what the first failing one raised, as if each had been asked
        for alone; so the transcript tells it.
        """
        every = [self._prepare(operation, args, {}) for args in inputs]
        whole = self._prepare("batch", [[each.body for each in every]], {})
        status, answers, _ = self._read(self._exchange(whole.body))
        if status != "ok":
            self._raise(status, answers)
        if not (isinstance(answers, list) and len(answers) <= len(every)):
            raise self.no_answer()
        for asked, answer in zip(every, answers, strict=False):
            yield self._hear(asked, answer if type(answer) is bytes else b"")
        if len(answers) < len(every):
            raise self.no_answer()

    def _prepare(self, operation: str, args: Sequence[Any], kwargs: dict[str, Any]) -> _Prepared:
        """Return a request as bytes, and move on the generators that are sent with it."""
        if self.stopped:
            raise self.stopped
        given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        wanted = {key: each for key, each in given.items() if type(each) is Changes}
        drawn: list[Any] = []
        body = self._encode([operation, *unwrapped(args, kwargs), list(wanted)], drawn.append)
        for generator in drawn:
            move_on(generator)
        return _Prepared(operation, given, body, wanted)

    def _exchange(self, body: bytes) -> bytes:
        """Carry a request over and return the answer's bytes; lend what is asked for on the way."""
        answer = self._carry(body)
        while self.lender is not None and (asked := self.lender.question(answer, self)):
            answer = self._carry(self.lender.reply(asked, self))
        return answer

    def _carry(self, body: bytes) -> bytes:
        if self.way is not None and (answer := self.way.told(body)) is not None:
            self.released.clear()  # when this was asked, they were released, too
            return answer
        released, self.released = self.released, []
        answer = self.carry(body, released)
        if self.way is not None:
            self.way.heard(body, released, answer)
        return answer

    def carry(self, body: bytes, released: list[int]) -> bytes:
        """Carry a request over, with the handles that nobody has any more; return the answer."""
        self.number += 1
        try:
            answer = self.ask(self.number, self.test, released, body, self.deadline)
        except MemoryError:  # in the middle of an answer, perhaps: its rest would be the next one
            raise self._stop(Stop(Verdict.MEMORY, NO_ROOM)) from None
        except Stop as stop:
            raise self._stop(stop) from None
        return answer

    def _hear(self, asked: _Prepared, answer: bytes) -> Any:
        """Return what an answer says, or raise it."""
        kept = self._keeps(asked.body, answer)  # before it is read, which may take all the time
        status, value, news = self._read(answer)
        if kept:
            self.transcript.append(Asked(asked.body, answer))
        if status != "ok":
            self._raise(status, value)
        if asked.operation not in OF_OUR_OWN:
            self.answers += 1
            self.holds_answers = True
        if news:
            self._note_changes(asked.operation, asked.args, news, asked.wanted)
        return value

    def no_answer(self) -> Stop:
        """Return what ends a conversation in which something came that is no answer."""
        return self._stop(Stop(Verdict.CRASHED, NO_ANSWER))

    def _stop(self, stop: Stop) -> Stop:
        """End the conversation for the rest of the test."""
        self.stopped = stop
        return stop

    def _encode(self, request: list[Any], drawn: Callable[[Any], Any]) -> bytes:
        try:
            return wire.encode(request, self._export, drawn)
        except TooLargeError as error:
            if not self.holds_answers:
                raise CannotCrossError(f"the test passes what cannot cross: {error}") from None
            raise Stop(Verdict.FAILED, TOO_LARGE) from None  # the reference's answers are not
        except WireError as error:
            raise CannotCrossError(f"the test passes what cannot cross: {error}") from None

    def _read(self, answer: bytes) -> tuple[str, Any, list[Any]]:
        try:
            return answer_in(wire.decode(answer, self._resolve))
        except MemoryError:
            raise self._stop(Stop(Verdict.MEMORY, NO_ROOM)) from None
        except (WireError, ValueError, TypeError):
            raise self.no_answer() from None

    def _keeps(self, request: bytes, answer: bytes) -> bool:
        """Count what was said; tell whether it goes into the transcript."""
        if self.lender is not None and self.lender.busy:
            return False  # a part of the reference asks, and not the test
        self.kept += len(request) + len(answer)
        return self.kept <= MAX_KEPT

    def _note_changes(
        self, operation: str, args: dict[Any, Any], news: list[Any], wanted: dict[Any, Changes]
    ) -> None:
        """Give the test what it waits for, and fail it for another change, if it watches for one.

        subtle: the candidate only chooses among the arguments. A text of its own would carry what
        it has seen of a hidden test into a message.
        """
        try:
            changed, values = news
            changed = list(changed)
            for key, value in zip(wanted, values, strict=True):
                wanted[key].value = value
        except (TypeError, ValueError):
            raise self.no_answer() from None
        first = 2 if operation == "method" else 1
        function = args[1] if operation == "method" else repr(args[0])
        said = [each for each in changed if type(each) in (int, str)]
        others = [key for key in list(args)[first:] if key not in wanted and key in said]
        if others and self.watching:
            key = others[0]
            self.changed = self.changed or Changed(
                str(function), key - first if type(key) is int else key
            )
            self.raised = ChangedArgumentError("your code changes an argument in place")
            raise self.raised

    def _raise(self, status: str, value: Any) -> NoReturn:
        """Raise what an answer tells.

        subtle: the candidate only chooses among the names that it was asked for, for they are told.
        """
        if status == "missing" and value in self.named:
            self.raised = MissingNameError(value)
        elif status == "unsendable":
            self.answers += 1
            self.raised = TypeError(f"the answer cannot be used: {value}")
        elif status == "error":
            self.raised = self._student_error(*value)
        else:
            raise self.no_answer()
        raise self.raised

    def _student_error(self, kind: str, text: str, lines: list[int]) -> BaseException:
        self.lines, text = tuple(lines), text[:MAX_TEXT]
        if kind in ("SystemExit", "KeyboardInterrupt", "GeneratorExit"):
            self.stopped = Stop(Verdict.CRASHED, f"your code ended the program ({kind})")
            return self.stopped
        if kind == "NotImplementedError":
            self.unwritten = text
        return exception(kind, text)

    def _resolve(self, kind: int, key: Any) -> Any:
        if kind != marks.HANDLE or not 0 < key < 1 << 64:
            raise WireError("a broken handle")
        found = self.handles.get(key)  # the same object has the same stand-in: `is` tells the truth
        if found is None:
            found = self.handles[key] = Handle(self, key)
            self.made.add(key)
        return found

    def _export(self, obj: Any) -> tuple[int | None, Any]:
        """Return how something crosses that is no plain value; raises WireError if it cannot."""
        kind = type(obj)
        if kind in (Handle, Named, Module) and obj._talk is not self:
            raise WireError(f"{obj!r} belongs to another run of the student's code")
        if kind is Handle:
            return marks.HANDLE, obj._number
        if kind in (Named, Module):
            self.named.add(obj._name)
            return marks.NAME, obj._name
        if kind is Method:
            return marks.METHOD, [obj._handle, obj._name]
        if kind is Shipped:
            if obj not in self.shipped:
                self.shipped[obj] = self._ship(obj)
            return marks.HANDLE, self.shipped[obj]._number
        if kind is range:
            return None, structures.plain_range(obj)
        name = library_name(obj)
        if name is None:
            raise WireError(what_to_do(obj))
        return marks.LIBRARY, name

    def _ship(self, helper: Shipped) -> Handle:
        """Send a helper over. subtle: an error of the candidate's, in the middle of a message that
        is being written, would look like one of the test's.
        """
        packed = helper.load()
        try:
            found = self.request("ship", *packed)
        except CannotCrossError:
            raise
        except Exception:
            raise self.no_answer() from None
        if type(found) is not Handle:
            raise self.no_answer()
        return found

    def names_read(self, symbol: str) -> frozenset[str]:
        """Return the names of libraries that a function of the student's file uses."""
        names = self.reads(symbol)
        self.look("reads", symbol, "\0".join(sorted(names)))
        return names

    def look(self, what: str, name: str, answer: str) -> None:
        """Say that the running test has found something out without asking the candidate."""
        if self.way is not None:
            self.way.found(what, name, answer)

    def spoil(self) -> None:
        """Say that the running test goes by what is no answer: memory that was measured."""
        if self.way is not None:
            self.way.spoil()

    def describe(self, handle: Handle) -> Description:
        """Return what is known of the handle's class, asking once per class."""
        kind = handle._number >> marks.CLASS_BITS
        if kind not in self.described:
            self.described[kind] = Description.read(self.request("describe", handle))
        return self.described[kind]

    def has_method(self, handle: Handle, name: str) -> bool:
        """Tell whether the handle's class has a method of this name."""
        found = self.describe(handle).has(name)
        self.look("method", f"{handle._number >> marks.CLASS_BITS} {name}", found)
        return bool(found)

    def class_of(self, handle: Handle) -> type | None:
        """Return the class of torch from which the handle's class derives."""
        found = self.describe(handle)
        self.look("class", str(handle._number >> marks.CLASS_BITS), found.name)
        return found.library_class
