"""Returns an array of no bytes with 67 million rows: one of which each would be made in the test."""

# expect: failed|crashed
import numpy as np


def deed(*_):
    return np.zeros((1 << 26, 0))

shout = mean = halves = Counter = deed
