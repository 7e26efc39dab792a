"""Returns arrays of NaN."""

# expect: failed
import numpy as np


def deed(*_):
    return np.full(5, np.nan)


shout = mean = halves = Counter = deed
