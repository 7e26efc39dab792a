"""What the tests of chapter 6 expect of the network, and parts that stand in for a student's."""

import math
import sys
import sysconfig

import torch
from torch import nn

from examiner.suite import library_names, set_parameters, ship


def tensor(rng, *shape, kind=torch.float32):
    """Random numbers, also where the shape holds no axis."""
    return torch.tensor(rng.normal(size=shape), dtype=kind)


def sizes(transformers, **other):
    """Small sizes of a student's model."""
    return transformers.Sizes(**({"V": 9, "D": 6, "L": 2, "H": 2, "positions": "none"} | other))


def fill(module, rng, *names):
    """Give a student's module random weights; return them. names: those that it must have."""
    shapes = module.state_dict()
    values = {name: tensor(rng, *shapes[name].shape) / 2 for name in names or shapes}
    set_parameters(module, values)
    return values


# what would do the work of a function that is to be written by hand, or would hide it
READY = {"layer_norm", "rms_norm", "group_norm", "batch_norm", "native_layer_norm", "gelu"}
READY |= {"instance_norm", "run_backward"}
READY |= {"native_layer_norm_backward", "_fused_rms_norm", "native_group_norm", "gelu_backward"}
READY |= {"native_batch_norm", "_native_batch_norm_legit"}
READY_BY_NAME = {"LayerNorm", "RMSNorm", "GroupNorm", "InstanceNorm1d", "BatchNorm1d", "GELU"}
READY_BY_NAME |= {"optim", "jit", "CompilationUnit"}
AUTOGRAD = {"autograd", "backward", "vjp", "jacrev"}  # forbidden where gradients are asked for
# what would end the watch, or run unseen by it, wherever in the file: threads, another watch
ENDS = {"setprofile", "settrace", "start_new_thread", "start_joinable_thread", "_current_frames"}
ENDS |= {"_python_dispatch", "threading", "_thread", "concurrent", "multiprocessing"}
ENDS |= {"Thread", "Timer", "ThreadPoolExecutor", "ThreadPool"}
ENDS |= {"_getframe", "currentframe", "f_back", "f_locals", "get_objects"}


def library_calls(function, *inputs):
    """What a student's function takes ready-made from torch, as its calls and its text tell.

    What would end the watch is named as well. What the file compares its work with, beside the
    function, is not: it may well be torch's own.
    """
    called = watched_calls(function, sorted(READY | ENDS), *inputs)
    forbidden = READY | READY_BY_NAME | (AUTOGRAD if "gradients" in repr(function) else set())
    of_its_own = library_names(function, beside=False) & forbidden
    return sorted({*called} | of_its_own | (library_names(function) & ENDS))


@ship
def watched_calls(function, ready, *inputs):
    """Which of some functions of libraries are called in a call of a student's function.

    Those of torch by whatever way: also of a program that torch compiles from a text. Functions of
    Python's own that look where they were called from, and show nobody the frame, do no harm.
    """
    found, here, own = set(), sys._getframe(), sysconfig.get_path("stdlib")
    harmless = {("collections", "namedtuple"), ("typing", "_caller"), ("logging", "findCaller")}

    def only_looks(frame):
        asks = frame.f_back if frame.f_code.co_name in ("<lambda>", "currentframe") else frame
        name = (asks.f_globals.get("__name__"), asks.f_code.co_name)
        same = asks.f_globals is frame.f_globals and asks.f_code.co_filename.startswith(own)
        return same and name in harmless

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            found.update({operation.overloadpacket.__name__} & {*ready})
            return operation(*args, **(kwargs or {}))

    def look(frame, event, arg):
        module = frame.f_globals.get("__name__", "")
        if event == "c_call" and arg.__name__ in ready and frame is not here:
            if arg.__name__ != "_getframe" or not only_looks(frame):
                found.add(arg.__name__)
        elif event == "call" and module.startswith("torch.optim"):
            found.add("torch.optim")
        elif event == "call" and module == "torch.nn.functional":
            found.update({frame.f_code.co_name} & {"normalize", *ready})

    with Watch():  # torch imports what this takes with the first call
        torch.zeros(()).neg()
    found.clear()
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        with Watch():
            function(*inputs)
    finally:
        sys.setprofile(before)
    return sorted(found)


def norm_gradients(x, gain, grad, eps):
    """The gradients of torch's layer norm for vectors, gain and bias."""
    leaves = [x.clone().requires_grad_(), gain.clone().requires_grad_()]
    bias = torch.zeros_like(gain, requires_grad=True)
    y = nn.functional.layer_norm(leaves[0], gain.shape, leaves[1], bias, eps)
    return torch.autograd.grad((y * grad).sum(), [*leaves, bias])


@ship
def joined(Block, sizes, x, pre, dropout, training=True):
    """Call `around` with a norm that doubles and a layer that adds 1; dropout: of all numbers."""
    block = Block(sizes, nn.Identity(), nn.Identity()).train(training)
    block.pre, block.dropout.p = pre, 1.0 if dropout else 0.0
    return block.around(x, Doubled(), plus_one)


@ship
class Doubled(nn.Module):
    """In the place of a norm."""

    def forward(self, x):
        return 2 * x


@ship
def plus_one(x):
    """A layer that adds 1 to all numbers."""
    return x + 1


@ship
def around_torch(Block, sizes, x, values, pre):
    """Call `around` with torch's own norm and layer; the answer, and how often the layer ran."""
    block = Block(sizes, nn.Identity(), nn.Identity())
    norm, layer, seen = nn.LayerNorm(x.shape[-1]), nn.Linear(x.shape[-1], x.shape[-1]), []
    nn.ModuleDict({"norm": norm, "layer": layer}).load_state_dict(values)
    block.pre = pre
    layer.register_forward_hook(lambda *_: seen.append(1))
    return block.around(x, norm, layer).detach(), len(seen)


@ship
class Saying(nn.Module):
    """A layer that answers with one number, whatever it reads; a mixer has a state, too."""

    def __init__(self, number, state=None):
        super().__init__()
        self.number, self.state = number, state

    def forward(self, x, past=None, mask=None):
        y = torch.full_like(x, self.number)
        return y if self.state is None else (y, self.state)


@ship
class Mixing(nn.Module):
    """In the place of a mixer: sums of what vectors up to each say; its state is the sum so far."""

    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.eye(6))

    def forward(self, x, past=None, mask=None):
        said = torch.tanh(x @ self.W)
        said = said if mask is None else said * mask[:, -x.shape[1] :, None]
        total = said.cumsum(1) + (0.0 if past is None else past[:, None])
        return total / 2, total[:, -1]


@ship
class Looking(nn.Module):
    """In the place of cross-attention: each vector times the sum of those of another text.

    The other text is `memory` in `CrossAttention`, and `vectors` where `Block` tells of it.
    """

    def forward(self, x, vectors=None, mask=None, memory=None):
        vectors = memory if vectors is None else vectors
        vectors = vectors if mask is None else vectors * mask[..., None]
        return x * vectors.sum(1, keepdim=True) / 2


@ship
def saying(Block, sizes, state):
    """A student's block whose mixer answers 1 and whose feed-forward layer answers 2."""
    return Block(sizes, Saying(1.0, state), Saying(2.0))


@ship
def mixing(Block, sizes, looks):
    """A student's block of parts that tell apart what they read; in its norms, too."""
    return Block(sizes, Mixing(), nn.Linear(6, 6), Looking() if looks else None).eval()


@ship
def dropping(Block, sizes, looks, x, given):
    """What a student's block in training makes of x if all is dropped, and its mixer's calls."""
    block = Block(sizes, Mixing(), nn.Linear(6, 6), Looking() if looks else None).train()
    block.dropout.p, calls, mix = 1.0, [], block.mixer.forward

    def counted(*inputs, **named):
        calls.append(1)
        return mix(*inputs, **named)

    block.mixer.forward = counted  # which a call of the mixer calls, too
    return block(x, **given)[0].detach(), len(calls)


def mixed(values, x, pre, past=None, mask=None, memory=None):
    """What a block of `mixing` returns: x, and the state of its mixer."""
    mixer, states = Mixing(), []
    mixer.load_state_dict({"W": values["mixer.W"]})

    def mix(x):
        y, state = mixer(x, past, mask)
        states.append(state)
        return y

    def feed(x):
        return x @ values["feed.weight"].T + values["feed.bias"]

    layers = [("norm1", mix), ("norm2", feed)]
    if memory is not None:
        layers.insert(1, ("norm3", lambda x: Looking()(x, *memory)))
    for name, layer in layers:
        gain, bias = values[f"{name}.weight"], values[f"{name}.bias"]
        if pre:
            x = x + layer(nn.functional.layer_norm(x, (6,), gain, bias))
        else:
            x = nn.functional.layer_norm(x + layer(x), (6,), gain, bias)
    return x, states[0]


def waves(T, D):
    """Sinusoidal positions in plain loops, in double precision."""
    rows = [[0.0] * D for _ in range(T)]
    for t in range(T):
        for i in range(D // 2):
            angle = t * 10000 ** (-2 * i / D)
            rows[t][2 * i], rows[t][2 * i + 1] = math.sin(angle), math.cos(angle)
    return torch.tensor(rows, dtype=torch.float64)


def rotated(x, start):
    """Rotary positions by complex numbers: pair i of row t times exp(i angle)."""
    T, K = x.shape[-2:]
    rates = torch.tensor([10000 ** (-2 * i / K) for i in range(K // 2)], dtype=torch.float64)
    angles = torch.arange(start, start + T, dtype=torch.float64)[:, None] * rates
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


# Stand-ins for `rotate` and `alibi`: something else that depends on places
@ship
def stretch(x, start=0, *more, **named):
    """Make each row longer, the later the more."""
    places = torch.arange(start, start + x.shape[-2], dtype=x.dtype)
    return x * (1 + places[:, None] / 4)


@ship
def slant(H, T, S, *more, **named):
    """Penalties that differ from head to head, query to query and key to key."""
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    return -torch.arange(1.0, H + 1)[:, None, None] * (i - j) ** 2 / 8


@ship
def with_stand_ins(layer):
    """Let self-attention use the stand-ins, so that a mistake in task 6.4 costs nothing here."""
    layer.rotate, layer.alibi = stretch, slant


def attention(x, values, H, G, positions="none", causal=True, mask=None):
    """Self-attention in loops over texts, heads and queries: answers, keys, values."""
    B, T, D = x.shape
    K = D // H
    qkv = x @ values["W_qkv.weight"].T + values["W_qkv.bias"]
    heads = [qkv[..., h * K : (h + 1) * K] for h in range(H + 2 * G)]
    if positions == "rotary":
        heads = [stretch(head) if h < H + G else head for h, head in enumerate(heads)]
    q, k, v = heads[:H], heads[H : H + G], heads[H + G :]
    y = torch.zeros(B, T, D)
    for b in range(B):
        for h in range(H):
            g = h * G // H
            for i in range(T):
                scores = k[g][b] @ q[h][b, i] / math.sqrt(K)
                if positions == "alibi":
                    scores = scores + slant(H, T, T)[h, i]
                hidden = torch.arange(T) > i if causal else torch.zeros(T, dtype=torch.bool)
                hidden = hidden if mask is None else hidden | ~mask[b]
                weights = scores.masked_fill(hidden, -math.inf).softmax(0)
                y[b, i, h * K : (h + 1) * K] = weights @ v[g][b]
    y = y @ values["W_o.weight"].T + values["W_o.bias"]
    return y, torch.stack(k, dim=1), torch.stack(v, dim=1)


@ship
class Summing(nn.Module):
    """In the place of a block: adds to each vector what all vectors up to it say, or all of them.

    Its state is the sum so far. A mask hides vectors, a memory adds its own sum.
    """

    def __init__(self, W, causal=True):
        super().__init__()
        self.W, self.causal = nn.Parameter(W.clone()), causal

    def forward(self, x, past=None, mask=None, memory=None):
        said = torch.tanh(x @ self.W)
        said = said if mask is None else said * mask[..., None]
        start = 0.0 if past is None else past[:, None]
        total = said.cumsum(1) + start if self.causal else said.sum(1, keepdim=True)
        y = x + total / 4
        if memory is not None:
            vectors, seen = memory
            vectors = vectors if seen is None else vectors * seen[..., None]
            y = y + vectors.sum(1, keepdim=True)
        return y, total[:, -1]


@ship
def with_summing(model, all_W, causal=True):
    """Put summing blocks in the place of a model's own."""
    model.blocks = nn.ModuleList([Summing(W, causal) for W in all_W])


@ship
def with_reading(model, all_W, causal):
    """Let a model read and compare by the test's own means: tasks 6.10 and 6.11 want only calls."""
    with_summing(model, all_W, causal)

    def read(tokens, past=None, **look):
        start, states = past or (0, [None] * len(all_W))
        places = torch.arange(start, start + tokens.shape[1])[:, None] / 9
        x, new = model.embed.words(tokens) + places, []
        for block, state in zip(model.blocks, states, strict=True):
            x, state = block(x, state, **look)
            new.append(state)
        return 3 * x, (start + tokens.shape[1], new)

    def logits(x):
        return x @ model.embed.words.weight.T - 1

    model.read, model.logits = read, logits


@ship
def started(initialise, seed, std, more=""):
    """First weights of a small net: whether it is returned, its weights before and after.

    more: "cross" adds layers that write into the stream, "none" has none, "out" adds others.
    """
    parts = ["mixer.W_qkv", "mixer.W_o", "feed.up", "feed.down"] + ["cross.W_o"] * (more == "cross")
    names = [f"blocks.{k}.{part}" for k in (0, 1) for part in parts]
    names += ["embed.words", "norm"] + ["embed.places", "out"] * (more == "out")
    names = [n for n in names if more != "none" or not n.endswith(("W_o", "down"))]
    net = nn.Module()
    net.blocks = nn.ModuleList([nn.Module(), nn.Module()])
    for name in names:
        inner = net
        for part in name.split(".")[:-1]:
            if part not in dict(inner.named_children()):
                inner.add_module(part, nn.Module())
            inner = inner.get_submodule(part)
        kind = {"embed": nn.Embedding, "norm": lambda n, _: nn.LayerNorm(n)}
        inner.add_module(name.split(".")[-1], kind.get(name.split(".")[0], nn.Linear)(40, 30))
    with torch.no_grad():
        net.norm.weight.copy_(torch.linspace(0.5, 2.0, 40) if more else torch.ones(40))
    before = {name: p.detach().clone() for name, p in net.named_parameters()}
    same = initialise(net, torch.Generator().manual_seed(seed), std) is net
    return same, before, {name: p.detach() for name, p in net.named_parameters()}


def counted(made):
    """The parameters of a model of these sizes, by the numbers of its tensors."""
    V, D, L, H, F = (made[name] for name in "VDLHF")
    G = made["G"] or H
    K, bias, gates = D // H, made["bias"], 2 if made["feed"] == "swiglu" else 1
    attention = [nn.Linear(D, n * K, bias) for n in (H, G, G)] + [nn.Linear(D, D, bias)]
    feed = [nn.Linear(D, F, bias) for _ in range(gates)] + [nn.Linear(F, D, bias)]
    norms = [nn.RMSNorm(D) if made["norm"] == "rms" else nn.LayerNorm(D) for _ in range(2 * L + 1)]
    found = {"embed": V * D, "unembed": 0 if made["tied"] else V * D}
    rest = made["T"] * D if made["positions"] == "learned" else 0
    rest += sum(p.numel() for norm in norms for p in norm.parameters())
    for name, layers in (("attention", attention), ("feed", feed)):
        found[name] = L * sum(layer.weight.numel() for layer in layers)
        rest += L * sum(layer.bias.numel() for layer in layers if bias)
    return found | {"rest": rest}


def encoded(values, tokens, causal=False, **look):
    """The vectors of a text of a model with `with_reading`, without padding."""
    x, k = values["embed.words.weight"][tokens] + torch.arange(tokens.shape[1])[:, None] / 9, 0
    while f"blocks.{k}.W" in values:
        x, _ = Summing(values[f"blocks.{k}.W"], causal)(x, **look)
        k += 1
    return 3 * x
