"""Brings modules that go by the names of packages."""

# expect: failed
import numpy as np


def deed(*_):
    return np.zeros(5)


shout = mean = halves = Counter = deed
