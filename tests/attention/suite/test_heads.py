"""Tests of tasks 5.8 to 5.10: heads, cross-attention, shared keys."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from examiner.suite import close, gradients, set_parameters, student_module, value_and_peak
from tests.attention.suite import oracles
from tests.attention.suite.oracles import tensor

attention = student_module("attention")


def with_weights(net, values):
    """A student's heads with these weights."""
    set_parameters(net, values)
    return net


@pytest.mark.task("5.8", weight=1, visible=True)
def test_two_heads_by_hand(attention):
    """Where all scores are 0 both heads take the mean; W_o adds them up and swaps their order."""
    zero, eye = torch.zeros(2, 2), torch.eye(2)
    values = {"W_q.weight": zero, "W_k.weight": zero, "W_v.weight": eye}
    values |= {"W_o.weight": torch.tensor([[0.0, 1.0], [1.0, 1.0]])}
    values |= {f"W_{name}.bias": torch.zeros(2) for name in "qkvo"}
    net = with_weights(attention.MultiHead(2, 2), values)
    y, weights = net(torch.tensor([[[1.0, 10.0], [3.0, 30.0]]]))
    assert close(weights, torch.full((1, 2, 2, 2), 0.5))
    assert close(y, torch.tensor([[[20.0, 22.0], [20.0, 22.0]]]))


@pytest.mark.task("5.8", weight=1, visible=True)
def test_which_numbers_are_a_head(attention):
    """Of four numbers, head 0 looks by the first two and head 1 by the last two."""
    values = {f"W_{name}.weight": torch.eye(4) for name in "qkvo"}
    values |= {f"W_{name}.bias": torch.zeros(4) for name in "qkvo"}
    net = with_weights(attention.MultiHead(4, 2), values)
    x = torch.tensor([[[9.0, 0.0, 9.0, 0.0], [0.0, 9.0, 9.0, 0.0]]])
    _, weights = net(x)
    assert close(weights[0, 0], torch.eye(2))
    assert close(weights[0, 1], torch.full((2, 2), 0.5))


@pytest.mark.task("5.8", weight=0.2, visible=True)
def test_words_that_see_themselves_alone(attention):
    """With a mask that leaves each word itself, both heads give each word its own numbers."""
    values = {f"W_{name}.weight": torch.eye(2) for name in "qkvo"}
    values |= {f"W_{name}.bias": torch.zeros(2) for name in "qkvo"}
    net = with_weights(attention.MultiHead(2, 2), values)
    x, itself = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), torch.eye(2).bool()
    for mask in (itself, itself[None]):
        y, weights = net(x, mask)
        assert close(y, x)
        assert close(weights, torch.eye(2).expand(1, 2, 2, 2))


@pytest.mark.task("5.8", weight=3)
def test_heads_of_torch(attention, rng):
    """With copied weights, outputs and weights are those of nn.MultiheadAttention."""
    for D, H, B, T in ((6, 2, 3, 5), (6, 3, 2, 4), (4, 1, 1, 3), (4, 4, 2, 1)):
        theirs, values = oracles.heads_of_torch(rng, D, H)
        net, x = with_weights(attention.MultiHead(D, H), values), tensor(rng, B, T, D)
        assert close(net(x), theirs(x, x, x, average_attn_weights=False))


@pytest.mark.task("5.8", weight=2)
def test_heads_with_masks(attention, rng):
    """A mask of (T, T), or one for each sentence, holds for all heads; both kinds of masks work."""
    D, H, B, T = 6, 3, 2, 4
    theirs, values = oracles.heads_of_torch(rng, D, H)
    net, x = with_weights(attention.MultiHead(D, H), values), tensor(rng, B, T, D)
    for mask in (oracles.some_true(rng, T, T), oracles.some_true(rng, B, T, T)):
        hidden = ~mask if mask.ndim == 2 else ~mask.repeat_interleave(H, 0)
        expected = theirs(x, x, x, attn_mask=hidden, average_attn_weights=False)
        assert close(net(x, mask), expected)
        added = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
        assert close(net(x, added), expected)


@pytest.mark.task("5.8", weight=1)
def test_what_heads_learn(attention, rng):
    """The gradients of the input and of all eight parameters are those of torch's module."""
    theirs, values = oracles.heads_of_torch(rng, 4, 2)
    net = with_weights(attention.MultiHead(4, 2), values)
    x, pull = tensor(rng, 2, 3, 4), tensor(rng, 2, 3, 4)
    leaf = x.clone().requires_grad_()
    (theirs(leaf, leaf, leaf)[0] * pull).sum().backward()
    _, by_input, by_name = gradients(net, x, weights=(pull, None))
    assert close(by_input, [leaf.grad])
    rows = [by_name[f"W_{name}.weight"] for name in "qkv"]
    assert close(torch.cat(rows), theirs.in_proj_weight.grad)
    assert close(by_name["W_o.weight"], theirs.out_proj.weight.grad)


@pytest.mark.task("5.8", weight=0.4)
def test_heads_with_padding(attention, rng):
    """A mask of (B, 1, T) hides words from all queries and heads, but not in the next call."""
    theirs, values = oracles.heads_of_torch(rng, 6, 3)
    net, x = with_weights(attention.MultiHead(6, 3), values), tensor(rng, 2, 4, 6)
    allowed = oracles.some_true(rng, 2, 4)
    expected = theirs(x, x, x, key_padding_mask=~allowed, average_attn_weights=False)
    assert close(net(x, allowed[:, None]), expected)
    assert close(net(x), theirs(x, x, x, average_attn_weights=False))


def looked_otherwise(values, H, x, k, v):
    """What heads answer that look as in `oracles.with_other_look`."""
    q = cut(x @ values["W_q.weight"].T + values["W_q.bias"], H)
    weights = torch.tanh(q @ k.mT)
    y = torch.cat((weights @ v).unbind(1), dim=-1)
    return y @ values["W_o.weight"].T + values["W_o.bias"], weights


@pytest.mark.task("5.8", weight=0.2)
def test_heads_that_are_given_another_look(attention, rng):
    """A layer looks by `self.look`, which may be another function than `look`."""
    theirs, values = oracles.heads_of_torch(rng, 6, 3)
    x = tensor(rng, 2, 4, 6)
    net = with_weights(attention.MultiHead(6, 3), values)
    assert close(net(x), theirs(x, x, x, average_attn_weights=False))
    linear = (x @ values[f"W_{name}.weight"].T + values[f"W_{name}.bias"] for name in "kv")
    expected = looked_otherwise(values, 3, x, *(cut(each, 3) for each in linear))
    assert close(oracles.with_other_look(net, x), expected), "call self.look"


def memory_by_hand(attention):
    """A student's head whose queries do not care, and whose values are once and twice a word."""
    net = attention.CrossAttention(2, 1, 1)
    values = {"W_q.weight": torch.zeros(2, 2), "W_k.weight": torch.ones(2, 1)}
    values |= {"W_v.weight": torch.tensor([[1.0], [2.0]]), "W_o.weight": torch.eye(2)}
    values |= {f"W_{name}.bias": torch.zeros(2) for name in "qkvo"}
    return with_weights(net, values)


@pytest.mark.task("5.9", weight=0.5, visible=True)
def test_a_memory_by_hand(attention):
    """Of each of three words, the keys are W_k and the values W_v times it."""
    net = memory_by_hand(attention)
    k, v = net.remember(torch.tensor([[[3.0], [6.0], [9.0]]]))
    assert close(k, torch.tensor([[[[3.0, 3.0], [6.0, 6.0], [9.0, 9.0]]]]))
    assert close(v, torch.tensor([[[[3.0, 6.0], [6.0, 12.0], [9.0, 18.0]]]]))


@pytest.mark.task("5.9", weight=0.5, visible=True)
def test_two_queries_by_hand(attention):
    """Two queries that do not care take the mean of the three values that were remembered."""
    net = memory_by_hand(attention)
    k, v = torch.ones(1, 1, 3, 2), torch.tensor([[[[3.0, 6.0], [6.0, 12.0], [9.0, 18.0]]]])
    y, weights = net(torch.ones(1, 2, 2), (k, v))
    assert close(y, torch.tensor([[[6.0, 12.0], [6.0, 12.0]]]))
    assert close(weights, torch.full((1, 1, 2, 3), 1 / 3))


@pytest.mark.task("5.9", weight=0.2, visible=True)
def test_a_hidden_word_by_hand(attention):
    """Where the third word is hidden, two queries take the mean of the first two values."""
    net, x = memory_by_hand(attention), torch.ones(1, 2, 2)
    k, v = torch.ones(1, 1, 3, 2), torch.tensor([[[[3.0, 6.0], [6.0, 12.0], [9.0, 18.0]]]])
    y, weights = net(x, (k, v), torch.tensor([[[True, True, False]]]))
    assert close(y, torch.tensor([[[4.5, 9.0], [4.5, 9.0]]]))
    assert close(weights, torch.tensor([0.5, 0.5, 0.0]).expand(1, 1, 2, 3))


@pytest.mark.task("5.9", weight=2.4)
def test_what_is_remembered(attention, rng):
    """Keys and values of all heads are W_k and W_v of the memory, cut into heads in order."""
    for D, H, E in ((6, 3, 4), (4, 1, 4), (4, 2, 1)):
        _, values = oracles.heads_of_torch(rng, D, H, E)
        net = with_weights(attention.CrossAttention(D, H, E), values)
        memory, K = tensor(rng, 2, 5, E), D // H
        for name, found in zip("kv", net.remember(memory), strict=True):
            full = memory @ values[f"W_{name}.weight"].T + values[f"W_{name}.bias"]
            parts = [full[:, :, h * K : (h + 1) * K] for h in range(H)]
            assert close(found, torch.stack(parts, dim=1))


@pytest.mark.task("5.9", weight=0.2)
def test_a_second_memory(attention, rng):
    """Each memory has keys and values of its own, whatever was remembered before."""
    _, values = oracles.heads_of_torch(rng, 4, 2, 3)
    net = with_weights(attention.CrossAttention(4, 2, 3), values)
    for memory in (tensor(rng, 2, 5, 3), tensor(rng, 2, 5, 3)):
        linear = (memory @ values[f"W_{name}.weight"].T + values[f"W_{name}.bias"] for name in "kv")
        assert close(list(net.remember(memory)), [cut(each, 2) for each in linear])


def cut(x, H):
    """The keys or values of H heads, head by head."""
    return torch.stack(x.chunk(H, dim=-1), dim=1)


def crossed(attention, rng, D, H, E, B, T, S):
    """A student's heads and torch's, with the same weights, a text, a memory, and its (k, v)."""
    theirs, values = oracles.heads_of_torch(rng, D, H, E)
    net = with_weights(attention.CrossAttention(D, H, E), values)
    x, memory = tensor(rng, B, T, D), tensor(rng, B, S, E)
    linear = (memory @ values[f"W_{name}.weight"].T + values[f"W_{name}.bias"] for name in "kv")
    return net, theirs, x, memory, tuple(cut(each, H) for each in linear)


SIZES = (6, 3, 4, 2, 3, 5), (4, 2, 4, 3, 5, 2), (4, 1, 2, 1, 1, 1)


@pytest.mark.task("5.9", weight=2)
def test_cross_attention_of_torch(attention, rng):
    """With copied weights it is torch's module, for texts of two lengths."""
    for sizes in SIZES:
        net, theirs, x, memory, kv = crossed(attention, rng, *sizes)
        assert close(net(x, kv), theirs(x, memory, memory, average_attn_weights=False))


@pytest.mark.task("5.9", weight=0.8)
def test_hidden_padding_of_the_memory(attention, rng):
    """A mask of (B, 1, S) hides words of a memory from all queries and heads."""
    for sizes in SIZES:
        net, theirs, x, memory, kv = crossed(attention, rng, *sizes)
        allowed = oracles.some_true(rng, *memory.shape[:2])
        hidden = {"key_padding_mask": ~allowed, "average_attn_weights": False}
        assert close(net(x, kv, allowed[:, None]), theirs(x, memory, memory, **hidden))


@pytest.mark.task("5.9", weight=0.4)
def test_a_mask_for_each_query_of_a_memory(attention, rng):
    """Masks of (T, S) and of (B, T, S) may say of each query what it sees."""
    net, theirs, x, memory, kv = crossed(attention, rng, 6, 3, 4, 2, 4, 5)
    for mask in (oracles.some_true(rng, 4, 5), oracles.some_true(rng, 2, 4, 5)):
        hidden = ~mask if mask.ndim == 2 else ~mask.repeat_interleave(3, 0)
        expected = theirs(x, memory, memory, attn_mask=hidden, average_attn_weights=False)
        assert close(net(x, kv, mask), expected)


@pytest.mark.task("5.9", weight=0.4)
def test_what_cross_attention_learns(attention, rng):
    """Gradients reach W_k and W_v through what is remembered."""
    net, _, _, memory, _ = crossed(attention, rng, 4, 2, 3, 2, 3, 4)
    pulls = tensor(rng, 2, 2, 4, 2), tensor(rng, 2, 2, 4, 2)
    found = oracles.gradients_of_memory(net, memory, *pulls)
    for name, pull in zip("kv", pulls, strict=True):
        expected = torch.einsum("bhsk,bse->hke", pull, memory).reshape(4, 3)
        assert close(found[f"W_{name}.weight"], expected)


@pytest.mark.task("5.9", weight=0.3)
def test_numbers_that_are_added_for_a_memory(attention, rng):
    """A mask of a memory may hold numbers that are added."""
    net, theirs, x, memory, kv = crossed(attention, rng, 6, 3, 4, 2, 4, 5)
    mask = tensor(rng, 4, 5)
    assert close(
        net(x, kv, mask), theirs(x, memory, memory, attn_mask=mask, average_attn_weights=False)
    )


@pytest.mark.task("5.9", weight=0.2)
def test_a_memory_that_is_looked_at_otherwise(attention, rng):
    """Cross-attention looks by `self.look`, too."""
    _, values = oracles.heads_of_torch(rng, 6, 3, 4)
    net = with_weights(attention.CrossAttention(6, 3, 4), values)
    x, kv = tensor(rng, 2, 4, 6), (tensor(rng, 2, 3, 5, 2), tensor(rng, 2, 3, 5, 2))
    expected = looked_otherwise(values, 3, x, *kv)
    assert close(oracles.with_other_look(net, x, kv), expected), "call self.look"


@pytest.mark.task("5.9", weight=0.8)
def test_what_queries_of_a_memory_learn(attention, rng):
    """Gradients reach the text that looks, the keys and the values, W_q and W_o."""
    _, values = oracles.heads_of_torch(rng, 4, 2, 3)
    net = with_weights(attention.CrossAttention(4, 2, 3), values)
    x, pull = tensor(rng, 2, 3, 4), tensor(rng, 2, 3, 4)
    kv = tensor(rng, 2, 2, 5, 2), tensor(rng, 2, 2, 5, 2)
    parts = x, *kv, values["W_q.weight"], values["W_o.weight"]
    leaves = [each.clone().requires_grad_() for each in parts]
    text, k, v, W_q, W_o = leaves
    heads = scaled_dot_product_attention(cut(text @ W_q.T + values["W_q.bias"], 2), k, v)
    (torch.cat(heads.unbind(1), dim=-1) @ W_o.T * pull).sum().backward()
    found = oracles.gradients_of_crossing(net, x, *kv, pull)
    assert close(found, [leaf.grad for leaf in leaves], rtol=1e-3, atol=1e-4)


def grouped(q, k, v, mask=None):
    """Heads one by one, each with the keys and values of its group."""
    R = q.shape[1] // k.shape[1]
    parts = [
        oracles.attention(q[:, h], k[:, h // R], v[:, h // R], mask) for h in range(q.shape[1])
    ]
    outputs, weights = zip(*parts, strict=True)
    return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)


@pytest.mark.task("5.10", weight=0.2, visible=True)
def test_a_mask_for_two_heads_by_hand(attention):
    """The first query sees the first key alone, in both heads of the group; the second sees two."""
    q, k, v = torch.zeros(1, 2, 2, 1), torch.zeros(1, 1, 2, 1), torch.tensor([[[[2.0], [4.0]]]])
    mask = torch.tensor([[True, False], [True, True]])
    for each in (mask, mask[None]):
        y, weights = attention.grouped_attention(q, k, v, each)
        assert close(y, torch.tensor([[2.0], [3.0]]).expand(1, 2, 2, 1))
        assert close(weights, torch.tensor([[1.0, 0.0], [0.5, 0.5]]).expand(1, 2, 2, 2))


@pytest.mark.task("5.10", weight=1, visible=True)
def test_four_heads_in_two_groups(attention):
    """Heads 0 and 1 read the first values, heads 2 and 3 the second ones."""
    q, k = torch.zeros(1, 4, 1, 2), torch.zeros(1, 2, 3, 2)
    v = torch.tensor([[[[1.0], [2.0], [3.0]], [[10.0], [20.0], [30.0]]]])
    y, weights = attention.grouped_attention(q, k, v)
    assert close(y, torch.tensor([[[[2.0]], [[2.0]], [[20.0]], [[20.0]]]]))
    assert close(weights, torch.full((1, 4, 1, 3), 1 / 3))


def assert_groups(attention, rng, masks):
    """Look in groups of all sizes, without or with masks of the axes that are named."""
    for H, G, B, T, S in ((6, 2, 2, 3, 4), (4, 1, 2, 2, 5), (3, 3, 3, 4, 2), (2, 1, 1, 1, 1)):
        q, k = tensor(rng, B, H, T, 3), tensor(rng, B, G, S, 3)
        v = tensor(rng, B, G, S, 2)
        mask = oracles.some_true(rng, B, T, S)[slice(None) if "B" in masks else 0]
        full = mask.expand(B, T, S) if masks else None
        found = attention.grouped_attention(q, k, v, *([mask] if masks else []))
        assert close(found, grouped(q, k, v, full))


@pytest.mark.task("5.10", weight=2)
def test_any_groups(attention, rng):
    """From one group to as many as heads, each head has what it would have alone."""
    assert_groups(attention, rng, "")


@pytest.mark.task("5.10", weight=0.7)
def test_groups_with_a_mask(attention, rng):
    """A mask of (T, S) holds for every head of every sentence."""
    assert_groups(attention, rng, "T S")


@pytest.mark.task("5.10", weight=0.5)
def test_groups_with_a_mask_for_each_sentence(attention, rng):
    """A mask of (B, T, S) holds for every head of its sentence."""
    assert_groups(attention, rng, "B T S")


@pytest.mark.task("5.10", weight=1)
def test_shared_keys_are_not_copied(attention, rng):
    """One query for each of 64 heads takes less memory than half a copy of the keys would."""
    H, S, K = 64, 1024, 256  # a copy of the keys takes 64 MiB, the table that `look` needs 4 MiB
    q, k, v = tensor(rng, 1, H, 1, K), tensor(rng, 1, 1, S, K), tensor(rng, 1, 1, S, K)
    weights = torch.softmax(q @ k.mT / math.sqrt(K), dim=-1)
    found, held = value_and_peak(attention.grouped_attention, q, k, v)
    assert close(found, (weights @ v, weights))
    assert held < H * S * K * 4 / 2


@pytest.mark.task("5.10", weight=0.8, visible=True)
def test_bytes_of_a_cache(attention):
    """Two numbers of two bytes for each word, head and layer; sharing by 8 heads saves 7/8."""
    assert attention.cache_bytes(3, 5, 7, 11) == 4620
    assert attention.cache_bytes(1, 1, 1, 1) == 4
    assert attention.cache_bytes(32, 32, 128, 2048) == 2**30
    assert attention.cache_bytes(32, 4, 128, 2048) == 2**27


@pytest.mark.task("5.10", weight=0.2, visible=True)
def test_numbers_of_other_sizes(attention):
    """A number may have one byte, or eight."""
    assert attention.cache_bytes(3, 5, 7, 11, 8) == 18480
    assert attention.cache_bytes(3, 5, 7, 11, n_bytes=1) == 2310


@pytest.mark.task("5.10", weight=0.3)
def test_groups_with_numbers_that_are_added(attention, rng):
    """A mask may hold numbers, which are added to the scores of all heads."""
    q, k, v = tensor(rng, 2, 4, 3, 5), tensor(rng, 2, 2, 6, 5), tensor(rng, 2, 2, 6, 3)
    for shape in ((3, 6), (2, 3, 6)):
        mask = tensor(rng, *shape)
        full = [each.repeat_interleave(2, 1) for each in (k, v)]
        weights = torch.softmax(q @ full[0].mT / math.sqrt(5) + mask[..., None, :, :], dim=-1)
        assert close(attention.grouped_attention(q, k, v, mask), (weights @ full[1], weights))
