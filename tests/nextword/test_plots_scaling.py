"""The pictures of section 6.15, and the numbers of their axes: what a law misses, and floors that
fits find. Leaves out: style.
"""

import pytest

from nextword import plots


def test_off_the_law_has_a_dot_for_each_training_and_a_line_through_the_means():
    picture = plots.off_the_law(
        {"small": {10: [0.5, 2.0], 20: [1.2]}, "wide": {10: [1.1]}},
        x="n",
        xticks=(10, 20),
        yticks=(0.5, 1, 2),
    )
    axes = picture.figure.axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    _, small, wide = axes.lines  # after that of the law itself
    assert list(small.get_ydata()) == pytest.approx([1.0, 1.2])  # the mean of logarithms
    assert list(wide.get_xdata()) == [10]
    assert axes.collections[0].get_offsets().tolist() == [[10, 0.5], [10, 2.0], [20, 1.2]]
    assert {"small", "wide"} <= {text.get_text() for text in axes.texts}


def test_floors_stand_on_their_intervals_and_the_axis_ends_at_the_floor():
    fits = {"short": (4.0, 0.1, 0.0, 0.3), "long": (1.5, 0.25, 0.2, 0.4)}
    axes = plots.floors_found(fits, 0.3, xticks=(1, 2, 4)).figure.axes[0]
    floor, interval, point, *_ = axes.lines
    assert list(floor.get_ydata()) == [0.3, 0.3]
    assert list(interval.get_ydata()) == [0.0, 0.3]
    assert (list(point.get_xdata()), list(point.get_ydata())) == ([4.0], [0.1])
    left, right = axes.get_xlim()
    assert left > 4.0 > right == 1.0
    assert {"short", "long", "true floor 0.300"} <= {text.get_text() for text in axes.texts}


@pytest.mark.parametrize("given", [{}, {"xticks": (10_000, 1_000_000)}])
def test_large_numbers_of_a_logarithmic_axis_are_written_out(given):
    reads = {10_000: 9.0, 1_000_000: 3.0}
    figure = plots.lines({"a": reads}, x="words", y="perplexity", log="x", **given).figure
    figure.canvas.draw()
    ticks = {label.get_text() for label in figure.axes[0].get_xticklabels()}
    assert {"10,000", "1,000,000"} <= ticks
