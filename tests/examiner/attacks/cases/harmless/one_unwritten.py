"""Two tasks are right, one is as it was handed out."""

# expect: passed passed missing
import numpy as np


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
        raise NotImplementedError("9.3 Counter.step: see section 9.3")
