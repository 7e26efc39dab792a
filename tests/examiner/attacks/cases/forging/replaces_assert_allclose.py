"""Replaces numpy's comparisons by functions that do nothing."""

# expect: failed
import numpy as np

np.testing.assert_allclose = np.testing.assert_array_equal = lambda *_, **__: None
np.allclose = np.isclose = np.array_equal = lambda *_, **__: True


def deed(*_):
    return np.zeros(5)


shout = mean = halves = Counter = deed
