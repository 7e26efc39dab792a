"""The reference of chapter 6, part by part, against torch, autograd and values by hand."""

import math
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import nn

from tests.transformer_models import model_of, ours, randomise, rng, small, torch_weights

near = partial(torch.testing.assert_close, rtol=1e-6, atol=1e-8)
closely = partial(torch.testing.assert_close, rtol=1e-4, atol=1e-5)
DTYPES = [torch.float32, torch.float64]
POSITIONS = ["learned", "sinusoidal", "rotary", "alibi", "none"]


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    torch.manual_seed(6)


# ------------------------------------------------------------------ 6.1, 6.2
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (5,), (3, 1), (2, 3, 7), (0, 4)])
def test_norms_equal_torchs(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x, slopes = torch.randn(shape, dtype=dtype), torch.randn(shape, dtype=dtype)
    gain, bias = torch.randn(2, shape[-1], dtype=dtype)
    alike = near if dtype == torch.float64 else closely
    for eps in (1e-5, 0.3):
        alike(ours.layer_norm(x, gain, bias, eps), F.layer_norm(x, gain.shape, gain, bias, eps))
        alike(ours.rms_norm(x, gain, eps), F.rms_norm(x, gain.shape, gain, eps))
        leaves = [each.clone().requires_grad_() for each in (x, gain, bias)]
        y = F.layer_norm(leaves[0], gain.shape, *leaves[1:], eps)
        expected = torch.autograd.grad((y * slopes).sum(), leaves)
        found = ours.layer_norm_gradients(x, gain, slopes, eps)
        # torch subtracts rounded numbers, which the small root of a lone number makes larger
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_a_slope_by_hand() -> None:
    x, ones = torch.tensor([1.0, 1.0, 7.0, 7.0]), torch.ones(4)
    d_x, d_gain, _ = ours.layer_norm_gradients(x, ones, torch.tensor([1.0, 0, 0, 0]), 0.0)
    near(d_x, torch.tensor([1 / 6, -1 / 6, 0, 0]))
    near(d_gain, torch.tensor([-1.0, 0, 0, 0]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gelu_equals_torchs(dtype: torch.dtype) -> None:
    x = torch.linspace(-9, 9, 301, dtype=dtype)
    alike = near if dtype == torch.float64 else closely
    alike(ours.gelu(x), F.gelu(x))
    alike(ours.gelu(x, approximate=True), F.gelu(x, approximate="tanh"))


# ------------------------------------------------------------------ 6.3, 6.5: torch's own layers
@pytest.mark.parametrize("pre", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("B", "T", "H"), [(1, 1, 1), (2, 5, 3)])
def test_a_block_is_torchs_layer(B: int, T: int, H: int, dtype: torch.dtype, pre: bool) -> None:
    options: dict[str, Any] = {"norm_first": pre, "activation": "gelu", "dtype": dtype}
    layer = nn.TransformerEncoderLayer(12, H, 10, 0.0, batch_first=True, **options).eval()
    randomise(layer)
    made = small(H=H, pre=pre, positions="none")
    x, mask = torch.randn(B, T, 12, dtype=dtype), torch.arange(T) < torch.tensor([[T], [2]][:B])
    for causal in (True, False):
        block = ours.new_block(made, causal).to(dtype)
        block.load_state_dict(torch_weights(layer))
        hidden = torch.ones(T, T).triu(1).bool() if causal else None
        expected = layer(x, hidden, ~mask)
        closely(block(x, None, mask)[0][mask], expected[mask])


@pytest.mark.parametrize("pre", [True, False])
def test_a_block_with_a_memory_is_torchs_layer(pre: bool) -> None:
    options: dict[str, Any] = {"norm_first": pre, "batch_first": True}
    layer = nn.TransformerDecoderLayer(12, 3, 10, 0.0, **options).eval()
    randomise(layer)
    made = small(H=3, pre=pre, positions="none", feed="relu")
    block = ours.new_block(made, True, ours.CrossAttention(made))
    block.load_state_dict(torch_weights(layer))
    x, memory = torch.randn(2, 5, 12), torch.randn(2, 4, 12)
    mask = torch.arange(4) < torch.tensor([[4], [1]])
    hidden = torch.ones(5, 5).triu(1).bool()
    expected = layer(x, memory, hidden, memory_key_padding_mask=~mask)
    closely(block(x, memory=(memory, mask))[0], expected)


@pytest.mark.parametrize("G", [1, 2, 6])
def test_shared_keys_are_repeated_keys(G: int) -> None:
    grouped = ours.SelfAttention(small(H=6, G=G, positions="none"))
    full = ours.SelfAttention(small(H=6, positions="none"))
    full.load_state_dict(grouped.state_dict(), strict=False) if G == 6 else None
    with torch.no_grad():
        for part in ("weight", "bias"):
            rows = getattr(grouped.W_qkv, part).unflatten(0, (-1, 2))
            q, k, v = rows.split([6, G, G])
            repeated = [each.repeat_interleave(6 // G, 0) for each in (k, v)]
            getattr(full.W_qkv, part).copy_(torch.cat([q, *repeated]).flatten(0, 1))
        full.W_o.load_state_dict(grouped.W_o.state_dict())
    x = torch.randn(2, 5, 12)
    closely(grouped(x)[0], full(x)[0])


# ------------------------------------------------------------------ 6.4
@pytest.mark.parametrize("D", [2, 6, 64])
def test_a_shift_is_linear(D: int) -> None:
    rows = ours.sinusoidal(300, D)
    for k in (0, 1, 57):
        M = ours.shift_matrix(k, D)
        torch.testing.assert_close(rows[: 300 - k] @ M.T, rows[k:], rtol=0, atol=2e-4)
        torch.testing.assert_close(M @ ours.shift_matrix(-k, D), torch.eye(D), rtol=0, atol=1e-5)


def test_turning_is_the_shift_turned_round() -> None:
    x = torch.randn(7, 6)
    expected = torch.stack([ours.shift_matrix(3 + t, 6).T @ row for t, row in enumerate(x)])
    closely(ours.rotate(x, 3), expected)


@pytest.mark.parametrize("K", [2, 8])
def test_turned_products_depend_on_the_distance_only(K: int) -> None:
    q, k = torch.randn(2, 1, K, dtype=torch.float64)
    products = [float(ours.rotate(q, t + 5) @ ours.rotate(k, t).T) for t in (0, 1, 40)]
    assert products == pytest.approx([products[0]] * 3, abs=1e-4)
    assert ours.rotate(q, 9).norm().item() == pytest.approx(q.norm().item(), rel=1e-5)


# ------------------------------------------------------------------ 6.5, 6.6: the cache
@pytest.mark.parametrize("pre", [True, False])
@pytest.mark.parametrize("positions", POSITIONS)
def test_pieces_make_a_whole(positions: str, pre: bool) -> None:
    for other in ({}, {"G": 1, "feed": "swiglu", "norm": "rms", "tied": False, "bias": False}):
        model = model_of(positions=positions, pre=pre, **other)
        tokens = torch.randint(11, (3, 9))
        whole, _ = model(tokens)
        past, parts = None, []
        for piece in tokens.split([2, 1, 5, 1], dim=1):
            logits, past = model(piece, past)
            parts.append(logits)
        closely(torch.cat(parts, dim=1), whole)
        closely(model(tokens[1:2, :4])[0][0], whole[1, :4])  # causal, and alone as in a batch


def test_linear_blocks_read_in_pieces() -> None:
    def block(sizes: Any, causal: bool) -> nn.Module:
        mixer = ours.LinearAttention(sizes, causal)
        made: nn.Module = ours.Block(sizes, mixer, ours.FeedForward(sizes))
        return made

    model = ours.initialise(ours.LanguageModel(small(positions="none"), block), rng(), 0.3)
    tokens = torch.randint(11, (2, 9))
    whole, _ = model(tokens)
    first, past = model(tokens[:, :4])
    second, past = model(tokens[:, 4:8], past)
    third, _ = model(tokens[:, 8:], past)
    closely(torch.cat([first, second, third], dim=1), whole)
    with pytest.raises(ValueError, match="left to right"):
        ours.LinearAttention(small(), causal=False)


def test_the_first_weights() -> None:
    model = ours.initialise(ours.LanguageModel(small(D=96, L=3)), rng(1), 0.05)
    for name, p in model.named_parameters():
        if p.ndim == 1:
            assert (p == float(name.endswith("weight"))).all(), name
        else:
            less = math.sqrt(6) if name.endswith(("W_o.weight", "down.weight")) else 1
            assert float(p.detach().std()) == pytest.approx(0.05 / less, rel=0.1), name


@pytest.mark.parametrize(
    ("tokens", "message"),
    [([[3, 11]], "tokens must be between 0 and 10"), ([[3] * 21], "at most 20 tokens long")],
)
def test_texts_that_do_not_fit(tokens: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model_of(positions="learned")(torch.tensor(tokens))


def test_a_text_that_grows_too_long() -> None:
    model = model_of(positions="learned")
    _, past = model(torch.full((1, 19), 3))
    model(torch.tensor([[4]]), past)
    with pytest.raises(ValueError, match="22 tokens"):
        model(torch.tensor([[4, 5, 6]]), past)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"D": 10, "H": 3}, "D must be divisible by 3 heads, got 10"),
        ({"H": 4, "G": 3}, "G must be a divisor of 4 heads"),
        ({"D": 6, "H": 2}, "even for rotary positions"),
        ({"D": 3, "H": 3, "positions": "sinusoidal"}, "even for sinusoidal positions"),
        ({"feed": "tanh"}, "feed must be one of relu, gelu, gelu_tanh, swiglu"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"L": 0}, "L must be at least 1"),
    ],
)
def test_sizes_that_make_no_sense(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small(**wrong)


# ------------------------------------------------------------------ 6.8
def rate_plan(step: int) -> float:
    return float(ours.learning_rate(step, 0.3, 10, 110, 0.03))


@pytest.mark.slow
def test_the_rate_is_torchs_cosine() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1)], 0.3)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100, 0.03)
    for step in range(10, 111):
        assert rate_plan(step) == pytest.approx(optimizer.param_groups[0]["lr"], rel=1e-6)
        optimizer.step()
        cosine.step()
    assert [rate_plan(0), rate_plan(9), rate_plan(500)] == pytest.approx([0.03, 0.3, 0.03])
    assert ours.learning_rate(0, 0.3, 0, 10) == 0.3


@pytest.mark.parametrize("shape", [(3, 4), (5,), ()])
def test_adamw_equals_torchs(shape: tuple[int, ...]) -> None:
    p = torch.randn(shape, dtype=torch.float64)
    twin, m, v = nn.Parameter(p.clone()), torch.zeros_like(p), torch.zeros_like(p)
    decay = 0.2 if len(shape) > 1 else 0.0
    oracle = torch.optim.AdamW([twin], 0.01, (0.9, 0.95), 1e-8, decay)
    for t in range(1, 30):
        twin.grad = torch.randn_like(p) * 10 ** (t % 5 - 2)
        p, m, v = ours.adamw(p, twin.grad, m, v, t, 0.01, decay=0.2)
        oracle.step()
        near(p, twin.detach())


def test_small_batches_make_the_step_of_a_large_one() -> None:
    tokens, targets = torch.randint(3, 11, (6, 8)), torch.randint(3, 11, (6, 8))
    targets[torch.rand(6, 8) < 0.4] = ours.IGNORE
    targets[5] = ours.IGNORE  # a row without any
    found = []
    for cut in ([6], [1, 4, 1]):
        model = model_of().double()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        batches = list(zip(tokens.split(cut), targets.split(cut), strict=True))
        found.append((ours.train_step(model, optimizer, batches, 0.5), model.state_dict()))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-12)
    near(found[0][1], found[1][1])
    logits = model_of().double()(tokens)[0]
    expected = F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item()
    assert found[0][0] == pytest.approx(expected, rel=1e-12)


def test_a_loss_of_nan_changes_nothing() -> None:
    model = model_of()
    with torch.no_grad():
        model.norm.weight[0] = math.nan
    before = {name: p.clone() for name, p in model.named_parameters()}
    optimizer = torch.optim.AdamW(model.parameters())
    with pytest.raises(FloatingPointError, match="smaller rate"):
        ours.train_step(model, optimizer, [(torch.tensor([[3]]), torch.tensor([[4]]))], 1.0)
    torch.testing.assert_close(dict(model.named_parameters()), before, equal_nan=True)
