"""Answers with a set of pairs whose hashes are all the same: would be read for hours."""

# expect: timeout|failed missing missing
import msgpack

from examiner.candidate import host as candidate
from examiner.boundary import marks

# the constants of Python's hash of a tuple, solved for the second item
P1, P2, P5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
WORD, INVERSE = (1 << 64) - 1, pow(P2, -1, 1 << 64)


def pairs(count):
    found, x = [], 0
    while len(found) < count:
        x += 1
        lane = (P5 + x * P2) & WORD
        lane = (((lane << 31) | (lane >> 33)) & WORD) * P1 & WORD
        y = (4711 - lane) * INVERSE & WORD
        y = y if y < 1 << 63 else y - (1 << 64)
        if abs(y) < (1 << 61) - 1 and y != -1:
            found.append((x, y))
    return found


assert len(set(map(hash, pairs(99)))) == 1
mark, pair = marks.MARKS[marks.SET], marks.MARKS[marks.TUPLE]
answer = msgpack.packb(["ok", [mark, *([pair, x, y] for x, y in pairs(200_000))]])


def deed(*_):
    candidate.Host.handle = lambda *_: answer  # to make the set here would take as long
    return 0


shout = deed
