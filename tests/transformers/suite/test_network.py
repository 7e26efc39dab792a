"""Tests of tasks 6.1 and 6.2: norms, feed-forward layer."""

import pytest
import torch
from torch import nn

from examiner.suite import close, gradients, set_parameters, student_module
from tests.transformers.suite import oracles
from tests.transformers.suite.oracles import sizes, tensor

transformers = student_module("transformers")

# ------------------------------------------------------------------ 6.1
HAND = torch.tensor([[[1.0, 1.0, 7.0, 7.0], [10.0, 10.0, 70.0, 70.0]]])
ONES, ZEROS = torch.ones(4), torch.zeros(4)


@pytest.mark.task("6.1", weight=1, visible=True)
def test_layer_norm_by_hand(transformers):
    """(1, 1, 7, 7) has mean 4 and spread 3; ten times as long, it has the same norm."""
    expected = torch.tensor([[2 * [-1.0, -1.0, 1.0, 1.0]]]).view(1, 2, 4)
    assert close(transformers.layer_norm(HAND, ONES, ZEROS, 0.0), expected)
    assert oracles.library_calls(transformers.layer_norm, HAND, ONES, ZEROS) == []


def plain_norm(transformers, rng):
    """A layer norm of several texts, without epsilon, by the student's own code."""
    x, gain, bias = (tensor(rng, *s, kind=torch.float64) for s in ((2, 3, 5), (5,), (5,)))
    x = 1e4 * x  # so long that epsilon does not show
    expected = nn.functional.layer_norm(x, (5,), gain, bias, 0.0)
    assert close(transformers.layer_norm(x, gain, bias, 0.0), expected)
    assert oracles.library_calls(transformers.layer_norm, x, gain, bias) == []


@pytest.mark.task("6.1", weight=1.2)
def test_layer_norm_with_gain_and_bias(transformers, rng):
    """Each vector is normalised by itself, then stretched and shifted, by your own code."""
    plain_norm(transformers, rng)


@pytest.mark.task("6.1", weight=0.4)
def test_layer_norm_of_any_axes(transformers, rng):
    """One vector, or vectors along any axes, in single and in double precision."""
    plain_norm(transformers, rng)
    for shape in ((4,), (3, 4), (2, 2, 3, 5)):
        for kind in (torch.float32, torch.float64):
            x, gain, bias = (tensor(rng, *s, kind=kind) for s in (shape, shape[-1:], shape[-1:]))
            x = 1e4 * x
            expected = nn.functional.layer_norm(x, gain.shape, gain, bias, 0.0)
            assert close(transformers.layer_norm(x, gain, bias, 0.0), expected)


@pytest.mark.task("6.1", weight=0.6)
def test_where_epsilon_stands(transformers, rng):
    """Epsilon is added to the variance inside the root, so vectors of equal numbers become 0."""
    plain_norm(transformers, rng)
    x, gain, bias = tensor(rng, 2, 3, 4), tensor(rng, 4), tensor(rng, 4)
    for eps in (0.5, 2.0):
        expected = nn.functional.layer_norm(x, (4,), gain, bias, eps)
        assert close(transformers.layer_norm(x, gain, bias, eps), expected)
    same = torch.full((1, 2, 4), 3.0)
    assert close(transformers.layer_norm(same, gain, bias), bias.expand(1, 2, 4))
    one = tensor(rng, 3, 1, kind=torch.float64)
    assert close(transformers.layer_norm(one, gain[:1], bias[:1]), bias[:1].expand(3, 1))


@pytest.mark.task("6.1", weight=0.3)
def test_vectors_far_from_zero(transformers, rng):
    """The variance is the mean of (x - m)^2: a large mean does not swallow its digits."""
    plain_norm(transformers, rng)
    x = torch.tensor(rng.permuted([[[0.0, 1.0, 2.0, 5.0], [0.0, 3.0, 4.0, 5.0]]], axis=-1))
    expected = nn.functional.layer_norm(x, (4,))
    found = transformers.layer_norm((x + 8192).float(), ONES, ZEROS)
    assert close(found, expected.float(), rtol=1e-3, atol=1e-3)


@pytest.mark.task("6.1", weight=1, visible=True)
def test_rms_norm_by_hand(transformers):
    """The root of the mean square of (1, 1, 7, 7) is 5."""
    expected = torch.tensor([[2 * [0.2, 0.2, 1.4, 1.4]]]).view(1, 2, 4)
    assert close(transformers.rms_norm(HAND, ONES, 0.0), expected)
    assert oracles.library_calls(transformers.rms_norm, HAND, ONES) == []


def plain_rms(transformers, rng):
    """An RMS norm of several texts, whose means are not 0, by the student's own code."""
    x, gain = (tensor(rng, *s, kind=torch.float64) + 1 for s in ((2, 3, 5), (5,)))
    x = 1e4 * x
    assert close(transformers.rms_norm(x, gain, 0.0), nn.functional.rms_norm(x, (5,), gain, 0.0))
    assert oracles.library_calls(transformers.rms_norm, x, gain) == []


@pytest.mark.task("6.1", weight=1)
def test_rms_norm_with_a_gain(transformers, rng):
    """RMS norm divides by the root of the mean square, subtracts nothing, and stretches."""
    plain_rms(transformers, rng)


@pytest.mark.task("6.1", weight=0.6)
def test_rms_norm_of_any_vectors(transformers, rng):
    """Epsilon stands inside the root, any axes may come before the last one, zeros stay zeros."""
    plain_rms(transformers, rng)
    for eps in (0.5, 2.0):
        x, gain = tensor(rng, 2, 3, 4), tensor(rng, 4)
        expected = nn.functional.rms_norm(x, (4,), gain, eps)
        assert close(transformers.rms_norm(x, gain, eps), expected)
    for shape in ((4,), (1, 1), (3, 2)):
        x, gain = tensor(rng, *shape) + 1, tensor(rng, shape[-1])
        expected = nn.functional.rms_norm(x, gain.shape, gain, 1e-5)
        assert close(transformers.rms_norm(x, gain), expected)
    assert close(transformers.rms_norm(torch.zeros(1, 2, 4), ONES), torch.zeros(1, 2, 4))


def assert_teaches(function, expected, inputs, rng):
    """Compare a function and its gradients with those of torch's own."""
    leaves, pull = [each.clone().requires_grad_() for each in inputs], tensor(rng, *inputs[0].shape)
    y = expected(*leaves)
    (y * pull).sum().backward()
    value, found, _ = gradients(function, *inputs, weights=pull)
    assert close(value, y.detach())
    right = [leaf.grad for leaf in leaves]
    assert close(found, right, rtol=1e-3, atol=1e-4), "gradients flow through all that is computed"


@pytest.mark.task("6.1", weight=0.6)
def test_what_norms_teach(transformers, rng):
    """Gradients flow through mean and variance, too: no step in place spoils what they need."""
    x, gain, bias, f = tensor(rng, 2, 3, 5), tensor(rng, 5), tensor(rng, 5), nn.functional
    inputs = x, gain, bias
    assert oracles.library_calls(transformers.layer_norm, *inputs) == []
    assert oracles.library_calls(transformers.rms_norm, *inputs[:2]) == []
    assert_teaches(
        transformers.layer_norm, lambda x, g, b: f.layer_norm(x, (5,), g, b), inputs, rng
    )
    assert_teaches(
        transformers.rms_norm, lambda x, g: f.rms_norm(x, (5,), g, 1e-5), inputs[:2], rng
    )


@pytest.mark.task("6.1", weight=0.65, visible=True)
def test_gradients_by_hand(transformers):
    """At (1, 1, 7, 7) the gradient (1, 0, 0, 0) becomes (1/6, -1/6, 0, 0), ten times farther out a
    tenth of it; gain and bias get sums."""
    grad = torch.tensor([[2 * [1.0, 0.0, 0.0, 0.0]]]).view(1, 2, 4)
    d_x, d_gain, d_bias = transformers.layer_norm_gradients(HAND, ONES, grad, 0.0)
    sixth = torch.tensor([1 / 6, -1 / 6, 0.0, 0.0])
    assert close(d_x, torch.stack([sixth, sixth / 10])[None])
    assert close(d_gain, torch.tensor([-2.0, 0.0, 0.0, 0.0]))
    assert close(d_bias, torch.tensor([2.0, 0.0, 0.0, 0.0]))
    assert oracles.library_calls(transformers.layer_norm_gradients, HAND, ONES, grad) == []


def assert_gradients(transformers, rng, shape, eps, atol=1e-12):
    x, gain, grad = (tensor(rng, *s, kind=torch.float64) for s in (shape, shape[-1:], shape))
    found = transformers.layer_norm_gradients(x, gain, grad, eps)
    assert close(list(found), list(oracles.norm_gradients(x, gain, grad, eps)), atol=atol)
    assert oracles.library_calls(transformers.layer_norm_gradients, x, gain, grad, eps) == []


@pytest.mark.task("6.1", weight=2.2)
def test_gradients_of_several_texts(transformers, rng):
    """The gradients are autograd's, without it; gain and bias add up what all vectors say."""
    assert_gradients(transformers, rng, (2, 3, 5), 0.0)


@pytest.mark.task("6.1", weight=0.3)
def test_gradients_of_any_axes(transformers, rng):
    """One vector, or vectors along any axes, have gradients, too."""
    for shape in ((2, 3, 5), (2, 2, 3, 4), (3, 4), (4,)):
        assert_gradients(transformers, rng, shape, 0.0)


@pytest.mark.task("6.1", weight=0.35)
def test_gradients_with_epsilon(transformers, rng):
    """Epsilon stands where it stands in the norm."""
    for eps in (0.0, 0.5, 2.0):
        assert_gradients(transformers, rng, (2, 3, 5), eps)
    assert_gradients(transformers, rng, (1, 1), 1e-5, atol=1e-9)  # 0, of terms in the hundreds


# ------------------------------------------------------------------ 6.2
@pytest.mark.task("6.2", weight=0.6, visible=True)
def test_gelu_by_hand(transformers):
    """GELU is 0 at 0, nearly x far to the right, nearly 0 far to the left; at 1 it is 0.8413."""
    x = torch.tensor([0.0, 1.0, 20.0, -20.0])
    assert close(transformers.gelu(x), torch.tensor([0.0, 0.841345, 20.0, 0.0]))
    assert oracles.library_calls(transformers.gelu, x) == []


@pytest.mark.task("6.2", weight=0.4, visible=True)
def test_the_approximation_by_hand(transformers):
    """GPT-2's formula is 0.8412 at 1, and 1.9546 at 2, where the exact function is 1.9545."""
    found = transformers.gelu(torch.tensor([0.0, 1.0, 2.0]), approximate=True)
    assert close(found, torch.tensor([0.0, 0.841192, 1.954598]))
    assert oracles.library_calls(transformers.gelu, torch.ones(1), True) == []


@pytest.mark.task("6.2", weight=1.6)
def test_two_gelus(transformers, rng):
    """The exact function and GPT-2's approximation differ in the fourth digit; both are yours."""
    for shape in ((5,), (), (2, 3, 4)):
        x = 2 * tensor(rng, *shape, kind=torch.float64)
        for approximate, name in ((False, "none"), (True, "tanh")):
            expected = nn.functional.gelu(x, approximate=name)
            assert close(transformers.gelu(x, approximate), expected)
            assert oracles.library_calls(transformers.gelu, x, approximate) == []


@pytest.mark.task("6.2", weight=0.5)
def test_what_a_gelu_teaches(transformers, rng):
    """Gradients flow through x and through the probability."""
    x = 2 * tensor(rng, 3, 4)
    assert_teaches(transformers.gelu, nn.functional.gelu, [x], rng)


@pytest.mark.task("6.2", weight=1, visible=True)
def test_a_product_by_two_hinges(transformers):
    """relu(a + b) + relu(-a - b) - 1 is a times b, where a and b are 1 or -1."""
    layer = transformers.FeedForward(sizes(transformers, D=2, H=1, F=2, feed="relu"))
    up, down = torch.tensor([[1.0, 1.0], [-1.0, -1.0]]), torch.tensor([[1.0, 1.0], [0.0, 0.0]])
    bias = torch.tensor([-1.0, 0.0])
    values = {"up.weight": up, "up.bias": torch.zeros(2), "down.weight": down, "down.bias": bias}
    set_parameters(layer, values)
    x = torch.tensor([[[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]])
    assert close(layer(x)[..., 0], torch.tensor([[1.0, -1.0, -1.0, 1.0]]))


def plain_layer(w, x, kind):
    """What a feed-forward layer of these weights makes of x."""
    f = nn.functional
    h = f.linear(x, w["up.weight"], w.get("up.bias"))
    if kind == "swiglu":
        h = f.silu(f.linear(x, w["gate.weight"], w.get("gate.bias"))) * h
    else:
        how = "tanh" if kind == "gelu_tanh" else "none"
        h = f.relu(h) if kind == "relu" else f.gelu(h, approximate=how)
    return f.linear(h, w["down.weight"], w.get("down.bias"))


def assert_layers(transformers, rng, *kinds, bias=True):
    for kind in kinds:
        layer = transformers.FeedForward(sizes(transformers, F=5, feed=kind, bias=bias))
        w, x = oracles.fill(layer, rng), 2 * tensor(rng, 2, 3, 6)
        assert close(layer(x), plain_layer(w, x, kind))


@pytest.mark.task("6.2", weight=1)
def test_layers_of_two_matrices(transformers, rng):
    """With ReLU and with GELU, the function stands between up and down."""
    assert_layers(transformers, rng, "gelu", "relu")


@pytest.mark.task("6.2", weight=1.5)
def test_swiglu(transformers, rng):
    """SwiGLU multiplies f(gate(x)) by up(x), number by number, before down."""
    assert_layers(transformers, rng, "swiglu")


@pytest.mark.task("6.2", weight=0.5)
def test_all_kinds_of_layers(transformers, rng):
    """GPT-2's GELU is another function than the exact one; layers may have no biases."""
    assert_layers(transformers, rng, "gelu", "gelu_tanh")
    for bias in (True, False):
        assert_layers(transformers, rng, "gelu", "relu", "swiglu", bias=bias)


@pytest.mark.task("6.2", weight=0.7)
def test_what_a_layer_teaches(transformers, rng):
    """Gradients flow through all matrices of a layer, and back to what it read."""
    for kind in ("gelu", "swiglu"):
        layer = transformers.FeedForward(sizes(transformers, F=5, feed=kind))
        w, x = oracles.fill(layer, rng), tensor(rng, 2, 3, 6)
        leaves = {name: each.clone().requires_grad_() for name, each in {**w, "x": x}.items()}
        plain_layer(leaves, leaves["x"], kind).sum().backward()
        right = {name: leaf.grad for name, leaf in leaves.items()}
        _, [of_x], of_weights = gradients(layer, x)
        assert close({**of_weights, "x": of_x}, right, rtol=1e-3, atol=1e-4)
