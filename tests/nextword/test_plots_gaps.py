"""The picture of gaps above the floor: its labels and its line. Leaves out: its style."""

import matplotlib.pyplot as plt

from nextword import plots
from nextword.plots import style


def test_the_line_between_two_gaps_strikes_no_label():
    """The number of a model stands clear of the line to the model above it, however far that is."""
    with plt.rc_context(style.STYLE):
        figure = plots.gaps.__wrapped__({"1-gram": 12_848, "2-gram": 735, "3-gram": 172})
        figure.canvas.draw()
    ax = figure.axes[0]
    (line,) = ax.lines
    path = line.get_path().transformed(line.get_transform())
    struck = [
        text.get_text()
        for text in ax.texts
        if path.intersects_bbox(text.get_window_extent(), filled=False)
    ]
    plt.close(figure)
    assert struck == []
