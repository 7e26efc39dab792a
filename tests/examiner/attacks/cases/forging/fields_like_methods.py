"""Answers with a named tuple whose fields are called like the methods that a test uses."""

# expect: failed
from collections import namedtuple

Deed = namedtuple("Deed", "shape dtype detach astype items keys values count index upper")


def deed(*_):
    return Deed((), "float64", True, True, True, True, True, True, True, True)


shout = mean = halves = Counter = deed
