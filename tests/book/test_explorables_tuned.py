"""Chapter 7's figures to touch: walked by keyboard and by touch, beside what Python computes."""

import re

import pytest
import torch

from solutions import after_training
from tests.browser import NEEDS_CHROMIUM
from tests.explorable_pages import numbers_of, shown

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


@pytest.mark.parametrize(("steps", "wish"), [(14, "number of yes"), (32, "yes no alone")])
def test_the_best_policy_on_the_leash_is_that_of_chapter_seven(opened, steps, wish):
    figure, hand = opened("leash")
    given = numbers_of("leash")
    figure.get_by_label("reward", exact=True).select_option(wish)
    hand.slide(figure.get_by_label("β (leash)"), steps)
    beta = 10 ** (-1 + 0.05 * steps)
    log_p, rewards = (
        torch.tensor(row).double() for row in (given["log_p"], given["rewards"][wish])
    )
    optimum = after_training.tilted(log_p, rewards, beta)
    for (name, (now, before)), best, first in zip(
        shown(figure).items(), optimum.exp(), log_p.exp(), strict=True
    ):
        assert name in given["texts"]
        assert now == pytest.approx(float(best), abs=0.0051)
        assert before == pytest.approx(float(first), abs=0.0051)
    kl = float(optimum.exp() @ (optimum - log_p))
    reward = float(optimum.exp() @ rewards)
    assert f"expected reward {reward:.2f}" in figure.inner_text()
    assert f"KL {kl:.2f} nats, reward − β KL = {reward - beta * kl:.2f}" in figure.inner_text()
    dot = figure.locator(".nw-x-frontier circle").bounding_box()
    line = figure.locator(".nw-x-frontier polyline").bounding_box()
    assert line["x"] - 8 <= dot["x"] + 6 <= line["x"] + line["width"] + 8
    hand.slide(figure.get_by_label("β (leash)"), 1)  # a longer leash: further right, and higher
    further = figure.locator(".nw-x-frontier circle").bounding_box()
    assert further["x"] > dot["x"]
    assert further["y"] < dot["y"]


@pytest.mark.parametrize(("way", "place"), [("one judge", 1), ("leash", 5)])
def test_judge_and_truth_are_told_as_they_were_measured(opened, way, place):
    figure, hand = opened("goodhart")
    rows = numbers_of("goodhart")["ways"][way]
    figure.get_by_label("tuned by").select_option(way)
    assert figure.get_by_role("slider").input_value() == str(len(rows) - 1)  # the furthest, first
    hand.slide(figure.get_by_role("slider"), place)
    told, row = figure.inner_text().replace("\u2212", "-"), rows[place]
    assert f"At {row['kl']:.1f} nats" in told
    said, true = re.search(r"judge says ([-+\d.]+), and the truth is ([-+\d.]+)\.", told).groups()
    assert float(said) == pytest.approx(row["proxy"], abs=0.051)
    assert float(true) == pytest.approx(row["truth"], abs=0.051)
    gap, accepted, words, variety = figure.locator("tbody td").all_inner_texts()
    assert float(gap.rstrip(" %")) == pytest.approx(row["gap"], abs=0.051)
    assert float(accepted.rstrip(" %")) == pytest.approx(100 * row["accepted"], abs=0.51)
    assert float(words) == pytest.approx(row["words"], abs=0.51)
    assert float(variety.rstrip(" %")) == pytest.approx(100 * row["runs"], abs=0.51)
    left = row["story"]["left_at"]
    framed = figure.locator(".nw-x-out").all_inner_texts()
    words_told = [word for word in row["story"]["text"].split() if word != "</s>"]
    wanted = [] if left is None else [[*words_told, "the end"][left]]
    assert framed == wanted


def test_before_any_step_there_is_no_story_to_show(opened):
    figure, hand = opened("goodhart")
    hand.slide(figure.get_by_role("slider"), 0)
    assert "At 0.0 nats the judge says +0.0, and the truth is +0.0." in figure.inner_text()
    assert not figure.locator(".nw-x-pleases").is_visible()
