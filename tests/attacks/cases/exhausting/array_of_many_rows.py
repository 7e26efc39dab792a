"""Returns 64 MB of single bytes: a test that lists them would need gigabytes."""

# expect: failed|timeout
import numpy as np


def deed(*_):
    return np.ones(((64 << 20) - 100, 1), "uint8")

shout = mean = halves = Counter = deed
