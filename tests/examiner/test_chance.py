"""How improbable a false alarm is: the bound holds, and what is off is seen."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examiner.suite import frequencies
from examiner.suite.chance import CHANCE, tail


def exact_tail(came: int, n: int, p: float) -> float:
    """The probability of `came` or what lies further out on its side, term by term."""
    further = range(came, n + 1) if came >= n * p else range(came + 1)
    return math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in further)


@given(st.data(), st.integers(1, 60), st.floats(0, 1))
def test_the_bound_is_never_below_the_probability(data: st.DataObject, n: int, p: float) -> None:
    came = data.draw(st.integers(0, n))
    lost = 1e-300  # floats below it lose digits
    assert tail(came, n, p) >= exact_tail(came, n, p) * (1 - 1e-9) - lost


def test_right_draws_pass() -> None:
    rng, shares = np.random.default_rng(0), [0.7, 0.2, 0.09, 0.01, 0.0]
    for _ in range(300):
        drawn = Counter(rng.choice(5, size=400, p=shares).tolist())
        assert frequencies(drawn, dict(enumerate(shares)))


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"a": 600, "b": 400}, "of 1000 draws, 'a' came 600 times, expected about 250"),
        ({"a": 250, "b": 749, "c": 1}, "of 1000 draws, 'c' came 1 times, expected never"),
        ({"b": 1000}, "of 1000 draws, 'a' came 0 times, expected about 250"),
    ],
)
def test_what_is_off_is_named(counts: dict[str, int], said: str) -> None:
    found = frequencies(counts, {"a": 0.25, "b": 0.75, "d": 0.0})
    assert not found
    assert repr(found) == said


def test_an_outcome_of_probability_one_always_comes() -> None:
    assert frequencies({"a": 7}, {"a": 1.0, "b": 0.0})
    assert not frequencies({"a": 6, "b": 1}, {"a": 1.0, "b": 0.0})


@pytest.mark.parametrize(
    ("counts", "probabilities", "chance"),
    [({}, {"a": 1.0}, CHANCE), ({"a": 1}, {"a": 0.5}, CHANCE), ({"a": 1}, {"a": 1.0}, 0.0)],
)
def test_bad_input_is_told(
    counts: dict[str, int], probabilities: dict[str, float], chance: float
) -> None:
    with pytest.raises(ValueError, match=r"draws|add up"):
        frequencies(counts, probabilities, chance=chance)
