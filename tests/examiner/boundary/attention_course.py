"""A small torch chapter: its reference, its suite, and submissions of every kind."""

REFERENCE = '''"""Attention. Leaves out: everything else."""

from collections import namedtuple

import torch
from torch import nn

Scores = namedtuple("Scores", "best mean")


def attention(q, k, v, mask=None):
    scores = q @ k.transpose(-1, -2) / k.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights


class Heads(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(size, 3 * size, bias=False)
        self.out = nn.Linear(size, size, bias=False)
        self.cache = []

    def forward(self, x):
        B, T, D = x.shape
        parts = self.qkv(x).reshape(B, T, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        mask = torch.ones(T, T, dtype=torch.bool).tril()
        y, _ = attention(*parts, mask)
        return self.out(y.transpose(1, 2).reshape(B, T, D))

    def __add__(self, other):
        return [self.heads, other]

    def __len__(self):
        return self.heads


class Generator:
    """Keeps what it has seen."""

    def __init__(self, table):
        self.table, self.cache = table, []

    def __iter__(self):
        return self

    def __next__(self):
        if len(self.cache) == len(self.table):
            raise StopIteration
        self.cache.append(self.table[len(self.cache)])
        return self.cache[-1]

    def __enter__(self):
        self.cache = []
        return self

    def __exit__(self, *_):
        self.cache = ["left"]


class SGD:
    def __init__(self, parameters, lr):
        self.parameters, self.lr = list(parameters), lr

    @torch.no_grad()
    def step(self):
        for p in self.parameters:
            if p.grad is not None:
                p -= self.lr * p.grad


def train(net, x, y, steps, rate, on_step=None):
    optimizer, losses = SGD(net.parameters(), rate), []
    for _ in range(steps):
        loss = ((net(x) - y) ** 2).mean()
        net.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if on_step is not None:
            on_step(net, loss)
    return losses


def apply(function, x, **options):
    return function(x, **options)


def draw(generator):
    return torch.rand(2, generator=generator)


def shift(x):
    return x + 1


def shift_in_place(x):
    x += 1


def score(words):
    return Scores(max(words), sum(words) / len(words))
'''

SUITE = '''"""The suite of the nets."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from examiner.suite import (
    changes,
    close,
    gradients,
    same_training_step,
    set_parameters,
    ship,
    student_module,
)

tiny = student_module("tiny")


def tensor(rng, *shape):
    return torch.from_numpy(rng.normal(size=shape).astype("float32"))


@ship
def calls(net, x):
    seen = []
    net.register_forward_hook(lambda *_: seen.append(1))
    net(x)
    return len(seen)


@ship
class Doubling(nn.Module):
    def forward(self, x):
        return 2 * x


@ship
def apply_doubling(apply, x):
    return apply(Doubling(), x)


@ship
def count_steps(net, loss):
    net.cache.append(loss.item())


@ship
def derived(Net, x):
    class Tagged(Net):
        def forward(self, x):
            return super().forward(x), "tag"

    torch.manual_seed(1)
    return Tagged(4, 2)(x)[1], issubclass(Tagged, nn.Module), isinstance(Tagged(4, 2), Net)


@pytest.mark.task("9.1", visible=True, seconds=20)
def test_attention(tiny, rng):
    """Attention is what torch computes."""
    q, k, v = (tensor(rng, 2, 3, 4) for _ in range(3))
    mask = torch.ones(3, 3, dtype=torch.bool).tril()
    got, weights = tiny.attention(q, k, v, mask)
    assert close(got, F.scaled_dot_product_attention(q, k, v, attn_mask=mask))
    assert close(weights.sum(-1), torch.ones(2, 3))


@pytest.mark.task("9.1", seconds=20)
def test_slopes(tiny, rng):
    """Gradients flow through the value and through the weights."""
    q, k, v = (tensor(rng, 3, 4) for _ in range(3))
    pull = tensor(rng, 3, 4)
    _, slopes, _ = gradients(tiny.attention, q, k, v, weights=(pull, None))
    _, oracle, _ = gradients(F.scaled_dot_product_attention, q, k, v, weights=pull)
    assert close(slopes, oracle)
    _, (of_rows, *_), _ = gradients(tiny.attention, q, k, v, output=1)
    assert close(of_rows, torch.zeros(3, 4))  # rows sum to one, whatever the query


@pytest.mark.task("9.1", seconds=20)
def test_heads(tiny, rng):
    """With copied weights, heads are what torch's own module computes."""
    net, x = tiny.Heads(4, 2), tensor(rng, 2, 5, 4)
    weights = {"qkv.weight": tensor(rng, 12, 4), "out.weight": tensor(rng, 4, 4)}
    set_parameters(net, weights)
    oracle = nn.MultiheadAttention(4, 2, bias=False, batch_first=True)
    set_parameters(oracle, {"in_proj_weight": weights["qkv.weight"]})
    set_parameters(oracle, {"out_proj.weight": weights["out.weight"]})
    mask = torch.ones(5, 5, dtype=torch.bool).triu(1)
    assert close(net(x), oracle(x, x, x, attn_mask=mask)[0])
    assert close(net.state_dict(), weights)
    assert isinstance(net, nn.Module) and not isinstance(net, nn.Linear)
    assert isinstance(net.qkv, nn.Linear) and issubclass(tiny.Heads, nn.Module)
    assert isinstance(net.out.weight, nn.Parameter) and net.out.weight.requires_grad
    assert net.qkv is net.qkv and net.qkv is not net.out
    assert len(net) == 2 and net + 3 == [2, 3]


@pytest.mark.task("9.1", seconds=20)
def test_training(tiny, rng):
    """Training reduces the loss as torch's own optimizer does."""
    net, x, y = tiny.Heads(4, 1), tensor(rng, 2, 3, 4), tensor(rng, 2, 3, 4)
    losses = tiny.train(net, x, y, 5, 0.1, on_step=count_steps)
    assert losses[-1] < losses[0] and close(net.cache, losses)
    start, slopes = [tensor(rng, 3)], [[tensor(rng, 3)] for _ in range(3)]
    assert same_training_step(tiny.SGD, torch.optim.SGD, start, slopes, lr=0.3)


@pytest.mark.task("9.2", visible=True)
def test_generator(tiny, rng):
    """A generator keeps its cache between steps."""
    drawn = rng.integers(9, size=3).tolist()
    generator = tiny.Generator(drawn)
    assert next(generator) == drawn[0] and generator.cache == drawn[:1]
    with generator as same:
        assert same is generator and list(generator) == drawn
    assert generator.cache == ["left"]
    with pytest.raises(StopIteration):
        next(tiny.Generator([]))


@pytest.mark.task("9.2", seconds=20)
def test_functions(tiny, rng):
    """Functions of libraries, of the student and of the suite can be arguments."""
    x = tensor(rng, 3)
    assert close(tiny.apply(torch.relu, x), torch.relu(x))
    assert close(tiny.apply(nn.functional.gelu, x), F.gelu(x))
    assert tiny.apply(math.tanh, 0.5) == math.tanh(0.5)
    assert tiny.apply(len, [1, 2]) == 2
    assert close(tiny.apply(tiny.shift, x), x + 1)
    net = tiny.Heads(4, 2)
    assert close(tiny.apply(net.forward, torch.zeros(1, 2, 4)), torch.zeros(1, 2, 4))
    assert tiny.apply(torch.zeros, 2, dtype=torch.float64).dtype is torch.float64
    assert tiny.apply(torch.ones, 2, device=torch.device("cpu")).device.type == "cpu"
    assert isinstance(tiny.apply(nn.LayerNorm, 3), nn.LayerNorm)
    assert close(apply_doubling(tiny.apply, x), 2 * x)
    assert list(tiny.apply(list, range(3))) == [0, 1, 2]
    assert tiny.apply(np.sqrt, 4.0) == 2.0


@pytest.mark.task("9.2", seconds=20)
def test_helpers(tiny, rng):
    """Helpers of the suite run where the student's objects are."""
    net, x = tiny.Heads(4, 2), tensor(rng, 1, 2, 4)
    assert calls(net, x) == 1 == calls(nn.ReLU(), x)
    assert derived(tiny.Heads, x) == ("tag", True, True)


@pytest.mark.task("9.2", visible=True, seconds=2)
def test_arguments(tiny, rng):
    """A function may change its argument where the test expects it."""
    x = changes(torch.zeros(2))
    tiny.shift_in_place(x)
    assert close(x.value, torch.ones(2))
    words = [3, 1, 2]
    tiny.shift(torch.zeros(2))
    assert close(tiny.score(words), (3, 2.0)) and tiny.score(words).best == 3
    assert words == [3, 1, 2]


@pytest.mark.task("9.2", seconds=20)
def test_draws(tiny, rng):
    """A random generator moves on."""
    generator = torch.Generator().manual_seed(3)
    first, second = tiny.draw(generator), tiny.draw(generator)
    assert torch.equal(first, torch.rand(2, generator=torch.Generator().manual_seed(3)))
    assert not torch.equal(first, second)
'''
