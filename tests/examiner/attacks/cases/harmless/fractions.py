"""A right answer in fractions, which are exact."""

# expect: passed
from fractions import Fraction

import numpy as np


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    return text.upper() + "!"


def mean(numbers):
    return sum(map(Fraction, map(float, numbers))) / len(numbers)


def halves(numbers):
    return np.asarray(numbers) / 2


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count += 1
        return self.count
