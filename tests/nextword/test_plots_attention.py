"""The pictures of chapter 5 say what is so: weights, masks, heads, windows. Leaves out: style."""

import pytest

from nextword import plots
from nextword.plots.style import FAINT


def texts(picture):
    return [text.get_text() for text in picture.figure.axes[0].texts]


def test_a_look_back_writes_each_weight_beside_its_arrow_and_draws_it_as_thick():
    picture = plots.look_back(["a", "b"], [0.25, 0.75], said="c")
    assert {"h1", "h2", "0.25", "0.75", "c"} <= set(texts(picture))
    arrows = [
        t.arrow_patch for t in picture.figure.axes[0].texts if getattr(t, "arrow_patch", None)
    ]
    widths = sorted(arrow.get_linewidth() for arrow in arrows)
    assert widths[-1] == pytest.approx(0.5 + 5 * 0.75)


def filled(ax):
    """The strength of the colour of each cell that has any, by (row, column)."""
    return {
        (round(cell.get_y() + 0.46), round(cell.get_x() + 0.46)): cell.get_alpha()
        for cell in ax.patches
        if cell.get_alpha() is not None
    }


def test_a_table_colours_each_cell_by_its_weight_and_leaves_zeros_empty():
    picture = plots.weight_tables({"": [[1, 0], [0.2, 0.8]]}, "ab", "cd", x="keys", y="queries")
    cells = filled(picture.figure.axes[0])
    assert cells.keys() == {(0, 0), (1, 0), (1, 1)}
    assert cells[0, 0] > cells[1, 1] > cells[1, 0]


def test_tables_stand_side_by_side_under_their_names_with_names_of_rows_and_columns():
    tables = {"one": [[1, 0]], "two": [[0, 1]], "three": [[1, 1]], "four": [[0, 0]]}
    picture = plots.weight_tables(tables, ["q"], ["k", "l"], x="keys", y="queries", at_most=2)
    axes = picture.figure.axes
    assert [ax.get_title() for ax in axes] == list(tables)
    assert [len(filled(ax)) for ax in axes] == [1, 1, 2, 0]
    assert [label.get_text() for label in axes[2].get_xticklabels()] == ["k", "l"]


def test_numbers_are_written_into_cells_when_asked_for():
    table = {"": [[1.0, 0.0], [0.25, 0.75]]}
    assert texts(plots.weight_tables(table, "ab", "cd", x="x", y="y")) == []
    written = texts(plots.weight_tables(table, "ab", "cd", x="x", y="y", numbers=True))
    assert written == ["1", "0", "0.25", "0.75"]


def test_each_head_is_joined_to_the_keys_of_its_group():
    picture = plots.shared_heads(4, [4, 2])
    found = texts(picture)
    assert [found.count(name) for name in ("q1", "k1 v1", "k2 v2", "k4 v4", "G = 2")] == [
        2,
        2,
        2,
        1,
        1,
    ]
    ends = [line.get_xdata()[1] for line in picture.figure.axes[0].lines]
    assert ends == pytest.approx([0, 1, 2, 3, 0.5, 0.5, 2.5, 2.5])


def test_tiles_are_done_up_to_the_one_at_hand():
    picture = plots.tiles(2, 3, at=(1, 1))
    assert sum(cell.get_alpha() is not None for cell in picture.figure.axes[0].patches) == 3 + 1 + 1
    assert "now" in texts(picture)


@pytest.mark.parametrize(("width", "layers", "reach"), [(3, 2, 5), (2, 3, 4), (1, 2, 1)])
def test_windows_fill_the_words_that_reach_the_last_vector(width, layers, reach):
    ax = plots.windows(width, layers, 8).figure.axes[0]
    dots = [line for line in ax.lines if line.get_marker() == "o" and list(line.get_ydata()) == [0]]
    assert sum(dot.get_markerfacecolor() != "none" for dot in dots) == reach
    assert sum(line.get_color() == FAINT for line in ax.lines) > 0
