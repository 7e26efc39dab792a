"""The pictures of chapter 7's page on groups, clips and preferences. Leaves out: style."""

from nextword.plots.after_training_tuned import bands, runs


def test_runs_draw_a_line_and_an_end_for_every_seed():
    arms = {"leash": [[(0, 0.1), (2, 0.3)], [(0, 0.1), (1, 0.2)]], "none": [[(0, 0.1), (4, 0.5)]]}
    axes = runs(arms, x="KL", y="accepted").figure.axes[0]
    assert [list(line.get_ydata()) for line in axes.lines] == [
        *([0.1, 0.3], [0.3]),
        *([0.1, 0.2], [0.2]),
        *([0.1, 0.5], [0.5]),
    ]
    assert len({line.get_color() for line in axes.lines[:4]}) == 1
    assert axes.lines[0].get_color() != axes.lines[4].get_color()
    assert [text.get_text() for text in axes.texts] == ["leash", "none"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("KL", "accepted")


def test_runs_mark_the_start_a_level_and_a_limit():
    drawn = runs(
        {"one": [[(0, 0.1), (2, 0.3)]]},
        x="KL",
        y="accepted",
        start=(0, 0.07),
        level=(0.28, "four times"),
        limit=(3.0, "3 nats"),
        ylim=(0, 1),
    )
    axes = drawn.figure.axes[0]
    assert {"four times", "3 nats"} <= {text.get_text() for text in axes.texts}
    heights = [list(line.get_ydata()) for line in axes.lines]
    assert [0.07] in heights
    assert [0.28, 0.28] in heights
    assert [3.0, 3.0] in [list(line.get_xdata()) for line in axes.lines]
    assert axes.get_ylim() == (0, 1)


def test_bands_show_the_mean_and_four_fifths_of_the_draws():
    draws = [*range(10), 21]
    axes = bands({"clipped": {1: draws, 2: [2.0] * 11}}, x="updates", y="nats").figure.axes[0]
    assert list(axes.lines[0].get_ydata()) == [6.0, 2.0]
    band = axes.collections[0].get_paths()[0].vertices
    at_one = band[band[:, 0] == 1][:, 1]
    assert (at_one.min(), at_one.max()) == (1.0, 9.0)
