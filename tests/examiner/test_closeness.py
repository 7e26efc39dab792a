"""Numbers of Python's are compared in few steps, as numpy compares arrays of them."""

import itertools
import math

import numpy as np

from examiner.suite import close

VALUES = [0.0, -0.0, 1.0, 1 + 9.9e-10, 1 + 1.1e-9, 1e-12, 2.1e-12, 1e308, -1e308, 5e-324]
SPECIAL = [math.inf, -math.inf, math.nan]
GIVEN = [{}, {"rtol": 1e-3}, {"atol": 1e-6}, {"rtol": 0, "atol": 0}, {"atol": math.inf}]


def test_a_number_is_as_close_as_an_array_of_one():
    for x, y in itertools.product([*VALUES, *SPECIAL], repeat=2):
        for given in GIVEN:
            with np.errstate(all="ignore"):
                alone = close(np.array(x), np.array(y), **given)
                assert close(x, y, **given) == alone
                assert bool(close([x], [y], **given)) == bool(alone)


def test_a_number_that_is_off_is_named_with_its_place():
    assert repr(close([1.0, [2.0, 2.5]], [1.0, [2.0, 2.0]])) == "at [1][1]: 2.5, expected 2.0"
    assert repr(close({"a": math.nan}, {"a": 1.0})) == "at ['a']: nan, expected 1.0"
