"""Tests of tasks 5.11 and 5.12: attention in blocks and in windows."""

import math
from functools import cache

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from examiner.suite import close, student_module, value_and_peak
from tests.attention.suite.oracles import tensor

attention = student_module("attention")
AS_EVER = 2048  # memory does not depend on the numbers: they are the same under every seed


@pytest.mark.task("5.11", weight=1, visible=True)
def test_two_blocks_by_hand(attention):
    """Scores 0 in one block and 1000 in the next: the second value wins, and nothing overflows."""
    q, k = torch.tensor([[1.0]]), torch.tensor([[0.0], [1000.0]])
    v = torch.tensor([[5.0], [7.0]])
    assert close(attention.blockwise_attention(q, k, v, False, 1), torch.tensor([[7.0]]))
    assert close(attention.blockwise_attention(q, k.flip(0), v, False, 1), torch.tensor([[5.0]]))
    assert close(attention.blockwise_attention(q, 0 * k, v, False, 1), torch.tensor([[6.0]]))


@pytest.mark.task("5.11", weight=4, visible=True)
def test_little_memory(attention):
    """With 180 queries, 46,080 keys and blocks of 180, at most 4 MiB (4194304 bytes) are held."""
    # the table takes 32 MiB; a block of it takes 127 KiB, some times
    # subtle: so much that a table which a student's code hides shows in its process's memory, in
    # few blocks, since each step is watched, but of pieces that glibc keeps in its heap
    # a long last key has the largest score of many queries: all sums before it are to shrink
    assert_little_memory(attention, (180, 3), (46080, 3), 180, 4, last=4.0)


@pytest.mark.task("5.11", weight=3.8)
def test_memory_of_small_blocks(attention):
    """Blocks are as small as was asked for, and few queries never meet all of many keys at once."""
    # the table takes 32 MiB; a block of queries with all keys, or blocks of 256, take 8 MiB and
    # their powers as much; all queries with a block of keys take 0.5 MiB, some times
    assert_little_memory(attention, (128, 64, 1), (128, 1024, 1), 16, 6)


@cache  # a grader runs these tests for every student, since they measure: this is found once
def long(queries, keys, causal, last):
    """Queries and keys of some shapes, and what attention gives with the keys as values.

    last: how many times longer the last keys are than the others.
    """
    rng = np.random.default_rng(AS_EVER)
    q, k = tensor(rng, *queries), tensor(rng, *keys)
    k[..., -1, :] *= last
    exact = (each.double() for each in (q, k, k))  # in single precision torch is off by 1e-5
    return q, k, scaled_dot_product_attention(*exact, is_causal=causal).float()


def assert_little_memory(attention, queries, keys, block, most, causal=False, last=1.0):
    """The answer is right, with the keys as values, and never held more than so many MiB."""
    q, k, expected = long(queries, keys, causal, last)
    q, k = q.clone(), k.clone()  # what a student's code changes is not kept
    found, held = value_and_peak(attention.blockwise_attention, q, k, k, causal, block)
    assert close(found, expected)
    assert held < most * 2**20


def assert_blocks(attention, rng, blocks, *sizes):
    """Look in blocks, at all keys, in double precision."""
    for lead, T, S, K, V in sizes:
        q, k = (tensor(rng, *lead, n, K, kind=torch.float64) for n in (T, S))
        v = tensor(rng, *lead, S, V, kind=torch.float64)
        expected = scaled_dot_product_attention(q, k, v)
        for block in blocks:
            assert close(attention.blockwise_attention(q, k, v, False, block), expected)


@pytest.mark.task("5.11", weight=1)
def test_blocks_of_any_size(attention, rng):
    """Blocks of 1, of some, and of all queries and keys give the exact result."""
    sizes = ((), 4, 8, 4, 2), ((2, 3), 4, 4, 3, 3), ((2,), 4, 8, 1, 5)
    assert_blocks(attention, rng, (2, 1, 4), *sizes)


@pytest.mark.task("5.11", weight=0.4)
def test_blocks_that_do_not_divide(attention, rng):
    """The last block of queries, or of keys, may be shorter."""
    assert_blocks(attention, rng, (2, 3, 64), ((), 5, 7, 4, 2), ((2,), 1, 6, 1, 5))


def assert_causal_blocks(attention, rng, blocks, *sizes):
    """Look in blocks, at the keys before each query."""
    for T, S in sizes:
        q, k, v = tensor(rng, 2, T, 4), tensor(rng, 2, S, 4), tensor(rng, 2, S, 3)
        mask = torch.tensor([[j <= i + S - T for j in range(S)] for i in range(T)])
        expected = scaled_dot_product_attention(q, k, v, mask)
        for block in blocks:
            assert close(attention.blockwise_attention(q, k, v, True, block), expected)


@pytest.mark.task("5.11", weight=1)
def test_causal_blocks(attention, rng):
    """In `causal`, query i sees no key after its own, and no table of all scores is held."""
    assert_causal_blocks(attention, rng, (2, 4, 1, 8), (8, 8), (4, 4))
    assert_little_memory(attention, (3072, 4), (3072, 4), 128, 18, True)  # the table: 36 MiB


@pytest.mark.task("5.11", weight=0.3)
def test_causal_blocks_of_any_shape(attention, rng):
    """With more keys than queries, the queries are the last words; blocks need not divide."""
    assert_causal_blocks(attention, rng, (2, 1, 3, 256), (7, 7), (3, 8), (1, 1))


@pytest.mark.task("5.11", weight=0.3)
def test_causal_queries_before_all_keys(attention, rng):
    """With more queries than keys, the first see none and get zeros."""
    assert_causal_blocks(attention, rng, (4, 2, 1, 3, 256), (8, 4), (8, 3))


@pytest.mark.task("5.11", weight=0.6)
def test_scores_that_rise_and_fall(attention, rng):
    """Scores of some thousands, the largest first, last or in the middle, do no harm."""
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        k = torch.tensor([[-4000.0], [-3999.0], [4000.0], [4001.0]], dtype=torch.float64)[order]
        q, v = torch.tensor([[1.0], [-1.0]], dtype=torch.float64), tensor(rng, 4, 2).double()
        expected = scaled_dot_product_attention(q, k, v)
        for block in (1, 2):
            assert close(attention.blockwise_attention(q, k, v, False, block), expected)


@pytest.mark.task("5.11", weight=0.3)
def test_scores_far_below_zero(attention, rng):
    """Where all scores are far below zero, the best of them win as elsewhere."""
    q = torch.ones(2, 1, dtype=torch.float64)
    # the second block holds a larger score than the first one
    k = -3000 + torch.tensor([[0.3], [-0.8], [1.2], [0.1]], dtype=torch.float64)
    v = tensor(rng, 4, 2, kind=torch.float64)
    expected = scaled_dot_product_attention(q, k, v)
    for block in (4, 2):
        assert close(attention.blockwise_attention(q, k, v, False, block), expected)


@pytest.mark.task("5.11", weight=0.05)
def test_scores_very_far_below_zero(attention, rng):
    """However low all scores are, the best of them win; double precision is kept."""
    q = torch.ones(2, 1, dtype=torch.float64)
    k = torch.tensor([[-9e4], [-8e4], [-9e4], [-8e4]], dtype=torch.float64)
    v = tensor(rng, 4, 2, kind=torch.float64)
    found = attention.blockwise_attention(q, k, v, False, 2)
    assert close(found, v[[1, 3]].mean(0, keepdim=True).expand(2, 2))
    assert found.dtype == torch.float64


def near(q, k, v, width):
    """Attention with a mask that leaves each query its last `width` keys."""
    i, j = torch.arange(q.shape[-2])[:, None], torch.arange(q.shape[-2])
    return scaled_dot_product_attention(q, k, v, (j <= i) & (j > i - width))


@pytest.mark.task("5.12", weight=0.6, visible=True)
def test_windows_by_hand(attention):
    """With equal scores, windows of 1 give the values, and windows of 2 the means of two."""
    x, v = torch.zeros(4, 1), torch.tensor([[2.0], [4.0], [10.0], [20.0]])
    assert close(attention.windowed_attention(x, x, v, 1), v)
    expected = torch.tensor([[2.0], [3.0], [7.0], [15.0]])
    assert close(attention.windowed_attention(x, x, v, 2), expected)


def assert_windows(attention, rng, widths, *sizes):
    for lead, T in sizes:
        q, k, v = tensor(rng, *lead, T, 3), tensor(rng, *lead, T, 3), tensor(rng, *lead, T, 2)
        for width in widths:
            found = attention.windowed_attention(q, k, v, width)
            assert close(found, near(q, k, v, width))


@pytest.mark.task("5.12", weight=1)
def test_windows_of_any_width(attention, rng):
    """Each query sees its own key and the last ones before it, as many as the window is wide."""
    assert_windows(attention, rng, (2, 3, 4, 1), ((), 12), ((2, 3), 12))


@pytest.mark.task("5.12", weight=0.4)
def test_windows_that_do_not_divide(attention, rng):
    """The width need not divide the length, and may be larger."""
    assert_windows(attention, rng, (2, 3, 4, 20), ((), 7), ((2, 3), 5), ((2,), 1))


@pytest.mark.task("5.12", weight=0.1)
def test_windows_in_double_precision(attention, rng):
    """The output is as precise as what it is made of."""
    q, k, v = (tensor(rng, 5, 2, kind=torch.float64) for _ in range(3))
    found = attention.windowed_attention(q, k, v, 2)
    assert close(found, near(q, k, v, 2))
    assert found.dtype == torch.float64


@cache  # as above
def windows(T, width):
    """Queries, keys and values, and what windows of some width give of them."""
    rng = np.random.default_rng(AS_EVER)
    q, k, v = (tensor(rng, T, 4) for _ in range(3))
    return q, k, v, near(q, k, v, width)


@pytest.mark.task("5.12", weight=3.3)
def test_work_grows_with_the_width(attention):
    """With 4,096 words and windows of 64, no full table is held, and far words are not touched."""
    T, width = 4096, 64  # a table of all scores takes 64 MiB; windows one after the other, far less
    *inputs, expected = windows(T, width)
    q, k, v = (each.clone() for each in inputs)  # what a student's code changes is not kept
    found, held = value_and_peak(attention.windowed_attention, q, k, v, width)
    assert close(found, expected)
    assert held < T * T * 4 / 2
    v[:width] = math.nan  # 0 times NaN is NaN: it shows where a hidden word was touched
    far = attention.windowed_attention(q, k, v, width)[8 * width :]
    assert close(far, expected[8 * width :])


@pytest.mark.task("5.12", weight=0.8, visible=True)
def test_receptive_field_by_hand(attention):
    """One layer sees the window, two layers of windows of 3 see 5 words, a window of 1 only 1."""
    assert [attention.receptive_field(3, n) for n in (1, 2, 3)] == [3, 5, 7]
    assert attention.receptive_field(1, 9) == 1


@pytest.mark.task("5.12", weight=0.8)
def test_receptive_field_measured(attention, rng):
    """It is how far back a change is felt after that many layers of windows."""
    width, n_layers = int(rng.integers(3, 6)), int(rng.integers(2, 5))
    x = tensor(rng, 30, 2, kind=torch.float64).requires_grad_()
    y = x
    for _ in range(n_layers):
        y = near(y, y, y, width)
    y[-1].sum().backward()
    assert attention.receptive_field(width, n_layers) == int((x.grad != 0).any(1).sum())
