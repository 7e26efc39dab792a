"""The pictures of chapter 7's first page. Leaves out: style."""

from nextword import plots


def test_targets_are_the_next_tokens_and_only_learned_ones_are_named():
    tokens = ["<s>", "who ?", "</s>", "anna", "</s>"]
    axes = plots.chat_targets(tokens, [False, False, False, True, True]).figure.axes[0]
    texts = [(text.get_text(), text.get_position()) for text in axes.texts if text.get_text()]
    left = [text for text, (x, y) in texts if x == 0 and y <= 0]
    right = [text for text, (x, y) in texts if x > 2 and y <= 0]
    assert left == tokens[:-1]
    assert right == ["not counted", "not counted", "anna", "</s>"]


def test_low_rank_draws_all_shapes_to_scale():
    axes = plots.low_rank(192, 64, 4).figure.axes[0]
    texts = {text.get_text() for text in axes.texts}
    assert {"W: 192 by 64\nstays as it is", "B: 192 by 4\nlearns", "A: 4 by 64\nlearns"} <= texts
    W, B, A = [(p.get_width(), p.get_height()) for p in axes.patches[::2]]
    assert round(W[1] / W[0], 6) == 3  # as many times as high as wide
    assert B[1] == W[1]
    assert A[0] == W[0]
    assert A[1] == B[0] < W[0] / 4
