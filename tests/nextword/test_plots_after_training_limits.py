"""The pictures of chapter 7's last page: by distance, by steps needed. Leaves out: style."""

import pytest

from nextword import plots


def test_a_line_and_what_is_true_of_it_have_one_colour_and_two_dashes():
    picture = plots.by_distance(
        {"reward": {"a": [(0, 0), (1, 2)], "a, true": [(0, 0), (1, 1)], "b": [(0, 0), (2, 3)]}},
        x="KL",
        pairs=("a", "b"),
    )
    said, true, other = picture.figure.axes[0].lines[:3]
    assert said.get_color() == true.get_color() != other.get_color()
    assert (said.get_linestyle(), true.get_linestyle()) == ("-", "--")
    assert list(true.get_ydata()) == [0, 1]


def test_a_name_that_ends_so_by_chance_is_a_line_of_its_own():
    picture = plots.by_distance({"reward": {"a": [(0, 0)], "b, true": [(0, 1)]}}, x="KL")
    first, second = picture.figure.axes[0].lines[:2]
    assert first.get_color() != second.get_color()
    assert second.get_linestyle() == "-"


@pytest.mark.slow
def test_panels_stand_below_each_other_with_one_axis_of_distance():
    picture = plots.by_distance({"reward": {"a": [(0, 0)]}, "length": {"a": [(0, 160)]}}, x="KL")
    upper, lower = picture.figure.axes
    assert upper.get_title(loc="left") == "reward"
    assert (upper.get_xlabel(), lower.get_xlabel()) == ("", "KL")


def test_the_bar_reaches_from_the_least_to_the_most_of_the_seeds():
    picture = plots.by_steps_needed({"a": {1: [90.0, 100.0, 98.0]}}, chance=33.3, taught=4)
    container = picture.figure.axes[0].containers[0]
    low, high = container.lines[2][0].get_segments()[0][:, 1]
    assert (low, high) == (90.0, 100.0)
    assert container.lines[0].get_ydata()[0] == pytest.approx(96.0)
    written = [text.get_text() for text in picture.figure.axes[0].texts]
    assert "a guess: 33 %" in written
