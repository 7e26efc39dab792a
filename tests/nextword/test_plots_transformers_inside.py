"""The pictures of chapter 6's page on what goes on inside. Leaves out: style (test_plots)."""

from nextword import plots


def test_shares_are_points_on_their_intervals_with_their_values():
    rows = {"a name": {"told": (50.0, 40.0, 60.0), "control": (0.25, 0.0, 2.0)}}
    axes = plots.shares_with_intervals(rows, x="percent").figure.axes[0]
    interval, point, other, _ = axes.lines
    assert list(interval.get_xdata()) == [40.0, 60.0]
    assert list(point.get_xdata()) == [50.0]
    assert list(other.get_xdata()) == [0.0, 2.0]
    assert [text.get_text() for text in axes.texts] == ["50", "0.2"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a name"]


def test_two_stacks_name_every_part_and_only_the_decoder_looks_across():
    axes = plots.two_stacks("ab", "<s> b", "b a").figure.axes[0]
    written = [text.get_text() for text in axes.texts]
    assert [written.count(part) for part in ("feed-forward", "cross-attention")] == [2, 1]
    assert {"ab", "<s> b", "b a", "vectors m"} <= set(written)
    assert written.count("add, norm") == 5
