"""What of a test's questions goes over together: only what follows an answer that says nothing."""

from pathlib import Path
from types import ModuleType

import pytest

from examiner.boundary import marks, wire
from examiner.boundary.token import token_of
from examiner.candidate.host import Host
from examiner.judge import chains

CODE = """
class Thing:
    def __init__(self, n):
        seen.append(n)


seen = []
"""


def request(operation: str, *args: object) -> bytes:
    return wire.encode([operation, list(args), {}, []])


def named(operation: str, name: str, *args: object) -> bytes:
    return request(operation, [marks.MARKS[marks.NAME], name], *args)


def handle(number: int) -> bytes:
    return wire.encode(["ok", [marks.MARKS[marks.HANDLE], number]])


NEW, KNOWN = (1 << 46) + (1 << 32) + 1, (1 << 46) + (1 << 32) + 2
NONE = wire.encode(["ok", None])


@pytest.mark.parametrize(
    ("asked", "answer", "bare"),
    [
        (named("call", "Thing", 1), handle(NEW), True),
        (request("ship", "name", "source", {}, {}), handle(NEW), True),
        (named("call", "Thing", 1), handle(KNOWN), False),  # the right one is the one before
        (named("call", "double", 1), wire.encode(["ok", 2]), False),
        (named("call", "double", 1), NONE, False),  # that it is nothing may be what is asked
        (named("set", "Thing", "n", 3), NONE, True),
        (named("call", "double", 1), wire.encode(["error", ["ValueError", "", []]]), False),
        (named("index", "table", 1), handle(NEW), False),
        (named("call", "Thing", 1), handle(NEW) + b"\0", False),
        (named("call", "Thing", 1), wire.encode(["ok", NEW]), False),
        (request("describe", [marks.MARKS[marks.HANDLE], NEW]), wire.encode(["ok", []]), True),
        (request("describe", [marks.MARKS[marks.HANDLE], NEW]), b"\x92\xa2no", False),
    ],
)
def test_only_what_says_nothing_is_bare(asked: bytes, answer: bytes, bare: bool) -> None:
    assert chains.is_bare(asked, answer, {KNOWN}) is bare


def ask(requests: list[bytes], usual: list[bytes]) -> tuple[list[bytes] | None, list[int]]:
    """Send requests together to a module; return its answers, and which objects it made."""
    module = ModuleType("things")
    exec(CODE, vars(module))
    host = Host(Path())
    host.use(module)
    released: list[list[int]] = [[] for _ in requests]
    tokens = [token_of(each) for each in usual]
    answer = host.handle(1, [], chains.message(requests, tokens, released))
    return chains.answers(answer, tokens), module.seen


def test_a_candidate_goes_on_only_after_the_answer_that_is_told() -> None:
    three = [named("call", "Thing", n) for n in (1, 2, 3)]
    first = handle(NEW)
    assert ask(three, [first, handle(KNOWN)])[1] == [1, 2, 3]
    found, seen = ask(three, [first, handle(NEW)])
    assert seen == [1, 2]  # the second object has another number: nobody asks for the third
    assert found == [first, handle(KNOWN)]
    found, seen = ask([named("call", "nothing"), *three], [first] * 3)
    assert seen == []
    assert found is not None
    assert len(found) == 1


def test_what_is_no_list_of_answers_is_none() -> None:
    for body in (b"", b"\x92", NONE, wire.encode(["ok", []]), wire.encode(["ok", [1]])):
        assert chains.answers(body, [b"a", b"b"]) is None
    assert chains.answers(wire.encode(["ok", [b"a"] * 4]), [b"a", b"b"]) is None
    assert chains.answers(wire.encode(["error", [b"a"]]), [b"a", b"b"]) is None
    assert chains.answers(wire.encode(["ok", [b"a"]]), [token_of(b"a")]) == [b"a"]


def test_what_is_answered_after_another_answer_than_the_known_one_is_left_out() -> None:
    """A candidate says how far it went, and may say anything."""
    tokens = [token_of(b"a"), token_of(b"b")]
    for said, kept in (("abc", "abc"), ("xbc", "x"), ("axc", "ax"), ("ab", "ab")):
        body = wire.encode(["ok", [each.encode() for each in said]])
        assert chains.answers(body, tokens) == [each.encode() for each in kept]
