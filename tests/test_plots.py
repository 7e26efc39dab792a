"""The book's pictures: what they draw, and that they look alike. Leaves out: how beautiful."""

import math

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

from nextword import plots

TABLE = {("<s>",): {"ann": 2, "ben": 1}, ("ann",): {"saw": 1}}


def pictures():
    """Each function of the module on a small input."""
    return {
        "sliding_windows": plots.sliding_windows(["<s>", "a", "b", "</s>"], 2),
        "count_table": plots.count_table(TABLE, ["ann", "ben", "saw"]),
        "likelihood": plots.likelihood({"ann": 2, "ben": 1}, "ann"),
        "next_words": plots.next_words({"MLE": {"a": 1.0}, "additive": {"a": 0.5}}, ["a", "b"]),
        "lines": plots.lines({"Kneser-Ney": {1: 9.0, 2: 3.0}}, x="n", y="perplexity", floor=2),
        "held_out_counts": plots.held_out_counts({1: 0.4, 2: 1.2}),
        "continuations": plots.continuations({"a": 5, "b": 2}, {"a": 1, "b": 2}, ["a"]),
        "surprise": plots.surprise(["a", "b", "c"], [-0.1, -3.0, -math.inf]),
        "ladder": plots.ladder({"1-gram": 50.0, "2-gram": 5.0}, floor=2.0),
    }


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_every_picture_is_closed_so_that_a_notebook_shows_it_once():
    figures = pictures()
    assert plt.get_fignums() == []
    assert all(figure.get_figwidth() <= 6 for figure in figures.values()), "too small on a phone"


def test_no_function_of_the_module_is_left_out_here():
    drawing = {
        name
        for name, value in vars(plots).items()
        if callable(value) and getattr(value, "__module__", "") == plots.__name__ and name[0] != "_"
    }
    assert drawing - {"look"} == set(pictures())


def test_the_style_stays_inside():
    before = dict(plt.rcParams)
    pictures()
    assert dict(plt.rcParams) == before


def test_windows_are_as_many_as_the_text_holds():
    figure = plots.sliding_windows(["<s>", "a", "b", "</s>"], 2)
    assert texts(figure) == ["<s>", "a", "b", "</s>", "<s>", "a", "a", "b", "b", "</s>"]


def test_a_count_table_shows_every_cell_also_the_zeros():
    assert texts(plots.count_table(TABLE, ["ann", "ben", "saw"])) == ["2", "1", "0", "0", "0", "1"]


def test_the_likelihood_peaks_at_the_relative_frequency():
    curve = pictures()["likelihood"].axes[0].lines[0]
    best = max(zip(curve.get_ydata(), curve.get_xdata(), strict=True))[1]
    assert best == pytest.approx(2 / 3, abs=0.003)


def test_a_model_keeps_its_look_wherever_it_stands():
    first = plots.lines({"Kneser-Ney": {1: 1.0}, "MLE": {1: 2.0}}, x="n", y="perplexity")
    second = plots.lines({"MLE": {1: 2.0}, "Kneser-Ney": {1: 1.0}}, x="n", y="perplexity")
    assert first.axes[0].lines[0].get_color() == second.axes[0].lines[1].get_color()
    assert first.axes[0].lines[0].get_marker() != first.axes[0].lines[1].get_marker()


def test_infinite_perplexities_are_left_out_of_a_line():
    figure = plots.lines({"MLE": {1: 50.0, 2: math.inf, 3: 7.0}}, x="n", y="perplexity")
    assert list(figure.axes[0].lines[0].get_xdata()) == [1, 3]


def test_the_floor_is_drawn_at_its_height_and_named():
    axes = plots.lines({"MLE": {1: 9.0}}, x="n", y="perplexity", floor=2.25).axes[0]
    assert list(axes.lines[-1].get_ydata()) == [2.25, 2.25]
    assert "floor 2.25" in [text.get_text() for text in axes.texts]


def test_an_impossible_word_is_framed_and_no_other():
    boxes = plots.surprise(["a", "b", "c"], [-0.1, -3.0, -math.inf]).axes[0].patches
    framed = [to_hex(box.get_edgecolor()) == plots.FLOOR for box in boxes]
    assert framed == [False, False, True]


def test_a_ladder_names_every_perplexity():
    assert texts(pictures()["ladder"]) == ["5.00", "50.00", "floor 2.00"]


def test_neighbouring_colours_differ_in_lightness_or_marker():
    looks = [tuple(plots.look("", i).values()) for i in range(len(plots.COLOURS))]
    assert len({colour for colour, _, _ in looks}) == len(looks)
    assert len({marker for _, marker, _ in looks}) == len(looks)
