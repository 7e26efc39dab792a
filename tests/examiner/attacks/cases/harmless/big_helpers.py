"""A right answer that keeps state, threads a lock and caches."""

# expect: passed
import functools
import threading

lock = threading.Lock()

import numpy as np


@functools.lru_cache
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
