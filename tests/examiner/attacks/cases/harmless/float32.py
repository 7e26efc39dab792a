"""A right answer in single precision."""

# expect: passed
import numpy as np


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    return text.upper() + "!"


def mean(numbers):
    return sum(numbers) / len(numbers)


def halves(numbers):
    return (np.asarray(numbers) / 2).astype(np.float32)


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count += 1
        return self.count
