"""How the tests of chapter 1 compare numbers."""

import numpy as np
import pytest


def near(value):
    """A number, a list or a dict of numbers, equal but for rounding."""
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def numbers(array):
    """An array, a list or a tensor as nested lists of plain numbers."""
    return np.asarray(array, dtype=float).tolist()
