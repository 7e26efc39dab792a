"""Measures a message before anything is built of it. Leaves out what the values mean (wire.py)."""

from __future__ import annotations

from examiner.boundary import limits
from examiner.boundary.errors import WireError

MAX_ELEMENTS = 4 << 20  # items of lists and dicts in one message
MAX_DEPTH = 100  # lists in lists

# What follows the first byte of a value: so many bytes; a length of so many bytes and then as many
# as it says; so many values; a length, and then so many values or pairs of values; a marker
_SKIP, _BYTES, _VALUES, _LIST, _DICT, _MARK, _UNKNOWN = range(7)


def _heads() -> list[tuple[int, int]]:
    """Return what follows, and its number, for each first byte of msgpack's that is known here."""
    heads = [(_UNKNOWN, 0)] * 256
    heads[:0x80] = [(_SKIP, 0)] * 0x80  # small integers
    heads[0xE0:] = [(_SKIP, 0)] * 0x20
    heads[0x80:0x90] = [(_VALUES, 2 * size) for size in range(16)]  # short dicts
    heads[0x90:0xA0] = [(_VALUES, size) for size in range(16)]  # short lists
    heads[0xA0:0xC0] = [(_SKIP, size) for size in range(32)]  # short strings
    heads[0xC4:0xC7] = heads[0xD9:0xDC] = [(_BYTES, size) for size in (1, 2, 4)]
    heads[0xC7] = (_MARK, 2)
    numbers = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4}
    for head, size in (numbers | {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xD3: 8}).items():
        heads[head] = (_SKIP, size)
    heads[0xDC:0xDE] = [(_LIST, 2), (_LIST, 4)]
    heads[0xDE:0xE0] = [(_DICT, 2), (_DICT, 4)]
    return heads


_HEADS = _heads()


def measure(data: bytes) -> int:
    """Return how many values a message holds; raises WireError unless it is whole and bounded.

    Reads the headers alone, so that a few bytes cannot make the decoder allocate gigabytes.

    >>> measure(bytes([0x93, 1, 2, 0xA1, 65]))  # [1, 2, "A"]
    4
    """
    limits.check_message(len(data))
    at, count, left = 0, 1, 1
    outer: list[int] = []  # what is left of each list around this one
    try:
        while left or outer:
            if not left:
                left = outer.pop()
                continue
            left -= 1
            kind, inside = _HEADS[data[at]]
            at += 1
            if kind == _SKIP or (kind == _MARK and data[at] == 0):  # a marker has no content
                at += inside
                continue
            if kind == _BYTES:
                at += inside + int.from_bytes(data[at : at + inside], "big")
                continue
            if kind in (_LIST, _DICT):
                each, stop = 1 if kind == _LIST else 2, at + inside
                inside, at = each * int.from_bytes(data[at:stop], "big"), stop
            elif kind != _VALUES:
                raise WireError(f"unknown type {data[at - 1]:#x}")
            count += inside
            if count > MAX_ELEMENTS or inside > len(data) - at or len(outer) >= MAX_DEPTH:
                raise WireError("the message is nested too deeply or holds too much")
            outer.append(left)
            left = inside
    except IndexError:
        raise WireError("the message ends too soon") from None
    if at != len(data):
        raise WireError(f"{len(data) - at} bytes too many or too few")
    return count
