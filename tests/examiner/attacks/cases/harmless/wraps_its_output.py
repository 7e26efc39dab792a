"""A right answer that wraps standard output anew, as it is done on Windows, and prints."""

# expect: passed
import io
import sys

import numpy as np

sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
sys.stderr = io.TextIOWrapper(sys.stderr.buffer, encoding="utf-8")


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
