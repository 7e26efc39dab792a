"""Pictures of chapter 7's second page: columns, noise, frontier, calibration. No style."""

import pytest

from nextword import plots


def test_side_by_side_writes_each_probability_and_greys_the_first_column():
    columns = {"before": {"yes": 0.25, "no": 0.75}, "after": {"yes": 0.9, "no": 0.1}}
    before, after = plots.side_by_side(columns, x="p").figure.axes
    assert [text.get_text() for text in after.texts] == ["0.90", "0.10"]
    assert [bar.get_width() for bar in before.patches] == [0.25, 0.75]
    assert [label.get_text() for label in before.get_yticklabels()] == ["yes", "no"]
    assert before.patches[0].get_facecolor() != after.patches[0].get_facecolor()
    assert before.get_title(loc="left") == "before"


def test_by_baseline_marks_named_baselines_with_their_noise_on_the_stated_side():
    noise = {0.0: 4.0, 1.0: 1.0, 2.0: 4.0}
    marked = {"none": (0.0, 4.0), "best": (1.0, 1.0)}
    (axes,) = plots.by_baseline(noise, marked, {"best": "left"}, x="b", y="v").figure.axes
    curve, *points = axes.lines
    assert list(curve.get_ydata()) == [4.0, 1.0, 4.0]
    assert [(*p.get_xdata(), *p.get_ydata()) for p in points] == [(0.0, 4.0), (1.0, 1.0)]
    none, best = axes.texts
    assert (none.get_text(), best.get_text()) == ("none: 4.00", "best: 1.00")
    assert (none.get_horizontalalignment(), best.get_horizontalalignment()) == ("left", "right")


def test_the_frontier_is_a_line_and_what_lies_below_it_are_points():
    best = [(0.0, 0.5), (1.0, 1.5), (2.0, 2.0)]
    few, many = [(1.0, 1.4)], [(k / 30, 0.1) for k in range(30)]
    picture = plots.frontier(
        best, {"β = 1": (1.0, 1.5)}, {"best of n": few, "random": many}, x="KL", y="r"
    )
    line, named, *others = picture.figure.axes[0].lines
    assert list(zip(*line.get_data(), strict=True)) == best
    assert (named.get_xdata()[0], named.get_ydata()[0]) == (1.0, 1.5)
    assert [len(points.get_xdata()) for points in others] == [1, 30]
    assert others[0].get_markersize() > others[1].get_markersize()
    written = {text.get_text().replace("\n", " ") for text in picture.figure.axes[0].texts}
    assert written == {"β = 1", "best possible", "best of n", "random"}


def test_calibration_has_a_line_for_equality_and_one_for_each_judge():
    rows = {"100": [(0.1, 0.3), (0.9, 0.7)], "400": [(0.1, 0.2), (0.9, 0.8)]}
    lines = plots.calibration(rows, x="said", y="true").figure.axes[0].lines
    assert list(lines[0].get_xdata()) == list(lines[0].get_ydata()) == [0, 1]
    assert [list(line.get_ydata()) for line in lines[1:]] == [[0.3, 0.7], [0.2, 0.8]]


def test_columns_of_other_texts_are_refused():
    with pytest.raises(KeyError):
        plots.side_by_side({"a": {"yes": 1.0}, "b": {"no": 1.0}}, x="p")
