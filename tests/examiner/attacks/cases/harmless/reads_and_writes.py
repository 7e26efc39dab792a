"""A right answer that keeps a file of its own while it works."""

# expect: passed
import json
import tempfile
from pathlib import Path

import numpy as np


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    return text.upper() + "!"


def mean(numbers):
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
    Path("cache.json").write_text(json.dumps([1]))
    return sum(numbers) / len(numbers)


def halves(numbers):
    return np.asarray(numbers) / 2


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count += 1
        return self.count
