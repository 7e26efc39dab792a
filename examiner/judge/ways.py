"""Goes along what is known of a test (kept.py), so that it need not be run.

The candidate is asked what the test would ask, one question after the other, each when the answer
to the one before has come: it learns nothing earlier than from a test. Where its answers leave what
is known, the test is run: it hears again what was answered, and asks on from there.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from examiner.boundary import marks, wire
from examiner.boundary.conversation import Conversation
from examiner.boundary.errors import WireError
from examiner.boundary.parts import Description, answer_in
from examiner.judge import chains
from examiner.judge.kept import MOST_NEW, PLAIN, Ending, Kept, Step, heard_as

DESCRIBE = wire.encode(["describe", 0, 0, 0])[:-3]  # how a question begins for a class's methods


class UnsteadyError(BaseException):
    """A test asks something else than it did on the same answers. No test may swallow it."""


@dataclass
class Way:
    """One run of a test on one submission."""

    kept: Kept
    root: bytes
    talk: Conversation
    directory: Mapping[str, str]  # what the student's module defines
    lost: bool = False
    _key: bytes = b""
    _known: deque[tuple[bytes, bytes]] = field(default_factory=deque)  # asked, and not heard yet
    _early: deque[bytes] = field(default_factory=deque)  # answers to what was asked along
    _described: dict[int, Description] = field(default_factory=dict)  # classes, by number
    _bare: list[tuple[bytes, bytes]] = field(default_factory=list)  # keys, and answers to them
    _new: int = 0  # bytes that this run has added
    _over: bool = False  # whether nothing more of it is kept

    def walk(self) -> Ending | None:
        """Ask what the test would ask, as far as that is known; return how it ends, if it does.

        Raises what ends a conversation.
        """
        key, lines = self.root, None
        while (step := self.kept.at(key)) is not None and step.sure:
            if step.ending is not None:
                return self._ended(step.ending, lines)
            if step.what != "ask":
                key = self._look(key, step)
                continue
            answer = self._ask(key, step)
            self._known.append((step.question, answer))
            self.talk.kept += len(step.question) + len(answer)
            counts, told, clear = self._heard_as(step.question, answer)
            if not clear:
                return None
            lines = told if told is not None else lines
            key = step.after(key, counts)
        return None

    def _look(self, key: bytes, step: Step) -> bytes:
        """Return the key of what comes after something that the test looks up."""
        return step.after(key, self._looked_up(step.what, step.question.decode()).encode())

    def _looked_up(self, what: str, asked: str) -> str:
        if what == "defines":
            return self.directory.get(asked, "")
        if what == "reads":
            return "\0".join(sorted(self.talk.reads(asked)))
        kind, _, name = asked.partition(" ")
        found = self._described.get(int(kind), Description())
        return found.has(name) if what == "method" else found.name

    def _ask(self, key: bytes, step: Step) -> bytes:
        """Return the candidate's answer; ask what comes next along with it, if that may be."""
        if self._early:
            return self._early.popleft()
        released = [*self.talk.released, *step.released]
        self.talk.released.clear()
        chain = self._chain(key, step)
        if len(chain) == 1:
            return self.talk.carry(step.question, released)
        requests, bare = [each.question for each in chain], [each.bare for each in chain[:-1]]
        gone = [[], *([*each.released] for each in chain[1:])]
        body = self.talk.carry(chains.message(requests, bare, gone), released)
        # subtle: who answers anything with the same, whatever was asked, has answered the first
        self._early.extend(chains.answers(body, bare) or [body])
        return self._early.popleft()

    def _chain(self, key: bytes, first: Step) -> list[Step]:
        """Return the questions that go over together: up to the first whose answer says much."""
        chain, size = [first], len(first.question)
        if self.talk.lender is not None:  # its parts are asked for in place of an answer
            return chain
        key = first.after(key, PLAIN + first.bare)
        while chain[-1].bare and len(chain) < chains.MOST:
            step = self.kept.at(key)
            if step is None or not step.sure or step.ending is not None:
                break
            if step.what != "ask":
                key = self._look(key, step)
                continue
            size += len(step.question)
            if size > chains.MOST_BYTES:
                break
            chain.append(step)
            key = step.after(key, PLAIN + step.bare)
        return chain

    def _ended(self, ending: Ending, lines: tuple[int, ...] | None) -> Ending | None:
        """Return how the test ends, unless its own work might have used up its time."""
        if not self.talk.deadline.allows(ending.computed):
            return None
        self.talk.released.extend(ending.left)
        if lines is None:
            return ending
        return replace(ending, heard=replace(ending.heard, lines=lines))

    def begin(self) -> None:
        """From here on the test is run."""
        self._key, self.talk.kept = self.root, 0
        self.talk.way = self

    # ------------------------------------------------------------ what the conversation tells

    def told(self, request: bytes) -> bytes | None:
        """Return the answer that was heard already, before the test was run."""
        if not self._known:
            return None
        asked, answer = self._known.popleft()
        if asked != request:
            self.lost = True
            self._doubt()
            raise UnsteadyError
        self._note_bare(request, answer)
        self._note(Step("ask", request), self._heard_as(request, answer))
        return answer

    def heard(self, request: bytes, released: list[int], answer: bytes) -> None:
        """Take note of an answer that has been heard now."""
        mine = [each for each in released if each in self.talk.made]
        self._note_bare(request, answer)
        self._note(Step("ask", request, mine), self._heard_as(request, answer))

    def _note_bare(self, request: bytes, answer: bytes) -> None:
        """Take note of an answer that says nothing by itself, until it is known what came of it."""
        if not self._over and chains.is_bare(request, answer, self.talk.made):
            self._bare.append((self._key, answer))

    def found(self, what: str, name: str, answer: str) -> None:
        """Take note of what the test has read without asking, of names or of the text."""
        self._note(Step(what, name.encode()), (answer.encode(), None, True))

    def spoil(self) -> None:
        """Keep nothing of this run from here on."""
        self._over = True

    def ends(self, ending: Ending, *, passed: bool) -> None:
        """Take note of how the test ended.

        subtle: what only those have answered who fail may be wrong, and the next question may tell
        what is right. So it is asked along with others once somebody has passed.
        """
        self._note(Step("end", b"", ending=ending), (b"", None, True))
        for key, answer in self._bare if passed else ():
            if (step := self.kept.at(key)) is not None:
                step.bare = answer

    @property
    def strayed(self) -> bool:
        """Whether the test did not ask all that the candidate was asked before it ran."""
        return self.lost or bool(self._known or self._early)

    def _heard_as(
        self, request: bytes, answer: bytes
    ) -> tuple[bytes, tuple[int, ...] | None, bool]:
        """Return what of an answer counts, lines of the student's, and whether they are known."""
        if request.startswith(DESCRIBE) and self._describes(request, answer):
            return b"described", None, True  # what the test looks up in it counts by itself
        lender = self.talk.lender
        if lender is not None and (asked := lender.asks_for(answer)):
            return b"lent" + hashlib.blake2b(asked).digest() + answer, None, True
        return heard_as(request, answer)

    def _describes(self, request: bytes, answer: bytes) -> bool:
        """Take note of what an answer tells of a class; return whether it does."""
        try:
            status, found, changes = answer_in(wire.decode(answer))
            _, [number], *_ = wire.decode(request, lambda _, key: key, trusted=True)
        except (WireError, ValueError, TypeError, MemoryError):
            return False
        self._described[number >> marks.CLASS_BITS] = Description.read(found)
        return status == "ok" and not changes

    def _note(self, step: Step, heard: tuple[bytes, Any, bool]) -> None:
        if self._over:
            return
        self._new += 0 if self.kept.at(self._key) else step.size
        if self._new > MOST_NEW:
            self._over = True
        elif not self.kept.note(self.root, self._key, step):
            self._doubt()
        else:
            counts, _, clear = heard
            self._key = step.after(self._key, counts)
            self._over = not clear

    def _doubt(self) -> None:
        """Believe nothing that is kept of this test any more: it goes by more than answers."""
        self.kept.unsteady.add(self.root)
        self._over = True
