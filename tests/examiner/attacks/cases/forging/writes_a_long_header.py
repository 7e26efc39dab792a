"""Announces an answer of four gigabytes and sends none."""

# expect: crashed
import os
import struct


def deed(*_):
    for number in range(3, 10):
        try:
            os.write(number, struct.pack(">II", 0xFFFFFFFF, 2))
        except OSError:
            pass
    while True:
        pass


shout = mean = halves = Counter = deed
