"""Tests of tasks 4.1 to 4.3, 4.6 and 4.7: windows, and the steps of three cells."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from examiner.suite import close, set_parameters, student_module
from tests.rnns.suite import oracles
from tests.rnns.suite.oracles import tensor

rnns = student_module("rnns")

WINDOW = {
    "E": torch.tensor([[0.0], [1.0], [2.0]]),
    "W": torch.tensor([[1.0, 10.0]]),
    "b": torch.tensor([-12.0]),
    "U": torch.tensor([[1.0], [3.0], [2.0]]),
    "c": torch.tensor([0.0, 1.0, -1.0]),
}
# with these the words 2 and 1 give h = 1/2, and all logits are 0
HALF = WINDOW | {
    "b": torch.tensor([-12.0 + math.atanh(0.5)]),
    "c": torch.tensor([-0.5, -1.5, -1.0]),
}


def window_net(rng, V=6, N=3, D=4, H=5):
    shapes = {"E": (V, D), "W": (H, N * D), "b": (H,), "U": (V, H), "c": (V,)}
    return {name: tensor(rng, *shape) / 2 for name, shape in shapes.items()}


def plain_window(p, words):
    """One window, word by word."""
    e = torch.cat([p["E"][word] for word in words])
    h = torch.tanh(p["W"] @ e + p["b"])
    return e, h, p["U"] @ h + p["c"]


def ids(rng, V, *shape):
    return torch.from_numpy(rng.integers(V, size=shape))


@pytest.mark.task("4.1", weight=1, visible=True)
def test_one_window_by_hand(rnns):
    """The vectors 2 and 1 give 2 + 10 - 12 = 0 in the hidden layer, and the logits c."""
    e, h, z = rnns.feedforward(WINDOW, torch.tensor([[2, 1]]))
    assert close(e, torch.tensor([[2.0, 1.0]]))
    assert close(h, torch.tensor([[0.0]]))
    assert close(z, torch.tensor([[0.0, 1.0, -1.0]]))


@pytest.mark.task("4.1", weight=2)
def test_any_windows(rnns, rng):
    """Windows of one, two or three words are what they are one by one."""
    for B, N in ((2, 3), (5, 2), (4, 1)):
        p, contexts = window_net(rng, N=N), ids(rng, 6, B, N)
        rows = [plain_window(p, row) for row in contexts]
        expected = [torch.stack(each) for each in zip(*rows, strict=True)]
        assert close(rnns.feedforward(p, contexts), expected)


@pytest.mark.task("4.1", weight=1)
def test_windows_with_more_axes(rnns, rng):
    """The windows of all steps of all stories, (B, T, N), go through at once."""
    p, contexts = window_net(rng), ids(rng, 6, 2, 4, 3)
    rows = [plain_window(p, row) for row in contexts.flatten(0, 1)]
    expected = [torch.stack(each).reshape(2, 4, -1) for each in zip(*rows, strict=True)]
    assert close(rnns.feedforward(p, contexts), expected)


@pytest.mark.task("4.1", weight=0.3)
def test_one_window_without_a_batch(rnns, rng):
    """One window alone, (N,), gives rows without a batch, and (1, N) a batch of one row."""
    p, contexts = window_net(rng), ids(rng, 6, 3)
    rows = plain_window(p, contexts)
    assert close(rnns.feedforward(p, contexts[None]), [row[None] for row in rows])
    assert close(rnns.feedforward(p, contexts), list(rows))


@pytest.mark.task("4.2", weight=1, visible=True)
def test_gradients_of_one_window_by_hand(rnns):
    """With all logits 0 and h = 1/2, all gradients can be had with a pencil."""
    e, h, z = torch.tensor([[2.0, 1.0]]), torch.tensor([[0.5]]), torch.zeros(1, 3)
    known = torch.tensor([[2, 1]]), torch.tensor([0]), e, h, z
    loss, found = rnns.loss_and_gradients(HALF, *known)
    assert close(loss, math.log(3), rtol=1e-5)
    assert close(found["c"], torch.tensor([-2 / 3, 1 / 3, 1 / 3]))
    assert close(found["U"], torch.tensor([[-1 / 3], [1 / 6], [1 / 6]]))
    # (-2/3 * 1 + 1/3 * 3 + 1/3 * 2) * (1 - 0.25)
    assert close(found["b"], torch.tensor([0.75]))
    assert close(found["W"], torch.tensor([[1.5, 0.75]]))
    assert close(found["E"], torch.tensor([[0.0], [7.5], [0.75]]))


def assert_finds_gradients(rnns, p, contexts, targets):
    """Loss and gradients are what autograd finds."""
    rows = [plain_window(p, row) for row in contexts]
    known = [torch.stack(each) for each in zip(*rows, strict=True)]
    loss, found = rnns.loss_and_gradients(p, contexts, targets, *known)
    leaves = {name: oracles.leaf(value) for name, value in p.items()}
    logits = torch.stack([plain_window(leaves, row)[2] for row in contexts])
    expected = cross_entropy(logits, targets)
    expected.backward()
    assert close(loss, expected)
    assert close(dict(found), {name: leaves[name].grad for name in p})


@pytest.mark.task("4.2", weight=3)
def test_gradients_of_any_windows(rnns, rng):
    """Loss and gradients are what autograd finds, also where a word occurs several times."""
    for B in (1, 7):
        contexts = ids(rng, 6, B, 3)
        contexts[0, :2] = contexts[0, 2]
        assert_finds_gradients(rnns, window_net(rng), contexts, ids(rng, 6, B))


@pytest.mark.task("4.2", weight=1)
def test_large_logits(rnns):
    """Logits of 10,000 give numbers, not NaN or infinity."""
    p = HALF | {"c": torch.tensor([1e4, 0.0, -1e4])}
    contexts, targets = torch.tensor([[2, 1], [0, 1]]), torch.tensor([0, 1])
    assert_finds_gradients(rnns, HALF, contexts, targets)
    assert_finds_gradients(rnns, p, contexts, targets)


@pytest.mark.task("4.2", weight=0.4, visible=True)
def test_one_step_downhill(rnns):
    """Each weight moves against its gradient; the weights that were given stay as they are."""
    p = {"b": torch.tensor([1.0, 2.0]), "c": torch.tensor([3.0])}
    gradients = {"b": torch.tensor([10.0, 0.0]), "c": torch.tensor([-4.0])}
    found = rnns.sgd_step(p, gradients, 0.25)
    assert close(dict(found), {"b": torch.tensor([-1.5, 2.0]), "c": torch.tensor([4.0])})


@pytest.mark.task("4.2", weight=0.6)
def test_any_step_downhill(rnns, rng):
    """All weights of a network move, by the learning rate times their gradients."""
    p, gradients, rate = window_net(rng), window_net(rng), float(rng.uniform(0.1, 2.0))
    expected = {name: p[name] - rate * gradients[name] for name in p}
    assert close(dict(rnns.sgd_step(p, gradients, rate)), expected)


@pytest.mark.task("4.3", weight=1, visible=True)
def test_one_step_by_hand(rnns):
    """With U = 2, a = 0.1 and the old h = 0.5 the new h is tanh(1.1)."""
    cell = rnns.ElmanCell(1, 1)
    set_parameters(cell, {"U.weight": torch.tensor([[2.0]])})
    found = cell.step(torch.tensor([[0.1]]), torch.tensor([[0.5]]))
    assert close(found, torch.tensor([[math.tanh(1.1)]]))


@pytest.mark.task("4.3", weight=0.3)
def test_a_step_without_batch(rnns, rng):
    """One sequence alone, or any axes before the last one, work as well."""
    assert_steps_like_torch(rng, rnns.ElmanCell(2, 3), nn.RNN)


def assert_runs(rnns, rng, begin, *sizes):
    """Outputs and last state of Elman's network are torch's with the same weights."""
    for B, T in sizes:
        cell = rnns.ElmanCell(2, 4)
        w = oracles.weights_for(rng, cell)
        set_parameters(cell, w)
        layer, x, s = oracles.torch_layer(nn.RNN, w), tensor(rng, B, T, 2), tensor(rng, B, 4)
        y, end = layer(x, s[None]) if begin else layer(x)
        assert close(rnns.run(cell, *([x, s] if begin else [x])), (y, end[0]))


@pytest.mark.task("4.3", weight=1.3)
def test_any_sequences(rnns, rng):
    """With copied weights, outputs and last state are those of torch's network."""
    assert_runs(rnns, rng, False, (3, 6), (2, 1))


@pytest.mark.task("4.3", weight=0.2)
def test_one_sequence_alone(rnns, rng):
    """A batch of one sequence, also of one step, keeps its axes."""
    assert_runs(rnns, rng, False, (2, 3), (1, 4), (1, 1))


@pytest.mark.task("4.3", weight=0.5)
def test_any_first_state(rnns, rng):
    """The network begins in the state that it is given."""
    assert_runs(rnns, rng, True, (3, 6), (2, 1))


@pytest.mark.task("4.3", weight=1)
def test_gradients_flow_through_all_steps(rnns, rng):
    """Gradients of the outputs reach the weights of every step before."""
    cell = rnns.ElmanCell(2, 3)
    w = oracles.weights_for(rng, cell)
    set_parameters(cell, w)
    x, pull = tensor(rng, 2, 5, 2), tensor(rng, 2, 5, 3)
    layer = oracles.torch_layer(nn.RNN, w)
    (layer(x)[0] * pull).sum().backward()
    expected = [layer.weight_ih_l0.grad, layer.bias_ih_l0.grad, layer.weight_hh_l0.grad]
    found = oracles.gradients_of_run(rnns.run, cell, x, pull)
    assert close([found[name] for name in ("W.weight", "W.bias", "U.weight")], expected)


@pytest.mark.task("4.3", weight=1)
def test_states_that_hold_more_than_the_output(rnns, rng):
    """Of a state of 2 H numbers, the first H are the output, and all are carried on."""
    w, x = oracles.twofold_weights(rng, 2, 3), tensor(rng, 2, 4, 2)
    found = oracles.with_twofold(rnns.run, [w], False, x)
    assert close(found, oracles.walk(oracles.twofold(w), x))


@pytest.mark.task("4.3", weight=0.3)
def test_all_sequences_at_once(rnns, rng):
    """Each step is made once, for all sequences together."""
    w, x, s = oracles.twofold_weights(rng, 2, 3), tensor(rng, 5, 4, 2), tensor(rng, 5, 6)
    found = oracles.with_twofold(rnns.run, [w], False, x, s)
    assert close(found, oracles.walk(oracles.twofold(w), x, s))
    assert oracles.asked(rnns.run, w, x) == [5, 5, 5, 5]


@pytest.mark.task("4.3", weight=1, visible=True, seconds=20)
def test_hello(rnns):
    """A network of your cell and your run learns to spell hello: l after l once, then o."""
    hello, begin = torch.tensor([0, 1, 2, 2, 3]), np.random.default_rng(0)
    w = oracles.wavy_weights(begin, 4, 10)  # an Elman cell has the same shapes
    out = {"weight": tensor(begin, 4, 10) / 2, "bias": tensor(begin, 4) / 2}
    found = oracles.spell(rnns.ElmanCell, rnns.run, w, out, hello, 100)
    steps, spelled, (w, out) = found
    assert spelled == [1, 2, 2, 3]
    assert steps < 100
    with torch.no_grad():  # and what was learned does spell it
        states = oracles.torch_layer(nn.RNN, w)(nn.functional.one_hot(hello[:-1], 4).float()[None])
    logits = states[0][0] @ out["weight"].T + out["bias"]
    assert logits.argmax(-1).tolist() == [1, 2, 2, 3]


@pytest.mark.task("4.3", weight=0.4)
def test_gradients_flow_from_state_to_state(rnns, rng):
    """Gradients of outputs and of the last state reach the first state, the inputs and the cell."""
    w, x, s = oracles.twofold_weights(rng, 2, 3), tensor(rng, 2, 4, 2), tensor(rng, 2, 6)
    pulls = tensor(rng, 2, 4, 3), tensor(rng, 2, 6)
    found = oracles.learned(rnns.run, [w], False, x, s, pulls)
    assert close(found, oracles.learned(oracles.walk, [w], False, x, s, pulls))


@pytest.mark.task("4.6", weight=1, visible=True)
def test_half_open_gates(rnns):
    """With a + U h = 0 all gates are half open: c = 2 becomes 1, and h is tanh(1) / 2."""
    cell = rnns.LSTMCell(1, 1)
    set_parameters(cell, {"U.weight": torch.zeros(4, 1)})
    found = cell.step(torch.zeros(1, 4), torch.tensor([[9.0, 2.0]]))
    assert close(found, torch.tensor([[math.tanh(1) / 2, 1.0]]))


@pytest.mark.task("4.6", weight=1, visible=True)
def test_open_and_closed_gates(rnns):
    """The blocks are i, f, g, o: with i and o open and f shut, c is tanh of the third number."""
    cell = rnns.LSTMCell(1, 1)
    set_parameters(cell, {"U.weight": torch.tensor([[0.0], [0.0], [1.0], [0.0]])})
    a, s = torch.tensor([[99.0, -99.0, 0.2, 99.0]]), torch.tensor([[0.3, 7.0]])
    c = math.tanh(0.2 + 0.3)
    assert close(cell.step(a, s), torch.tensor([[math.tanh(c), c]]))
    a, s = torch.tensor([[99.0, 99.0, 0.2, 99.0]]), torch.tensor([[0.3, 0.1]])  # all are open
    found = cell.step(a, s)
    assert close(found, torch.tensor([[math.tanh(c + 0.1), c + 0.1]]))


def assert_cell_is_torchs(rnns, rng, cell, kind):
    """Outputs of all steps and all gradients are those of torch's layer with the same weights."""
    w = oracles.weights_for(rng, cell)
    set_parameters(cell, w)
    x, s, pull = tensor(rng, 3, 4, 2), tensor(rng, 3, cell.S), tensor(rng, 3, 4, cell.H)
    layer, parts = oracles.torch_layer(kind, w), s.chunk(cell.S // cell.H, dim=-1)
    parts = tuple(part[None].contiguous() for part in parts)
    y, d_x, found = oracles.gradients_of_layer(cell, x, s, pull)
    x = oracles.leaf(x)
    expected = layer(x, parts if len(parts) > 1 else parts[0])[0]
    assert close(y, expected)
    (expected * pull).sum().backward()
    assert close(d_x, x.grad, rtol=1e-3, atol=1e-4)
    names = {"W.weight": "weight_ih_l0", "U.weight": "weight_hh_l0", "W.bias": "bias_ih_l0"}
    names |= {"U.bias": "bias_hh_l0"} if "U.bias" in w else {}
    wanted = {name: getattr(layer, names[name]).grad for name in names}
    assert close(found, wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.6", weight=2)
def test_a_layer_of_lstms(rnns, rng):
    """With copied weights, outputs and gradients over some steps are those of torch's LSTM."""
    assert_cell_is_torchs(rnns, rng, rnns.LSTMCell(2, 5), nn.LSTM)


def steps_of_torch(kind, w, x, s):
    """The states, (..., S), after one step of torch's layer from the states s."""
    parts = tuple(p.flatten(0, -2)[None].contiguous() for p in s.split(len(w["U.weight"][0]), -1))
    begin = parts if len(parts) > 1 else parts[0]
    ends = oracles.torch_layer(kind, w)(x.flatten(0, -2)[:, None], begin)[1]
    return torch.cat(ends if len(parts) > 1 else [ends], dim=-1)[0].reshape(s.shape)


def assert_steps_like_torch(rng, cell, kind):
    """A step of many sequences in a table, and of one alone, is a step of torch's layer."""
    w = oracles.weights_for(rng, cell)
    set_parameters(cell, w)
    x, s = tensor(rng, 2, 3, 2), tensor(rng, 2, 3, cell.S)
    a, expected = x @ w["W.weight"].T + w["W.bias"], steps_of_torch(kind, w, x, s)
    assert close(cell.step(a, s), expected)
    assert close(cell.step(a[1, 2], s[1, 2]), expected[1, 2])


@pytest.mark.task("4.6", weight=1)
def test_an_lstm_without_batch(rnns, rng):
    """One sequence alone, or any axes before the last one, work as well."""
    assert_steps_like_torch(rng, rnns.LSTMCell(2, 3), nn.LSTM)


@pytest.mark.task("4.7", weight=1, visible=True)
def test_mixing_by_hand(rnns):
    """With z open the old state stays; with z shut the gate r lets through what U made of it."""
    cell = rnns.GRUCell(1, 2)
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]])  # in the block of n, U swaps the two numbers
    U = torch.cat([torch.zeros(4, 2), swap])
    set_parameters(cell, {"U.weight": U, "U.bias": torch.tensor([0.0] * 4 + [5.0, 0.5])})
    s = torch.tensor([[0.7, 0.2]])
    a = torch.tensor([[0.0, 0.0, 99.0, 99.0, 0.1, 0.1]])
    assert close(cell.step(a, s), s)
    a = torch.tensor([[-99.0, 99.0, -99.0, -99.0, 0.1, 0.1]])
    found = cell.step(a, s)
    # r is shut for the first number and open for the second: 0.1 + 0, and 0.1 + (0.7 + 0.5)
    assert close(found, torch.tensor([[math.tanh(0.1), math.tanh(1.3)]]))


@pytest.mark.task("4.7", weight=2)
def test_a_layer_of_grus(rnns, rng):
    """With copied weights, outputs and gradients over some steps are those of torch's GRU."""
    assert_cell_is_torchs(rnns, rng, rnns.GRUCell(2, 5), nn.GRU)


@pytest.mark.task("4.7", weight=1)
def test_a_gru_without_batch(rnns, rng):
    """One sequence alone, or any axes before the last one, work as well."""
    assert_steps_like_torch(rng, rnns.GRUCell(2, 3), nn.GRU)
