"""A right answer that prints, and prints a lot."""

# expect: passed
import numpy as np


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    print("shouting", text, "x" * 100_000)
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
