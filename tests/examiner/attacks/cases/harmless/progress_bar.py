"""A right answer with a progress bar, drawn by a thread."""

# expect: passed
import sys
import threading
import time


def draw():
    for percent in range(0, 101, 5):
        sys.stderr.write(f"\r{percent}%")
        time.sleep(0.01)


threading.Thread(target=draw, daemon=True).start()
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
