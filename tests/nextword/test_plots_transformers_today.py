"""The pictures of chapter 6's last page. Leaves out: style."""

from nextword import plots


def test_dots_draw_every_measurement_and_write_the_mean():
    axes = plots.dots({"a": [1.0, 3.0], "b": [5.0]}, x="gap").figure.axes[0]
    assert [list(line.get_xdata()) for line in axes.lines] == [[2, 2], [1, 3], [5, 5], [5]]
    assert [text.get_text() for text in axes.texts] == ["2.0", "5.0"]
    assert [text.get_position()[0] for text in axes.texts] == [2, 5]  # at the line, not at a dot
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]


def test_growth_names_every_model_and_what_of_it_is_active():
    models = {"small": (2018.5, 0.1), "large": (2024.9, 671)}
    axes = plots.growth(models, {"large": (2024.9, 37)}, {"large": "over"}).figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["small 0.1", "37 active", "large 671"]
    assert axes.get_yscale() == "log"
