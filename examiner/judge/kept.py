"""What tests made of answers, so that the same answers to the same questions are judged once.

What a test does next, and how it ends, follows from what it has heard so far. So each test is a
tree: after each answer it asks the next question, or ends. The tree grows as tests are run, and is
kept under a rolling hash: the key of what comes next is a hash of the key before, the question and
the bytes of the answer. Leaves out going along the tree (ways.py).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from examiner.boundary import wire
from examiner.boundary.conversation import Asked, Changed
from examiner.boundary.errors import Stop, WireError
from examiner.boundary.parts import Description, answer_in
from examiner.results import Verdict

ROOM = 96 << 20  # bytes that a worker keeps
MOST_NEW = 16 << 20  # bytes that one run of a test may add
MOST_ANSWER = 4 << 20  # bytes of an answer after which more is kept
_OVERHEAD = 600  # bytes that a step takes besides what is said in it
_READ = 16  # times as many bytes as an answer may its value take, with some room left
_ERROR = wire.encode(["error", 0])[:-1]  # how the answer begins that tells of an exception
_BATCH = wire.encode(["batch", 0, 0, 0])[:-3]  # how a question begins that holds many
PLAIN = b"plain"  # before an answer that counts as it is
JUDGED = (Verdict.PASSED, Verdict.FAILED, Verdict.MISSING)  # by what was said, and nothing else


@dataclass(frozen=True)
class Heard:
    """What of a conversation decides how a test ended."""

    answers: int  # to what the test asked, but for errors
    kept: int  # bytes of what was said
    raised: BaseException | None  # the student's last exception
    lines: tuple[int, ...]  # where it was raised, in the student's file
    unwritten: str | None  # message of a NotImplementedError
    changed: Changed | None  # an argument that was changed in place
    stopped: Stop | None = None


@dataclass(frozen=True)
class Ending:
    """How a test ended, and what is needed to say so of another submission."""

    raised: BaseException | None  # by the test
    said: str  # what a failing assertion of a visible test told
    heard: Heard
    lent: frozenset[str]  # parts of the reference that were asked for
    transcript: Sequence[Asked]  # where it is needed
    computed: float  # seconds of the test's own work
    left: tuple[int, ...]  # objects of the student's that nobody has any more

    @property
    def size(self) -> int:
        """How many bytes it takes, about: an exception may hold whatever was answered."""
        heard = self.heard
        size = heard.kept if self.transcript else 0
        size += _text_in(heard.raised) + len(heard.unwritten or "")
        if self.raised is None or self.raised is heard.raised:
            return size
        text_alone = isinstance(self.raised, AssertionError)
        return size + (_text_in(self.raised) if text_alone else _READ * heard.kept)

    def alike(self, other: Ending) -> bool:
        """Tell whether another run ended in the same way."""
        return self._told() == other._told()

    def _told(self) -> tuple[Any, ...]:
        own, heard = self.heard.raised, replace(self.heard, raised=None, lines=(), kept=0)
        raised = type(self.raised), self.raised is own, type(own), str(own)
        return raised, self.said, heard, self.lent


@dataclass(frozen=True, slots=True)
class Usual:
    """An answer of those who pass, after which more is asked along: chains.py."""

    answer: bytes
    then: bytes  # the key of what comes after it
    described: tuple[int, Description] | None = None  # a class, by number, that it tells of


@dataclass(slots=True)
class Step:
    """What comes next in a test: a question, something that it looks up, or its end."""

    what: str  # "ask"; "defines", "reads": what the test can look up; "end"
    question: bytes
    released: list[int] = field(default_factory=list)  # handles that go with the question
    ending: Ending | None = None
    sure: bool = False  # whether it is known not to depend on chance
    usual: Usual | None = None
    usual_for: int = 0  # how many more have given it than others
    digest: bytes = b""

    def __post_init__(self) -> None:
        found = hashlib.blake2b(self.question, digest_size=32, person=self.what.encode())
        self.digest = found.digest()

    @property
    def size(self) -> int:
        """How many bytes it takes, at most."""
        size = _OVERHEAD + len(self.question)
        size += len(self.usual.answer) if self.usual else 0
        return size + (self.ending.size if self.ending else 0)

    def after(self, key: bytes, answer: bytes) -> bytes:
        """Return the key of what comes after an answer to this step, which is at `key`."""
        found = hashlib.blake2b(key, digest_size=32, person=b"answer")
        found.update(self.digest)
        found.update(answer)
        return found.digest()

    def same(self, other: Step) -> bool:
        """Tell whether it is what came next in another run."""
        if self.ending is not None and other.ending is not None:
            return self.ending.alike(other.ending)
        return self.what == other.what and self.digest == other.digest


def _text_in(error: BaseException | None) -> int:
    return sum(len(each) for each in error.args if type(each) is str) if error else 0


class Kept:
    """The trees of a chapter's tests, as far as there is room; what was used last stays.

    `base` is a hash of all that decides besides answers: suite, seed, reference and versions.
    subtle: nothing that a student's code says can take another's place. A key is reached by the
    bytes of the answers alone, and a hash of 256 bits tells them apart.
    """

    def __init__(self, base: bytes = b"", room: int = ROOM, *, comparing: bool = False) -> None:
        self._base, self._room = base, room
        self.comparing = comparing  # whether each test is run all the same, to see that it agrees
        self._steps: OrderedDict[bytes, Step] = OrderedDict()
        self._size = 0
        self.steady: set[bytes] = set()  # roots of tests that were seen to go by answers
        self.unsteady: set[bytes] = set()  # and of those that go by something else, too

    def root(self, *about: object) -> bytes:
        """Return the key of what a test asks first; `about` tells it from all other runs."""
        return hashlib.blake2b(self._base + repr(about).encode(), digest_size=32).digest()

    def at(self, key: bytes) -> Step | None:
        """Return what comes next, if it is known."""
        found = self._steps.get(key)
        if found is not None:
            self._steps.move_to_end(key)
        return found

    def note(self, root: bytes, key: bytes, step: Step) -> bool:
        """Take note of what came next in a run; return whether it is what came before.

        A test that has twice asked the same on its way, and ended in the same way, goes by answers:
        then what it does once on others is believed, too.
        """
        known = self._steps.get(key)
        if known is None:
            step.sure = root in self.steady
            self._add(key, step)
            return True
        self._steps.move_to_end(key)
        known.sure = known.same(step)
        if known.sure and step.ending is not None:
            self.steady.add(root)
        return known.sure

    def note_usual(self, key: bytes, usual: Usual) -> None:
        """Take note of an answer of somebody who has passed; what most have given stays."""
        step = self._steps.get(key)
        if step is None:
            return
        step.usual_for += 1 if step.usual == usual else -1
        if step.usual_for < 1:
            self._size -= step.size
            step.usual, step.usual_for = usual, 1
            self._size += step.size
            self._make_room()

    def _add(self, key: bytes, step: Step) -> None:
        self._steps[key] = step
        self._size += step.size
        self._make_room()

    def _make_room(self) -> None:
        while self._size > self._room:
            self._size -= self._steps.popitem(last=False)[1].size


def heard_as(request: bytes, answer: bytes) -> tuple[bytes, tuple[int, ...] | None, bool]:
    """Return what of an answer counts, the lines of an exception that it tells, and whether all
    that is told of them is known.

    In which lines of their file a student's exception was raised decides about nothing, and is
    quoted to them alone.
    """
    if len(answer) > MOST_ANSWER:  # there may not be the memory to look at it twice
        return b"", None, False
    if answer.startswith(_ERROR):
        try:
            _, [kind, text, lines], _ = answer_in(wire.decode(answer))
        except (WireError, ValueError, TypeError, MemoryError):
            return answer, None, False
        return b"error" + wire.encode([kind, text]), tuple(lines), True
    return PLAIN + answer, None, not (request.startswith(_BATCH) and _ERROR in answer)
