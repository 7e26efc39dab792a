"""Prints without end."""

# expect: failed
import sys


def deed(*_):
    while True:
        print("x" * 1000, file=sys.stderr)


shout = mean = halves = Counter = deed
