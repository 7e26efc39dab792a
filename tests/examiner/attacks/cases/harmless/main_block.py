"""A right answer with a block that runs only as a program, and type hints."""

# expect: passed
from __future__ import annotations

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
        self.count += 1
        return self.count


if __name__ == "__main__":
    raise SystemExit(shout("hi"))
