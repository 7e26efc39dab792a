"""A right answer in numpy's numbers."""

# expect: passed
import numpy as np


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    return np.str_(text.upper() + "!")


def mean(numbers):
    return np.float64(np.mean(numbers))


def halves(numbers):
    return np.asarray(numbers) / 2


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count = np.int64(self.count + 1)
        return self.count
