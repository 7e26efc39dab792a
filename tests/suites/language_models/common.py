"""How the tests of chapter 1 compare numbers."""

import numpy as np

from nextword.suite import close


class Approximately:
    """Equal up to rounding, and in shape: for pytest.approx an empty array equals any number."""

    __array_ufunc__ = None  # numpy asks this class, instead of comparing item by item

    def __init__(self, value, rel):
        self.expected, self.rel = value, rel

    def __eq__(self, got):
        return bool(close(got, self.expected, rtol=self.rel, atol=1e-12))


def near(value, rel=1e-9):
    """A number, a list or a dict of numbers, equal but for rounding."""
    return Approximately(value, rel)


def numbers(array):
    """An array, a list or a tensor as nested lists of plain numbers."""
    return np.asarray(array, dtype=float).tolist()
