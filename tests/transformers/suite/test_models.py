"""Tests of tasks 6.6 and 6.7: the language model, GPT-2's weights."""

import math

import pytest
import torch
from torch import nn

from examiner.suite import close, gradients, set_parameters, student_module
from tests.transformers.suite import oracles
from tests.transformers.suite.oracles import sizes, tensor

transformers = student_module("transformers")


# ------------------------------------------------------------------ 6.6
def new_model(transformers, rng, causal=True, n_blocks=2, **other):
    """A student's model with random weights and summing blocks, and both."""
    model = transformers.LanguageModel(sizes(transformers, L=n_blocks, **other))
    all_W = [tensor(rng, 6, 6) for _ in range(n_blocks)]
    oracles.with_summing(model, all_W, causal)
    return model, oracles.fill(model, rng), all_W


def expected_vectors(values, all_W, tokens, pre=True, **look):
    """What `read` returns for a whole text: words, places, blocks and norm."""
    x = values["embed.words.weight"][tokens]
    if "embed.places.weight" in values:
        x = x + values["embed.places.weight"][: tokens.shape[1]]
    norm = nn.LayerNorm(6)
    set_parameters(norm, {"weight": values["norm.weight"], "bias": values["norm.bias"]})
    x, states = x if pre else norm(x), []
    for k in range(len(all_W)):
        x, state = oracles.Summing(values[f"blocks.{k}.W"])(x, **look)
        states.append(state)
    return (norm(x) if pre else x), states


@pytest.mark.task("6.6", weight=0.7, visible=True)
def test_words_are_compared_with_a_vector(transformers):
    """The logits of (1, 2) are its products with the vectors of all words, or with `out`."""
    x, words = torch.tensor([[[1.0, 2.0]]]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [3.0, -1.0]])
    for tied, expected in ((True, [1.0, 2.0, 1.0]), (False, [2.0, 4.0, 2.0])):
        model = transformers.LanguageModel(sizes(transformers, V=3, D=2, H=1, tied=tied))
        values = {"embed.words.weight": words}
        set_parameters(model, values if tied else values | {"out.weight": 2 * words})
        assert close(model.logits(x), torch.tensor([[expected]]))


@pytest.mark.task("6.6", weight=1, visible=True)
def test_reading_counts_tokens(transformers):
    """After 2 tokens, and 1 more, the model has read 3; each of its blocks has a state."""
    model = transformers.LanguageModel(sizes(transformers))
    oracles.with_summing(model, [torch.zeros(6, 6), torch.eye(6)])
    first = torch.tensor([[3, 4], [5, 6], [7, 8]])
    x, (n, states) = model.read(first)
    assert (n, len(states), tuple(x.shape)) == (2, 2, (3, 2, 6))
    assert model.read(first[:, :1], (n, states))[1][0] == 3


def assert_reads(transformers, rng, **other):
    tokens = torch.tensor(rng.integers(9, size=(2, 5)))
    model, values, all_W = new_model(transformers, rng, T=8, **other)
    x, states = expected_vectors(values, all_W, tokens, other.get("pre", True))
    found, (n, kept) = model.read(tokens)
    assert close(found, x)
    assert n == 5
    assert close(list(kept), states)


@pytest.mark.task("6.6", weight=1)
def test_reading_a_text(transformers, rng):
    """Words and places, then all blocks in order, then the norm."""
    for positions, n_blocks in (("none", 2), ("learned", 3)):
        assert_reads(transformers, rng, positions=positions, n_blocks=n_blocks)


@pytest.mark.task("6.6", weight=0.7)
def test_reading_after_a_norm(transformers, rng):
    """In a post-norm model the norm stands before the first block."""
    for positions in ("none", "learned"):
        assert_reads(transformers, rng, positions=positions, pre=False)


def assert_reads_pieces(transformers, rng, positions, pre=True):
    model, values, all_W = new_model(transformers, rng, positions=positions, T=9, pre=pre)
    tokens = torch.tensor(rng.integers(9, size=(2, 7)))
    expected, past, n = expected_vectors(values, all_W, tokens, pre)[0], None, 0
    for piece in tokens.split([1, 4, 2], dim=1):
        x, past = model.read(piece, past)
        n += piece.shape[1]
        assert close(x, expected[:, n - piece.shape[1] : n])
        assert past[0] == n


@pytest.mark.task("6.6", weight=2.2)
def test_reading_in_pieces(transformers, rng):
    """Read in pieces, a text gets the same vectors: each block has its own past."""
    for _ in range(2):
        assert_reads_pieces(transformers, rng, "none")


@pytest.mark.task("6.6", weight=0.2)
def test_reading_a_second_text(transformers, rng):
    """Without a past a text is the first, whatever the model has read before."""
    model, values, all_W = new_model(transformers, rng)
    for tokens in torch.tensor(rng.integers(9, size=(2, 2, 5))):
        x, states = expected_vectors(values, all_W, tokens)
        found, (n, kept) = model.read(tokens)
        assert close([found, *kept], [x, *states])
        assert n == 5


@pytest.mark.task("6.6", weight=0.8)
def test_places_go_on(transformers, rng):
    """The first token of a piece stands behind all that were read before, and has its norm."""
    for positions in ("none", "learned"):
        assert_reads_pieces(transformers, rng, positions)
    assert_reads_pieces(transformers, rng, "learned", pre=False)


@pytest.mark.task("6.6", weight=1)
def test_what_reading_teaches(transformers, rng):
    """Gradients flow through all blocks to the words, and reading leaves the mode as it is."""
    for pre in (True, False):
        model, values, all_W = new_model(transformers, rng, pre=pre)
        tokens = torch.tensor(rng.integers(9, size=(2, 5)))
        words = values["embed.words.weight"].clone().requires_grad_()
        x, _ = expected_vectors(values | {"embed.words.weight": words}, all_W, tokens, pre)
        x.sum().backward()
        _, _, found = gradients(model.read, tokens, output=0)
        assert close(found["embed.words.weight"], words.grad, rtol=1e-3, atol=1e-4)
        assert model.training, "a new model is in training, and stays so"


@pytest.mark.task("6.6", weight=0.7)
def test_what_blocks_are_told(transformers, rng):
    """A mask and a memory reach every block."""
    tokens = torch.tensor(rng.integers(9, size=(2, 4)))
    mask = torch.tensor([[True, False, True, True], [False, True, True, False]])
    memory = tensor(rng, 2, 3, 6), torch.ones(2, 3, dtype=torch.bool)
    for look in ({}, {"mask": mask}, {"mask": mask, "memory": memory}):
        model, values, all_W = new_model(transformers, rng)
        found = model.read(tokens, **look)[0]
        assert close(found, expected_vectors(values, all_W, tokens, **look)[0])


@pytest.mark.task("6.6", weight=0.3)
def test_what_blocks_are_told_later(transformers, rng):
    """What blocks are told reaches them in each call, also where some of the text was read."""
    tokens = torch.tensor(rng.integers(9, size=(2, 5)))
    model, values, all_W = new_model(transformers, rng)
    look = {"memory": (tensor(rng, 2, 3, 6), torch.tensor([[True, True, False], [True] * 3]))}
    expected = expected_vectors(values, all_W, tokens, **look)[0]
    first, past = model.read(tokens[:, :2], **look)
    assert close(first, expected[:, :2])
    assert close(model.read(tokens[:, 2:], past, **look)[0], expected[:, 2:])


@pytest.mark.task("6.6", weight=1.3)
def test_logits_of_many_vectors(transformers, rng):
    """Every vector gets a logit for each word, from the matrix that the sizes ask for."""
    for tied in (True, False):
        model, values, _ = new_model(transformers, rng, tied=tied)
        x = tensor(rng, 2, 3, 6)
        name = "embed.words.weight" if tied else "out.weight"
        logits, _, grads = gradients(model.logits, x)
        assert close(logits, x @ values[name].T)
        assert grads[name] is not None, "the gradient of the loss must reach the matrix"


def first_weights(before, seed, std):
    """What `initialise` makes of these weights, by a plain loop."""
    rng, writes = torch.Generator().manual_seed(seed), ("W_o.weight", "down.weight")
    n = sum(name.endswith(writes) for name in before)
    after = {name: p.clone() for name, p in before.items()}
    for name, p in after.items():
        if name.endswith("bias"):
            p.zero_()
        elif p.ndim > 1:
            p.normal_(0, std / math.sqrt(n) if name.endswith(writes) else std, generator=rng)
    return after


def assert_spread(p, expected):
    """Of 1,200 numbers, a mean or a spread so far off has a chance of less than 1e-11."""
    assert abs(float(p.mean())) < 0.2 * expected
    assert abs(float(p.std()) / expected - 1) < 0.15


@pytest.mark.task("6.6", weight=1, visible=True)
def test_spread_of_first_weights(transformers):
    """Weights are spread by 2, by 2 / sqrt(4) where they write into the stream; biases are 0."""
    _, _, found = oracles.started(transformers.initialise, 5, 2.0)
    for name, p in found.items():
        if name.endswith("bias"):
            assert close(p, torch.zeros_like(p))
        elif p.ndim > 1:
            expected = 1.0 if name.endswith(("W_o.weight", "down.weight")) else 2.0
            assert_spread(p, expected)


@pytest.mark.task("6.6", weight=1.4)
def test_first_weights(transformers, rng):
    """Weights are as spread as was asked for, by the generator that was given; biases are 0, gains
    stay, and the model comes back."""
    for _ in range(2):
        std, seed = float(rng.uniform(0.2, 2)), int(rng.integers(1000))
        same, before, found = oracles.started(transformers.initialise, seed, std)
        for name, p in found.items():
            if p.ndim < 2:
                assert close(p, 0 * p if name.endswith("bias") else before[name])
            else:
                assert_spread(p, std / 2 if name.endswith(("W_o.weight", "down.weight")) else std)
        assert same
        assert close(oracles.started(transformers.initialise, seed, std)[2], found)
        other = oracles.started(transformers.initialise, seed + 1, std)[2]
        assert not close(other["embed.words.weight"], found["embed.words.weight"])


@pytest.mark.task("6.6", weight=0.7)
def test_first_weights_in_order(transformers, rng):
    """The generator that was given draws one matrix after another, in their order."""
    for seed in (3, int(rng.integers(1000))):
        _, before, found = oracles.started(transformers.initialise, seed, 0.02)
        assert close(found, first_weights(before, seed, 0.02))


@pytest.mark.task("6.6", weight=0.5)
def test_first_weights_of_other_models(transformers, rng):
    """N counts all that write into the stream: three in a block with cross-attention, or none; the
    matrix of an untied output and that of places are no such."""
    for more in ("", "cross", "none", "out"):
        _, before, found = oracles.started(transformers.initialise, 3, 0.5, more)
        assert close(found, first_weights(before, 3, 0.5))


# ------------------------------------------------------------------ 6.7
LAYERS = {
    **{"ln_1": "norm1", "attn.c_attn": "mixer.W_qkv", "attn.c_proj": "mixer.W_o"},
    **{"ln_2": "norm2", "mlp.c_fc": "feed.up", "mlp.c_proj": "feed.down"},
}
WIDTHS = {"attn.c_attn": (4, 12), "attn.c_proj": (4, 4), "mlp.c_fc": (4, 16), "mlp.c_proj": (16, 4)}


def gpt2_file(rng, n_blocks, prefix, masks):
    """The weights of a small GPT-2 as its files name them, and as they should be named."""
    given, expected = {}, {}
    for old, new, shape in (("wte", "embed.words", (7, 4)), ("wpe", "embed.places", (5, 4))):
        given[f"{old}.weight"] = expected[f"{new}.weight"] = tensor(rng, *shape)
    for part in ("weight", "bias"):
        given[f"ln_f.{part}"] = expected[f"norm.{part}"] = tensor(rng, 4)
    for k in range(n_blocks):
        for old, new in LAYERS.items():
            shape = WIDTHS.get(old, (4,))
            weight, bias = tensor(rng, *shape), tensor(rng, shape[-1])
            given[f"h.{k}.{old}.weight"], given[f"h.{k}.{old}.bias"] = weight, bias
            transposed = weight.T if old in WIDTHS else weight
            expected[f"blocks.{k}.{new}.weight"], expected[f"blocks.{k}.{new}.bias"] = (
                transposed,
                bias,
            )
        if masks:
            given[f"h.{k}.attn.bias"] = torch.ones(1, 1, 5, 5).tril()
            given[f"h.{k}.attn.masked_bias"] = torch.tensor(-1e4)
    given = {prefix + name: weight for name, weight in given.items()}
    return (given | {"lm_head.weight": given[f"{prefix}wte.weight"]} if prefix else given), expected


@pytest.mark.task("6.7", weight=1, visible=True)
def test_one_layer_of_gpt2(transformers):
    """h.0.mlp.c_fc.weight, a table of 1 row, becomes blocks.0.feed.up.weight, of 1 column."""
    weights = {"h.0.mlp.c_fc.weight": torch.tensor([[1.0, 2.0]]), "wte.weight": torch.eye(2)}
    found = transformers.from_gpt2(weights)
    up = torch.tensor([[1.0], [2.0]])
    assert close(found, {"blocks.0.feed.up.weight": up, "embed.words.weight": torch.eye(2)})


@pytest.mark.task("6.7", weight=2)
def test_a_whole_file(transformers, rng):
    """All weights get their names; those of the four layers c_... are transposed, no others."""
    given, expected = gpt2_file(rng, 12, "", masks=False)
    assert close(transformers.from_gpt2(given), expected)


@pytest.mark.task("6.7", weight=1)
def test_files_of_other_makers(transformers, rng):
    """Names may begin with transformer., and the tied lm_head.weight is left out."""
    given, expected = gpt2_file(rng, 11, "transformer.", masks=False)
    assert close(transformers.from_gpt2(given), expected)


@pytest.mark.task("6.7", weight=1)
def test_masks_of_old_files(transformers, rng):
    """Masks are left out, but the biases of attention, whose names look alike, stay."""
    given, expected = gpt2_file(rng, 2, "", masks=True)
    assert close(transformers.from_gpt2(given), expected)
