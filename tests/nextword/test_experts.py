"""A mixture of experts: who is chosen, what is computed, and the balance."""

import pytest
import torch
from torch.nn import functional as F  # noqa: N812 - torch's own custom

from nextword.models.experts import STEP, Experts


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return Experts(D=4, width=3, n=4)


def test_the_output_is_that_of_the_chosen_expert_times_its_share(layer):
    x = torch.randn(1, 5, 4)
    shares = layer.router(x).softmax(-1)
    for t, e in enumerate(shares[0].argmax(-1).tolist()):
        part = slice(3 * e, 3 * e + 3)
        hidden = F.gelu(x[0, t] @ layer.up.weight[part].T + layer.up.bias[part])
        by_hand = shares[0, t, e] * (layer.down.weight[:, part] @ hidden) + layer.down.bias
        assert torch.allclose(layer.eval()(x)[0, t], by_hand, atol=1e-6)


@pytest.mark.parametrize("top", [1, 2])
def test_as_many_experts_as_asked_for_have_a_share(top):
    gates = Experts(D=4, width=3, n=4, top=top).gates(torch.randn(2, 6, 4))
    assert ((gates > 0).sum(-1) == top).all()


def test_in_training_the_bias_moves_towards_experts_that_had_too_few_words(layer):
    x = torch.ones(1, 8, 4)  # all words alike: one expert gets all of them
    chosen = int(layer.gates(x)[0, 0].argmax())
    layer.train()(x)
    expected = torch.full((4,), STEP)
    expected[chosen] = -STEP
    assert torch.allclose(layer.bias, expected)
    layer.eval()(x)
    assert torch.allclose(layer.bias, expected)


def test_without_balance_the_bias_stays():
    layer = Experts(D=4, width=3, n=4, balanced=False)
    layer.train()(torch.ones(1, 8, 4))
    assert layer.bias.eq(0).all()


def test_the_router_has_a_gradient(layer):
    layer(torch.randn(1, 5, 4)).square().sum().backward()
    assert layer.router.weight.grad.abs().sum() > 0
