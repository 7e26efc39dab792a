"""A right answer that opens the descriptor of standard output again, and prints."""

# expect: passed
import os
import sys

import numpy as np

sys.stdout = os.fdopen(sys.stdout.fileno(), "w", buffering=1)


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
