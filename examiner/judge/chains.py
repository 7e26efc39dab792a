"""Questions that can go over in one message, since nothing is gained by seeing them early.

A candidate must not see a question before it has answered the one before: inputs may hold the right
answer to an earlier question, as those of `decode(encode(text))` do, or a value that the test has
worked out by itself. So a question goes along with the one before only where that has a *bare*
answer, and one after which somebody has passed the test: a new object that stays where it is, of a
call or of a helper that was sent over, or None, of an attribute that was set. Whoever sees the next
question with it could as well have waited for it: an object can put off all that it does until it
is asked for something. An object that only those have given who fail may stand where a number is
right, and the next question may hold that number. The candidate goes on by itself only if it has
answered just that; so it never does what the test would not have asked of it.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import takewhile

from examiner.boundary import marks, wire
from examiner.boundary.errors import WireError
from examiner.boundary.parts import answer_in

MOST = 32  # questions in a message
MOST_BYTES = 1 << 20  # of them together
_NONE = wire.encode(["ok", None])
_HANDLE = wire.encode(["ok", [marks.MARKS[marks.HANDLE], 1 << 63]])[:-8]


def _begins(*operations: str) -> tuple[bytes, ...]:
    return tuple(wire.encode([operation, 0, 0, 0])[:-3] for operation in operations)


_MAKES = _begins("call", "ship", "iterate")
_SETS = _begins("set", "setitem", "delete", "delitem")


def is_bare(request: bytes, answer: bytes, made: Set[int]) -> bool:
    """Tell whether an answer to a request is bare; `made` are the objects that the test knows.

    subtle: an object that it knows already says something: that the right answer is the same one.
    """
    if answer == _NONE:
        return request.startswith(_SETS)
    if len(answer) != len(_HANDLE) + 8 or not answer.startswith(_HANDLE):
        return False
    return request.startswith(_MAKES) and int.from_bytes(answer[-8:], "big") not in made


def message(requests: list[bytes], bare: list[bytes], released: list[list[int]]) -> bytes:
    """Return the request that holds several, with the answers after which the candidate goes on."""
    return wire.encode(["chain", [requests, bare, released], {}, []])


def answers(body: bytes, bare: list[bytes]) -> list[bytes] | None:
    """Return the answers that came back, or None for what is none of ours.

    `bare` are those after which a candidate goes on. Where it says that it did so after another,
    the rest is left out: these questions may not be the next ones.
    """
    try:
        status, found, _ = answer_in(wire.decode(body))
    except (WireError, ValueError, TypeError):
        return None
    known = status == "ok" and type(found) is list and 0 < len(found) <= len(bare) + 1
    if not known or any(type(each) is not bytes for each in found):
        return None
    as_told = takewhile(lambda pair: pair[0] == pair[1], zip(found, bare, strict=False))
    return found[: sum(1 for _ in as_told) + 1]
