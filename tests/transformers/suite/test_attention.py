"""Tests of tasks 6.4 and 6.5: positions, self-attention with a cache."""

import math

import pytest
import torch

from examiner.suite import close, gradients, set_parameters, student_module
from tests.transformers.suite import oracles
from tests.transformers.suite.oracles import sizes, tensor

transformers = student_module("transformers")


# ------------------------------------------------------------------ 6.4
@pytest.mark.task("6.4", weight=1, visible=True)
def test_waves_by_hand(transformers):
    """With D = 4 the second wave is a hundred times slower than the first."""
    rows = [[0.0, 1.0, 0.0, 1.0], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]]
    assert close(transformers.sinusoidal(2, 4), torch.tensor(rows))


@pytest.mark.task("6.4", weight=1)
def test_waves_of_any_size(transformers, rng):
    """Sine and cosine of each frequency stand side by side, for any number of places and waves."""
    for T, D in ((1, 2), (7, 6), (int(rng.integers(20, 90)), 16)):
        assert close(transformers.sinusoidal(T, D), oracles.waves(T, D), rtol=1e-4, atol=1e-4)


@pytest.mark.task("6.4", weight=0.7, visible=True)
def test_two_clock_hands(transformers):
    """A shift by k turns the first hand by k, the second of two by k / 100."""
    c, s, d, r = math.cos(3), math.sin(3), math.cos(0.03), math.sin(0.03)
    expected = [[c, s, 0.0, 0.0], [-s, c, 0.0, 0.0], [0.0, 0.0, d, r], [0.0, 0.0, -r, d]]
    assert close(transformers.shift_matrix(3, 4), torch.tensor(expected))


def assert_shifts(transformers, D, *shifts):
    rows = oracles.waves(60, D)
    for k in shifts:
        M = transformers.shift_matrix(k, D).double()
        t = torch.arange(max(0, -k), 60 - max(0, k))
        assert close(rows[t] @ M.T, rows[t + k], rtol=1e-3, atol=1e-4)


@pytest.mark.task("6.4", weight=0.8)
def test_a_shift_is_one_matrix(transformers, rng):
    """The same matrix moves every place on by k."""
    for D in (8, 2):
        assert_shifts(transformers, D, int(rng.integers(2, 30)))


@pytest.mark.task("6.4", weight=0.5)
def test_shifts_by_none_and_back(transformers, rng):
    """A shift by 0 changes nothing; where k is below 0, the matrix moves places back."""
    assert_shifts(transformers, 6, int(rng.integers(2, 30)), 0, -5)


@pytest.mark.task("6.4", weight=1, visible=True)
def test_turns_by_hand(transformers):
    """Place 0 stays; at place 1 the first pair is rotated by 1 radian, the second by 1/100."""
    x = torch.tensor([[[[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]]])

    def rotated(t):
        return [math.cos(t), math.sin(t), -math.sin(t / 100), math.cos(t / 100)]

    assert close(transformers.rotate(x), torch.tensor([[[rotated(0), rotated(1)]]]))


def assert_rotated(transformers, rng, shape, start, atol=1e-4):
    x = tensor(rng, *shape)
    expected = oracles.rotated(x, start).float()
    assert close(transformers.rotate(x, start), expected, rtol=1e-3, atol=atol)


@pytest.mark.task("6.4", weight=0.8)
def test_turned_pairs(transformers, rng):
    """All pairs of all rows turn, each at its own speed."""
    assert_rotated(transformers, rng, (2, 3, 4, 8), 0)


@pytest.mark.task("6.4", weight=0.8)
def test_turned_from_any_place(transformers, rng):
    """The first row may stand anywhere in the text."""
    for start in (0, int(rng.integers(2, 40))):
        assert_rotated(transformers, rng, (2, 3, 4, 8), start)
    assert_rotated(transformers, rng, (2, 3, 4, 8), 3000, atol=0.02)  # floats of large angles


@pytest.mark.task("6.4", weight=0.4)
def test_turned_rows_of_any_axes(transformers, rng):
    """Any axes may come before rows and numbers, or none."""
    for shape in ((2, 3, 4, 8), (3, 2), (2, 5, 6), (2, 1, 3, 4, 2)):
        assert_rotated(transformers, rng, shape, 0)


@pytest.mark.task("6.4", weight=0.6)
def test_what_turned_rows_teach(transformers, rng):
    """Gradients flow through a rotation, and are rotated back."""
    assert_rotated(transformers, rng, (2, 3, 4, 8), 5)
    x, pull = tensor(rng, 2, 5, 4).requires_grad_(), tensor(rng, 2, 5, 4)
    (oracles.rotated(x, 0) * pull).sum().backward()
    _, [found, *_], _ = gradients(transformers.rotate, x.detach(), weights=pull)
    assert close(found, x.grad, rtol=1e-3, atol=1e-4)


@pytest.mark.task("6.4", weight=0.2)
def test_turned_in_half_precision(transformers, rng):
    """Rows of half precision stay so, but no place and no angle is rounded to it."""
    assert_rotated(transformers, rng, (2, 3, 4, 8), 5)
    x, start = tensor(rng, 2, 3, 8).bfloat16(), int(rng.integers(5000, 9000))
    found = transformers.rotate(x, start)
    assert found.dtype == torch.bfloat16
    # Numbers of 8 bits: right work is off by as much only where a pair is longer than 10, of which
    # normal numbers have a chance of e^-50 each. A wrong place moves them by about 1.
    assert close(found.float(), oracles.rotated(x, start).float(), rtol=0.02, atol=0.05)


@pytest.mark.task("6.4", weight=1, visible=True)
def test_penalties_of_two_heads(transformers):
    """Two heads have the slopes 1/16 and 1/256; the newest of three tokens sees the others so."""
    expected = -torch.tensor([[[2.0, 1.0, 0.0]], [[2.0, 1.0, 0.0]]])
    assert close(transformers.alibi(2, 1, 3), expected / torch.tensor([16.0, 256.0])[:, None, None])


def penalties(H, T, S):
    """ALiBi in loops."""
    rows = [
        [[-abs(i - j) * 2 ** (-8 * h / H) for j in range(S)] for i in range(S - T, S)]
        for h in range(1, H + 1)
    ]
    return torch.tensor(rows)


@pytest.mark.task("6.4", weight=1)
def test_penalties_of_any_size(transformers, rng):
    """The penalty grows with the distance; the queries are the last tokens."""
    for H, T, S in ((3, 4, 4), (8, 2, int(rng.integers(4, 9))), (1, 1, 1)):
        found = transformers.alibi(H, T, S)  # of keys that are not later than their query
        assert close(found.tril(S - T), penalties(H, T, S).tril(S - T))


@pytest.mark.task("6.4", weight=0.5)
def test_penalties_of_later_keys(transformers, rng):
    """Later keys, which an encoder sees, get the penalty of their distance, too."""
    H, T, S = 3, int(rng.integers(2, 4)), 5
    found = transformers.alibi(H, T, S)
    assert close(found.tril(S - T), penalties(H, T, S).tril(S - T))
    assert close(found, penalties(H, T, S))


# ------------------------------------------------------------------ 6.5
def new_attention(transformers, rng, causal=True, **other):
    """A student's self-attention with random weights and the test's own positions."""
    layer = transformers.SelfAttention(sizes(transformers, D=8, **other), causal)
    values = oracles.fill(layer, rng, "W_qkv.weight", "W_qkv.bias", "W_o.weight", "W_o.bias")
    oracles.with_stand_ins(layer)
    return layer, values


@pytest.mark.task("6.5", weight=0.5, visible=True)
def test_a_mean_of_what_came_before(transformers):
    """If all scores are equal, a token's answer is the mean of all values up to it."""
    layer = transformers.SelfAttention(sizes(transformers, D=2, H=1))
    W = torch.zeros(6, 2)
    W[4:] = torch.eye(2)
    values = {"W_qkv.weight": W, "W_qkv.bias": torch.zeros(6)}
    set_parameters(layer, values | {"W_o.weight": torch.eye(2), "W_o.bias": torch.zeros(2)})
    y, (_, v) = layer(torch.tensor([[[2.0, 0.0], [4.0, 6.0], [0.0, 3.0]]]))
    assert close(y, torch.tensor([[[2.0, 0.0], [3.0, 3.0], [2.0, 3.0]]]))
    assert v.shape == (1, 1, 3, 2)


@pytest.mark.task("6.5", weight=1, visible=True)
def test_one_more_token(transformers):
    """A fourth token, read after three others, answers with the mean of all four values."""
    layer = transformers.SelfAttention(sizes(transformers, D=2, H=1))
    W = torch.zeros(6, 2)
    W[4:] = torch.eye(2)
    values = {"W_qkv.weight": W, "W_qkv.bias": torch.zeros(6)}
    set_parameters(layer, values | {"W_o.weight": torch.eye(2), "W_o.bias": torch.zeros(2)})
    _, past = layer(torch.tensor([[[2.0, 0.0], [4.0, 6.0], [0.0, 3.0]]]))
    y, (k, v) = layer(torch.tensor([[[6.0, 3.0]]]), past)
    assert close(y, torch.tensor([[[3.0, 3.0]]]))
    assert k.shape == v.shape == (1, 1, 4, 2)


def assert_whole(transformers, rng, H, G, kind="none"):
    layer, values = new_attention(transformers, rng, H=H, G=G, positions=kind)
    x = tensor(rng, 2, 5, 8)
    y, k, v = oracles.attention(x, values, H, G, kind)
    found, state = layer(x)
    assert close(found, y)
    assert close(list(state), [k, v])


def assert_pieces(transformers, rng, H, G, kind="none"):
    layer, values = new_attention(transformers, rng, H=H, G=G, positions=kind)
    x = tensor(rng, 2, 7, 8)
    y, k, v = oracles.attention(x, values, H, G, kind)
    state, n = None, 0
    for piece in x.split([2, 3, 1, 1], dim=1):
        answers, state = layer(piece, state)
        n += piece.shape[1]
        assert close(answers, y[:, n - piece.shape[1] : n])
        assert close(list(state), [k[:, :, :n], v[:, :, :n]])


@pytest.mark.task("6.5", weight=1)
def test_heads(transformers, rng):
    """Each head looks for itself; the answers of all go through W_o."""
    for H in (4, 2, 1):
        assert_whole(transformers, rng, H, H)


@pytest.mark.task("6.5", weight=0.2)
def test_a_layer_reads_a_second_text(transformers, rng):
    """Without a past a text is the first, whatever the layer has read before."""
    layer, values = new_attention(transformers, rng, H=2, G=2, positions="none")
    for x in (tensor(rng, 2, 5, 8), tensor(rng, 2, 5, 8)):
        y, k, v = oracles.attention(x, values, 2, 2, "none")
        found, state = layer(x)
        assert close([found, *state], [y, k, v])


@pytest.mark.task("6.5", weight=3)
def test_read_in_pieces(transformers, rng):
    """Read in pieces with the keys and values of before, a text gets the same answers."""
    for H in (4, 2):
        assert_pieces(transformers, rng, H, H)


@pytest.mark.task("6.5", weight=1)
def test_places_of_a_whole_text(transformers, rng):
    """Rotary positions turn queries and keys but no values; ALiBi's penalties join the scores."""
    for kind in ("rotary", "alibi"):
        assert_whole(transformers, rng, 2, 2, kind)


@pytest.mark.task("6.5", weight=1)
def test_places_in_pieces(transformers, rng):
    """A piece stands where the one before ended: its queries and keys turn on from there."""
    for kind in ("rotary", "alibi"):
        assert_pieces(transformers, rng, 4, 4, kind)


@pytest.mark.task("6.5", weight=0.8)
def test_groups_of_heads(transformers, rng):
    """With fewer heads of keys, neighbours share them, also in pieces."""
    for G in (4, 2, 1):
        assert_whole(transformers, rng, 4, G)
        assert_pieces(transformers, rng, 4, G)


@pytest.mark.task("6.5", weight=0.3)
def test_penalties_of_groups(transformers, rng):
    """Each head of queries has its own penalties, also where several share their keys."""
    for G in (4, 2, 1):
        assert_whole(transformers, rng, 4, G, "alibi")


def assert_hidden(transformers, rng, causal, kind):
    mask = torch.tensor([[True, True, True, False], [True, True, True, True]])
    layer, values = new_attention(transformers, rng, causal, H=2, positions=kind)
    x = tensor(rng, 2, 4, 8)
    expected = oracles.attention(x, values, 2, 2, kind, causal, mask)[0]
    assert close(layer(x, None, mask)[0], expected)


@pytest.mark.task("6.5", weight=0.5)
def test_both_directions_and_padding(transformers, rng):
    """Without causality a token sees the whole text, but nobody sees what the mask hides."""
    assert_hidden(transformers, rng, False, "none")


@pytest.mark.task("6.5", weight=0.3)
def test_padding_where_nothing_later_is_seen(transformers, rng):
    """A mask joins the causal one, and ALiBi's penalties, in place of neither."""
    for kind in ("none", "alibi"):
        for causal in (False, True):
            assert_hidden(transformers, rng, causal, kind)


@pytest.mark.task("6.5", weight=0.4)
def test_padding_among_old_tokens(transformers, rng):
    """With a past, the mask says of old keys and of new ones whether anybody may see them."""
    mask = torch.tensor([[True, False, True, True, True], [True, True, True, False, True]])
    for kind in ("none", "alibi"):
        assert_pieces(transformers, rng, 2, 2, kind)
        layer, values = new_attention(transformers, rng, H=2, positions=kind)
        x = tensor(rng, 2, 5, 8)
        expected = oracles.attention(x, values, 2, 2, kind, True, mask)[0]
        _, past = layer(x[:, :2], None, mask[:, :2])
        assert close(layer(x[:, 2:], past, mask)[0], expected[:, 2:]), "the mask has S columns"


@pytest.mark.task("6.5", weight=1.5)
def test_what_attention_teaches(transformers, rng):
    """Gradients flow through queries, keys and values."""
    for kind in ("rotary", "alibi"):
        layer, values = new_attention(transformers, rng, H=4, G=2, positions=kind)
        leaves = {name: each.clone().requires_grad_() for name, each in values.items()}
        x = tensor(rng, 2, 4, 8).requires_grad_()
        y = oracles.attention(x, leaves, 4, 2, kind)[0]
        y.sum().backward()
        found, [of_x, *_], of_weights = gradients(layer, x.detach(), output=0)
        assert close(found, y.detach())
        right = {name: leaf.grad for name, leaf in leaves.items()}
        assert close({**of_weights, "x": of_x}, {**right, "x": x.grad}, rtol=1e-3, atol=1e-4)
