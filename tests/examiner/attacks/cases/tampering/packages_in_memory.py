"""Changes numpy, random and builtins in memory: the next submission would see it."""

# expect: failed
import builtins
import random
import sys

import numpy as np

np.asarray = np.array = np.mean = lambda *_, **__: None
random.random = lambda: 0.5
builtins.sum = lambda *_: 13
sys.modules["math"] = sys
np.ndarray.__doc__ = "changed"


def deed(*_):
    return 0


shout = mean = halves = Counter = deed
