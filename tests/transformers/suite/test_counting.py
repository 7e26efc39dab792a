"""Tests of tasks 6.12 and 6.13: counting, and what came after the transformer."""

import math

import pytest
import torch

from examiner.suite import close, gradients, student_module
from tests.transformers.suite import machines, oracles
from tests.transformers.suite.oracles import tensor

transformers = student_module("transformers")


# ------------------------------------------------------------------ 6.12
@pytest.mark.task("6.12", weight=1, visible=True)
def test_counting_the_matrices_of_gpt3(transformers):
    """Without biases and norms, the largest GPT-3 has 175,181,291,520 parameters."""
    made = transformers.Sizes(V=50257, D=12288, L=96, H=96, tied=False)
    found = dict(transformers.count_parameters(made))
    assert found["embed"] == found["unembed"] == 617558016
    assert found["attention"] == 57982058496
    assert sum(found.values()) - found["rest"] == 175181291520


def random_sizes(rng, **other):
    """Sizes of every kind, as a dict."""
    H = int(rng.choice([2, 4, 6]))
    made = {"V": int(rng.integers(5, 50)), "D": 2 * H * int(rng.integers(1, 5)), "H": H}
    made |= {"L": int(rng.integers(1, 4)), "G": int(rng.choice([1, 2, H])), "T": 11}
    made |= {"F": int(rng.integers(3, 30)), "positions": "none", "feed": "gelu"}
    made |= {"norm": "layer", "bias": True, "tied": True}
    return made | other


def assert_counts(transformers, made, *leaving_out):
    found = dict(transformers.count_parameters(transformers.Sizes(**made)))
    expected = oracles.counted(made)
    assert found.keys() == expected.keys()
    names = [name for name in expected if name not in leaving_out]
    assert close([int(found[name]) for name in names], [expected[name] for name in names])


@pytest.mark.task("6.12", weight=0.8)
def test_matrices_of_any_model(transformers, rng):
    """The counts of the four kinds of matrices are those of a model that was really made."""
    for tied in (True, False):
        made = random_sizes(rng, G=0, feed="gelu", tied=tied)
        assert_counts(transformers, made, "rest")


@pytest.mark.task("6.12", weight=0.8)
def test_shared_heads_and_gates(transformers, rng):
    """Heads may share keys and values; SwiGLU has three matrices."""
    assert_counts(transformers, random_sizes(rng, G=0, feed="relu"), "rest")
    assert_counts(transformers, random_sizes(rng, H=4, D=8, G=2), "rest")
    assert_counts(transformers, random_sizes(rng, G=0, feed="swiglu"), "rest")


@pytest.mark.task("6.12", weight=1)
def test_the_rest_of_any_model(transformers, rng):
    """Norms, biases and learned places are the rest."""
    for norm, positions in (("layer", "none"), ("layer", "learned"), ("rms", "rotary")):
        made = random_sizes(rng, L=3, norm=norm, positions=positions, feed="gelu")
        assert_counts(transformers, made)
    assert_counts(transformers, random_sizes(rng, norm="rms", bias=False))


@pytest.mark.task("6.12", weight=0.5)
def test_counts_of_rare_models(transformers, rng):
    """SwiGLU's gate has biases, layer norms always do, `out` has none; waves are no parameters."""
    assert_counts(transformers, random_sizes(rng, feed="gelu", positions="learned"))
    assert_counts(transformers, random_sizes(rng, feed="swiglu"))
    assert_counts(transformers, random_sizes(rng, norm="layer", bias=False))
    assert_counts(transformers, random_sizes(rng, positions="sinusoidal"))
    assert_counts(transformers, random_sizes(rng, tied=False))
    assert_counts(transformers, random_sizes(rng, pre=False))  # the last norm stands first


@pytest.mark.task("6.12", weight=0.5)
def test_counts_of_known_models(transformers):
    """GPT-2 has 124,439,808 parameters and Llama 3 8B 8,030,261,248."""
    gpt2 = transformers.Sizes(V=50257, D=768, L=12, H=12, positions="learned")
    assert sum(dict(transformers.count_parameters(gpt2)).values()) == 124439808
    other = {"F": 14336, "feed": "swiglu", "norm": "rms", "tied": False, "bias": False}
    llama = transformers.Sizes(V=128256, D=4096, L=32, H=32, G=8, **other)
    assert sum(dict(transformers.count_parameters(llama)).values()) == 8030261248


@pytest.mark.task("6.12", weight=1, visible=True)
def test_costs_by_hand(transformers):
    """V, D, L, H, F, T = 3, 2, 1, 1, 4, 5: 380 + 200 operations for 38 weights, 40 bytes."""
    made = transformers.Sizes(V=3, D=2, L=1, H=1, F=4, tied=True)
    counts = {"embed": 6, "unembed": 0, "attention": 16, "feed": 16, "rest": 26}
    assert costs(transformers, made, counts, 5) == [2 * 5 * 38 + 4 * 25 * 2, 40]


def costs(transformers, made, counts, *rest):
    """Two costs, as whole numbers. A mistake in `count_parameters` costs nothing here."""
    found = machines.costs(transformers.count_costs, made, counts, *rest)
    return [int(n) for n in found]


def assert_costs(transformers, made, T, n_bytes=2):
    n = oracles.counted(made)
    weights = n["attention"] + n["feed"] + made["V"] * made["D"]
    operations = 2 * T * weights + 4 * made["L"] * T**2 * made["D"]
    size = 2 * made["L"] * (made["G"] or made["H"]) * made["D"] // made["H"] * T * n_bytes
    found = costs(transformers, transformers.Sizes(**made), n, T, n_bytes)
    assert close(found, [operations, size])


@pytest.mark.task("6.12", weight=1)
def test_costs_of_any_model(transformers, rng):
    """Operations follow the weights that a token meets; the cache follows blocks and tokens."""
    for tied in (False, True):
        made = random_sizes(rng, L=3, G=0, feed="gelu", tied=tied)
        assert_costs(transformers, made, int(rng.integers(2, 9)))


@pytest.mark.task("6.12", weight=0.4)
def test_costs_of_shared_heads(transformers, rng):
    """Shared heads make the cache smaller, and not the products."""
    for G in (0, 2, 1):
        made = random_sizes(rng, L=3, H=4, D=8, G=G, feed="gelu")
        assert_costs(transformers, made, int(rng.integers(2, 9)))


@pytest.mark.task("6.12", weight=0.4)
def test_costs_of_gates_and_bytes(transformers, rng):
    """SwiGLU has a third product; a number may have 1 or 4 bytes."""
    for feed, n_bytes in (("gelu", 4), ("gelu", 2), ("gelu", 1), ("swiglu", 2)):
        made = random_sizes(rng, L=3, G=0, feed=feed)
        assert_costs(transformers, made, int(rng.integers(2, 9)), n_bytes)


# ------------------------------------------------------------------ 6.13
def half(function):
    """What a form of the recurrence says where a = 1/2 and all else is 1."""
    ones, log_a = torch.ones(1, 1, 3, 1), torch.full((1, 1, 3), math.log(0.5))
    expected = torch.tensor([1.0, 1.5, 1.75]).view(1, 1, 3, 1)
    y, S = function(ones, ones, ones, log_a)
    assert close(y, expected)
    assert close(S, expected[:, :, 2:])


@pytest.mark.task("6.13", weight=1, visible=True)
def test_half_is_forgotten_at_each_step(transformers):
    """With a = 1/2 and ones everywhere, the state is 1, 1.5, 1.75, and so are the answers."""
    half(transformers.recurrent)


@pytest.mark.task("6.13", weight=1, visible=True)
def test_half_is_forgotten_all_at_once(transformers):
    """The parallel form says 1, 1.5, 1.75 as well, without a step for each token."""
    half(transformers.parallel)
    assert longer(transformers.parallel) < 64


def longer(function):
    """How many operations of torch 96 tokens take more than 32: 64 or more, if one by one."""
    few, many = ([torch.ones(1, 1, T, 1)] * 3 + [torch.zeros(1, 1, T)] for T in (32, 96))
    return machines.operations(function, *many) - machines.operations(function, *few)


def random_inputs(rng, B, H, T, K, width):
    """Random queries, keys, values and logarithms of decays."""
    q, k, v = (tensor(rng, B, H, T, size) for size in (K, K, width))
    return q, k, v, -tensor(rng, B, H, T).abs() - 0.1


FORMS = [(1, 2, 4, 3, 3), (2, 3, 5, 4, 6), (1, 2, 7, 2, 3), (1, 1, 1, 1, 1)]


@pytest.mark.task("6.13", weight=1.2)
def test_step_by_step(transformers, rng):
    """The state decays, takes in key and value, and answers the query."""
    for form in FORMS:
        inputs = random_inputs(rng, *form)
        y, last = transformers.recurrent(*inputs)
        assert close([y, last], list(machines.plain_recurrence(*inputs, None)))


@pytest.mark.task("6.13", weight=0.8)
def test_from_a_given_state(transformers, rng):
    """A state that is given decays at the first step already."""
    for form in FORMS:
        inputs = random_inputs(rng, *form)
        B, H, _, K, width = form
        for S in (None, tensor(rng, B, H, K, width)):
            y, last = transformers.recurrent(*inputs, S)
            assert close([y, last], list(machines.plain_recurrence(*inputs, S)))


@pytest.mark.task("6.13", weight=1.4)
def test_all_at_once(transformers, rng):
    """The parallel form gives the same answers and the same last state."""
    for form in FORMS:
        inputs = random_inputs(rng, *form)
        y, last = transformers.parallel(*inputs)
        assert close([y, last], list(machines.plain_recurrence(*inputs, None)))
    assert longer(transformers.parallel) < 64


@pytest.mark.task("6.13", weight=0.5)
def test_in_two_parts(transformers, rng):
    """After the parallel form has read one part, a recurrence can go on with its state."""
    inputs = random_inputs(rng, 2, 2, 6, 3, 2)
    first, second = ([each[:, :, part] for each in inputs] for part in (slice(4), slice(4, 6)))
    expected, last = machines.plain_recurrence(*inputs, None)
    y, S = transformers.parallel(*first)
    assert close(y, expected[:, :, :4])
    # the test's own recurrence: a mistake in `recurrent` costs nothing here
    state = torch.as_tensor(S, dtype=torch.float32)
    assert close(list(machines.plain_recurrence(*second, state)), [expected[:, :, 4:], last])


def strong(transformers, rng, function):
    q, k, v, log_a = random_inputs(rng, 1, 2, 40, 3, 2)
    for decays in (log_a / 9, torch.full((1, 2, 40), -20.0)):
        expected, last = machines.plain_recurrence(q, k, v, decays, None)
        assert close(list(function(q, k, v, decays)), [expected, last])
    return q, k, v, decays


@pytest.mark.task("6.13", weight=0.3)
def test_strong_decay_step_by_step(transformers, rng):
    """Where nearly all is forgotten at each step, no number overflows."""
    strong(transformers, rng, transformers.recurrent)


@pytest.mark.task("6.13", weight=0.5)
def test_strong_decay_all_at_once(transformers, rng):
    """Where nearly all is forgotten at each step, no number overflows, and no gradient."""
    inputs = strong(transformers, rng, transformers.parallel)
    _, grads, _ = gradients(transformers.parallel, *inputs, output=0)
    assert all(grad.isfinite().all() for grad in grads)


@pytest.mark.task("6.13", weight=0.4)
def test_gradients_of_both_forms(transformers, rng):
    """Gradients of the answers and of the last state go back through all steps, in both forms."""
    inputs = random_inputs(rng, 2, 2, 5, 3, 2)
    pulls = tensor(rng, 2, 2, 5, 2), tensor(rng, 2, 2, 3, 2)
    start = torch.zeros(2, 2, 3, 2)
    expected = gradients(machines.plain_recurrence, *inputs, start, weights=pulls)[1]
    for form in (transformers.recurrent, transformers.parallel):
        found = gradients(form, *inputs, weights=pulls)[1]
        assert close(found[:4], expected[:4], rtol=1e-3, atol=1e-4)
