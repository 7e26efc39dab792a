"""Writes an answer to the channel by hand before it answers."""

# expect: crashed
import os
import struct


def deed(*_):
    body = b"\x92\xa2ok\xc3"
    for number in range(3, 10):
        try:
            os.write(number, struct.pack(">II", len(body), 2) + body)
        except OSError:
            pass
    return True


shout = mean = halves = Counter = deed
