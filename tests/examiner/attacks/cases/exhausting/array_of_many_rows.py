"""Returns 64 MB of single bytes: a test that lists them would need gigabytes."""

# expect: missing failed|timeout missing
import numpy as np


def halves(_):
    return np.ones(((64 << 20) - 100, 1), "uint8")


def mean(numbers):
    return 0
