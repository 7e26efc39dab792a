"""Takes memory without end."""

# expect: memory
import numpy as np


def deed(*_):
    hoard = []
    while True:
        hoard.append(np.empty(1 << 26))


shout = mean = halves = Counter = deed
