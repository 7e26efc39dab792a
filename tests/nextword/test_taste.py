"""The judge with a known taste: hand values, frequencies and refusals."""

import numpy as np
import pytest

from nextword.corpora.taste import Preference, Taste

PLUMS, MUD = ("plums",), ("mud",)


def test_chances_of_both_orders_sum_to_one():
    taste = Taste({"plums": 1.3, "mud": -0.4}, scale=0.7)
    first = taste.probability(PLUMS, MUD)
    assert first == pytest.approx(1 / (1 + np.exp(-0.7 * 1.7)))
    assert first + taste.probability(MUD, PLUMS) == pytest.approx(1)


def test_great_rewards_do_not_overflow():
    taste = Taste({"plums": 1e6}, scale=1.0)
    assert taste.probability(PLUMS, MUD) == 1
    assert taste.probability(MUD, PLUMS) == 0
    pairs = [(MUD, PLUMS), (PLUMS, MUD)]
    assert taste.judge(pairs, np.random.default_rng(0)) == (Preference(PLUMS, MUD),) * 2


def test_judgements_have_the_known_frequency():
    taste = Taste({"plums": 1.0}, scale=1.0)
    n = 4000
    found = taste.judge([(MUD, PLUMS)] * n, np.random.default_rng(1))
    plums = sum(preference.chosen == PLUMS for preference in found)
    chance = taste.probability(PLUMS, MUD)
    spread = np.sqrt(chance * (1 - chance) / n)
    assert plums / n == pytest.approx(chance, abs=6.2 * spread)  # false alarm below 1e-9


@pytest.mark.parametrize("pair", [(PLUMS,), (PLUMS, PLUMS), (PLUMS, MUD, ())])
def test_a_pair_needs_two_different_answers(pair):
    with pytest.raises(ValueError, match="pair 0 needs two different answers"):
        Taste({}, scale=1.0).judge([pair], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("worth", "scale"), [(float("nan"), 1.0), (1.0, float("inf")), (1.0, -1.0)]
)
def test_a_taste_must_be_finite(worth, scale):
    with pytest.raises(ValueError, match="finite"):
        Taste({"plums": worth}, scale)
