"""The suite of the torch chapter to measure with. It passes plain data only."""

import math

import pytest
import torch

from examiner.suite import gradients


@pytest.fixture
def attention(coursework):
    return coursework.attention


def draw(rng, *shape):
    return torch.from_numpy(rng.standard_normal(shape, dtype="float32"))


def plain_attention(q, k, v):
    """Position by position."""
    rows = []
    for t in range(q.shape[-2]):
        scores = (k[..., : t + 1, :] * q[..., t : t + 1, :]).sum(-1) / math.sqrt(q.shape[-1])
        rows.append((scores.softmax(-1).unsqueeze(-1) * v[..., : t + 1, :]).sum(-2))
    return torch.stack(rows, -2)


def near(got, expected):
    torch.testing.assert_close(torch.as_tensor(got), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.task("5.1", weight=1, visible=True)
def test_two_positions(attention):
    """The first position sees itself alone, the second both."""
    q, v = torch.zeros(2, 4), torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    near(attention.attention(q, q, v), torch.tensor([[1.0, 0.0], [0.5, 0.5]]))


@pytest.mark.task("5.1", weight=2)
def test_any_attention(attention, rng):
    """Attention is right for any queries, keys and values, in batches of heads, too."""
    for shape in ((5, 8), (3, 7, 4), (2, 4, 24, 16)):
        q, k, v = (draw(rng, *shape) for _ in range(3))
        near(attention.attention(q, k, v), plain_attention(q, k, v))


@pytest.mark.task("5.1", weight=1)
def test_gradients_of_attention(attention, rng):
    """Gradients reach queries, keys and values."""
    q, k, v = (draw(rng, 6, 4).requires_grad_() for _ in range(3))
    expected = torch.autograd.grad(plain_attention(q, k, v).sum(), (q, k, v))
    _, found, _ = gradients(attention.attention, q.detach(), k.detach(), v.detach())
    for ours, theirs in zip(expected, found, strict=True):
        near(theirs, ours)


def weights_for(rng, d_model):
    sizes = {"inside.weight": (3 * d_model, d_model), "inside.bias": (3 * d_model,)}
    sizes |= {"out.weight": (d_model, d_model), "out.bias": (d_model,)}
    return {name: draw(rng, *size) / 4 for name, size in sizes.items()}


def plain_heads(w, x, n_heads):
    q, k, v = (x @ w["inside.weight"].T + w["inside.bias"]).chunk(3, -1)
    parts = zip(*(each.chunk(n_heads, -1) for each in (q, k, v)), strict=True)
    return torch.cat([plain_attention(*part) for part in parts], -1) @ w["out.weight"].T


@pytest.mark.task("5.2", weight=2)
def test_copied_weights(attention, rng):
    """With copied weights, one head and several give what the equation says."""
    for n_heads in (1, 2, 4):
        weights, x = weights_for(rng, 16), draw(rng, 2, 9, 16)
        module = attention.MultiHead(16, n_heads)
        module.load_state_dict(weights)
        near(module(x), plain_heads(weights, x, n_heads) + weights["out.bias"])


@pytest.mark.task("5.2", weight=1)
def test_no_look_ahead(attention, rng):
    """What follows a position does not change its output."""
    module, x = attention.MultiHead(16, 4), draw(rng, 1, 12, 16)
    whole = module(x)
    for t in range(1, 12):
        near(module(x[:, :t]), whole[:, :t])


def a_model(attention, rng, vocabulary=11, d_model=16):
    model = attention.LanguageModel(vocabulary, d_model, 2)
    state = {f"heads.{name}": value for name, value in weights_for(rng, d_model).items()}
    state |= {"embedding.weight": draw(rng, vocabulary, d_model)}
    state |= {"unembedding.weight": draw(rng, vocabulary, d_model) / 4}
    model.load_state_dict(state | {"unembedding.bias": draw(rng, vocabulary)})
    return model


@pytest.mark.task("5.3", weight=1, visible=True, seconds=20)
def test_training_learns_a_cycle(attention):
    """A cycle of tokens is learned nearly by heart."""
    model, tokens = attention.LanguageModel(8, 32, 4), torch.arange(25).remainder(8).repeat(8, 1)
    losses = attention.train(model, tokens, 40, 0.02)
    assert len(losses) == 40
    assert losses[-1] < 0.2 < losses[0]


@pytest.mark.task("5.3", weight=1, seconds=20)
def test_first_loss(attention, rng):
    """The first loss is the mean cross-entropy before any step."""
    model, tokens = a_model(attention, rng), torch.from_numpy(rng.integers(11, size=(4, 13)))
    logits = torch.as_tensor(model(tokens[:, :-1])).detach().log_softmax(-1)
    expected = -logits.gather(-1, tokens[:, 1:, None]).mean()
    near(attention.train(model, tokens, 1, 0.1)[0], expected)


@pytest.mark.task("5.4", weight=1)
def test_cache_changes_nothing(attention, rng):
    """The cache gives the same tokens as the whole model."""
    model, prompt = a_model(attention, rng), rng.integers(11, size=3).tolist()
    found = [int(token) for token in attention.generate(model, prompt, 12)]
    assert found[:3] == prompt
    logits = torch.as_tensor(model(torch.tensor([found[:-1]])))[0].detach()
    assert logits.argmax(-1).tolist()[2:] == found[3:]
