"""The pictures of chapter 6 show what they were given. Leaves out: style."""

import math

import pytest

from nextword import plots


def axes(picture):
    return picture.figure.axes


def texts(picture):
    return [text.get_text() for text in axes(picture)[0].texts]


def test_a_curve_goes_through_all_its_points_and_carries_its_name():
    picture = plots.curves({"up": {0.0: 1.0, 1.0: 2.0}, "down": {0.0: 3.0, 1.0: 0.5}}, x="x", y="y")
    first, second = axes(picture)[0].lines
    assert (list(first.get_xdata()), list(first.get_ydata())) == ([0, 1], [1, 2])
    assert list(second.get_ydata()) == [3, 0.5]
    assert {"up", "down"} <= set(texts(picture))


def test_curves_that_differ_in_colour_differ_in_dashes_as_well():
    picture = plots.curves({name: {0.0: 1.0, 1.0: 2.0} for name in "abc"}, x="x", y="y")
    styles = [line.get_linestyle() for line in axes(picture)[0].lines]
    assert len(set(styles)) == 3


def test_the_axes_of_curves_are_logarithmic_where_asked():
    picture = plots.curves({"a": {1.0: 1.0, 10.0: 100.0}}, x="x", y="y", log="y", ylim=(0.5, 200))
    (ax,) = axes(picture)
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylim()) == ("linear", "log", (0.5, 200))


def test_each_stage_of_a_vector_has_a_bar_for_each_number():
    picture = plots.stages({"x": [1, 7], "minus the mean": [-3, 3]}, y="value")
    heights = [[bar.get_height() for bar in ax.patches] for ax in axes(picture)]
    assert heights == [[1, 7], [-3, 3]]
    assert [[text.get_text() for text in ax.texts] for ax in axes(picture)] == [
        ["1", "7"],
        ["-3", "3"],
    ]
    assert [ax.get_title() for ax in axes(picture)] == ["x", "minus the mean"]


def test_both_blocks_have_two_layers_two_norms_and_two_sums():
    found = texts(plots.two_blocks())
    assert [found.count(part) for part in ("attention", "feed-forward", "norm", "+")] == [
        2,
        2,
        4,
        4,
    ]
    assert {"pre-norm", "post-norm"} <= set(found)


def test_the_whole_model_says_how_many_blocks_it_has():
    assert "3 blocks" in texts(plots.whole_model(3))


def test_waves_show_the_columns_asked_for_each_around_its_own_level():
    table = [[math.sin(t), math.cos(t), 0.5] for t in range(9)]
    (ax,) = axes(plots.waves(table, shown=(0, 1)))
    curves = [line.get_ydata() for line in ax.lines if len(line.get_ydata()) == 9]
    levels = list(ax.get_yticks())
    assert list(curves[0] - levels[0]) == pytest.approx([row[0] for row in table])
    assert list(curves[1] - levels[1]) == pytest.approx([row[1] for row in table])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["sin, hand 0", "cos, hand 0"]


def test_digits_stand_above_the_waves_and_change_at_powers_of_two():
    (ax,) = axes(plots.waves([[0.0]] * 9, shown=(0,), digits=2))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["digit for 1", "digit for 2", "sin, hand 0"]
    raised = [
        [y > level for y in line.get_ydata()]
        for line, level in zip(ax.lines, (0, -2.4), strict=False)
    ]
    assert [place for place in range(9) if raised[0][place]] == [1, 3, 5, 7]
    assert [place for place in range(9) if raised[1][place]] == [2, 3, 6, 7]


def test_the_first_transformer_has_all_its_parts():
    found = texts(plots.first_transformer())
    parts = ("Add & Norm", "feed-forward", "self-attention", "masked attention", "cross-attention")
    assert [found.count(part) for part in parts] == [5, 2, 1, 1, 1]
    assert [found.count(part) for part in ("N times", "embedding", "+", "softmax")] == [2, 2, 2, 1]


def test_turned_arrows_end_where_their_angles_say():
    picture = plots.turned({"a": (0.0, math.pi / 2), "b": (math.pi, 0.0)})
    ends = [
        [
            tuple(round(v) for v in text.xy)
            for text in ax.texts
            if getattr(text, "arrow_patch", None)
        ]
        for ax in axes(picture)
    ]
    assert ends == [[(1, 0), (0, 1)], [(-1, 0), (1, 0)]]


@pytest.mark.parametrize("n_new", [1, 2])
def test_a_cache_leaves_only_the_last_rows_to_compute(n_new):
    cells = axes(plots.cached("hello", n_new))[0].patches
    now = [cell for cell in cells if cell.get_alpha() == 0.6]
    assert len(cells) == 5 * 6 / 2
    assert len(now) == sum(range(6 - n_new, 6))


def test_the_shares_of_a_whole_add_up_to_a_hundred():
    picture = plots.shares({"A": {"one": 1, "two": 3}, "B": {"one": 2, "two": 2}}, x="share")
    (ax,) = axes(picture)
    names = [label.get_text() for label in ax.get_yticklabels()]
    widths = [[bar.get_width() for bar in part] for part in ax.containers]
    assert dict(zip(names, zip(*widths, strict=True), strict=True)) == {
        "A": (25, 75),
        "B": (50, 50),
    }
