"""Ends the process with a number that tells something of a hidden input."""

# expect: crashed
import os


def deed(*_):
    os._exit(7)


shout = mean = halves = Counter = deed
