"""Pictures of chapter 3: what stands in them. Leaves out their form (test_plots)."""

import numpy as np
from matplotlib.colors import to_hex

from nextword import plots


def axes(picture):
    return picture.figure.axes[0]


def written(picture):
    return {text.get_text(): text for text in axes(picture).texts}


def test_each_arrow_ends_at_its_vector():
    picture = plots.arrows({"hen": (3, 1), "bread": (0, 2)}, x="near eggs", y="near butter")
    tips = [tuple(points.get_offsets()[0]) for points in axes(picture).collections]
    assert tips == [(3, 1), (0, 2)]
    assert written(picture)["hen"].xy == (3, 1)
    assert axes(picture).get_xlabel() == "near eggs"


def test_a_map_has_a_colour_for_each_kind_and_joins_what_is_linked():
    points = {"france": (0.0, 0.0), "paris": (1.0, 0.0), "italy": (0.0, 1.0), "rome": (1.0, 1.0)}
    kinds = {"countries": ["france", "italy", "atlantis"], "capitals": ["paris", "rome"]}
    picture = plots.word_map(points, kinds, links=[("italy", "rome")])
    first, second = axes(picture).collections
    assert first.get_offsets().tolist() == [[0, 0], [0, 1]]
    assert to_hex(first.get_facecolor()[0]) != to_hex(second.get_facecolor()[0])
    assert {"countries", "capitals"} == written(picture).keys()
    (line,) = axes(picture).lines
    assert line.get_xydata().tolist() == [[0, 1], [1, 1]]


def test_names_that_lie_on_one_another_share_a_line():
    points = {"ann": (0.0, 0.0), "ben": (0.001, 0.0), "goat": (1.0, 1.0)}
    picture = plots.word_map(points, {"all": list(points)}, named=list(points))
    assert written(picture).keys() == {"ann, ben", "goat"}


def test_bars_end_in_their_values_and_none_goes_below_nothing():
    picture = plots.bars({"counts": 0.75, "noise": -0.2}, x="agreement")
    widths = sorted(round(patch.get_width(), 6) for patch in axes(picture).patches)
    assert widths[-1] == 0.75
    assert min(widths) >= 0
    assert {"0.75", "-0.20"} <= written(picture).keys()


def test_points_stand_where_their_values_say():
    picture = plots.against([1, 2], [3, 5], x="a", y="b", diagonal=True)
    assert axes(picture).collections[0].get_offsets().tolist() == [[1, 3], [2, 5]]
    (line,) = axes(picture).lines
    assert np.ptp(line.get_xydata(), axis=1).tolist() == [0, 0]  # on the line both are equal


def test_a_tree_has_a_leaf_for_each_word_at_the_depth_of_its_code():
    codes = {"the": "0", "goat": "10", "ewe": "110", "hay": "111"}
    picture = plots.tree(codes)
    texts = written(picture)
    depth = {word: round(-texts[word].get_position()[1]) for word in codes}
    assert depth == {"the": 1, "goat": 2, "ewe": 3, "hay": 3}
    bits = sorted(text.get_text() for text in axes(picture).texts if text.get_text() in "01")
    assert bits == ["0", "0", "0", "1", "1", "1"]
    assert len(axes(picture).lines) == 6


def test_a_map_with_words_names_what_has_room_and_no_two_names_touch():
    points = {"goats": (0.0, 0.0), "ewes": (0.001, 0.0), "paris": (1.0, 1.0)}
    picture = plots.named_map(points, {"animals": ["goats", "ewes"], "towns": ["paris"]})
    assert {"paris", "animals", "towns"} <= set(written(picture))
    assert {"goats", "ewes"} & set(written(picture))


def test_words_moved_begin_hollow_and_end_full_on_one_scale():
    picture = plots.moved(
        {"a": 0.0, "b": 0.1}, {"a": -0.5, "b": 0.5}, {"x": ["b"], "y": ["a"]}, x="place",
        ends=("before", "after"),
    )  # fmt: skip
    assert axes(picture).get_title() == "hollow: before; full: after"
    hollow, full = (axes(picture).collections[k].get_offsets()[0] for k in (1, 2))
    assert (hollow[0], full[0]) == (0.1, 0.5)
