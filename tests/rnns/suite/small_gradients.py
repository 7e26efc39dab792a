"""Small inputs of chapter 4: gradients through time, over distance, and clipped.

Leaves out gradients by hand of a window (small.py).
"""

import torch

from examiner.counterexamples import Example, Small, example, small
from tests.rnns.suite.small import HALF, LATE, ONE_LATE, ONE_SUM, SUM, WEIGHTS, written

# ------------------------------------------------------------------------------ through time
NETWORK = """
cell = ElmanCell(D={D}, H={H})
cell.W.weight.data = torch.eye({H}, {D})
cell.W.bias.data[:] = 0.0
cell.U.weight.data = U
"""
BPTT = """
dict(bptt(cell, x, h, grad{chunk}))
"""


def states_by_hand(draw: Small, B: int, T: int, H: int, U: torch.Tensor, values: tuple) -> tuple:
    """Draw states of -1/2, 0 and 1/2, and the inputs of H numbers that lead to them."""
    h = draw.tensor(B, T, H, values=values)
    before = torch.cat([torch.zeros(B, 1, H), h[:, :-1]], dim=1)
    return 2 * HALF * h - before @ U.T, h


def backwards(draw: Small, B: int, T: int, D: int, H: int, chunk: int, values: tuple) -> Example:
    U = draw.tensor(H, H, values=(2.0, 1.0, 3.0, -1.0) if H == 1 else WEIGHTS)
    x, h = states_by_hand(draw, B, T, H, U, values)
    x = torch.cat([x, draw.tensor(B, T, D - H, values=(1.0, 2.0, 3.0))], dim=-1)
    grad = draw.tensor(B, T, H, values=(1.0, 2.0))
    known = {"U": U, "x": written(x), "h": h, "grad": grad}
    if chunk:
        known["chunk"] = chunk
    code = NETWORK.format(D=D, H=H) + BPTT.format(chunk=", chunk=chunk" if chunk else "")
    return example(code, **known, rtol=1e-3, atol=1e-3)


@small("4.4", "bptt", tries=24)
def back_through_a_few_steps(draw: Small) -> Example:
    T = draw.integer(1, 3)
    return backwards(draw, 1, T, draw.integer(1, 2), 1, 0, (0.5, 0.0))


@small("4.4", "bptt", tries=24)
def back_through_chunks(draw: Small) -> Example:
    T = draw.integer(2, 5)
    return backwards(draw, 1, T, draw.integer(1, 2), 1, draw.integer(1, T), (0.5, 0.0))


@small("4.4", "bptt", tries=24)
def back_through_any_network(draw: Small) -> Example:
    B, T, H = draw.integer(1, 2), draw.integer(1, 3), draw.integer(1, 2)
    return backwards(draw, B, T, draw.integer(H, 3), H, draw.integer(0, T), (0.5, 0.0))


# ------------------------------------------------------------------------------ over distance
SQUARE = """
class Square(ElmanCell):
    def step(self, a, s):
        return a + s**2
"""
ONE_SQUARE = """
cell = Square(D=1, H={H})
cell.W.weight.data[:] = 1.0
cell.W.bias.data[:] = 0.0
"""
NORMS = """
gradient_norms(cell, x, state)
"""


@small("4.5", "gradient_norms", tries=10)
def norms_of_a_running_sum(draw: Small) -> Example:
    code = SUM + ONE_SUM.format(u=draw.choice([2.0, 0.5, 3.0, -2.0])) + NORMS
    x = draw.tensor(draw.integer(1, 3), 1, values=(1.0, 0.0))
    return example(code, x=x, state=draw.tensor(1, values=(1.0, 0.0)))


@small("4.5", "gradient_norms", tries=14)
def norms_of_squares(draw: Small) -> Example:
    H = draw.integer(1, 2)
    x = draw.tensor(draw.integer(1, 3), 1, values=(0.0, 1.0))
    state = draw.tensor(H, values=(1.0, 0.5, 2.0))
    return example(SQUARE + ONE_SQUARE.format(H=H) + NORMS, x=x, state=state)


@small("4.5", "gradient_norms", tries=12)
def norms_of_matrices(draw: Small) -> Example:
    code = f"{SUM}\ncell = Sum(D=1, H=2)\ncell.U.weight.data = U\n{NORMS}"
    x, state = torch.zeros(draw.integer(1, 3), 1), torch.zeros(2)
    return example(code, U=draw.tensor(2, 2, values=(1.0, 2.0, 0.0)), x=x, state=state)


@small("4.5", "gradient_norms", tries=10)
def norms_of_a_larger_state(draw: Small) -> Example:
    x = draw.tensor(draw.integer(1, 3), 1, values=(1.0, 0.0, 2.0))
    return example(LATE + ONE_LATE + NORMS, x=x, state=draw.tensor(2, values=(0.0, 1.0)))


GROWING = """
class Growing(ElmanCell):
    def step(self, a, s):
        h, c = s.chunk(2, dim=-1)
        return torch.cat([c + a, c**2], dim=-1)
"""


@small("4.5", "gradient_norms", tries=4, last=True)
def norms_where_the_second_part_matters(draw: Small) -> Example:
    code = GROWING + ONE_LATE.replace("Late", "Growing") + NORMS
    state = torch.tensor([0.0, draw.choice([2.0, 3.0])])
    return example(code, x=torch.zeros(2, 1), state=state)


@small("4.5", "gradient_norms", tries=1, last=True)
def norms_are_plain_numbers(draw: Small) -> Example:
    code = SUM + ONE_SUM.format(u=2.0) + "gradient_norms(cell, x, state).requires_grad\n"
    return example(code, x=torch.zeros(2, 1), state=torch.zeros(1))


CLIP_ONE = """
p = nn.Parameter(torch.zeros({n}))
p.grad = grad
norm = clip_gradients({parameters}, most)
(float(norm), p.grad)
"""
CLIP_TWO = """
p = nn.Parameter(torch.zeros({n}))
q = nn.Parameter(torch.zeros(2))
p.grad = grad
{second}
norm = clip_gradients({parameters}, most)
(float(norm), p.grad, q.grad)
"""
GRADS = ([3.0, 4.0], [4.0, 3.0], [0.0, 2.0], [2.0], [4.0], [6.0, 8.0], [-3.0, 4.0])
LONGER = ([1.0, 2.0, 2.0], [2.0, 0.0, 0.0], [0.0, 3.0, 4.0])


@small("4.5", "clip_gradients", tries=20)
def one_gradient(draw: Small) -> Example:
    grad, most = draw.choice(GRADS), draw.choice([1.0, 2.5, 2.0, 5.0, 10.0])
    code = CLIP_ONE.format(n=len(grad), parameters="[p]")
    return example(code, grad=torch.tensor(grad), most=most, rtol=1e-3, changes=["grad"])


@small("4.5", "clip_gradients", tries=6)
def a_gradient_of_an_iterator(draw: Small) -> Example:
    grad, most = draw.choice(LONGER), draw.choice([1.0, 2.0])
    code = CLIP_ONE.format(n=len(grad), parameters="iter([p])")
    return example(code, grad=torch.tensor(grad), most=most, rtol=1e-3, changes=["grad"])


@small("4.5", "clip_gradients", tries=1, last=True)
def a_gradient_of_zeros(draw: Small) -> Example:
    code = CLIP_ONE.format(n=2, parameters="[p]")
    return example(code, grad=torch.zeros(2), most=1.0, changes=["grad"])


@small("4.5", "clip_gradients", tries=20)
def two_gradients(draw: Small) -> Example:
    first, most = draw.choice([[3.0], [4.0], [2.0, 1.0]]), draw.choice([1.0, 2.5, 2.0, 10.0])
    how = {"grad": torch.tensor(first), "most": most, "rtol": 1e-3}
    if draw.integer(0, 3):
        other = torch.tensor(draw.choice([[0.0, 4.0], [3.0, 0.0], [2.0, 0.0]]))
        code = CLIP_TWO.format(n=len(first), parameters="[p, q]", second="q.grad = other")
        return example(code, **how, other=other, changes=["grad", "other"])
    code = CLIP_TWO.format(n=len(first), parameters="[p, q]", second="")
    return example(code, **how, changes=["grad"])


@small("4.5", "clip_gradients", tries=6)
def a_gradient_that_someone_holds(draw: Small) -> Example:
    code = """
p = nn.Parameter(torch.zeros(3))
p.grad = grad
clip_gradients([p], most)
grad
"""
    grad, most = torch.tensor(draw.choice(LONGER)), draw.choice([1.0, 1.5])
    return example(code, grad=grad, most=most, rtol=1e-3, changes=["grad"])


@small("4.5", "clip_gradients", tries=1)
def no_gradient_at_all(draw: Small) -> Example:
    code = "p = nn.Parameter(torch.zeros(2))\n(float(clip_gradients([p], most)), p.grad)"
    return example(code, most=1.0)
