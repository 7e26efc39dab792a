"""The pictures of chapter 4 say what is so: arrows, cuts, padding, marks. Leaves out: style."""

from matplotlib.colors import to_hex

from nextword import plots
from nextword.plots.style import COLOURS, MUTED


def texts(picture):
    return [text.get_text() for text in picture.figure.axes[0].texts]


def arrows(picture):
    """How many arrows there are, and how many of them are dashed: the way of the gradient."""
    found = [t.arrow_patch for t in picture.figure.axes[0].texts if getattr(t, "arrow_patch", None)]
    return len(found), sum(arrow.get_linestyle() == "--" for arrow in found)


def test_the_window_network_has_a_vector_for_each_word_and_an_arrow_to_each_candidate():
    picture = plots.window_network(["e", "l"], ["h", "e", "l", "o"])
    assert {"e1", "e2", "h = tanh(W e + b)"} <= set(texts(picture))
    assert arrows(picture) == (2 * 2 + 4, 0)


def test_the_unrolled_network_has_one_box_per_step_and_no_way_back_unless_asked():
    picture = plots.unrolled("hell", "ello")
    assert {text for text in texts(picture) if text.startswith("h")} == {
        "h",
        *["h0", "h1", "h2", "h3", "h4"],
    }
    assert arrows(picture) == (3 * 4, 0)


def test_the_way_back_is_cut_where_it_is_said_and_nowhere_else():
    whole, cut = (plots.unrolled("hell", "ello", back=True, cut=cut) for cut in (0, 2))
    assert arrows(whole) == (3 * 4 + 3 + 4, 3 + 4)
    assert arrows(cut) == (3 * 4 + 2 + 4, 2 + 4)
    assert ("cut" in texts(whole), "cut" in texts(cut)) == (False, True)


def test_an_lstm_cell_has_three_products_and_one_sum():
    found = texts(plots.lstm_cell())
    assert (found.count("\u00d7"), found.count("+")) == (3, 1)


def test_a_batch_shows_its_padding_at_the_ends_of_short_rows():
    picture = plots.padded([["a", "b", "c"], ["d"]], pad="pad")
    assert texts(picture) == ["a", "b", "c", "d", "pad", "pad"]


def test_the_decoder_reads_the_begin_symbol_and_then_what_it_said():
    found = texts(plots.encoder_decoder("ab", "ba"))
    assert [found.count(text) for text in ("<s>", "</s>", "a", "b")] == [1, 1, 3, 3]


def test_kinds_have_one_mark_per_model_in_the_order_of_the_rows():
    excess = {"RNN": {"name": 2.0, "list": 1.0}, "LSTM": {"name": 0.5, "list": 0.2}}
    picture = plots.kinds(excess, x="bits")
    axes = picture.figure.axes[0]
    marks = {line.get_label(): list(line.get_xdata()) for line in axes.lines}
    assert (marks["RNN"], marks["LSTM"]) == ([2.0, 1.0], [0.5, 0.2])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["name", "list"]


def test_over_words_shades_the_words_asked_for():
    picture = plots.over_words(["a", "b", "c"], {"LSTM": [0, 1, 0]}, y="gate", shaded=[1])
    spans = [patch.get_x() for patch in picture.figure.axes[0].patches]
    assert spans == [0.5]


def test_new_rungs_of_a_ladder_stand_out_from_the_others():
    rungs = {"5-gram": 3.0, "LSTM": 2.0}
    colours = [
        [to_hex(bar.get_facecolor()) for bar in picture.figure.axes[0].patches]
        for picture in (plots.ladder(rungs, 1.5), plots.ladder(rungs, 1.5, new=("LSTM",)))
    ]
    assert colours == [[COLOURS[0], COLOURS[0]], [COLOURS[0], MUTED]]


def test_a_logarithmic_axis_shows_the_numbers_asked_for():
    line = {"LSTM": {5.0: 1.0, 20.0: 2.0}}
    picture = plots.lines(line, x="steps", y="answers", log="x", xticks=(5, 10, 20))
    labels = [label.get_text() for label in picture.figure.axes[0].get_xticklabels()]
    assert labels == ["5", "10", "20"]
