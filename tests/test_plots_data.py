"""The data page's pictures: what they draw, and that a coloured text says the same in words."""

import math
import re
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import pytest

from nextword import plots_data

BITS = [0.0, 0.3, 1.5, 3.0, 9.0]
WORDS = ["once", "<i>", "<b>", "saw", "oskar"]


def nats(bits):
    return [-b * math.log(2) for b in bits]


class Text(HTMLParser):
    """The words of a page, the marks above them, and the tags that are open or left open."""

    def __init__(self, html):
        super().__init__()
        self.open, self.words, self.above = [], [], []
        self.feed(html.partition("<figcaption")[0])

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "rt" in self.open:
            self.above.append(data)
        elif "rp" not in self.open:
            self.words += data.split()


def strengths(html):
    return [float(s) for s in re.findall(r"rgb\(0 114 178 / ([\d.]+)\)", html)]


# ---------------------------------------------------------------- figures


def test_every_picture_is_closed_and_narrow_enough_for_a_phone():
    figures = [
        plots_data.zipf({"village": [3, 1]}),
        plots_data.where_the_bits_are(BITS),
        plots_data.word_order(["a"], ["b"], [(0, 0)]),
    ]
    assert plt.get_fignums() == []
    assert all(figure.get_figwidth() <= 6 for figure in figures)


def test_zipf_draws_shares_by_rank_whatever_the_order_of_the_counts():
    axes = plots_data.zipf({"village": [1, 6, 3], "other": [5, 5]}).axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["village"].get_ydata()) == [0.6, 0.3, 0.1]
    assert list(lines["village"].get_xdata()) == [1, 2, 3]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_the_dotted_line_is_one_over_the_rank():
    line = plots_data.zipf({"village": [1, 6, 3]}).axes[0].lines[0]
    first, last = line.get_ydata()
    assert first == 0.6
    assert first / last == pytest.approx(line.get_xdata()[-1] / line.get_xdata()[0])


def test_bars_give_the_share_of_words_and_of_bits_of_each_range():
    bars = [bar.get_height() for bar in plots_data.where_the_bits_are(BITS).axes[0].patches]
    words, bits = bars[: len(bars) // 2], bars[len(bars) // 2 :]
    assert words == pytest.approx([0.4, 0, 0.2, 0.2, 0.2])
    assert bits == pytest.approx([b / 13.8 for b in (0.3, 0, 1.5, 3.0, 9.0)])


def test_a_word_on_the_edge_of_two_ranges_is_counted_once():
    bars = [bar.get_height() for bar in plots_data.where_the_bits_are([1.0, 2.0]).axes[0].patches]
    assert bars == pytest.approx([0, 0, 0.5, 0.5, 0, 0, 0, 1 / 3, 2 / 3, 0])


def test_a_translation_links_words_and_marks_those_that_it_is_told_to():
    links = [(0, 0), (1, 4), (4, 3)]
    axes = plots_data.word_order(list("abcde"), list("vwxyz"), links, {"b"}).axes[0]
    assert [text.get_text() for text in axes.texts] == list("abcdevwxyz")
    assert [list(line.get_ydata()) for line in axes.lines] == [[0, 0], [-1, -4], [-4, -3]]
    marked = [line.get_color() == plots_data.LEFT for line in axes.lines]
    assert marked == [False, True, False]


# ---------------------------------------------------------------- a coloured text


def test_a_text_is_shown_word_for_word_with_its_bits_above():
    text = Text(plots_data.coloured(WORDS, nats(BITS)).html)
    assert text.words == WORDS
    assert text.above == ["1.5", "3.0", "9.0"]


def test_more_surprise_is_darker_up_to_a_bound():
    html = plots_data.coloured(["a", "b", "c", "d"], nats([1, 2, 8, 20])).html
    shades = strengths(html.partition("<figcaption")[0])
    assert shades[0] < shades[1] < shades[2] == shades[3] == plots_data.STRONGEST


def test_colours_are_mixed_with_the_page_and_letters_keep_its_colour():
    """So one text reads well on a light and on a dark page."""
    html = plots_data.coloured(WORDS, nats(BITS)).html
    assert set(re.findall(r"[;\"]color:(\w+)", html)) == {"inherit"}
    assert max(strengths(html)) <= 0.6


def test_where_the_text_left_is_crossed_and_the_rest_is_written_without_marks():
    page = plots_data.coloured(WORDS, nats(BITS[:3]), left_at=3)
    assert Text(page.html).words == WORDS
    assert Text(page.html).above == ["1.5", "✗"]
    assert repr(page) == "once <i> <b>(1.5) saw(✗) oskar"
    assert "leaves the language at word 4, saw." in page.html


def test_a_text_that_leaves_at_its_last_word_ends_there():
    assert repr(plots_data.coloured(["a", "b"], nats([1.0]), left_at=1)) == "a(1.0) b(✗)"


def test_a_full_stop_never_begins_a_line():
    html = plots_data.coloured(["a", ".", "b"], nats([1.0, 0.0, 0.0])).html
    assert "</ruby>\u00a0. b</p>" in html


def test_only_a_text_that_leaves_explains_the_cross():
    assert "cannot come here" not in plots_data.coloured(WORDS, nats(BITS)).html
    assert "cannot come here" in plots_data.coloured(["a"], [], left_at=0).html


def test_the_text_alternative_counts_the_marked_words():
    assert "3 words have 0.5 bits or more" in plots_data.coloured(WORDS, nats(BITS)).html


def test_a_missing_log_probability_is_an_error_that_says_how_many():
    with pytest.raises(ValueError, match=r"expected 5 log-probabilities.* got 4"):
        plots_data.coloured(WORDS, nats(BITS[:4]))
