"""Answers with an array of gigabytes that costs nothing to make."""

# expect: failed
import numpy as np


def deed(*_):
    return np.broadcast_to(np.zeros(1), (1 << 20, 1 << 20))


shout = mean = halves = Counter = deed
