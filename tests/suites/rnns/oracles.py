"""Nets of the tests' own for chapter 4: some run beside the student's code, some are the truth."""

import torch
from torch import nn

from nextword.suite import set_parameters, ship


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
def slopes_of_layer(cell, x, s, pull):
    """Walk through the steps of x; the outputs, their slopes for x and for the parameters."""
    cell.zero_grad()
    x, outputs = x.clone().requires_grad_(), []
    for k in range(x.shape[1]):
        s = cell.step(cell.W(x[:, k]), s)
        outputs.append(s[:, : cell.H])
    y = torch.stack(outputs, dim=1)
    (y * pull).sum().backward()
    return y.detach(), x.grad, {name: p.grad for name, p in cell.named_parameters()}


@ship
def slopes_of_run(run, cell, x, pull):
    """The slopes of a weighted sum of the outputs of `run`, for each parameter of the cell."""
    cell.zero_grad()
    (run(cell, x)[0] * pull).sum().backward()
    return {name: p.grad for name, p in cell.named_parameters()}


@ship
def spell(ElmanCell, run, letters, max_steps):
    """Train a cell and a linear layer on one word; the number of steps, and what is spelled."""
    torch.manual_seed(len(letters))
    n = int(letters.max()) + 1
    cell, out = ElmanCell(n, 10), nn.Linear(10, n)
    optimizer = torch.optim.Adam([*cell.parameters(), *out.parameters()], 0.03)
    x = nn.functional.one_hot(letters[:-1], n).float()[None]
    spelled, steps = [], -1
    while spelled != letters[1:].tolist() and steps < max_steps:
        logits, steps = out(run(cell, x)[0])[0], steps + 1
        spelled = logits.argmax(-1).tolist()
        optimizer.zero_grad()
        nn.functional.cross_entropy(logits, letters[1:]).backward()
        optimizer.step()
    return steps, spelled


@ship
class Leaky(nn.Module):
    """A cell of one number: half of the state stays, the input is added."""

    def __init__(self, keep):
        super().__init__()
        self.D = self.H = self.S = 1
        self.keep, self.W = keep, nn.Linear(1, 1)
        nn.init.ones_(self.W.weight)
        nn.init.zeros_(self.W.bias)

    def step(self, a, s):
        return self.keep * s + a

    def forward(self, x, s):
        return self.step(self.W(x), s)


@ship
class Gated(nn.Module):
    """A cell that carries more than its output: an LSTM, with torch's own as its step."""

    def __init__(self, D, H, w):
        super().__init__()
        self.D, self.H, self.S = D, H, 2 * H
        self.W, self.U = nn.Linear(D, 4 * H), nn.Linear(H, 4 * H, bias=False)
        self.load_state_dict(w)

    def step(self, a, s):
        h, c = s.chunk(2, dim=-1)
        i, f, g, o = (a + self.U(h)).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return torch.cat([o.sigmoid() * c.tanh(), c], dim=-1)

    def forward(self, x, s):
        return self.step(self.W(x), s)


@ship
class Plain(nn.Module):
    """Elman's cell, for tests of other tasks than his."""

    def __init__(self, w):
        super().__init__()
        rows, D = w["W.weight"].shape
        self.D, self.H, self.S = D, rows, rows
        self.W, self.U = nn.Linear(D, rows), nn.Linear(rows, rows, bias=False)
        self.load_state_dict(w)

    def step(self, a, s):
        return torch.tanh(a + self.U(s))

    def forward(self, x, s):
        return self.step(self.W(x), s)


def plain_weights(rng, D, H):
    """Random weights of one cell of Elman's."""
    shapes = {"W.weight": (H, D), "W.bias": (H,), "U.weight": (H, H)}
    return {name: tensor(rng, *shape) / 2 for name, shape in shapes.items()}


@ship
def with_plain(function, w, *inputs):
    """Call a function with one cell of Elman's."""
    return detached(function(Plain(w), *inputs))


@ship
def walk(cell, x, s=None):
    """What task 4.3 asks of `run`."""
    s = torch.zeros(len(x), cell.S) if s is None else s
    outputs = []
    for k in range(x.shape[1]):
        s = cell(x[:, k], s)
        outputs.append(s[:, : cell.H])
    return torch.stack(outputs, dim=1), s


@ship
def with_right(name, right, function, *inputs):
    """Call a function of the student's while a right one stands in for another of the student's.

    So a mistake in one does not cost points of those that are built on it.
    """
    names = getattr(function, "__globals__", {})
    own = names.get(name)
    if own is None or own is function:
        return function(*inputs)
    names[name] = right
    try:
        return function(*inputs)
    finally:
        names[name] = own


@ship
def with_right_run(function, *inputs):
    """Call a function of the student's while `walk` stands in for the student's own `run`."""
    return with_right("run", walk, function, *inputs)


@ship
def with_leaky(function, keeps, *inputs):
    """Call a function with one leaky cell, or with a list of them."""
    cells = [Leaky(keep) for keep in keeps] if isinstance(keeps, list) else Leaky(keeps)
    return detached(with_right_run(function, cells, *inputs))


@ship
def with_cells_once(function, keeps, *inputs):
    """Call a function with leaky cells that can be gone through once."""
    return detached(with_right_run(function, (Leaky(keep) for keep in keeps), *inputs))


@ship
def with_gated(function, all_weights, as_list, *inputs):
    """Call a function with LSTMs, one argument for each, or all of them as a list."""
    cells = [Gated(w["W.weight"].shape[1], w["U.weight"].shape[1], w) for w in all_weights]
    return detached(with_right_run(function, *([cells] if as_list else cells), *inputs))


@ship
def detached(answer):
    """An answer without what autograd keeps of it."""
    if isinstance(answer, (list, tuple)):
        return [detached(each) for each in answer]
    return answer.detach() if isinstance(answer, torch.Tensor) else answer


def gated_weights(rng, D, H):
    """Random weights of one LSTM."""
    shapes = {"W.weight": (4 * H, D), "W.bias": (4 * H,), "U.weight": (4 * H, H)}
    return {name: tensor(rng, *shape) / 2 for name, shape in shapes.items()}


@ship
def clipped(clip_gradients, slopes, most, once=False, held=False):
    """Clip these gradients (None: there is none); the norm told, and the gradients afterwards.

    once: the parameters can be gone through once; held: look at the tensors that were there before.
    """
    parameters = [nn.Parameter(torch.ones(2 if g is None else g.shape)) for g in slopes]
    before = [None if g is None else g.clone() for g in slopes]
    for parameter, g in zip(parameters, before, strict=True):
        parameter.grad = g
    norm = clip_gradients(iter(parameters) if once else parameters, most)
    return float(norm), before if held else [parameter.grad for parameter in parameters]


@ship
class Toy(nn.Module):
    """A language model with a state: each word's logits depend on all words before it."""

    def __init__(self, w, noisy=False):
        super().__init__()
        self.word, self.out = nn.Parameter(w["word"].clone()), nn.Parameter(w["out"].clone())
        bias = w.get("bias", torch.zeros(w["out"].shape[1]))
        self.register_buffer("bias", bias, persistent=False)
        self.noisy, self.shapes = noisy, []

    def forward(self, tokens, s=None):
        self.shapes.append(list(tokens.shape))
        s = self.word.new_zeros(len(tokens), self.word.shape[1]) if s is None else s
        logits = []
        for k in range(tokens.shape[1]):
            s = torch.tanh(0.8 * s + self.word[tokens[:, k]])
            logits.append(s @ self.out + self.bias)
        noise = 100.0 if self.noisy and self.training else 0.0
        return torch.stack(logits, dim=1) + noise * torch.eye(self.out.shape[1])[3], s


def toy_weights(rng, V, H=4):
    """Random weights of a toy model."""
    return {"word": tensor(rng, V, H), "out": 2 * tensor(rng, H, V)}


def speaker_weights(rng, V, never=(0, 1)):
    """Random weights of a toy model that hardly ever says some words, PAD and BOS by default."""
    bias = torch.zeros(V)
    bias[list(never)] = -50.0
    return toy_weights(rng, V) | {"bias": bias}


@ship
def batch_of(stories):
    """What task 4.9 asks of `make_batch`."""
    longest = 1 + max(map(len, stories))
    fill = [[0] * (longest - 1 - len(story)) for story in stories]
    inputs = [[1, *story, *rest] for story, rest in zip(stories, fill, strict=True)]
    targets = [[*story, 2, *rest] for story, rest in zip(stories, fill, strict=True)]
    return torch.tensor(inputs), torch.tensor(targets)


@ship
def with_toy(function, w, noisy, *inputs):
    """Call a function with a toy model in training mode; the answer, and the shapes it read.

    `batch_of` stands in for the student's own `make_batch`.
    """
    model = Toy(w, noisy).train()
    return with_right("make_batch", batch_of, function, model, *inputs), model.shapes


@ship
def drawn(generate, w, n, seed, most, prompt, noisy=False):
    """Let a toy model in training mode tell n stories; these, and the shapes it read."""
    model = Toy(w, noisy).train()
    stories = generate(model, n, torch.Generator().manual_seed(seed), most, prompt)
    return [[int(word) for word in story] for story in stories], model.shapes


@ship
class Chain(nn.Module):
    """Says its words in a fixed order; of two states that begin alike it keeps each its own."""

    def __init__(self, n_words):
        super().__init__()
        self.n_words, self.n_calls = n_words, 0

    def forward(self, tokens, s=None):
        self.n_calls += 1
        B, T = tokens.shape
        s = torch.zeros(B, 1) if s is None else s
        counts = s + torch.arange(1, T + 1)
        following = torch.where(counts > self.n_words, 2, counts.long() + 2)
        return 99.0 * nn.functional.one_hot(following, 9), counts[:, -1:].float()


@ship
def with_chain(generate, n_words, n, seed, most):
    """Let a chain of so many words tell n stories; these, and how often it was asked."""
    model = Chain(n_words)
    return generate(model, n, torch.Generator().manual_seed(seed), most), model.n_calls


@ship
def train_toy(train_batch, w, batch, chunk, clip, rate, times):
    """Train a toy model with SGD on one batch, again and again; losses and weights after it."""
    model = Toy(w)
    optimizer = torch.optim.SGD(model.parameters(), rate)
    losses = [train_batch(model, optimizer, batch, chunk, clip) for _ in range(times)]
    return [float(loss) for loss in losses], model.state_dict()


@ship
def train_broken(train_batch, w, batch):
    """Train a toy model whose loss is no number: FloatingPointError, or not? And its weights."""
    model = Toy(w)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    try:
        train_batch(model, optimizer, batch, 2, 1.0)
    except FloatingPointError:
        return True, model.state_dict()
    return False, model.state_dict()


@ship
def stopped(stop_early, losses, most, patience):
    """Let training see these validation losses.

    Returns the curve, the weight at the end (how many epochs it had seen), the number of epochs,
    and how many had been made at each validation.
    """
    model, left, made, when = nn.Linear(1, 1, bias=False), iter(losses), [], []
    nn.init.zeros_(model.weight)

    def epoch():
        with torch.no_grad():
            model.weight += 1.0
        made.append(1)
        return float(len(made))

    def validate():
        when.append(len(made))
        return next(left, 1e9)

    curve = stop_early(model, epoch, validate, most, patience)
    return [list(point) for point in curve], model.weight.item(), len(made), when


@ship
def two_leaky(function, one, other, x):
    """Call a function with two leaky cells."""
    return detached(with_right_run(function, Leaky(one), Leaky(other), x))
