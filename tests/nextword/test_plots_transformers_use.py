"""The pictures of chapter 6's second page: means, spreads, bits per rung. Leaves out: style."""

import math

import pytest

from nextword import plots


def test_with_spread_draws_the_mean_and_a_bar_of_one_standard_deviation():
    picture = plots.with_spread(
        {"a": {10: [1.0, 3.0], 100: [5.0, 5.0]}}, x="n", y="y", xticks=(10,)
    )
    line, bars = (
        picture.figure.axes[0].containers[0].lines[0],
        picture.figure.axes[0].collections[0],
    )
    assert list(line.get_ydata()) == [2.0, 5.0]
    low, high = bars.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(math.sqrt(2))


def test_a_single_measurement_has_no_spread():
    picture = plots.with_spread({"a": {10: [4.0]}}, x="n", y="y", xticks=(10,))
    low, high = picture.figure.axes[0].collections[0].get_segments()[0][:, 1]
    assert low == high == 4.0


def test_by_rung_writes_the_bits_of_each_rung_below_its_name_and_colours_the_larger_more():
    excess = {"RNN": {"name": 2.0, "list": 1.0}, "GRU": {"name": 0.5, "list": math.inf}}
    axes = plots.by_rung(excess).figure.axes[0]
    written = {text.get_position(): text.get_text() for text in axes.texts}
    assert written == {(0, 0): "2.0", (0, 1): "1.0", (1, 0): "0.5"}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["RNN", "GRU"]
    strengths = [patch.get_alpha() for patch in axes.patches]
    assert strengths[0] > strengths[1] > strengths[2]


def test_ten_bits_and_more_are_written_without_a_fraction_and_coloured_like_five():
    axes = plots.by_rung({"1-gram": {"name": 10.2, "list": 5.0}}).figure.axes[0]
    assert axes.texts[0].get_text() == "10"
    assert len({patch.get_alpha() for patch in axes.patches}) == 1


def test_a_model_better_than_the_truth_by_chance_loses_nothing():
    axes = plots.by_rung({"RNN": {"name": -0.2, "list": 1.0}}).figure.axes[0]
    assert axes.texts[0].get_text() == "0.0"
