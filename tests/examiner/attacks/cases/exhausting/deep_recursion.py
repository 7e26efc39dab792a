"""Calls itself without end."""

# expect: crashed|timeout|memory
import sys

sys.setrecursionlimit(10**9)


def deed(*_):
    return deed()


shout = mean = halves = Counter = deed
