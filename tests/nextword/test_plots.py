"""The book's pictures: what they draw, and that they look alike. Leaves out: how beautiful."""

import math
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from nextword import plots
from nextword.plots import style, svg

CSS = Path(__file__).parents[2] / "chapters" / "_static" / "book.css"
BITS = [0.0, 0.3, 1.5, 3.0, 9.0]
WRITTEN = {"look", "coloured", "count_table", "tokens"}  # HTML, or no picture at all
DRAWN = sorted(set(plots.__all__) - WRITTEN)
SVG = "{http://www.w3.org/2000/svg}"


@cache
def pictures():
    """Each function of the module on a small input."""
    return {
        "sliding_windows": plots.sliding_windows(["<s>", "a", "b", "</s>"], 2),
        "likelihood": plots.likelihood({"ann": 2, "ben": 1}, "ann"),
        "next_words": plots.next_words(
            {"maximum likelihood": {"a": 1.0}, "additive": {"a": 0.5}}, ["a", "b"]
        ),
        "lines": plots.lines({"Kneser-Ney": {1: 9.0, 2: 3.0}}, x="n", y="perplexity", floor=2),
        "held_out_counts": plots.held_out_counts({1: 0.4, 2: 1.2}),
        "continuations": plots.continuations({"a": 5, "b": 2}, {"a": 1, "b": 2}, ["a"]),
        "ladder": plots.ladder({"1-gram": 50.0, "2-gram": 5.0}, floor=2.0),
        "gaps": plots.gaps({"RNN": 55.0, "LSTM": 4.5}, ["LSTM"], {"RNN": [50.0, 70.0]}),
        "zipf": plots.zipf({"village": [3, 1]}),
        "where_the_bits_are": plots.where_the_bits_are([0.1, 1.0, 5.0]),
        "word_order": plots.word_order(["a"], ["b"], [(0, 0)]),
        "aligned": plots.aligned(["<s>", "a"], ["a", "</s>"]),
        "floor_and_excess": plots.floor_and_excess(0.5, {"single words": 4.0, "pairs": 2.0}),
        "window_network": plots.window_network(["e", "l"], ["l", "o"]),
        "unrolled": plots.unrolled("hell", "ello", back=True, cut=2),
        "lstm_cell": plots.lstm_cell(),
        "over_words": plots.over_words(
            ["a", "b"], {"LSTM": [0, 1], "GRU": [1, 0]}, y="gate", shaded=[1]
        ),
        "padded": plots.padded([["a", "b"], ["c"]], pad="pad"),
        "encoder_decoder": plots.encoder_decoder(["a", "b"], ["b", "a"]),
        "kinds": plots.kinds({"RNN": {"name": 2.0}, "LSTM": {"name": 1.0}}, x="bits"),
        "search": plots.search([[("", "a", 0.6, True), ("", "b", 0.4, False)]]),
        "arrows": plots.arrows({"a": (1.0, 2.0)}, x="near b", y="near c"),
        "word_map": plots.word_map({"a": (0.0, 1.0), "b": (1.0, 0.0)}, {"letters": ["a", "b"]}),
        "bars": plots.bars({"counts": 0.5}, x="share"),
        "against": plots.against([1.0, 2.0], [2.0, 3.0], x="a", y="b", diagonal=True),
        "tree": plots.tree({"a": "0", "b": "1"}),
        "skip_gram_window": plots.skip_gram_window(["a", "b", "c"], 1, 1),
        "two_directions": plots.two_directions(["a", "b"], "c", ["d", "e"]),
        "named_map": plots.named_map({"a": (0.0, 1.0), "b": (1.0, 0.0)}, {"letters": ["a", "b"]}),
        "moved": plots.moved({"a": 0.1}, {"a": 0.4}, {"x": ["a"]}, x="place", ends=("b", "c")),
        "two_measures": plots.two_measures({"a": {"1": (0.1, 0.2)}}, x="b", y="c"),
        "look_back": plots.look_back(["a", "b"], [0.25, 0.75], said="c"),
        "weight_tables": plots.weight_tables({"": [[1, 0]]}, "a", "cd", x="keys", y="queries"),
        "shared_heads": plots.shared_heads(4, [4, 2]),
        "tiles": plots.tiles(2, 3, at=(1, 1)),
        "windows": plots.windows(2, 2, 5),
        "curves": plots.curves({"up": {0.0: 1.0, 1.0: 2.0}}, x="x", y="y"),
        "stages": plots.stages({"x": [1, 7], "minus the mean": [-3, 3]}, y="value"),
        "two_blocks": plots.two_blocks(),
        "whole_model": plots.whole_model(3),
        "waves": plots.waves([[0.0, 1.0], [0.8, 0.5], [0.9, -0.4]], shown=(0, 1)),
        "turned": plots.turned({"a": (0.0, 1.5), "b": (3.0, 0.0)}),
        "cached": plots.cached("hello", 1),
        "gru_cell": plots.gru_cell(),
        "both_directions": plots.both_directions(["a", "b"]),
        "computation_graph": plots.computation_graph(
            {"x": (0, 0), "y": (0, 1)}, [("x", "y", 2.0, 0.5)]
        ),
        "distributions": plots.distributions({"before": {"a": 0.5}, "after": {"a": 1.0}}),
        "dots": plots.dots({"wide": [1.0, 2.0], "narrow": [3.0]}, x="gap"),
        "growth": plots.growth({"a": (2018.0, 0.1), "b": (2020.0, 175.0)}, {"b": (2020.0, 5.0)}),
        "matrix_shapes": plots.matrix_shapes(3, 6, 2),
        "steps_needed": plots.steps_needed(4),
        "way_of_one_word": plots.way_of_one_word(["a", "b", "c"], 1),
        "ranges": plots.ranges(
            {"RNN": {1: [0.1, 0.2], 10: [0.3]}}, x="words", y="norm", yticks=[0.1, 1]
        ),
        "ranges_in_panels": plots.ranges_in_panels(
            {"states": {"RNN": {1: [0.1, 0.2], 10: [0.3]}}, "attention": {"all": {1: [0.1]}}},
            x="words",
            y="gap",
            xticks={1: "one", 10: "ten"},
            yticks=[0.1, 1],
        ),
        "small_multiples": plots.small_multiples(
            {"time": {"RNN": {1: 0.1, 10: 1.0}, "attention": {1: 0.2, 10: 0.3}}},
            x="words",
            xticks=[1, 10],
            yticks=[0.1, 1],
        ),
        "shares": plots.shares({"A": {"one": 1, "two": 3}}, x="share"),
        "with_spread": plots.with_spread({"a": {10: [1.0, 3.0]}}, x="n", y="y", xticks=(10,)),
        "off_the_law": plots.off_the_law(
            {"small": {10: [1.1, 0.9], 20: [1.2]}}, x="n", xticks=(10, 20), yticks=(0.9, 1, 1.2)
        ),
        "floors_found": plots.floors_found({"a": (2.0, 0.2, 0.1, 0.3)}, 0.25, xticks=(1, 2)),
        "by_rung": plots.by_rung({"RNN": {"name": 2.0}, "GRU": {"name": 0.5}}),
        "shares_with_intervals": plots.shares_with_intervals({"a": {"b": (5, 1, 9)}}, x="share"),
        "two_stacks": plots.two_stacks("ab", "<s> b", "b a"),
        "first_transformer": plots.first_transformer(),
        "chat_targets": plots.chat_targets(["<ask>", "who", "</s>"], [False, False, True]),
        "low_rank": plots.low_rank(6, 4, 1),
        "side_by_side": plots.side_by_side(
            {"before": {"a": 0.75, "b": 0.25}, "after": {"a": 0.1, "b": 0.9}}, x="probability"
        ),
        "by_baseline": plots.by_baseline(
            {0.0: 2.0, 0.5: 1.0, 1.0: 2.0},
            {"mean": (0.5, 1.0)},
            {"mean": "above"},
            x="b",
            y="noise",
        ),
        "frontier": plots.frontier(
            [(0.0, 0.1), (1.0, 0.8)],
            {"beta 1": (1.0, 0.8)},
            {"best of n": [(1.0, 0.6)]},
            x="KL",
            y="reward",
        ),
        "calibration": plots.calibration({"A": [(0.1, 0.2), (0.9, 0.8)]}, x="said", y="true"),
        "runs": plots.runs(
            {"leash": [[(0.0, 0.1), (1.0, 0.4)], [(0.0, 0.1), (1.2, 0.5)]]},
            x="KL",
            y="accepted",
            start=(0.0, 0.1),
            level=(0.4, "four times"),
            limit=(3.0, "3 nats"),
        ),
        "bands": plots.bands(
            {"k1": {1.0: [-1.0, 0.0, 2.0], 2.0: [0.0, 1.0, 3.0]}}, x="KL", y="said"
        ),
        "by_distance": plots.by_distance(
            {"reward": {"best of n": [(0.0, 0.1), (1.0, 0.5)], "best of n, true": [(0.0, 0.1)]}},
            x="KL",
            pairs=["best of n"],
        ),
        "by_steps_needed": plots.by_steps_needed(
            {"scratch": {1: [99.0, 100.0], 2: [97.0, 98.0]}}, chance=25.0, taught=1
        ),
    }


def texts(picture):
    return [text.get_text() for text in picture.figure.axes[0].texts]


# ---------------------------------------------------------------- the form


@pytest.mark.slow
def test_no_picture_is_left_out_here():
    assert set(DRAWN) == set(pictures())


def test_every_picture_is_closed_and_as_wide_as_a_phone():
    found = pictures().values()
    assert plt.get_fignums() == []
    assert {picture.figure.get_figwidth() for picture in found} == {style.WIDTH}


@pytest.mark.parametrize("name", DRAWN)
def test_letters_are_text_of_a_readable_size_in_the_font_of_the_page(name):
    root = ET.fromstring(pictures()[name].svg)
    letters = list(root.iter(f"{SVG}text"))
    assert letters
    sizes = [re.search(r"font-size: ([\d.]+)px", t.get("style"))[1] for t in letters]
    assert min(map(float, sizes)) >= style.SMALL
    assert not any("family" in t.get("style") for t in letters)
    assert "@font-face" not in pictures()[name].svg


@pytest.mark.parametrize("name", DRAWN)
def test_every_colour_is_one_that_the_page_can_change(name):
    fixed = re.sub(r"var\(--fig-[\w-]+, #[0-9a-f]{6}\)", "", pictures()[name].svg)
    assert set(re.findall(r"#[0-9a-f]{6}\b", fixed)) <= {"#ffffff"}  # the paper


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_leaks_nothing_into_its_page(name):
    picture = pictures()[name].svg
    assert "<style" not in picture
    ids = re.findall(r'\bid="([^"]+)"', picture)
    assert len(ids) == len(set(ids))
    assert all(re.match(r"f[0-9a-f]{8}-", i) for i in ids)
    assert set(re.findall(r"(?:url\(#|href=\"#)([\w.-]+)", picture)) == set(ids)


@pytest.mark.slow
def test_a_picture_is_the_same_file_on_every_run():
    again = pictures.__wrapped__()
    assert {name: picture.svg for name, picture in again.items()} == {
        name: picture.svg for name, picture in pictures().items()
    }


def test_a_notebook_stores_the_drawing_and_no_bitmap():
    assert set(pictures()["lines"]._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}


def test_the_numbers_of_a_picture_can_be_read_off_its_file():
    root = ET.fromstring(plots.lines({"a": {1: 12.3456, 2: 7.0}}, x="n", y="p", floor=1.5).svg)
    assert {"1", "2", "12.35", "7", "1.5"} <= set(root.get("data-drawn").split())


def test_a_long_line_lists_its_ends_and_extremes_only():
    line = {float(i): (i - 70) ** 2 for i in range(200)}
    shown = ET.fromstring(plots.lines({"a": line}, x="n", y="p").svg).get("data-drawn").split()
    assert {"0", "199", "4900", "1.664e+04"} <= set(shown)
    assert len(shown) < svg.LONGEST


def test_the_style_stays_inside():
    before = dict(plt.rcParams)
    plots.lstm_cell()
    assert dict(plt.rcParams) == before


# ---------------------------------------------------------------- colours


def luminance(colour):
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_letters_in_every_colour_of_a_picture_can_be_read_on_the_page(theme):
    """4.5 to 1 is what WCAG 2.1 AA asks of letters."""
    blocks = re.findall(rf'html\[data-theme="{theme}"\] {{(.*?)}}', CSS.read_text("utf-8"), re.S)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", "".join(blocks)))
    page = colours["pst-color-background"]
    named = {name: colours[f"fig-{name}"] for name in style.NAMES.values()}
    letters = {name: colour for name, colour in named.items() if name != "faint"}
    assert {name: c for name, c in letters.items() if contrast(c, page) < 4.5} == {}


def test_a_picture_alone_has_the_colours_of_a_light_page():
    block = re.search(
        r'html\[data-theme="light"\] {\s*--fig-ink.*?}', CSS.read_text("utf-8"), re.S
    )[0]
    page = dict(re.findall(r"--fig-([\w-]+): (#[0-9a-f]{6})", block))
    same = {name: page[name] for name in style.NAMES.values() if name != "faint"}
    assert same == {name: c for c, name in style.NAMES.items() if name != "faint"}


def test_neighbouring_looks_differ_in_colour_and_in_marker():
    looks = [tuple(plots.look("", i).values()) for i in range(len(style.COLOURS))]
    assert len({colour for colour, _, _ in looks}) == len(looks)
    assert len({marker for _, marker, _ in looks}) == len(looks)


# ---------------------------------------------------------------- labels


def test_lines_are_labelled_where_they_end():
    picture = plots.lines({"up": {1: 1, 2: 9}, "down": {1: 5, 2: 2}}, x="n", y="p")
    labels = {t.get_text(): t for t in picture.figure.axes[0].texts}
    assert labels["up"].xy == (2, 9)
    assert labels["up"].get_color() == picture.figure.axes[0].lines[0].get_color()
    assert picture.figure.axes[0].get_legend() is None


def test_labels_of_lines_that_meet_do_not_cover_each_other():
    names = ["additive", "fixed mixture", "back-off", "absolute discounting", "Kneser-Ney"]
    picture = plots.lines({name: {1: 3, 2: 1 + k / 99} for k, name in enumerate(names)}, x="", y="")
    picture.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(label) for label in picture.figure.axes[0].texts]
    boxes.sort(key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))


def test_a_line_that_leaves_the_picture_is_named_where_it_does():
    picture = plots.lines({"a": {1: 1, 2: 5, 3: 99}, "b": {1: 1, 3: 2}}, x="", y="", ylim=(0, 9))
    assert {t.get_text(): t.xy for t in picture.figure.axes[0].texts}["a"] == (2, 5)


@pytest.mark.parametrize(
    ("centres", "expected"),
    [([0.2, 0.8], [0.2, 0.8]), ([0.5, 0.5], [0.4, 0.6]), ([0.0, 0.0, 0.9], [0.1, 0.3, 0.9])],
)
def test_labels_move_no_further_than_they_must(centres, expected):
    assert style.spread(centres, [0.2] * len(centres)) == pytest.approx(expected)


# ---------------------------------------------------------------- what is drawn


def test_windows_are_as_many_as_the_text_holds():
    picture = plots.sliding_windows(["<s>", "a", "b", "</s>"], 2)
    assert texts(picture) == ["<s>", "a", "b", "</s>", "<s>", "a", "a", "b", "b", "</s>"]


def test_the_likelihood_peaks_at_the_relative_frequency():
    curve = pictures()["likelihood"].figure.axes[0].lines[0]
    best = max(zip(curve.get_ydata(), curve.get_xdata(), strict=True))[1]
    assert best == pytest.approx(2 / 3, abs=0.003)


def test_a_model_keeps_its_look_wherever_it_stands():
    first = plots.lines(
        {"Kneser-Ney": {1: 1.0}, "maximum likelihood": {1: 2.0}}, x="n", y="perplexity"
    )
    second = plots.lines(
        {"maximum likelihood": {1: 2.0}, "Kneser-Ney": {1: 1.0}}, x="n", y="perplexity"
    )
    assert first.figure.axes[0].lines[0].get_color() == second.figure.axes[0].lines[1].get_color()
    assert first.figure.axes[0].lines[0].get_marker() != first.figure.axes[0].lines[1].get_marker()


def test_an_axis_of_probabilities_ends_at_one_whatever_room_the_names_need():
    picture = plots.next_words({"a long name of a model": {"a": 1.0}}, ["a"])
    assert max(picture.figure.axes[0].get_xticks()) == 1


def test_infinite_perplexities_are_left_out_of_a_line():
    picture = plots.lines(
        {"maximum likelihood": {1: 50.0, 2: math.inf, 3: 7.0}}, x="n", y="perplexity"
    )
    assert list(picture.figure.axes[0].lines[0].get_xdata()) == [1, 3]


def test_the_floor_is_drawn_at_its_height_and_named():
    axes = plots.lines(
        {"maximum likelihood": {1: 9.0}}, x="n", y="perplexity", floor=2.25
    ).figure.axes[0]
    assert list(axes.lines[-1].get_ydata()) == [2.25, 2.25]
    assert "floor 2.25" in [text.get_text() for text in axes.texts]


def test_a_ladder_names_every_perplexity():
    assert texts(pictures()["ladder"]) == ["5.00", "50.00", "floor 2.00"]


def test_zipf_draws_shares_by_rank_whatever_the_order_of_the_counts():
    axes = plots.zipf({"village": [1, 6, 3], "other": [5, 5]}).figure.axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["village"].get_ydata()) == [0.6, 0.3, 0.1]
    assert list(lines["village"].get_xdata()) == [1, 2, 3]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_the_dotted_line_is_one_over_the_rank():
    line = plots.zipf({"village": [1, 6, 3]}).figure.axes[0].lines[0]
    first, last = line.get_ydata()
    assert first == 0.6
    assert first / last == pytest.approx(line.get_xdata()[-1] / line.get_xdata()[0])


def test_bars_give_the_share_of_words_and_of_bits_of_each_range():
    bars = [bar.get_width() for bar in plots.where_the_bits_are(BITS).figure.axes[0].patches]
    words, bits = bars[: len(bars) // 2], bars[len(bars) // 2 :]
    assert words == pytest.approx([0.4, 0, 0.2, 0.2, 0.2])
    assert bits == pytest.approx([b / 13.8 for b in (0.3, 0, 1.5, 3.0, 9.0)])


def test_a_word_on_the_edge_of_two_ranges_is_counted_once():
    bars = [bar.get_width() for bar in plots.where_the_bits_are([1.0, 2.0]).figure.axes[0].patches]
    assert bars == pytest.approx([0, 0, 0.5, 0.5, 0, 0, 0, 1 / 3, 2 / 3, 0])


def test_a_translation_links_words_and_marks_those_that_it_is_told_to():
    links = [(0, 0), (1, 4), (4, 3)]
    axes = plots.word_order(list("abcde"), list("vwxyz"), links, {"b"}).figure.axes[0]
    assert [text.get_text() for text in axes.texts] == list("abcdevwxyz")
    assert [list(line.get_ydata()) for line in axes.lines] == [[0, 0], [-1, -4], [-4, -3]]
    marked = [line.get_color() == style.COLOURS[1] for line in axes.lines]
    assert marked == [False, True, False]


def test_stored_pictures_are_compared_by_what_they_show() -> None:
    """Neither by the last digits of places on the paper nor by ids that follow from them."""
    plugin = pytest.importorskip("nbval.plugin")
    text = (Path(__file__).parents[2] / ".ci" / "pictures.cfg").read_text("utf-8")

    def compared(last: float) -> str:
        shown: str = plots.lines({"a": {1: 1.0, 2: last, 3: 0.0}}, x="x", y="y").svg
        for pattern, instead in plugin.get_sanitize_patterns(text):
            shown = re.sub(pattern, instead, shown)
        return shown

    assert compared(2.0) == compared(2.0001)
    assert compared(2.0) != compared(2.1)
