"""Tests of tasks 4.4 and 4.5: gradients by hand through time, over distance, and their norm."""

import math

import pytest
import torch
from torch import nn

from examiner.suite import close, set_parameters, student_module
from tests.rnns.suite import oracles
from tests.rnns.suite.oracles import tensor

rnns = student_module("rnns")


def cell_with(rnns, W, b, U):
    """An Elman cell of one number with these weights."""
    cell = rnns.ElmanCell(1, 1)
    values = {"W.weight": [[W]], "W.bias": [b], "U.weight": [[U]]}
    set_parameters(cell, {name: torch.tensor(value) for name, value in values.items()})
    return cell


@pytest.mark.task("4.4", weight=1, visible=True)
def test_two_steps_by_hand(rnns):
    """The first step gets its own gradient and, times U, what the second one hands back."""
    half = math.atanh(0.5)
    cell = cell_with(rnns, -1.5 - half, 1.5 + 2 * half, 3.0)  # so h is 0.5 and 0
    x, h = torch.tensor([[[1.0], [2.0]]]), torch.tensor([[[0.5], [0.0]]])
    found = rnns.bptt(cell, x, h, torch.tensor([[[1.0], [2.0]]]))
    # a_2: 2 * (1 - 0); a_1: (1 + 2 * 3) * (1 - 0.25) = 5.25
    assert close(found["W"], torch.tensor([[5.25 * 1 + 2 * 2]]))
    assert close(found["U"], torch.tensor([[2 * 0.5]]))
    assert close(found["b"], torch.tensor([7.25]))


@pytest.mark.task("4.4", weight=0.3, visible=True)
def test_three_steps_in_chunks_of_two(rnns):
    """The third step begins a new chunk: it has a gradient of its own, but hands nothing back."""
    half = math.atanh(0.5)
    x = torch.tensor([[[half], [half - 1.5], [-1.5]]])  # so h is 0.5, 0.5 and 0
    h, grad = torch.tensor([[[0.5], [0.5], [0.0]]]), torch.tensor([[[1.0], [2.0], [4.0]]])
    found = rnns.bptt(cell_with(rnns, 1.0, 0.0, 3.0), x, h, grad, chunk=2)
    # a_3: 4 * (1 - 0); a_2: 2 * (1 - 0.25) = 1.5; a_1: (1 + 1.5 * 3) * (1 - 0.25) = 4.125
    assert close(found["b"], torch.tensor([4 + 1.5 + 4.125]))
    assert close(found["U"], torch.tensor([[4 * 0.5 + 1.5 * 0.5]]))
    assert close(found["W"], torch.tensor([[-4 * 1.5 + 1.5 * (half - 1.5) + 4.125 * half]]))


def plain_gradients(w, x, pull, chunk):
    """What autograd finds, with the state detached where a chunk begins."""
    p, h, total = {name: oracles.leaf(value) for name, value in w.items()}, None, 0.0
    outputs = []
    h = torch.zeros(len(x), len(w["U.weight"]))
    for t in range(x.shape[1]):
        h = h.detach() if chunk and t % chunk == 0 else h
        h = torch.tanh(x[:, t] @ p["W.weight"].T + p["W.bias"] + h @ p["U.weight"].T)
        outputs.append(h.detach())
        total = total + (h * pull[:, t]).sum()
    total.backward()
    gradients = {"W": p["W.weight"].grad, "b": p["W.bias"].grad, "U": p["U.weight"].grad}
    return torch.stack(outputs, dim=1), gradients


def assert_backpropagates(rnns, rng, B, T, chunks):
    cell = rnns.ElmanCell(2, 3)
    w = oracles.weights_for(rng, cell)
    set_parameters(cell, w)
    x, pull = tensor(rng, B, T, 2), tensor(rng, B, T, 3)
    for chunk in chunks:
        h, expected = plain_gradients(w, x, pull, chunk)
        found = dict(rnns.bptt(cell, x, h, pull, chunk))
        assert close(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.4", weight=2.5)
def test_all_the_way_back(rnns, rng):
    """Without chunks, the gradients are those that autograd finds."""
    assert_backpropagates(rnns, rng, 3, 6, [0])


@pytest.mark.task("4.4", weight=1.2)
def test_back_to_the_start_of_a_chunk(rnns, rng):
    """With chunks of 2, 3 or more steps, nothing flows back across a border."""
    assert_backpropagates(rnns, rng, 2, 7, [3, 2, 6, 7, 9])


@pytest.mark.task("4.4", weight=0.5)
def test_one_step(rnns, rng):
    """One step alone works as well."""
    assert_backpropagates(rnns, rng, 1, 1, [0])


@pytest.mark.task("4.4", weight=0.3)
def test_chunks_of_one_step(rnns, rng):
    """With chunks of one step, nothing flows back at all."""
    assert_backpropagates(rnns, rng, 1, 1, [1])
    assert_backpropagates(rnns, rng, 2, 4, [1])


@pytest.mark.task("4.5", weight=1, visible=True)
def test_a_memory_that_halves(rnns):
    """Where each step keeps half, the norms are 1/8, 1/4, 1/2 and 1 after three steps."""
    found = oracles.with_leaky(rnns.gradient_norms, 0.5, torch.ones(3, 1), torch.ones(1))
    assert close(found, torch.tensor([0.125, 0.25, 0.5, 1.0]))


def norms_of(cell, x, s):
    """The largest singular values of dh_T/ds_t, from t = 0 to T, of a cell of the tests' own."""
    J, states = torch.eye(cell.S)[: cell.H], [s]
    for a in cell.W(x):
        states.append(cell.step(a, states[-1]).detach())
    found = [1.0]
    for a, state in zip(cell.W(x).flip(0), reversed(states[:-1]), strict=True):
        J = J @ torch.autograd.functional.jacobian(lambda s, a=a: cell.step(a, s), state)
        found.append(torch.linalg.svdvals(J)[0].item())
    return torch.tensor(found[::-1])


def assert_norms(rnns, w, x, s):
    found = oracles.with_wavy(rnns.gradient_norms, w, x, s)
    assert close(found, norms_of(oracles.wavy(w), x, s), rtol=1e-3)


@pytest.mark.task("4.5", weight=2)
def test_norms_of_a_simple_network(rnns, rng):
    """Each norm is the largest singular value of dh_T/ds_t, the Jacobians of all steps between."""
    assert_norms(rnns, oracles.wavy_weights(rng, 2, 3), tensor(rng, 5, 2), torch.zeros(3))


@pytest.mark.task("4.5", weight=0.5)
def test_norms_from_any_state(rnns, rng):
    """The sequence begins in the state that is given."""
    assert_norms(rnns, oracles.wavy_weights(rng, 2, 3), tensor(rng, 4, 2), tensor(rng, 3))


@pytest.mark.task("4.5", weight=0.8)
def test_norms_of_a_larger_state(rnns, rng):
    """Where h is a part of the state, as in an LSTM, dh_T is taken for all of it, c as well."""
    w, x, s = oracles.twofold_weights(rng, 2, 3), tensor(rng, 5, 2), tensor(rng, 6)
    found = oracles.with_twofold(rnns.gradient_norms, [w], False, x, s)
    assert close(found, norms_of(oracles.twofold(w), x, s), rtol=1e-3)


@pytest.mark.task("4.5", weight=1, visible=True)
def test_clipping_one_two_two(rnns):
    """The numbers 1, 2, 2 have norm 3; clipped at 1.5 each is halved, clipped at 4 they stay."""
    gradients = [torch.tensor([1.0, 2.0]), torch.tensor([[2.0]])]
    found = oracles.clipped(rnns.clip_gradients, gradients, 1.5)[1]
    assert close(found, [torch.tensor([0.5, 1.0]), torch.tensor([[1.0]])])
    assert close(oracles.clipped(rnns.clip_gradients, gradients, 4.0)[1], gradients)


@pytest.mark.task("4.5", weight=0.5, visible=True)
def test_the_norm_before_clipping(rnns):
    """The norm of 1, 2, 2 before clipping, 3, is returned, whatever the limit is."""
    gradients = [torch.tensor([1.0, 2.0]), torch.tensor([[2.0]])]
    for most in (1.5, 4.0):
        assert close(oracles.clipped(rnns.clip_gradients, gradients, most)[0], 3.0, rtol=1e-4)


def assert_clips(rnns, gradients, **how):
    """Norms and gradients are those of torch's function, for a low, a middle and a high limit."""
    for most in (0.01, 2.0, 1e4):
        kept = [g.clone() for g in gradients if g is not None]
        parameters = [nn.Parameter(torch.zeros_like(g)) for g in kept]
        for parameter, g in zip(parameters, kept, strict=True):
            parameter.grad = g
        nn.utils.clip_grad_norm_(parameters, most)
        found = oracles.clipped(rnns.clip_gradients, gradients, most, **how)[1]
        assert [g is None for g in found] == [g is None for g in gradients]
        assert close([g for g in found if g is not None], kept)


@pytest.mark.task("4.5", weight=1.5)
def test_clipping_any_gradients(rnns, rng):
    """One factor for all parameters; torch does the same."""
    assert_clips(rnns, [tensor(rng, 3, 2), tensor(rng, 4), 100 * tensor(rng, 1)])


@pytest.mark.task("4.5", weight=0.4)
def test_clipping_where_some_have_no_gradient(rnns, rng):
    """Parameters without a gradient count as if they were not there, and may be all."""
    assert_clips(rnns, [tensor(rng, 3, 2), None, 100 * tensor(rng, 1)])
    norm, found = oracles.clipped(rnns.clip_gradients, [None, None], 1.0)
    assert close(norm, 0.0)
    assert found == [None, None]


@pytest.mark.task("4.5", weight=0.2)
def test_clipping_gradients_of_zeros(rnns, rng):
    """Where all gradients are 0, their norm is 0, and nothing changes: nothing is divided by 0."""
    assert_clips(rnns, [tensor(rng, 3, 2), torch.zeros(4)])
    norm, found = oracles.clipped(rnns.clip_gradients, [torch.zeros(2, 3), torch.zeros(1)], 2.0)
    assert close(norm, 0.0)
    assert close(found, [torch.zeros(2, 3), torch.zeros(1)])


@pytest.mark.task("4.5", weight=0.3)
def test_clipping_what_can_be_read_once(rnns, rng):
    """Parameters may come from a generator, as `model.parameters()` does."""
    assert_clips(rnns, [tensor(rng, 3, 2), 100 * tensor(rng, 2)], once=True)


@pytest.mark.task("4.5", weight=0.3)
def test_clipping_in_place(rnns, rng):
    """Whoever holds a gradient already sees it change."""
    assert_clips(rnns, [tensor(rng, 3, 2), 100 * tensor(rng, 2)], held=True)


@pytest.mark.task("4.5", weight=0.2)
def test_norms_need_no_gradients(rnns, rng):
    """The norms are detached."""
    w, x = oracles.wavy_weights(rng, 2, 3), tensor(rng, 3, 2)
    assert_norms(rnns, w, x, torch.zeros(3))
    assert oracles.needs_gradients(rnns.gradient_norms, w, x, torch.zeros(3)) is False
