"""Tests of task 6.3: the residual stream."""

import pytest
import torch
from torch import nn

from examiner.suite import close, gradients, set_parameters, student_module
from tests.transformers.suite import oracles
from tests.transformers.suite.oracles import sizes, tensor

transformers = student_module("transformers")


@pytest.mark.task("6.3", weight=1, visible=True)
def test_around_a_layer_that_adds_1(transformers):
    """The norm doubles, the layer adds 1: from 5 pre-norm makes 5 + 11, post-norm 2 (5 + 6)."""
    x = torch.full((1, 1, 6), 5.0)
    made = sizes(transformers)
    for pre, expected in ((True, 16.0), (False, 22.0)):
        found = oracles.joined(transformers.Block, made, x, pre, False)
        assert close(found, torch.full((1, 1, 6), expected))


@pytest.mark.task("6.3", weight=0.4)
def test_dropout_in_use(transformers, rng):
    """When the model is used, and not trained, nothing is dropped."""
    x, made = tensor(rng, 2, 3, 6), sizes(transformers)
    for pre, expected in ((True, 3 * x + 1), (False, 4 * x + 2)):
        assert close(oracles.joined(transformers.Block, made, x, pre, True, False), expected)


@pytest.mark.task("6.3", weight=0.7)
def test_what_dropout_sees(transformers, rng):
    """Dropout is applied to the layer's answer: not to the stream, and not before the layer."""
    x, made = tensor(rng, 2, 3, 6), sizes(transformers)
    for dropout, expected in ((False, 3 * x + 1), (True, x)):
        assert close(oracles.joined(transformers.Block, made, x, True, dropout), expected)


@pytest.mark.task("6.3", weight=0.4)
def test_dropout_before_the_last_norm(transformers, rng):
    """In a post-norm block, too, dropout is applied to the layer's answer alone."""
    x, made = tensor(rng, 2, 3, 6), sizes(transformers)
    assert close(oracles.joined(transformers.Block, made, x, False, False), 4 * x + 2)
    for pre, expected in ((True, x), (False, 2 * x)):
        assert close(oracles.joined(transformers.Block, made, x, pre, True), expected)


@pytest.mark.task("6.3", weight=1)
def test_around_any_layer(transformers, rng):
    """With torch's own norm and layer, both ways follow their formulas; the layer runs once."""
    net = nn.ModuleDict({"norm": nn.LayerNorm(6), "layer": nn.Linear(6, 6)})
    values = {name: tensor(rng, *p.shape) for name, p in net.named_parameters()}
    set_parameters(net, values)
    norm, layer, x = net["norm"], net["layer"], tensor(rng, 2, 3, 6)
    for pre, y in ((False, norm(x + layer(x))), (True, x + layer(norm(x)))):
        made = sizes(transformers)
        found, n = oracles.around_torch(transformers.Block, made, x, values, pre)
        assert close(found, y)
        assert n == 1


@pytest.mark.task("6.3", weight=0.6, visible=True)
def test_a_block_of_two_layers(transformers):
    """The mixer answers 1, the feed-forward layer 2: 5 becomes 8. The state is the mixer's."""
    x, state = torch.full((1, 2, 6), 5.0), torch.tensor([[7.0, 9.0]])
    block = oracles.saying(transformers.Block, sizes(transformers), state)
    y, found = block(x)
    assert close(y, torch.full((1, 2, 6), 8.0))
    assert close(found, state)


def assert_mixes(transformers, rng, pre, looks, **given):
    """Compare a block of random weights with its layers, one after the other."""
    x = tensor(rng, 2, 3, 6)
    block = oracles.mixing(transformers.Block, sizes(transformers, pre=pre), looks)
    values = oracles.fill(block, rng)
    y, state = block(x, **given)
    expected, expected_state = oracles.mixed(values, x, pre, **given)
    assert close(y, expected)
    assert close(state, expected_state)


@pytest.mark.task("6.3", weight=0.6)
def test_layers_of_a_block(transformers, rng):
    """First the mixer, then the feed-forward layer, each with its own norm."""
    for pre in (True, False):
        assert_mixes(transformers, rng, pre, looks=False)


@pytest.mark.task("6.3", weight=0.2)
def test_a_block_reads_a_second_text(transformers, rng):
    """Without a past a text is the first, whatever the block has read before."""
    block = oracles.mixing(transformers.Block, sizes(transformers), False)
    values = oracles.fill(block, rng)
    for x in (tensor(rng, 2, 3, 6), tensor(rng, 2, 3, 6)):
        assert close(block(x), oracles.mixed(values, x, True))


@pytest.mark.task("6.3", weight=0.4)
def test_what_a_mixer_is_given(transformers, rng):
    """The past and the mask reach the mixer."""
    mask = torch.tensor([[True, False, True], [False, True, True]])
    for past, hidden in ((tensor(rng, 2, 6), None), (None, mask), (tensor(rng, 2, 6), mask)):
        assert_mixes(transformers, rng, True, looks=False, past=past, mask=hidden)


@pytest.mark.task("6.3", weight=0.4)
def test_a_block_that_looks_at_another_text(transformers, rng):
    """With a memory, cross-attention stands between the two other layers; without, it rests."""
    memory = tensor(rng, 2, 4, 6), torch.tensor([[True, True, False, False], [True] * 4])
    assert_mixes(transformers, rng, True, looks=True)
    for pre in (True, False):
        assert_mixes(transformers, rng, pre, looks=True, memory=memory)
    mask = torch.tensor([[False, True, True], [True, False, True]])  # of the text, not the memory
    assert_mixes(transformers, rng, True, looks=True, mask=mask, memory=memory)


@pytest.mark.task("6.3", weight=0.3)
def test_dropout_around_all_layers(transformers, rng):
    """Dropout comes after each of the three layers: where it drops all, x is as it was."""
    memory = tensor(rng, 2, 4, 6), torch.ones(2, 4, dtype=torch.bool)
    for looks, given in ((False, {}), (True, {"memory": memory})):
        assert_mixes(transformers, rng, True, looks, **given)
        x = tensor(rng, 2, 3, 6)
        found, _ = oracles.dropping(transformers.Block, sizes(transformers), looks, x, given)
        assert close(found, x), "each layer of the block stands in `around`"


@pytest.mark.task("6.3", weight=0.2)
def test_a_mixer_runs_once(transformers, rng):
    """One call of the mixer gives its vectors and its state."""
    assert_mixes(transformers, rng, True, looks=False)
    x = tensor(rng, 2, 3, 6)
    _, n = oracles.dropping(transformers.Block, sizes(transformers), False, x, {})
    assert n == 1, "the mixer runs once in each call of the block"


@pytest.mark.task("6.3", weight=0.7)
def test_what_a_block_teaches(transformers, rng):
    """Gradients flow through the layers of a block, and past them through the stream."""
    for pre in (True, False):
        assert_mixes(transformers, rng, pre, looks=False)
        block = oracles.mixing(transformers.Block, sizes(transformers, pre=pre), False)
        values, pull = oracles.fill(block, rng), tensor(rng, 2, 3, 6)
        x = tensor(rng, 2, 3, 6).requires_grad_()
        (oracles.mixed(values, x, pre)[0] * pull).sum().backward()
        _, [found, *_], _ = gradients(block, x.detach(), weights=(pull, None))
        assert close(found, x.grad, rtol=1e-3, atol=1e-4)
