"""Cells of the tests' own for chapter 4: some run beside the student's code, some are the truth.

Leaves out models of words (toys.py).
"""

import torch
from torch import nn

from examiner.suite import set_parameters, ship


def tensor(rng, *shape):
    """A random tensor in single precision."""
    return torch.from_numpy(rng.normal(size=shape).astype("float32"))


def leaf(x):
    """A copy that gathers gradients."""
    return x.clone().requires_grad_()


def weights_for(rng, cell):
    """Random values for the parameters of a student's cell."""
    names = cell.state_dict()
    return {name: tensor(rng, *names[name].shape) / 2 for name in names}


def torch_layer(kind, w, **options):
    """torch's own layer, nn.RNN, nn.LSTM or nn.GRU, with the weights of a cell."""
    H, D = w["U.weight"].shape[1], w["W.weight"].shape[1]
    layer = kind(D, H, batch_first=True, **options)
    copy_layer(layer, w, "l0")
    return layer


def copy_layer(layer, w, ending):
    """Copy the weights of a cell into one layer, or direction, of torch's."""
    second = w.get("U.bias", torch.zeros(len(w["W.bias"])))
    values = {"weight_ih": w["W.weight"], "weight_hh": w["U.weight"], "bias_ih": w["W.bias"]}
    values["bias_hh"] = second
    set_parameters(layer, {f"{name}_{ending}": value for name, value in values.items()})


@ship
def gradients_of_layer(cell, x, s, pull):
    """Walk through the steps of x; the outputs, and gradients for x and for the parameters."""
    cell.zero_grad()
    x, outputs = x.clone().requires_grad_(), []
    s = 1.0 * s.clone().requires_grad_()  # part of the graph, as all later states are
    for k in range(x.shape[1]):
        s = cell.step(cell.W(x[:, k]), s)
        outputs.append(s[:, : cell.H])
    y = torch.stack(outputs, dim=1)
    (y * pull).sum().backward()
    return y.detach(), x.grad, {name: p.grad for name, p in cell.named_parameters()}


@ship
def gradients_of_run(run, cell, x, pull):
    """The gradients of a weighted sum of the outputs of `run`, for each parameter of the cell."""
    cell.zero_grad()
    (run(cell, x)[0] * pull).sum().backward()
    return {name: p.grad for name, p in cell.named_parameters()}


@ship
def spell(ElmanCell, run, w, out_weights, letters, max_steps):
    """Train a cell and a linear layer on one word; the steps, what is spelled, and the weights."""
    n, H = out_weights["weight"].shape
    cell, out = ElmanCell(n, H), nn.Linear(H, n)
    cell.load_state_dict(w)
    out.load_state_dict(out_weights)
    optimizer = torch.optim.Adam([*cell.parameters(), *out.parameters()], 0.03)
    x = nn.functional.one_hot(letters[:-1], n).float()[None]
    spelled, steps = [], -1
    while spelled != letters[1:].tolist() and steps < max_steps:
        before = [{k: v.clone() for k, v in net.state_dict().items()} for net in (cell, out)]
        logits, steps = out(run(cell, x)[0])[0], steps + 1
        spelled = logits.argmax(-1).tolist()
        optimizer.zero_grad()
        nn.functional.cross_entropy(logits, letters[1:]).backward()
        optimizer.step()
    return steps, spelled, before


# ------------------------------------------------------------------ cells of the tests' own
# subtle: they run beside the student's code, which could call them. So none is the answer of a task
@ship
def leaky(keep):
    """A cell of one number: a share of the state stays, and the input is added."""

    class Leaky(nn.Module):
        def __init__(self):
            super().__init__()
            self.D, self.H, self.S = 1, 1, 1
            self.W, self.U = nn.Linear(1, 1), nn.Linear(1, 1, bias=False)

        def step(self, a, s):
            return a + self.U(s)

    cell = Leaky()
    values = {"W.weight": [[1.0]], "W.bias": [0.0], "U.weight": [[keep]]}
    cell.load_state_dict({name: torch.tensor(value) for name, value in values.items()})
    return cell


@ship
def wavy(w):
    """A cell whose state is its output."""
    H, D = w["W.weight"].shape

    class Wavy(nn.Module):
        def __init__(self):
            super().__init__()
            self.D, self.H, self.S = D, H, H
            self.W, self.U = nn.Linear(D, H), nn.Linear(H, H, bias=False)

        def step(self, a, s):
            return torch.sin(a + self.U(s)) + 0.3 * s

    cell = Wavy()
    cell.load_state_dict(w)
    return cell


@ship
def twofold(w):
    """A cell that carries more than its output: half of a second part stays from step to step."""
    H, D = w["U.weight"].shape[1], w["W.weight"].shape[1]

    class Twofold(nn.Module):
        def __init__(self):
            super().__init__()
            self.D, self.H, self.S = D, H, 2 * H
            self.W, self.U = nn.Linear(D, 2 * H), nn.Linear(H, 2 * H, bias=False)

        def step(self, a, s):
            h, c = s.chunk(2, dim=-1)
            new, shown = (a + self.U(h)).chunk(2, dim=-1)
            c = 0.5 * c + new.sin()
            return torch.cat([c * shown.cos(), c], dim=-1)

    cell = Twofold()
    cell.load_state_dict(w)
    return cell


def wavy_weights(rng, D, H):
    """Random weights of one wavy cell."""
    shapes = {"W.weight": (H, D), "W.bias": (H,), "U.weight": (H, H)}
    return {name: tensor(rng, *shape) / 2 for name, shape in shapes.items()}


def twofold_weights(rng, D, H):
    """Random weights of one twofold cell."""
    shapes = {"W.weight": (2 * H, D), "W.bias": (2 * H,), "U.weight": (2 * H, H)}
    return {name: tensor(rng, *shape) / 2 for name, shape in shapes.items()}


def walk(cell, x, s=None):
    """What task 4.3 asks of `run`, here and nowhere else."""
    s = torch.zeros(len(x), cell.S) if s is None else s
    outputs = []
    for k in range(x.shape[1]):
        s = cell.step(cell.W(x[:, k]), s)
        outputs.append(s[:, : cell.H])
    return torch.stack(outputs, dim=1), s


@ship
def with_leaky(function, keeps, *inputs):
    """Call a function with one leaky cell, or with a list of them."""
    cells = [leaky(keep) for keep in keeps] if isinstance(keeps, list) else leaky(keeps)
    return detached(function(cells, *inputs))


@ship
def two_leaky(function, one, other, x):
    """Call a function with two leaky cells."""
    return detached(function(leaky(one), leaky(other), x))


@ship
def with_cells_once(function, keeps, *inputs):
    """Call a function with leaky cells that can be gone through once."""
    return detached(function((leaky(keep) for keep in keeps), *inputs))


@ship
class Negative(nn.Module):
    """Stands in for dropout: what it lets through has the other sign."""

    def forward(self, x):
        return -x


@ship
def with_negative(function, keeps, x):
    """Call a function with leaky cells, and with a module between them that can be seen at work."""
    return detached(function([leaky(keep) for keep in keeps], x, None, Negative()))


@ship
class Halved(nn.Module):
    """Stands in for dropout: of what it lets through, half is left."""

    def forward(self, x):
        return x / 2


@ship
def with_halved(function, all_weights, *inputs):
    """Call a function with twofold cells, and with a module between them that can be counted."""
    return detached(function([twofold(w) for w in all_weights], *inputs, Halved()))


@ship
def with_wavy(function, w, *inputs):
    """Call a function with one wavy cell."""
    return detached(function(wavy(w), *inputs))


@ship
def with_twofold(function, all_weights, as_list, *inputs):
    """Call a function with twofold cells, one argument for each, or all of them as a list."""
    cells = [twofold(w) for w in all_weights]
    return detached(function(*([cells] if as_list else cells), *inputs))


@ship
def asked(function, w, x):
    """Call a function with a twofold cell; of how many rows each step was that it was asked for."""
    cell, seen = twofold(w), []
    step = cell.step
    cell.step = lambda a, s: seen.append(len(a)) or step(a, s)
    function(cell, x)
    return seen


@ship
def detached(answer):
    """An answer without what autograd keeps of it."""
    if isinstance(answer, (list, tuple)):
        return [detached(each) for each in answer]
    return answer.detach() if isinstance(answer, torch.Tensor) else answer


@ship
def clipped(clip_gradients, gradients, most, once=False, held=False):
    """Clip these gradients (None: there is none); the norm told, and the gradients afterwards.

    once: the parameters can be gone through once; held: look at the tensors that were there before.
    """
    parameters = [nn.Parameter(torch.ones(2 if g is None else g.shape)) for g in gradients]
    before = [None if g is None else g.clone() for g in gradients]
    for parameter, g in zip(parameters, before, strict=True):
        parameter.grad = g
    norm = clip_gradients(iter(parameters) if once else tuple(parameters), most)
    return float(norm), before if held else [parameter.grad for parameter in parameters]


@ship
def learned(function, all_weights, as_list, x, s, pulls):
    """Call a function with twofold cells; the gradients of x, of s and of each cell's U."""
    cells = [twofold(w) for w in all_weights]
    leaves = [each.clone().requires_grad_() for each in (x, s) if each is not None]
    found = function(*([cells] if as_list else cells), *leaves)
    found = found if isinstance(found, tuple | list) else (found,)
    sum((each * pull).sum() for each, pull in zip(found, pulls, strict=True)).backward()
    return [each.grad for each in leaves] + [cell.U.weight.grad for cell in cells]


@ship
def needs_gradients(function, w, *inputs):
    """Whether what a function returns of a wavy cell is still part of a graph."""
    return bool(getattr(function(wavy(w), *inputs), "requires_grad", False))
