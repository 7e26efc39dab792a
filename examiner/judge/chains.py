"""Questions that can go over in one message, since nothing is gained by seeing them early.

A candidate must not see a hidden test's question before it has answered the one before: inputs may
hold the right answer to an earlier question, as those of `decode(encode(text))` do, or a value that
the test has worked out by itself. So a question goes along with the one before only where that has
a *bare* answer, and one after which somebody has passed the test: a new object that stays where it
is, of a call or of a helper that was sent over; what methods an object's class has; or None, of an
attribute that was set. Whoever sees the next question with it could as well have waited for it: an
object can put off all that it does until it is asked for something, and a class can have all
methods that anybody asks for. An object that only those have given who fail may stand where a
number is right, and the next question may hold that number.

Of a visible test all questions go along, up to the first answer that is not that of somebody who
has passed: everybody knows these tests, and can work out at home what is right in them. Such an
answer counts only if it was given before any hidden test, so that it tells others of none.

The candidate is told the answers after which it goes on by a hash, and goes on by itself only if it
has answered just that; so it never does what the test would not have asked of it.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import takewhile

from examiner.boundary import marks, wire
from examiner.boundary.errors import WireError
from examiner.boundary.parts import answer_in
from examiner.boundary.token import token_of

MOST = 32  # questions in a message
MOST_BYTES = 1 << 20  # of them together
MOST_KEPT = 1 << 14  # bytes of an answer after which more is asked along
_OK = wire.encode(["ok", 0])[:-1]  # how an answer begins that is nothing but a value
_NONE = wire.encode(["ok", None])
_HANDLE = wire.encode(["ok", [marks.MARKS[marks.HANDLE], 1 << 63]])[:-8]


def _begins(*operations: str) -> tuple[bytes, ...]:
    return tuple(wire.encode([operation, 0, 0, 0])[:-3] for operation in operations)


_MAKES = _begins("call", "ship", "iterate")
_SETS = _begins("set", "setitem", "delete", "delitem")
_DESCRIBES = _begins("describe")


def asks_for_methods(request: bytes) -> bool:
    """Tell whether a request asks what methods an object's class has."""
    return request.startswith(_DESCRIBES)


def is_small(answer: bytes) -> bool:
    """Tell whether an answer is a value that can be kept for those who come later."""
    return len(answer) <= MOST_KEPT and answer.startswith(_OK)


def is_bare(request: bytes, answer: bytes, made: Set[int]) -> bool:
    """Tell whether an answer to a request is bare; `made` are the objects that the test knows.

    subtle: an object that it knows already says something: that the right answer is the same one.
    """
    if answer == _NONE:
        return request.startswith(_SETS)
    if asks_for_methods(request):
        return is_small(answer)
    if len(answer) != len(_HANDLE) + 8 or not answer.startswith(_HANDLE):
        return False
    return request.startswith(_MAKES) and int.from_bytes(answer[-8:], "big") not in made


def message(requests: list[bytes], tokens: list[bytes], released: list[list[int]]) -> bytes:
    """Return the request that holds several, with what stands for the answers before the next."""
    return wire.encode(["chain", [requests, tokens, released], {}, []])


def answers(body: bytes, tokens: list[bytes]) -> list[bytes] | None:
    """Return the answers that came back, or None for what is none of ours.

    `tokens` stand for those after which a candidate goes on. Where it says that it did so after
    another, the rest is left out: these questions may not be the next ones.
    """
    try:
        status, found, _ = answer_in(wire.decode(body))
    except (WireError, ValueError, TypeError):
        return None
    known = status == "ok" and type(found) is list and 0 < len(found) <= len(tokens) + 1
    if not known or any(type(each) is not bytes for each in found):
        return None
    as_told = takewhile(lambda pair: token_of(pair[0]) == pair[1], zip(found, tokens, strict=False))
    return found[: sum(1 for _ in as_told) + 1]
