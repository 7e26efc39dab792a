"""A right answer that asks Python to tell of crashes on standard error, and prints."""

# expect: passed
import faulthandler

import numpy as np

faulthandler.enable()


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    print("shouting", text)
    return text.upper() + "!"


def mean(numbers):
    print("n =", len(numbers))
    return sum(numbers) / len(numbers)


def halves(numbers):
    return np.asarray(numbers) / 2


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count += 1
        return self.count
