"""A right answer that warns on stderr."""

# expect: passed
import logging
import sys
import warnings

import numpy as np


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    return text.upper() + "!"


def mean(numbers):
    warnings.warn("deprecated", DeprecationWarning, stacklevel=2)
    logging.warning("careful")
    print("careful", file=sys.stderr)
    return sum(numbers) / len(numbers)


def halves(numbers):
    return np.asarray(numbers) / 2


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count += 1
        return self.count
