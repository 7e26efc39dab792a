"""The reference of chapter 5 against torch, plain loops and autograd. Leaves out: the dialect."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from examiner.judge.modules import load_module
from examiner.suite import close, peak_bytes
from tests.attention.suite import oracles
from tests.attention.suite.oracles import tensor
from tests.reference import reference

ROOT = Path(__file__).parents[2]
MIB = 2**20

attention: Any = reference("attention")
unchecked: Any = load_module(ROOT / "solutions" / "attention.py", "unchecked_attention")

KINDS = (torch.float32, torch.float64)
SHAPES = [
    ((), 5, 7, 4, 3),
    ((), 1, 1, 1, 1),
    ((2,), 3, 2, 5, 1),
    ((2, 3), 4, 6, 2, 2),
    ((0,), 2, 3, 4, 5),
]


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def qkv(rng: Any, lead: tuple, T: int, S: int, K: int, V: int, kind: Any) -> list[Tensor]:
    sizes = ((T, K), (S, K), (S, V))
    return [tensor(rng, *lead, *size, kind=kind) for size in sizes]


def gradients(function: Callable, inputs: list[Tensor], pull: Tensor) -> list[Tensor]:
    leaves = [each.clone().requires_grad_() for each in inputs]
    (function(*leaves) * pull).sum().backward()
    return [leaf.grad for leaf in leaves if leaf.grad is not None]


# ---------------------------------------------------------------- 5.1 and 5.2


@pytest.mark.parametrize("sizes", [(3, 5, 4, 6, 2), (1, 1, 1, 1, 1), (5, 2, 3, 3, 3)])
def test_additive_attention_is_that_of_loops(sizes: tuple[int, ...]) -> None:
    B, S, D, E, A = sizes
    rng = random(S)
    net = attention.AdditiveAttention(D, E, A)
    s, h, allowed = tensor(rng, B, D), tensor(rng, B, S, E), oracles.some_true(rng, B, S)
    Uh = net.U(h).detach()
    expected = oracles.additive(net.W.weight.data, net.v.weight.data[0], s, Uh, h, allowed)
    assert close(net(s, Uh, h, allowed), expected)


def test_the_translator_is_that_of_loops() -> None:
    rng = random(2)
    net, parts = oracles.translator(rng, attention.Translator)
    source, inputs = oracles.sentences(rng, 5), torch.tensor(rng.integers(1, 8, size=(5, 4)))
    assert close(net(source, inputs), oracles.forced(parts, source, inputs))
    for most in (1, 7):
        expected = [oracles.written(parts, row, most)[0] for row in source]
        assert net.translate(source, most) == expected


def test_padding_changes_no_translation() -> None:
    rng = random(3)
    net = unchecked.Translator(9, 9, 5, 6, 4)
    source, inputs = oracles.sentences(rng, 4), torch.tensor(rng.integers(1, 8, size=(4, 3)))
    wide = nn.functional.pad(source, (0, 6))
    logits, weights = net(wide, inputs)
    assert close(net(source, inputs), (logits, weights[:, :, : source.shape[1]]))
    assert not weights[:, :, source.shape[1] :].any()
    assert net.translate(source) == net.translate(wide)


@pytest.mark.slow
def test_the_translator_learns_to_reverse_words() -> None:
    """Four of five words come out backwards after 250 steps: it must look to do so."""
    torch.manual_seed(0)
    net = unchecked.Translator(13, 13, 24, 32, 16)
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    BOS, EOS = 1, 2

    def batch() -> Tensor:
        return torch.randint(3, 13, (32, 5))

    def with_column(words: Tensor, first: bool, word: int) -> Tensor:
        column = torch.full_like(words[:, :1], word)
        return torch.cat([column, words] if first else [words, column], dim=1)

    for _ in range(250):
        words = batch()
        backwards = words.flip(1)
        logits, _ = net(words, with_column(backwards, True, BOS))
        loss = cross_entropy(logits.mT, with_column(backwards, False, EOS))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    words = batch()
    right = [
        row == backwards
        for row, backwards in zip(net.translate(words), words.flip(1).tolist(), strict=True)
    ]
    assert np.mean(right) > 0.8
    _, weights = net(words, with_column(words.flip(1), True, BOS))
    assert (weights[:, :5].argmax(-1) == torch.arange(4, -1, -1)).float().mean() > 0.6


# ---------------------------------------------------------------- 5.3 and 5.4


@pytest.mark.parametrize("shape", [(5, 3), (1, 1), (2, 3, 4), (3, 2)])
def test_the_plain_sum_is_that_of_loops(shape: tuple[int, ...]) -> None:
    for kind in KINDS:
        x = tensor(random(1), *shape, kind=kind)
        assert close(attention.dot_product_sum(x), oracles.attention(x, x, x, scale=1.0))


def test_the_limit_of_cold_lookups() -> None:
    rng = random(4)
    q, k, v = qkv(rng, (2,), 6, 5, 3, 2, torch.float64)
    hard = attention.soft_lookup(q, k, v, 0)
    assert close(attention.soft_lookup(q, k, v, 1e-7), hard)
    k[:, 3] = k[:, 1]  # two keys alike
    assert close(attention.soft_lookup(q, k, v, 1e-7), attention.soft_lookup(q, k, v, 0.0))
    assert close(
        attention.soft_lookup(q, k, v, 1e9), v.mean(1, keepdim=True).expand(2, 6, 2), rtol=1e-6
    )


def test_one_vector_in_three_roles() -> None:
    rng = random(5)
    x, W_q, W_k, W_v = (tensor(rng, *shape) for shape in ((2, 5, 4), (3, 4), (3, 4), (6, 4)))
    expected = oracles.attention(x @ W_q.T, x @ W_k.T, x @ W_v.T, scale=1.0)[0]
    assert close(attention.self_attention(x, W_q, W_k, W_v), expected)


# ---------------------------------------------------------------- 5.5 to 5.7


@pytest.mark.parametrize("shape", [(4,), (1,), (3, 5), (2, 3, 4), (0, 3)])
def test_softmax_is_that_of_torch(shape: tuple[int, ...]) -> None:
    for kind in KINDS:
        for scale in (1.0, 1e4):
            scores, pull = (
                scale * tensor(random(6), *shape, kind=kind),
                tensor(random(7), *shape, kind=kind),
            )
            assert close(attention.softmax(scores), torch.softmax(scores, -1))
            expected = gradients(lambda e: torch.softmax(e, -1), [scores], pull)
            assert close(gradients(attention.softmax, [scores], pull), expected)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_attention_is_that_of_torch(shapes: tuple, kind: Any) -> None:
    lead, T, S, K, V = shapes
    rng = random(8)
    inputs, pull = qkv(rng, lead, T, S, K, V, kind), tensor(rng, *lead, T, V, kind=kind)
    some = torch.tensor(rng.random((*lead, T, S)) < 0.6)
    for mask in (None, some, tensor(rng, T, S, kind=kind), attention.additive_mask(some, kind)):
        exact = partial(scaled_dot_product_attention, attn_mask=mask)
        for ours in (attention.attention, attention.look):
            y, weights = ours(*inputs, mask)
            assert close(y, exact(*inputs))
            assert close(y, weights @ inputs[2])
            found = gradients(lambda *x: ours(*x, mask)[0], inputs, pull)  # noqa: B023
            assert close(found, gradients(exact, inputs, pull))


def test_a_query_without_any_key_gets_zeros_and_sends_no_gradient() -> None:
    inputs = qkv(random(9), (2,), 3, 4, 2, 2, torch.float32)
    nowhere = torch.zeros(3, 4, dtype=torch.bool)
    y, weights = attention.attention(*inputs, nowhere)
    assert not y.any()
    assert not weights.any()
    found = gradients(lambda *x: attention.attention(*x, nowhere)[0], inputs, torch.ones(2, 3, 2))
    assert not torch.stack([each.abs().sum() for each in found]).any()


def test_what_is_hidden_does_not_matter() -> None:
    q, k, v = qkv(random(10), (), 4, 4, 3, 2, torch.float32)
    before = attention.attention(q, k, v, attention.causal_mask(4))[0]
    k[3], v[3] = 100.0, -100.0
    after = attention.attention(q, k, v, attention.causal_mask(4))[0]
    assert torch.equal(before[:3], after[:3])
    assert not torch.equal(before[3], after[3])


def test_weights_of_scores_that_one_source_has_wrong() -> None:
    weights = attention.softmax(torch.tensor([124.0, 92.0, 22.0, 8.0]) / math.sqrt(64))
    assert [round(weight, 3) for weight in weights.tolist()] == [0.982, 0.018, 0.0, 0.0]


@pytest.mark.parametrize(("T", "S"), [(1, 1), (3, 3), (2, 6), (6, 6)])
def test_masks_are_those_of_loops(T: int, S: int) -> None:
    expected = [[j <= i + S - T for j in range(S)] for i in range(T)]
    assert attention.causal_mask(T, S).tolist() == expected
    lengths = torch.arange(S + 1)
    expected_rows = [[[j < n for j in range(S)]] for n in range(S + 1)]
    assert attention.padding_mask(lengths, S).tolist() == expected_rows
    mask = attention.causal_mask(T, S)
    assert torch.equal(attention.additive_mask(mask).exp(), mask.float())


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_gradients_by_hand_are_those_of_autograd(shapes: tuple) -> None:
    lead, T, S, K, V = shapes
    rng = random(11)
    for kind in KINDS:
        inputs, pull = qkv(rng, lead, T, S, K, V, kind), tensor(rng, *lead, T, V, kind=kind)
        for mask in (None, torch.tensor(rng.random((*lead, T, S)) < 0.6)):
            weights = attention.attention(*inputs, mask)[1]
            found = attention.attention_gradients(*inputs, weights, pull)
            run = lambda *x: attention.attention(*x, mask)[0]  # noqa: B023, E731
            assert close(found, gradients(run, inputs, pull))


# ---------------------------------------------------------------- 5.8 to 5.10


@pytest.mark.parametrize(("D", "H", "E"), [(6, 3, 6), (6, 1, 4), (4, 4, 1), (1, 1, 1)])
def test_heads_are_those_of_torch(D: int, H: int, E: int) -> None:
    rng = random(D)
    theirs, values = oracles.heads_of_torch(rng, D, H, E)
    net = attention.CrossAttention(D, H, E)
    net.load_state_dict(values)
    x, memory, pull = tensor(rng, 2, 3, D), tensor(rng, 2, 5, E), tensor(rng, 2, 3, D)
    allowed = oracles.some_true(rng, 2, 5)

    def ours(x: Tensor, memory: Tensor) -> Tensor:
        return net(x, net.remember(memory), allowed[:, None])[0]

    def torchs(x: Tensor, memory: Tensor) -> Tensor:
        return theirs(x, memory, memory, key_padding_mask=~allowed)[0]

    weights = theirs(x, memory, memory, average_attn_weights=False)[1]
    assert close(net(x, net.remember(memory))[1], weights)
    assert close(ours(x, memory), torchs(x, memory))
    assert close(gradients(ours, [x, memory], pull), gradients(torchs, [x, memory], pull))
    assert close(net.W_o.weight.grad, theirs.out_proj.weight.grad)
    if E == D:
        whole = attention.MultiHead(D, H)
        whole.load_state_dict(values)
        mask = attention.causal_mask(3)
        expected = theirs(x, x, x, attn_mask=~mask, average_attn_weights=False)
        assert close(whole(x, mask), expected)
        rows = [net.W_q.weight.grad, net.W_k.weight.grad, net.W_v.weight.grad]
        assert close(torch.cat(rows), theirs.in_proj_weight.grad)


@pytest.mark.parametrize(("H", "G"), [(6, 2), (4, 1), (3, 3), (1, 1)])
def test_grouped_attention_is_that_of_torch(H: int, G: int) -> None:
    rng = random(H)
    q, k, v = tensor(rng, 2, H, 3, 4), tensor(rng, 2, G, 5, 4), tensor(rng, 2, G, 5, 4)
    for mask in (None, oracles.some_true(rng, 3, 5), oracles.some_true(rng, 2, 3, 5)):
        theirs = mask if mask is None or mask.ndim == 2 else mask[:, None]
        expected = scaled_dot_product_attention(q, k, v, theirs, enable_gqa=True)
        y, weights = attention.grouped_attention(q, k, v, mask)
        assert close(y, expected)
        assert close(weights @ v.repeat_interleave(H // G, 1), expected)


def test_cache_of_known_models() -> None:
    assert attention.cache_bytes(80, 8, 128, 4096) == 1.25 * 2**30  # Llama 2 70B
    assert attention.cache_bytes(32, 32, 128, 4096) == 2 * 2**30  # Llama 2 7B
    assert attention.cache_bytes(12, 12, 64, 1024, n_bytes=4) == 72 * MIB  # GPT-2, single precision


# ---------------------------------------------------------------- 5.11 and 5.12


@pytest.mark.parametrize("block", [1, 3, 8, 256])
@pytest.mark.parametrize(("T", "S"), [(1, 1), (9, 9), (4, 11), (11, 4)])
def test_blocks_are_exact(T: int, S: int, block: int) -> None:
    rng = random(T)
    mask = torch.tensor([[j <= i + S - T for j in range(S)] for i in range(T)])
    for kind in KINDS:
        inputs, pull = qkv(rng, (2, 2), T, S, 3, 2, kind), tensor(rng, 2, 2, T, 2, kind=kind)
        for causal, hidden in ((False, None), (True, mask)):
            run = lambda *x: attention.blockwise_attention(*x, causal, block)  # noqa: B023, E731
            exact = lambda *x: scaled_dot_product_attention(*x, attn_mask=hidden)  # noqa: B023, E731
            assert close(run(*inputs), exact(*inputs))
            assert close(gradients(run, inputs, pull), gradients(exact, inputs, pull))


@pytest.mark.slow
def test_blocks_need_little_memory() -> None:
    """At T = 8,192 a table of scores takes 256 MiB per head; blocks take less than 8 in all."""
    x = tensor(random(12), 8192, 64)
    assert peak_bytes(unchecked.blockwise_attention, x, x, x) < 8 * MIB
    assert peak_bytes(unchecked.blockwise_attention, x, x, x, True) < 8 * MIB
    assert peak_bytes(unchecked.windowed_attention, x, x, x, 128) < 8 * MIB
    part = x[:2048]
    assert peak_bytes(unchecked.attention, part, part, part) > 256 * MIB / 16
    exact = scaled_dot_product_attention(*(x[None] for _ in range(3)))[0]
    assert close(unchecked.blockwise_attention(x, x, x), exact)


@pytest.mark.parametrize("width", [1, 2, 3, 7, 50])
def test_windows_are_those_of_a_mask(width: int) -> None:
    for lead, T in (((), 7), ((2, 2), 5), ((3,), 1)):
        q, k, v = qkv(random(13), lead, T, T, 3, 2, torch.float64)
        i, j = torch.arange(T)[:, None], torch.arange(T)
        expected = scaled_dot_product_attention(q, k, v, (j <= i) & (j > i - width))
        assert close(attention.windowed_attention(q, k, v, width), expected)


@pytest.mark.parametrize(("width", "n_layers"), [(1, 3), (2, 1), (3, 2), (4, 3)])
def test_the_receptive_field_is_what_reaches_a_vector(width: int, n_layers: int) -> None:
    x = tensor(random(14), 20, 2, kind=torch.float64).requires_grad_()
    y = x
    for _ in range(n_layers):
        y = attention.windowed_attention(y, y, y, width)
    y[-1].sum().backward()
    reached = int((x.grad != 0).any(1).sum())  # type: ignore[union-attr]
    assert attention.receptive_field(width, n_layers) == reached


# ---------------------------------------------------------------- bad input

X = torch.zeros(2, 3, 4)
YES = torch.ones(3, 3, dtype=torch.bool)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda u: u.MultiHead(10, 4), "D must be divisible by 4 heads, got 10"),
        (lambda u: u.MultiHead(4, 0), "D must be divisible by 0 heads, got 4"),
        (lambda u: u.attention(X, X[..., :3], X), r"q must be \(\.\.\., 3\), got \(2, 3, 4\)"),
        (lambda u: u.attention(X, X, X[:, :2]), r"v must be as long as k, \(\.\.\., 3, V\)"),
        (lambda u: u.attention(X, X[:, :0], X[:, :0]), r"T and S must be at least 1, got \(3, 0\)"),
        (lambda u: u.look(X[:, :0], X, X), r"T and S must be at least 1, got \(0, 3\)"),
        (lambda u: u.attention(X, X, X, YES[:2]), r"fits the scores, \(2, 3, 3\), got \(2, 3\)"),
        (lambda u: u.attention(X, X, X, YES[None, None]), r"fits the scores, \(2, 3, 3\)"),
        (lambda u: u.attention(X, X, X, YES.int()), "bool or torch.float32, got 'torch.int32'"),
        (
            lambda u: u.attention(X, X, X, YES.double()),
            "bool or torch.float32, got 'torch.float64'",
        ),
        (lambda u: u.soft_lookup(X, X, X, -1), "temperature must be 0 or above, got -1"),
        (lambda u: u.softmax(X[..., :0]), "1 score or more"),
        (lambda u: u.causal_mask(0), r"T and S must be 1 or more.*got \(0, 0\)"),
        (lambda u: u.causal_mask(4, 3), r"S no less than T, got \(4, 3\)"),
        (lambda u: u.padding_mask(torch.tensor([4]), 3), r"from 0 to 3, got \[4\]"),
        (lambda u: u.additive_mask(X), "mask must be boolean, got torch.float32"),
        (
            lambda u: u.grouped_attention(X[None], X[None, :0], X[None]),
            "H must be divisible into 0",
        ),
        (
            lambda u: u.grouped_attention(X[None].mT, X.new_zeros(1, 3, 4, 3), X),
            "into 3 groups, got 2",
        ),
        (lambda u: u.blockwise_attention(X, X, X, False, 0), "block must be at least 1, got 0"),
        (lambda u: u.windowed_attention(X, X, X, 0), "width must be at least 1, got 0"),
        (lambda u: u.windowed_attention(X[:, :2], X, X, 1), r"T and S must be equal, got \(2, 3\)"),
        (
            lambda u: u.AdditiveAttention(4, 4, 2)(X[:, 0], X[..., :2], X, ~YES[:2].bool()),
            "allowed must be True once in each row",
        ),
        (lambda u: u.Translator(5, 5, 2, 2, 2).encode(torch.tensor([[5]])), "between 0 and 4, got"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(unchecked)
