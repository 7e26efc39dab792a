"""Goes along what is known of a test (kept.py), so that it need not be run.

The candidate is asked what the test would ask, one question after the other, each when the answer
to the one before has come: it learns nothing earlier than from a test, but for what it may know
anyway (chains.py). Where its answers leave what is known, the test is run: it hears again what was
answered, and asks on from there.
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
from examiner.boundary.token import token_of
from examiner.judge import chains
from examiner.judge.kept import MOST_NEW, Ending, Kept, Step, Usual, heard_as


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
    _usual: list[tuple[bytes, Usual]] = field(default_factory=list)  # by the keys of what was asked
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
            answer = self._ask(step)
            self._known.append((step.question, answer))
            self.talk.kept += len(step.question) + len(answer)
            if step.usual is not None and answer == step.usual.answer:
                step.usual_for += 1
                key = self._follow(step.usual)
                continue
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

    def _ask(self, step: Step) -> bytes:
        """Return the candidate's answer; ask what comes next along with it, if that may be."""
        if self._early:
            return self._early.popleft()
        released = [*self.talk.released, *step.released]
        self.talk.released.clear()
        chain = self._chain(step)
        if len(chain) == 1:
            return self.talk.carry(step.question, released)
        tokens = [token_of(each.usual.answer) for each in chain[:-1] if each.usual]
        gone = [[], *([*each.released] for each in chain[1:])]
        requests = [each.question for each in chain]
        body = self.talk.carry(chains.message(requests, tokens, gone), released)
        # subtle: who answers anything with the same, whatever was asked, has answered the first
        self._early.extend(chains.answers(body, tokens) or [body])
        return self._early.popleft()

    def _chain(self, first: Step) -> list[Step]:
        """Return the questions that go over together: up to the first whose answer says much."""
        chain, size, usual = [first], len(first.question), first.usual
        if usual is None or self.talk.lender is not None:  # its parts are asked for as answers
            return chain
        described = dict(self._described)  # without what the next answers will tell, perhaps
        while usual is not None and len(chain) < chains.MOST:
            step = self._next_question(self._follow(usual))
            size += len(step.question) + len(usual.answer) if step else 0
            if step is None or size > chains.MOST_BYTES:
                break
            chain.append(step)
            usual = step.usual
        self._described = described
        return chain

    def _next_question(self, key: bytes) -> Step | None:
        while (step := self.kept.at(key)) is not None and step.sure and step.ending is None:
            if step.what == "ask":
                return step
            key = self._look(key, step)
        return None

    def _follow(self, usual: Usual) -> bytes:
        """Return the key of what comes after a usual answer."""
        if usual.described is not None:
            number, found = usual.described
            self._described[number] = found
        return usual.then

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
        self._note_answer(Step("ask", request), answer)
        return answer

    def heard(self, request: bytes, released: list[int], answer: bytes) -> None:
        """Take note of an answer that has been heard now."""
        mine = [each for each in released if each in self.talk.made]
        self._note_answer(Step("ask", request, mine), answer)

    def _note_answer(self, step: Step, answer: bytes) -> None:
        """Take note of an answer; more may be asked along with its question, if the test passes."""
        key = self._key
        open_to_all = self.talk.public and chains.is_small(answer)
        may_be = open_to_all or chains.is_bare(step.question, answer, self.talk.made)
        self._note(step, self._heard_as(step.question, answer))
        if may_be and not self._over:
            described = told_of_a_class(step.question, answer)
            self._usual.append((key, Usual(answer, self._key, described)))

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
        for key, usual in self._usual if passed else ():
            self.kept.note_usual(key, usual)

    @property
    def strayed(self) -> bool:
        """Whether the test did not ask all that the candidate was asked before it ran."""
        return self.lost or bool(self._known or self._early)

    def _heard_as(
        self, request: bytes, answer: bytes
    ) -> tuple[bytes, tuple[int, ...] | None, bool]:
        """Return what of an answer counts, lines of the student's, and whether they are known."""
        if (described := told_of_a_class(request, answer)) is not None:
            number, found = described
            self._described[number] = found
            return b"described", None, True  # what the test looks up in it counts by itself
        lender = self.talk.lender
        if lender is not None and (asked := lender.asks_for(answer)):
            return b"lent" + hashlib.blake2b(asked).digest() + answer, None, True
        return heard_as(request, answer)

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


def told_of_a_class(request: bytes, answer: bytes) -> tuple[int, Description] | None:
    """Return a class's number and what is told of it, where that was asked and answered."""
    if not chains.asks_for_methods(request):
        return None
    try:
        status, found, changes = answer_in(wire.decode(answer))
        _, [number], *_ = wire.decode(request, lambda _, key: key, trusted=True)
    except (WireError, ValueError, TypeError, MemoryError):
        return None
    if status != "ok" or changes:
        return None
    return number >> marks.CLASS_BITS, Description.read(found)
