"""In which direction an answer is off: said without the answer."""

import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from examiner.judge.direction import direction


@pytest.mark.parametrize(
    ("got", "expected", "text"),
    [
        ([1, 2], [1.0, 2], ""),
        ((1, 2), [1, 2], ""),
        (2.5, 2, "a number that is too large"),
        (-3, 3, "a number with the wrong sign"),
        (0.001, 7.0, "a number that is more than ten times too small"),
        (math.nan, 1.0, "a number that is NaN"),
        (math.inf, 1.0, "a number that is infinite"),
        (1.0, -math.inf, "a number that should be infinite"),
        (True, False, "the other truth value"),
        ("a", "b", "another text"),
        (None, [1], "None where a list is expected"),
        ([1, 2], [1, 2, 3], "a list that is one item too short"),
        ([1] * 9, [1], "a list that is some items too long"),
        ([3, 2, 1], [1, 2, 3], "a list with the right items in another order"),
        ([9, 2, 3, 8], [1, 2, 3, 4], "a list that is right except at both ends"),
        ([1, 2, 3, "x"], [1, 2, 3, "y"], "a list that is right except at one end: another text"),
        ([2.0, 4.0], [1.0, 2.0], "a list of numbers that are all too large by one factor"),
        ([2.0, 5.0], [1.0, 4.0], "a list of numbers that are all too large by the same number"),
        ([1, 2, 5, 9, 5], [1, 2, 3, 9, 4], "a list that differs after its first item: a number"),
        ([9, 2, 5, 9], [1, 2, 3, 9], "a list that differs in its first item: a number"),
        ({"a": 1}, {"a": 1, "b": 2}, "a dict that lacks keys"),
        ({"c": 1}, {"a": 1}, "a dict that lacks keys and has keys too many"),
        (
            {"a": 0.5, "b": 0.4, "c": 0.3},
            {"a": 0.5, "b": 0.3, "c": 0.2},
            "a dict with the right keys, but its values sum to too much",
        ),
        (
            {"a": 0.5, "b": 0.2, "c": 0.3},
            {"a": 0.5, "b": 0.3, "c": 0.2},
            "a dict with the right keys and the right sum, but some values differ",
        ),
        ({1}, {1, 2}, "a set that lacks items"),
        (np.ones((2, 3)), np.ones((3, 2)), "another shape: its axes are the other way round"),
        (torch.ones(3), torch.ones(3, 1), "an array with too few axes"),
        (torch.tensor([1.0, math.nan]), torch.ones(2), "with NaN or infinity in it"),
        (torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 3], [2, 4]]), "the other way round"),
        (
            torch.tensor([1.0, 2, 9]),
            torch.tensor([1.0, 2, 3]),
            "some of its places, and sums to too",
        ),
        ("no array", torch.ones(2), "a text where numbers are expected"),
        (object(), 3, "another object where a number is expected"),
    ],
)
def test_what_is_said(got: object, expected: object, text: str) -> None:
    found = direction(got, expected)
    assert text in found if text else found == ""


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.slow
@given(PLAIN, PLAIN)
def test_nothing_of_either_answer_is_said(got: object, expected: object) -> None:
    assert re.fullmatch(r"[a-zA-Z ,:-]*", direction(got, expected))
