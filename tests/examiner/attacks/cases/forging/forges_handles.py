"""Answers with handles that were never given out, and with forbidden markers."""

# expect: failed|crashed
from examiner.candidate import host as candidate
from examiner.boundary import wire

bodies = [
    b"\x92\xa2ok" + b"\x92\xc7\x00" + bytes([mark]) + value
    for mark, value in ((9, b"\xff"), (9, b"\xcf" + b"\xff" * 8), (10, b"\xa0"), (7, b"\x80"))
]


def handle(*_):
    bodies.append(bodies.pop(0))
    return bodies[0]


def deed(*_):
    candidate.Host.handle = handle
    return 0


shout = mean = halves = Counter = deed
