"""Pictures of chapter 1: what stands in them. Leaves out their form (test_plots)."""

import pytest
from matplotlib.patches import Rectangle

from nextword import plots


def texts(picture):
    return [text.get_text() for text in picture.figure.axes[0].texts]


def test_each_target_stands_below_its_input():
    picture = plots.aligned(["<s>", "the", "hen"], ["the", "hen", "</s>"])
    places = {}
    for text in picture.figure.axes[0].texts:
        places.setdefault(text.get_text(), []).append(text.get_position())
    assert places["<s>"] == [(0, 0)]
    assert sorted(places["the"]) == [(0, -1.6), (1, 0)]
    assert places["</s>"] == [(2, -1.6)]


def test_a_bar_is_the_entropy_and_then_the_excess():
    axes = plots.floor_and_excess(0.5, {"single words": 4.0, "pairs": 2.0}).figure.axes[0]
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert sorted((bar.get_x(), bar.get_width()) for bar in bars) == [
        *[(0, 0.5)] * 2,
        (0.5, 2.0),
        (0.5, 4.0),
    ]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["pairs", "single words"]


def test_a_search_shows_what_was_kept_and_what_was_dropped():
    steps = [
        [("", "goat", 0.6, True), ("", "hen", 0.4, True)],
        [("hen", "</s>", 0.36, True), ("goat", "hen", 0.18, False)],
    ]
    picture = plots.search(steps)
    shown = {text.get_text(): text for text in picture.figure.axes[0].texts}
    assert {"start", "goat 0.600", "hen 0.400", "</s> 0.360", "hen 0.180"} <= shown.keys()
    assert shown["hen 0.180"].get_color() != shown["</s> 0.360"].get_color()


def test_a_step_must_continue_what_was_shown_before():
    with pytest.raises(KeyError, match="goat"):
        plots.search([[("goat", "hen", 0.5, True)]])


def test_tokens_are_framed_and_safe():
    page = plots.tokens({"words": ["a b", "<unk>"], "bytes": ["61"]})
    assert str(page) == "words, 2 tokens: a␣b|<unk>\nbytes, 1 tokens: 61"
    assert "&lt;unk&gt;" in page.html
    assert "<unk>" not in page.html
    assert page.html.count("border:1px") == 3
