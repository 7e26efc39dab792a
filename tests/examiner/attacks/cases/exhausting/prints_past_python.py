"""Prints without end, past Python."""

# expect: timeout
import os


def deed(*_):
    while True:
        os.write(1, b"x" * 65536)


shout = mean = halves = Counter = deed
