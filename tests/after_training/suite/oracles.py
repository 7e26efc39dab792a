"""What the tests of chapter 7 expect, in plain loops, and parts that stand in for a student's."""

import math
from itertools import product

import numpy as np
import torch
from torch import nn

from examiner.suite import ship

PAD, BOS, EOS, IGNORE = 0, 1, 2, -100


def tensor(rng, *shape, kind=torch.float32):
    """Random numbers, also where the shape holds no axis."""
    return torch.tensor(rng.normal(size=shape), dtype=kind)


def log_shares(rng, N, kind=torch.float32):
    """Log-probabilities of N texts, none of which is very rare."""
    shares = rng.uniform(0.5, 3.0, size=N)
    return torch.tensor(shares / shares.sum(), dtype=torch.float64).log().to(kind)


def nothing_or_zero(grad):
    """Whether no gradient has come."""
    return grad is None or not bool(grad.any())


def is_array(found):
    """Whether an answer is a tensor or an array, and no list."""
    return isinstance(found, torch.Tensor | np.ndarray)


@ship
def told(function, *inputs):
    """The value of a student's function for inputs that ask for gradients, and if it has one."""
    leaves = [each.clone().requires_grad_() if torch.is_tensor(each) else each for each in inputs]
    value = function(*leaves)
    return value.detach(), value.requires_grad


# ------------------------------------------------------------------ 7.1
def chat(turns, marks):
    """A row and which of its tokens are answers, token by token."""
    row, answers = [BOS], [False]
    for role, words in turns:
        row += [marks[role], *words, EOS]
        answers += [False, *[role == "assistant" for _ in range(len(words) + 1)]]
    return row, answers


def batch(rows):
    """Inputs and targets of rows, place by place."""
    T = max(len(row) for row, _ in rows) - 1
    inputs = torch.full((len(rows), T), PAD)
    targets = torch.full((len(rows), T), IGNORE)
    for b, (row, answers) in enumerate(rows):
        for t in range(len(row) - 1):
            inputs[b, t] = row[t]
            if answers[t + 1]:
                targets[b, t] = row[t + 1]
    return inputs, targets


def token_logs(logits, targets):
    """For each text its targets' log-probabilities, in lists."""
    logs = logits - logits.logsumexp(-1, keepdim=True)
    rows = zip(logs, targets.tolist(), strict=True)
    return [
        [log[word] for log, word in zip(row, words, strict=True) if word != IGNORE]
        for row, words in rows
    ]


def some_targets(rng, *lengths, V=6, least=1):
    """Logits and targets of texts; each has its own number of targets, anywhere in it.

    The last place of the first text that has any is one: no draw spares who forgets that place.

    least: the smallest id of a target; 0 is that of PAD.
    """
    T = max(lengths) + 2
    targets = torch.full((len(lengths), T), IGNORE)
    first = next(b for b, length in enumerate(lengths) if length)
    for b, length in enumerate(lengths):
        places = rng.permutation(T - 1 if b == first else T)
        for t in [T - 1, *places][:length] if b == first else places[:length]:
            targets[b, t] = int(rng.integers(least, V))
    return 2 * tensor(rng, len(lengths), T, V), targets


# ------------------------------------------------------------------ 7.2
@ship
def with_weights(LoRA, W, bias, A, B, alpha):
    """A student's layer around a plain one with these weights."""
    base = nn.Linear(W.shape[1], W.shape[0], bias=bias is not None, dtype=W.dtype)
    base.weight = nn.Parameter(W.clone())
    if bias is not None:
        base.bias = nn.Parameter(bias.clone())
    layer = LoRA(base, A.shape[0], alpha)
    layer.A, layer.B = nn.Parameter(A.clone()), nn.Parameter(B.clone())
    return layer


def low_rank(x, W, bias, A, B, alpha):
    """What such a layer answers, by its product matrix."""
    y = x @ (W + alpha / len(A) * torch.einsum("or,ri->oi", B, A)).T
    return y if bias is None else y + bias


@ship
def merged(layer, x, spoil):
    """The plain layer that a student's layer makes: is it one, with parameters of its own, and with
    a bias if the base has one; its answers, its weights.

    Afterwards, what the layer's own base answers. spoil: change the plain layer before that.
    """
    plain = layer.merged()
    answers, weight = plain(x).detach().clone(), plain.weight.detach().clone()
    for p in plain.parameters() if spoil else ():
        p.data.fill_(7.0)
    is_plain = isinstance(plain, nn.Linear) and "weight" in dict(plain.named_parameters())
    is_plain = is_plain and (plain.bias is None) == (layer.base.bias is None)
    return is_plain, answers, weight, layer.base(x).detach()


@ship
def stacked(n_blocks):
    """A network of linear layers and others, whose names tell them apart."""
    net = nn.ModuleDict({"words": nn.Embedding(7, 4), "blocks": nn.ModuleList()})
    for _ in range(n_blocks):
        block = {"look": nn.Linear(4, 4), "up": nn.Linear(4, 6), "norm": nn.LayerNorm(6)}
        net["blocks"].append(nn.ModuleDict(block | {"down": nn.Linear(6, 4, bias=False)}))
    net["up"] = nn.ModuleDict({"lookup": nn.Linear(4, 3)})
    net["look"] = nn.Embedding(3, 4)
    net["out"] = nn.Linear(4, 7)
    for p in net.parameters():
        p.data = torch.arange(p.numel()).reshape(p.shape) / 10
    return net


@ship
def adapted(add_lora, LoRA, n_blocks, names, R, alpha):
    """What a student's function makes of a network.

    By name: the sizes, scales and plain weights of its new layers; all parameters that can learn;
    those that were returned, in order; all other modules.
    """
    net = stacked(n_blocks)
    returned = add_lora(net, names, R, alpha)
    known = {id(p): name for name, p in net.named_parameters()}
    layers, others = {}, []
    for name, module in net.named_modules():
        if isinstance(module, LoRA):
            sizes = [list(module.A.shape), list(module.B.shape), float(module.scale)]
            layers[name] = sizes, module.base.weight.detach()
        elif not any(name.startswith(f"{layer}.") for layer in layers):
            others.append(name)
    learning = [name for name, p in net.named_parameters() if p.requires_grad]
    return layers, learning, [known.get(id(p), "another") for p in returned], others


@ship
def answered_around(layer, x):
    """What a layer answers to x before and after it is merged."""
    before = layer(x).detach()
    layer.merged()
    return before, layer(x).detach()


@ship
def started(add_lora):
    """Make two networks with two layers of one size, and draw after each.

    How often an A starts as another did, and how often the next draw is the one before.
    """
    starts, drawn = [], []
    for _ in range(2):
        net = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3)))
        add_lora(net, ("0",), 2, 4.0)
        starts += [tuple(lora.A.flatten().tolist()) for lora in (net[0], net[1][0])]
        drawn.append(float(torch.rand(1, dtype=torch.float64)))
    return [len(each) - len(set(each)) for each in (starts, drawn)]


# ------------------------------------------------------------------ 7.3
def best(p, rewards, n):
    """The probability of each text to be the best of n samples, sample by sample."""
    found = [0.0] * len(p)
    for drawn in product(range(len(p)), repeat=n):
        most = max(rewards[i] for i in drawn)
        winners = [i for i in drawn if rewards[i] == most]
        for i in winners:
            found[i] += math.prod(p[j] for j in drawn) / len(winners)
    return found


# ------------------------------------------------------------------ 7.4
@ship
class Vectors(nn.Module):
    """In the place of a reader: the vectors of the words, the longer the later they stand."""

    def __init__(self, words):
        super().__init__()
        self.words = nn.Parameter(words.clone())

    def forward(self, rows):
        return self.words[rows] * torch.arange(1.0, rows.shape[1] + 1)[:, None]


@ship
def judge(RewardModel, words, head, bias):
    """A student's reward model on top of a reader of the test's own."""
    model = RewardModel(Vectors(words), words.shape[1])
    model.head.weight, model.head.bias = nn.Parameter(head[None]), nn.Parameter(bias[None])
    return model


def judged(rows, words, head, bias):
    """The rewards of rows, one at a time."""
    found = []
    for row in rows.tolist():
        last = max(t for t, word in enumerate(row) if word != PAD)
        found.append((last + 1) * (words[row[last]] @ head) + bias)
    return torch.stack(found)


# ------------------------------------------------------------------ 7.7
def clipped(new, old, advantages, mask, eps=0.2):
    """The clipped loss, token by token."""
    texts = []
    for b, A in enumerate(advantages):
        terms = []
        for t in range(new.shape[1]):
            if mask[b, t]:
                ratio = (new[b, t] - old[b, t]).exp()
                bounded = min(max(ratio, torch.tensor(1 - eps)), torch.tensor(1 + eps))
                terms.append(-min(ratio * A, bounded * A))
        texts.append(sum(terms) / len(terms))
    return sum(texts) / len(texts)


@ship
def refused_names(add_lora, names):
    """Whether names that no layer has raise ValueError, and which parameters can learn then."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LayerNorm(3))
    try:
        add_lora(model, names, 2, 4.0)
    except ValueError:
        return True, [p.requires_grad for p in model.parameters()]
    return False, []


@ship
def answered_twice(layer, x, B):
    """What a layer answers to x, before and after it gets another B."""
    before = layer(x).detach()
    with torch.no_grad():
        layer.B.copy_(B)
    return before, layer(x).detach()


@ship
def merged_twice(layer, x, B):
    """What a merged layer answers to x, before and after the layer gets another B."""
    first = layer.merged()
    before = first(x).detach()
    with torch.no_grad():
        layer.B.copy_(B)
    return before, layer.merged()(x).detach(), first(x).detach()
