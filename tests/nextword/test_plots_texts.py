"""Coloured texts and tables of counts: what they show, and that they say the same in words."""

import math
import re
from html.parser import HTMLParser

import pytest

from nextword.plots import texts

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


# ---------------------------------------------------------------- a coloured text


def test_a_text_is_shown_word_for_word_with_its_bits_above():
    text = Text(texts.coloured(WORDS, nats(BITS)).html)
    assert text.words == WORDS
    assert text.above == ["1.5", "3.0", "9.0"]


def test_more_surprise_is_darker_up_to_a_bound():
    html = texts.coloured(["a", "b", "c", "d"], nats([1, 2, 8, 20])).html
    shades = strengths(html.partition("<figcaption")[0])
    assert shades[0] < shades[1] < shades[2] == shades[3] == texts.STRONGEST


def test_colours_are_mixed_with_the_page_and_letters_keep_its_colour():
    """So one text reads well on a light and on a dark page."""
    html = texts.coloured(WORDS, nats(BITS)).html
    assert set(re.findall(r"[;\"]color:(\w+)", html)) == {"inherit"}
    assert max(strengths(html)) <= 0.6


def test_where_the_text_left_is_crossed_and_the_rest_is_written_without_marks():
    page = texts.coloured(WORDS, nats(BITS[:3]), left_at=3)
    assert Text(page.html).words == WORDS
    assert Text(page.html).above == ["1.5", "✗"]
    assert repr(page) == "once <i> <b>(1.5) saw(✗) oskar"
    assert "leaves the language at word 4, saw." in page.html


def test_a_text_that_leaves_at_its_last_word_ends_there():
    assert repr(texts.coloured(["a", "b"], nats([1.0]), left_at=1)) == "a(1.0) b(✗)"


def test_a_full_stop_never_begins_a_line():
    html = texts.coloured(["a", ".", "b"], nats([1.0, 0.0, 0.0])).html
    assert "</ruby>\u00a0. b</p>" in html


def test_only_a_text_that_leaves_explains_the_cross():
    assert "cannot follow here" not in texts.coloured(WORDS, nats(BITS)).html
    assert "cannot follow here" in texts.coloured(["a"], [], left_at=0).html


def test_the_text_alternative_counts_the_marked_words():
    assert "3 words have 0.5 bits or more" in texts.coloured(WORDS, nats(BITS)).html


def test_a_missing_log_probability_is_an_error_that_says_how_many():
    with pytest.raises(ValueError, match=r"expected 5 log-probabilities.* got 4"):
        texts.coloured(WORDS, nats(BITS[:4]))


# ---------------------------------------------------------------- a table of counts

TABLE = {("<s>",): {"ann": 2, "ben": 1}, ("ann",): {"<b>": 1}}


def test_a_count_table_shows_every_cell_also_the_zeros():
    page = texts.count_table(TABLE, ["ann", "ben", "<b>"])
    assert repr(page).splitlines()[1:] == ["<s>\t2\t1\t0", "ann\t0\t0\t1"]
    assert re.findall(r"<td[^>]*>([^<]*)</td>", page.html) == ["2", "1", "0", "0", "0", "1"]


def test_a_count_table_names_its_rows_and_columns_for_those_who_hear_it():
    html = texts.count_table(TABLE, ["ann", "<b>"]).html
    assert re.findall(r'<th scope="col">(?:<i>)?(.*?)(?:</i>)?</th>', html) == [
        "u",
        "ann",
        "&lt;b&gt;",
    ]
    assert re.findall(r'<th scope="row">(.*?)</th>', html) == ["&lt;s&gt;", "ann"]
    assert "<caption>" in html


def test_larger_numbers_have_a_stronger_colour_and_zeros_have_none():
    html = texts.count_table(TABLE, ["ann", "ben"]).html
    assert strengths(html) == [0.45, 0.23]
