"""Returns iterators that give whatever is asked for."""

# expect: failed|timeout
import itertools


def deed(*_):
    return itertools.repeat(1)


shout = mean = halves = Counter = deed
