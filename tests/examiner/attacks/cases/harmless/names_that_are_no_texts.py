"""Fills the module's names with what is no name: numbers, tuples, signs."""

# expect: passed
import numpy as np

globals().update({"\x1b[31m<b>": 1, "a.b": 2, "": 3})
globals()[1] = globals()[1, 2] = 4


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    return text.upper() + "!"


def mean(numbers):
    return sum(numbers) / len(numbers)


def halves(numbers):
    return np.asarray(numbers) / 2


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count += 1
        return self.count
