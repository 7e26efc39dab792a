"""Small inputs of chapter 4: what a wrong answer is shown on. Here: windows, cells and gates.

Cells and models are written out in the programs, so that a student can paste them. None of them
uses the answers to other tasks where that can be helped: a cell inherits from `ElmanCell`, whose
weights are given, and has a step of its own. Leaves out what the other small_*.py hold.
"""

import itertools

import torch

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code

LEAVES = """
a.requires_grad_()
s.requires_grad_()
"""
HALF = 0.5493  # its tanh is 0.5
WEIGHTS = (1.0, 0.0, 2.0, -1.0)
GENTLE = (0.0, 1.0, -1.0, 0.5)


# ------------------------------------------------------------------------------ windows
def window_weights(draw: Small, V: int, N: int, D: int, H: int) -> dict:
    shapes = {"E": (V, D), "W": (H, N * D), "b": (H,), "U": (V, H), "c": (V,)}
    return {name: draw.tensor(*shape, values=GENTLE) for name, shape in shapes.items()}


P = 'p = {"E": E, "W": W, "b": b, "U": U, "c": c}'
WINDOW = f"""
{P}
e, h, z = feedforward(p, contexts)
(e, h, z)
"""


@small("4.1", "feedforward", tries=20)
def one_window_of_a_few_numbers(draw: Small) -> Example:
    N = draw.integer(1, 2)
    p = window_weights(draw, 2, N, 1, 1)
    p["E"] = torch.tensor([[draw.choice([1.0, 2.0])], [draw.choice([0.0, -1.0, 3.0])]])
    return example(WINDOW, **p, contexts=draw.ids(1, N, high=1))


@small("4.1", "feedforward", tries=30)
def windows_of_any_size(draw: Small) -> Example:
    V, N, D, H = draw.integer(2, 3), draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    p = window_weights(draw, V, N, D, H)
    shape = draw.choice([(N,), (1, N), (2, N), (3, N), (1, 2, N), (2, 1, N)])
    return example(WINDOW, **p, contexts=draw.ids(*shape, high=V - 1))


# ------------------------------------------------------------------------------ by hand
def written(value: torch.Tensor) -> Code:
    """Return a tensor as code, in which numbers have four digits after the point."""
    digits = value.double().numpy().round(4).tolist()
    return Code(f"torch.tensor({digits})", size=value.numel())


GRADIENTS = f"""
{P}
loss, gradients = loss_and_gradients(p, contexts, targets, e, h, z)
(loss, dict(gradients))
"""


def gradients_by_hand(draw: Small, V: int, N: int, D: int, H: int, B: int, most: float) -> Example:
    """Draw weights, and windows whose states are -1/2, 0 or 1/2: the bias of a unit is so chosen.

    All windows hold the same words, each in another order, so that one bias serves them all.
    """
    E, U = draw.tensor(V, D, values=(1.0, 2.0, 0.0)), draw.tensor(V, H, values=WEIGHTS)
    c = draw.tensor(V, values=(0.0, 1.0, -1.0)) if most == 0 else draw.ids(V, high=1) * most
    first = [draw.integer(0, V - 1) for _ in range(N)]
    rows = [first, *(draw.choice(list(itertools.permutations(first))) for _ in range(B - 1))]
    contexts, targets = torch.tensor([list(row) for row in rows]), draw.ids(B, high=V - 1)
    e = E[contexts].flatten(-2)
    W = draw.tensor(H, D, values=(1.0, 2.0, -1.0)).repeat(1, N)  # for all words the same
    if B == 1:
        W = draw.tensor(H, N * D, values=(1.0, 2.0, -1.0))
    signs = draw.tensor(H, values=(1.0, 0.0, -1.0))
    h = (signs / 2).expand(B, H).clone()
    p = {"E": E, "W": W, "b": written(signs * HALF - (e @ W.T)[0]), "U": U, "c": c.float()}
    known = {"contexts": contexts, "targets": targets, "e": e, "h": h, "z": h @ U.T + c}
    return example(GRADIENTS, **p, **known, rtol=1e-3, atol=1e-4)


@small("4.2", "loss_and_gradients", tries=22)
def one_window_by_hand(draw: Small) -> Example:
    return gradients_by_hand(draw, 2, draw.integer(1, 2), 1, 1, 1, 0.0)


@small("4.2", "loss_and_gradients", tries=24)
def windows_by_hand(draw: Small) -> Example:
    V, N, D, H = draw.integer(2, 3), draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    return gradients_by_hand(draw, V, N, D, H, draw.integer(1, 3), 0.0)


@small("4.2", "loss_and_gradients", tries=3)
def large_logits(draw: Small) -> Example:
    return gradients_by_hand(draw, 2, 1, 1, 1, 1, 10_000.0)


@small("4.2", "sgd_step", tries=20)
def one_step_downhill(draw: Small) -> Example:
    names = draw.choice(["b", "c", "bc"])
    p = {name: draw.tensor(draw.integer(1, 2)) for name in names}
    gradients = {name: draw.tensor(len(value), values=WEIGHTS) for name, value in p.items()}
    rate = draw.choice([0.5, 0.1, 2.0])
    return example("dict(sgd_step(p, gradients, rate))", p=p, gradients=gradients, rate=rate)


# ------------------------------------------------------------------------------ cells
SUM = """
class Sum(ElmanCell):
    def step(self, a, s):
        return a + self.U(s)
"""
# the state is h and c: h is the c before, and c adds up what is read
LATE = """
class Late(ElmanCell):
    def step(self, a, s):
        h, c = s.chunk(2, dim=-1)
        return torch.cat([c, c + a], dim=-1)
"""
ONE_SUM = """
cell = Sum(D=1, H=1)
for parameter, value in zip(cell.parameters(), (1.0, 0.0, {u})):
    parameter.data[:] = value
"""
ANY_SUM = """
cell = Sum(D={D}, H={H})
cell.W.weight.data = W
cell.W.bias.data[:] = 0.0
cell.U.weight.data = U
"""
ONE_LATE = """
cell = Late(D=1, H=1)
cell.S = 2
cell.W.weight.data[:] = 1.0
cell.W.bias.data[:] = 0.0
"""
RUN = """
outputs, last = run(cell, x{state})
(outputs, last)
"""


@small("4.3", "ElmanCell.step", tries=24)
def a_step_of_one_number(draw: Small) -> Example:
    code = "cell = ElmanCell(D=1, H=1)\ncell.U.weight.data[:] = u\ncell.step(a, s)"
    shape = draw.choice([(1,), (1, 1), (2, 1)])
    values = {"a": draw.tensor(*shape, values=GENTLE), "s": draw.tensor(*shape, values=GENTLE)}
    return example(code, u=draw.choice([2.0, 1.0, 0.5, -1.0]), **values)


@small("4.3", "ElmanCell.step", tries=30)
def a_step_of_some_numbers(draw: Small) -> Example:
    H = draw.integer(2, 3)
    code = f"cell = ElmanCell(D=1, H={H})\ncell.U.weight.data = U\ncell.step(a, s)"
    shape = (*draw.choice([(), (1,), (2,), (2, 1)]), H)
    values = {"a": draw.tensor(*shape, values=GENTLE), "s": draw.tensor(*shape, values=GENTLE)}
    return example(code, U=draw.tensor(H, H, values=GENTLE), **values)


STEP_LEARNS = """
cell.step(a, s).sum().backward()
(a.grad, s.grad, cell.U.weight.grad)
"""


@small("4.3", "ElmanCell.step", tries=2, last=True)
def what_a_step_learns(draw: Small) -> Example:
    code = "cell = ElmanCell(D=1, H=1)\ncell.U.weight.data[:] = 2.0\n" + LEAVES + STEP_LEARNS
    values = {"a": draw.tensor(1, values=(0.0, 1.0)), "s": torch.ones(1)}
    return example(code, **values, changes=["a", "s"])


@small("4.3", "run", tries=36)
def running_sums(draw: Small) -> Example:
    B, T = draw.integer(1, 2), draw.integer(1, 3)
    code = SUM + ONE_SUM.format(u=draw.choice([1.0, 2.0, 0.5]))
    x = draw.tensor(B, T, 1, values=(1.0, 2.0, 0.0))
    if draw.yes():
        return example(code + RUN.format(state=""), x=x)
    state = draw.tensor(B, 1, values=(1.0, 2.0, 3.0))
    return example(code + RUN.format(state=", state"), x=x, state=state)


@small("4.3", "run", tries=20)
def running_sums_of_any_size(draw: Small) -> Example:
    B, T, D, H = (draw.integer(1, 3) for _ in range(4))
    how = {"x": draw.tensor(B, T, D, values=WEIGHTS), "state": draw.tensor(B, H, values=WEIGHTS)}
    how |= {"W": draw.tensor(H, D, values=WEIGHTS), "U": draw.tensor(H, H, values=WEIGHTS)}
    return example(SUM + ANY_SUM.format(D=D, H=H) + RUN.format(state=", state"), **how)


@small("4.3", "run", tries=24)
def running_late(draw: Small) -> Example:
    B, T = draw.integer(1, 2), draw.integer(1, 3)
    x = draw.tensor(B, T, 1, values=(1.0, 2.0, 3.0))
    if draw.yes():
        return example(LATE + ONE_LATE + RUN.format(state=""), x=x)
    state = draw.tensor(B, 2, values=(1.0, 2.0, 0.0))
    return example(LATE + ONE_LATE + RUN.format(state=", state"), x=x, state=state)


@small("4.3", "run", tries=8)
def gradients_of_running_sums(draw: Small) -> Example:
    code = """
x.requires_grad_()
outputs, last = run(cell, x)
outputs.sum().backward()
x.grad
"""
    x = draw.tensor(1, draw.integer(2, 3), 1, values=(1.0, 0.0, 2.0))
    return example(SUM + ONE_SUM.format(u=draw.choice([1.0, 2.0])) + code, x=x, changes=["x"])


@small("4.3", "run", tries=2, last=True)
def gradients_from_the_last_state_to_the_first(draw: Small) -> Example:
    code = """
state.requires_grad_()
outputs, last = run(cell, x, state)
last.sum().backward()
state.grad
"""
    code = SUM + ONE_SUM.format(u=2.0) + code
    return example(
        code, x=torch.ones(1, draw.integer(1, 2), 1), state=torch.ones(1, 1), changes=["state"]
    )


@small("4.3", "run", tries=2)
def sequences_that_a_step_takes(draw: Small) -> Example:
    code = """
class Counted(ElmanCell):
    def step(self, a, s):
        sequences.append(len(a))
        return a

sequences = []
run(Counted(D=1, H=1), torch.zeros(B, T, 1))
sequences
"""
    return example(code, B=2, T=draw.integer(1, 3))


# ------------------------------------------------------------------------------ gates
def gated(draw: Small, kind: str, blocks: int, shape: tuple, values: tuple) -> dict:
    """Draw a and the state of a step."""
    H = shape[-1]
    S = 2 * H if kind == "LSTMCell" else H
    a = draw.tensor(*shape[:-1], blocks * H, values=values)
    return {"a": a, "s": draw.tensor(*shape[:-1], S, values=(1.0, 2.0, 0.0, -1.0))}


LSTM = """
cell = LSTMCell(D=1, H={H})
cell.U.weight.data{U}
cell.step(a, s)
"""
GRU = """
cell = GRUCell(D=1, H={H})
cell.U.weight.data{U}
cell.U.bias.data[:] = {bias}
cell.step(a, s)
"""


@small("4.6", "LSTMCell.step", tries=30)
def an_lstm_of_one_number(draw: Small) -> Example:
    code = LSTM.format(H=1, U=f"[:] = {draw.choice([0.0, 0.0, 1.0])}")
    values = draw.choice([(0.0, 1.0), (99.0, -99.0), (0.0, 1.0, -1.0, 2.0)])
    shape = draw.choice([(1,), (1, 1), (2, 1)])
    return example(code, **gated(draw, "LSTMCell", 4, shape, values))


@small("4.6", "LSTMCell.step", tries=24)
def an_lstm_of_two_numbers(draw: Small) -> Example:
    code = LSTM.format(H=2, U=" = U")
    shape = (*draw.choice([(), (1,), (3,), (2, 1)]), 2)
    how = gated(draw, "LSTMCell", 4, shape, (0.0, 1.0, -1.0))
    return example(code, U=draw.tensor(8, 2, values=(0.0, 1.0)), **how)


@small("4.7", "GRUCell.step", tries=30)
def a_gru_of_one_number(draw: Small) -> Example:
    u, bias = draw.choice([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.0)])
    code = GRU.format(H=1, U=f"[:] = {u}", bias=bias)
    values = draw.choice([(0.0, 1.0), (99.0, -99.0, 0.0), (0.0, 1.0, -1.0, 2.0)])
    shape = draw.choice([(1,), (1, 1), (2, 1)])
    return example(code, **gated(draw, "GRUCell", 3, shape, values))


@small("4.7", "GRUCell.step", tries=24)
def a_gru_of_two_numbers(draw: Small) -> Example:
    code = GRU.format(H=2, U=" = U", bias=draw.choice([0.0, 1.0]))
    shape = (*draw.choice([(), (1,), (3,), (2, 1)]), 2)
    how = gated(draw, "GRUCell", 3, shape, (0.0, 1.0, -1.0))
    return example(code, U=draw.tensor(6, 2, values=(0.0, 1.0)), **how)


def what_a_gated_step_learns(draw: Small, kind: str, code: str, blocks: int) -> Example:
    """The gradients of a step with a gate that is half open, of all that goes into it."""
    how = gated(draw, kind, blocks, (1,), (0.0, 1.0, -1.0))
    return example(
        code.removesuffix("cell.step(a, s)\n") + LEAVES + STEP_LEARNS, **how, changes=["a", "s"]
    )


@small("4.6", "LSTMCell.step", tries=3, last=True)
def what_an_lstm_learns(draw: Small) -> Example:
    return what_a_gated_step_learns(draw, "LSTMCell", LSTM.format(H=1, U="[:] = 1.0"), 4)


@small("4.7", "GRUCell.step", tries=3, last=True)
def what_a_gru_learns(draw: Small) -> Example:
    return what_a_gated_step_learns(draw, "GRUCell", GRU.format(H=1, U="[:] = 1.0", bias=1.0), 3)
