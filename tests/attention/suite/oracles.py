"""What the tests of chapter 5 expect, in plain loops, and how they make random inputs."""

import math

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from examiner.suite import found_once, set_parameters, ship

PAD, BOS, EOS = 0, 1, 2


def tensor(rng, *shape, kind=torch.float32):
    """Random numbers, also where the shape holds no axis."""
    return torch.tensor(rng.normal(size=shape), dtype=kind)


def some_true(rng, *shape):
    """A random boolean mask with a True in each row, and a False where a row has two places.

    With two rows or more, the first part along the first axis differs from the last one. So
    whoever ignores a mask, or reads one row for all, is found out by every draw.
    """
    mask, order = torch.tensor(rng.random(shape) < 0.6), torch.tensor(rng.random(shape)).argsort()
    mask.scatter_(-1, order[..., :1], True)
    if shape[-1] > 1:
        mask.scatter_(-1, order[..., -1:], False)
    if len(shape) > 1 and mask[0].equal(mask[-1]):
        mask[-1] = mask[-1].roll(1, -1)
    return mask


def shares(scores):
    """The softmax of a list of numbers, some of them -inf; zeros if all are."""
    if all(score == -math.inf for score in scores):
        return [0.0] * len(scores)
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def attention(q, k, v, mask=None, scale=None):
    """Attention in loops over leading axes, queries and keys; mask: boolean, of the full shape."""
    if q.ndim > 2:
        masks = [None] * len(q) if mask is None else mask
        parts = [attention(*each, scale=scale) for each in zip(q, k, v, masks, strict=True)]
        outputs, weights = zip(*parts, strict=True)
        return torch.stack(outputs), torch.stack(weights)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    rows = []
    for i, query in enumerate(q):
        scores = [scale * sum((query * key).tolist()) for key in k]
        if mask is not None:
            scores = [e if mask[i, j] else -math.inf for j, e in enumerate(scores)]
        rows.append(torch.tensor(shares(scores), dtype=v.dtype))
    weights = torch.stack(rows)
    return torch.stack([(row[:, None] * v).sum(0) for row in weights]), weights


def additive(W, v, s, Uh, h, allowed):
    """Additive attention in loops over rows and words."""
    contexts, rows = [], []
    for b in range(len(s)):
        scores = [float(torch.tanh(W @ s[b] + word) @ v) for word in Uh[b]]
        scores = [e if yes else -math.inf for e, yes in zip(scores, allowed[b], strict=True)]
        row = torch.tensor(shares(scores), dtype=h.dtype)
        rows.append(row)
        contexts.append(sum(a * word for a, word in zip(row, h[b], strict=True)))
    return torch.stack(contexts), torch.stack(rows)


@ship
def gradients_of_memory(net, memory, pull_k, pull_v):
    """The gradients of a weighted sum of what is remembered, for each parameter that has one."""
    net.zero_grad()
    k, v = net.remember(memory)
    if k.requires_grad or v.requires_grad:
        ((k * pull_k).sum() + (v * pull_v).sum()).backward()
    return {
        name: p.new_zeros(p.shape) if p.grad is None else p.grad
        for name, p in net.named_parameters()
    }


@ship
def gradients_of_crossing(net, x, k, v, pull):
    """The gradients of a weighted sum of what cross-attention returns.

    Of the text that looks, the keys and the values; of W_q and W_o.
    """
    net.zero_grad()
    leaves = [each.clone().requires_grad_() for each in (x, k, v)]
    y, _ = net(leaves[0], (leaves[1], leaves[2]))
    if y.requires_grad:
        (y * pull).sum().backward()
    parts = [*leaves, net.W_q.weight, net.W_o.weight]
    return [torch.zeros_like(p) if p.grad is None else p.grad for p in parts]


@ship
def unaided(function, *inputs):
    """Call a function of the student's and stop it where it takes torch's softmax or attention."""

    class Watch(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            name = getattr(func, "__name__", "")
            if any(part in name for part in ("softm", "sumexp", "cross_entropy", "attention")):
                raise RuntimeError(f"torch's own {name} is not allowed in this task")
            return func(*args, **(kwargs or {}))

    with Watch():
        return function(*inputs)


@ship
def by_hand(function, *inputs):
    """Call a function of the student's where torch keeps nothing that autograd would need."""
    with torch.inference_mode():
        return function(*inputs)


@ship
def strange_lookup(q, k, v, temperature=1.0, *more, **named):
    """Stands in for a lookup, so that a mistake there costs nothing elsewhere: no softmax.

    A student's own may take more than the stub's: it is left out.
    """
    q, k, v = (torch.as_tensor(each) for each in (q, k, v))
    return torch.tanh(q @ k.mT / temperature + 0.5) @ v


@ship
def strange_softmax(scores, *more, **named):
    """Stands in for `softmax`: rows of other shares, whose sum is less than 1; -inf has none."""
    powers = (1.5 + torch.tanh(scores)).masked_fill(scores == -math.inf, 0.0)
    return powers / (1 + powers.sum(-1, keepdim=True))


@ship
def with_strange(name, function, *inputs):
    """Call a function of the student's while a strange one stands in for theirs of this name."""
    names = getattr(function, "__globals__", {})
    own = names.get(name)
    if own is None or own is function:
        return function(*inputs)
    names[name] = strange_softmax if name == "softmax" else strange_lookup
    try:
        return function(*inputs)
    finally:
        names[name] = own


@ship
def gradients_of_roles(function, x, W_q, W_k, W_v, pull):
    """The gradients of a weighted sum of a student's self-attention, with a strange lookup."""
    leaves = [each.clone().requires_grad_() for each in (x, W_q, W_k, W_v)]
    y = with_strange("soft_lookup", function, *leaves)
    if y.requires_grad:
        (y * pull).sum().backward()
    return [torch.zeros_like(p) if p.grad is None else p.grad for p in leaves]


@ship
def with_other_look(net, *inputs):
    """What a layer answers that is given another way to look: no root, and no softmax.

    So all that belongs to a key counts, its bias among it, which a softmax takes out again.
    """

    def look(q, k, v, mask=None):
        weights = torch.tanh(q @ k.mT)
        return weights @ v, weights

    net.look = look
    return net(*inputs)


@ship
class Gaze(nn.Module):
    """Stands in for additive attention, so that a mistake there costs nothing elsewhere."""

    def __init__(self):
        super().__init__()
        self.U = nn.Identity()

    def forward(self, s, Uh, h, allowed, *more, **named):
        wish = allowed * (1.5 + torch.tanh(s.sum(-1, keepdim=True) * Uh.sum(-1)))
        weights = wish / wish.sum(-1, keepdim=True)
        return (weights[..., None] * h).sum(-2), weights


@ship
def use_gaze(net):
    """Let a translator look by `Gaze`."""
    net.attend = Gaze()


@ship
def use_strange_step(net):
    """Let a translator take steps that read everything from behind: those of `step(…, True)`."""

    def step(y, s, source, *more, **named):
        word, (context, weights) = net.target(y), net.attend(s, *source)
        s = net.cell(torch.cat([word, context], dim=-1).flip(-1), s)
        return net.out(torch.cat([s, context, word], dim=-1).flip(-1)), s, weights

    net.step = step


@ship
def use_chain(net, after):
    """Let each step of a translator tell the word that the table `after` has for the word read."""

    def step(y, s, source, *more, **named):
        return 9.0 * nn.functional.one_hot(after[y], len(after)), s, source[2].float()

    net.step = step


@ship
def climbed(net, source):
    """What a translator writes whose steps climb stairs, and how many steps it takes.

    Each word is one above the word read; after 7 follow PAD, which is 0, and EOS, which is 2, and
    so on, for ever. The first word is the higher, the longer the source is: so no two sentences
    of different lengths are ever at their EOS in the same step.
    """
    bos, eos, taken = 1, 2, []

    def step(y, s, source, *more, **named):
        taken.append(y)
        above = torch.tensor([eos, 0, 3, 4, 5, 6, 7, 0])[y]
        word = torch.where(y == bos, 2 + source[2].sum(-1), above)
        return 9.0 * nn.functional.one_hot(word, 8), s, source[2].float()

    net.step = step
    return net.translate(source), len(taken)


SIZES = {"V_source": 7, "V_target": 8, "W": 3, "D": 4, "A": 2}


def random_parts(rng, scale=1.0, end=0.0):
    """The test's own parts of a translator and the numbers in them.

    scale: how far the logits are spread; end: what is added to that of EOS. Then PAD and BOS are as
    good as never written: who leaves them out must not lose or win by luck.
    """
    V_source, V_target, W, D, _ = SIZES.values()
    parts = nn.ModuleDict(
        {
            "source": nn.Embedding(V_source, W),
            "target": nn.Embedding(V_target, W),
            "encoder": nn.GRU(W, D, batch_first=True, bidirectional=True),
            "start": nn.Linear(D, D),
            "cell": nn.GRUCell(W + 2 * D, D),
            "out": nn.Linear(W + 3 * D, V_target),
        }
    )
    values = {name: tensor(rng, *p.shape) for name, p in parts.named_parameters()}
    values["out.weight"] *= scale
    values["out.bias"][EOS] += end
    values["out.bias"][:EOS] -= 50 * end
    set_parameters(parts, values)
    return parts, values


def with_parts(Translator, values):
    """A student's translator with these numbers, which looks by `Gaze`."""
    net = Translator(*SIZES.values())
    use_gaze(net)
    set_parameters(net, values)
    return net


def translator(rng, Translator):
    """A student's translator, and the test's own parts of it with the same random numbers."""
    parts, values = random_parts(rng)
    return with_parts(Translator, values), parts


def sentences(rng, n, longest=5, words=7):
    """Rows of ids filled up with PAD; one has the full length, and another one has not."""
    lengths = [longest, rng.integers(1, longest), *rng.integers(1, longest + 1, size=n - 2)]
    rows = torch.zeros(n, longest, dtype=torch.int64)
    for row, length in zip(rows, rng.permutation(lengths).tolist(), strict=True):
        row[:length] = torch.tensor(rng.integers(3, words, size=length))
    return rows


def read(parts, row):
    """What the encoder makes of one sentence without padding: vectors, and the first state."""
    h, ends = parts["encoder"](parts["source"](row[row != PAD][None]))
    return h, torch.tanh(parts["start"](ends[1]))


def step(parts, y, s, h, strange=False):
    """One step of the decoder for one sentence: logits, state, weights."""
    word = parts["target"](torch.tensor([y]))
    context, weights = Gaze()(s, h, h, torch.ones(h.shape[:2], dtype=torch.bool))
    read = torch.cat([word, context], dim=1)
    s = parts["cell"](read.flip(1) if strange else read, s)
    read = torch.cat([s, context, word], dim=1)
    return parts["out"](read.flip(1) if strange else read), s, weights


def forced(parts, source, inputs, strange=False):
    """Logits and weights of all sentences, one by one; weights are padded with 0."""
    all_logits, all_weights = [], []
    for row, words in zip(source, inputs.tolist(), strict=True):
        h, s = read(parts, row)
        steps = []
        for y in words:
            logits, s, weights = step(parts, y, s, h, strange)
            steps.append((logits[0], nn.functional.pad(weights[0], (0, len(row) - h.shape[1]))))
        logits, weights = zip(*steps, strict=True)
        all_logits.append(torch.stack(logits))
        all_weights.append(torch.stack(weights))
    return torch.stack(all_logits), torch.stack(all_weights)


@torch.no_grad()
def written(parts, row, most, strange=False, first=BOS, carry=True, own=True):
    """What a translator writes for one sentence, and how far its words were from another choice.

    Wrong ways: another `first` word; without `carry` all steps have the first state; without `own`
    all read BOS.
    """
    h, s = read(parts, row)
    y, words, lead = first, [], math.inf
    while len(words) < most:
        logits, new, _ = step(parts, y if own else BOS, s, h, strange)
        s, best = new if carry else s, logits[0].topk(2)
        y, lead = int(best.indices[0]), min(lead, float(best.values[0] - best.values[1]))
        if y == EOS:
            break
        words.append(y)
    return words, lead


@found_once
def unequal_translations(rng, most, ended=False, strange=False):
    """Random parts, sentences, and their translations, which end at different steps.

    ended: all of them end by themselves, and some have more than one word. No word is chosen by
    less than a thousandth: another order of sums must not change it. All wrong ways of `written`
    give something else.
    """
    for _ in range(1000):
        (parts, values), source = random_parts(rng, 2.0, 2.0), sentences(rng, 6)
        found = []
        for row in source:
            words, lead = written(parts, row, most, strange)
            if lead < 1e-3 or (ended and len(words) == most):
                break
            found.append(words)
        lengths = set(map(len, found))
        if len(found) < len(source) or len(lengths) == 1 or (ended and max(lengths) == 1):
            continue
        wrong = {"carry": False}, {"own": False}, {"first": PAD}, {"first": EOS}
        others = (
            [written(parts, row, most, strange, **kind)[0] for row in source] for kind in wrong
        )
        if found not in others:
            return values, source, found
    raise AssertionError("no translator ends at different steps")


def heads_of_torch(rng, D, H, E=None):
    """Torch's own heads, and their weights under the names of the chapter."""
    E = D if E is None else E
    theirs = nn.MultiheadAttention(D, H, kdim=E, vdim=E, batch_first=True)
    shapes = {"q": (D, D), "k": (D, E), "v": (D, E), "o": (D, D)}
    # halved: with scores of thirty and more, single precision would decide between two keys
    values = {f"W_{name}.weight": tensor(rng, *shape) / 2 for name, shape in shapes.items()}
    values |= {f"W_{name}.bias": tensor(rng, D) for name in shapes}
    rows = [values[f"W_{name}.weight"] for name in "qkv"]
    if E == D:
        inside = {"in_proj_weight": torch.cat(rows)}
    else:
        names = (f"{name}_proj_weight" for name in "qkv")
        inside = dict(zip(names, rows, strict=True))
    biases = torch.cat([values[f"W_{name}.bias"] for name in "qkv"])
    outer = {"out_proj.weight": values["W_o.weight"], "out_proj.bias": values["W_o.bias"]}
    set_parameters(theirs, inside | {"in_proj_bias": biases} | outer)
    return theirs, values


@ship
def twice(function, *inputs):
    """Call a function twice with the very same tensors."""
    first = [each.clone() for each in function(*inputs)]
    return first, [each.clone() for each in function(*inputs)]
