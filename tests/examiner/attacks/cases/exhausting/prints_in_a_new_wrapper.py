"""Wraps standard output anew, and prints there without end."""

# expect: failed
import io
import sys

sys.stdout = io.TextIOWrapper(sys.stdout.buffer)


def deed(*_):
    while True:
        print("x" * 1000)


shout = mean = halves = Counter = deed
