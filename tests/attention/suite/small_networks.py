"""Small networks of chapter 5: additive attention, the translator, heads, cross-attention."""

import math

import torch

from examiner.counterexamples import Example, Small, example, small

FEW = (0.0, 1.0, 2.0)
MANY = (0.0, 1.0, 2.0, -1.0, 3.0)


def allowed(draw: Small, *shape: int, none: bool = False) -> torch.Tensor:
    """A boolean mask; unless `none`, each row has a True."""
    mask = draw.ids(*shape, low=0, high=1).bool()
    if not none:
        mask[..., draw.integer(0, shape[-1] - 1)] = True
    return mask


def lead(draw: Small, chance: int = 4) -> tuple[int, ...]:
    """Mostly no leading axes, now and then one."""
    return (2,) if draw.integer(1, chance) == 1 else ()


def different(draw: Small, *shape: int) -> torch.Tensor:
    """Numbers from 1 on, each of them once."""
    numbers = torch.tensor(draw.rng.permutation(math.prod(shape)) + 1)
    return numbers.reshape(shape).float()


# ------------------------------------------------------------------------------ 5.1
ONES = """
attend = AdditiveAttention(D={D}, E={E}, A={A})
for weight in attend.parameters():
    nn.init.ones_(weight)
attend(s, attend.U(h), h, allowed)
"""
WEIGHTS = """
attend = AdditiveAttention(D={D}, E={E}, A={A})
attend.W.weight.data = W
attend.U.weight.data = U
attend.v.weight.data = v
attend(s, Uh, h, allowed)
"""


@small("5.1", "AdditiveAttention.forward", tries=45)
def where_all_weights_are_one(draw: Small) -> Example:
    B, S = draw.choice([(1, 2), (1, 2), (2, 1), (2, 2), (1, 3), (2, 3)])
    D, E, A = draw.choice([(1, 1, 1), (1, 1, 1), (1, 2, 1), (2, 1, 1), (1, 1, 2), (3, 2, 1)])
    return example(
        ONES.format(D=D, E=E, A=A),
        s=draw.tensor(B, D, values=FEW),
        h=draw.tensor(B, S, E, values=FEW),
        allowed=allowed(draw, B, S),
    )


@small("5.1", "AdditiveAttention.forward", tries=30)
def with_any_weights(draw: Small) -> Example:
    B, S, D, E, A = draw.choice(
        [(1, 2, 1, 1, 1), (1, 2, 1, 2, 1), (2, 1, 1, 1, 1), (2, 2, 1, 1, 1), (1, 2, 2, 1, 2)]
    )
    hidden = allowed(draw, B, S)
    h = draw.tensor(B, S, E, values=FEW)
    if draw.yes():
        h[~hidden] = 500.0  # as in the docstring: the least weight of it shows
    return example(
        WEIGHTS.format(D=D, E=E, A=A),
        W=draw.tensor(A, D, values=(1.0, -1.0, 2.0, 0.0)),
        U=draw.tensor(A, E, values=FEW),
        v=draw.tensor(1, A, values=(1.0, 2.0, -1.0)),
        s=draw.tensor(B, D, values=FEW),
        Uh=draw.tensor(B, S, A, values=FEW),
        h=h,
        allowed=hidden,
    )


@small("5.8", "MultiHead.forward", tries=1, last=True)
def a_mask_in_one_call_only(draw: Small) -> Example:
    code = """
heads = MultiHead(D=1, H=1)
for weight in heads.parameters():
    nn.init.ones_(weight)

heads(x, mask)
heads(x)[1]
"""
    x = torch.tensor([[[0.0], [0.0]]])
    return example(code, x=x, mask=torch.tensor([[True, False], [True, False]]))


# ------------------------------------------------------------------------------ 5.2
# Another way of looking stands in for that of 5.1, so that a mistake there costs nothing here
NET = """
net = Translator(V_source=5, V_target={V}, W={W}, D=1, A=1)
nn.utils.vector_to_parameters(torch.arange(200).cos(), net.parameters())
def stand_in(s, Uh, h, allowed):
    return s * h[:, 0], s * allowed
net.attend.forward = stand_in
"""
CHAIN = """
net = Translator(V_source=5, V_target={V}, W={V}, D=1, A=1)
for weight in net.parameters():
    nn.init.zeros_(weight)
nn.init.eye_(net.target.weight)
net.out.weight.data[:, -{V}:] = torch.eye({V}).roll({shift}, 0)
net.translate(source, most={most})
"""
WRITER = """
net = Translator(V_source=5, V_target=5, W=2, D=1, A=1)
weights = {weights}
nn.utils.vector_to_parameters(weights, net.parameters())
net.out.bias.data[2] += {ends}
def stand_in(s, Uh, h, allowed):
    return s * h[:, 0], s * allowed
net.attend.forward = stand_in
net.translate(source, most={most})
"""
# translators whose sentences differ and end at different steps, and choose by far
WRITERS = [
    ("torch.arange(4, 204).cos()", 1),
    ("2 * torch.arange(16, 216).cos()", 1),
    ("2 * torch.arange(22, 222).cos()", 0),
    ("2 * torch.arange(35, 235).cos()", 0),
    ("2 * torch.arange(35, 235).cos()", 1),
]
SOURCES = [
    *([[3]], [[4]], [[3, 4]], [[4, 3]]),
    *([[3], [4]], [[4], [3]], [[3, 4], [4, 0]], [[4, 4], [3, 0]], [[3, 0], [4, 3]]),
]


def network(V: int, W: int) -> str:
    """Code of a network; if `out` reads four numbers, these are the logits."""
    told = "nn.init.eye_(net.out.weight)\nnn.init.zeros_(net.out.bias)\n"
    return NET.format(V=V, W=W) + (told if V == 4 else "")


@small("5.2", "Translator.step", tries=24)
def steps(draw: Small) -> Example:
    B, S = draw.choice([(1, 1), (1, 1), (1, 2), (2, 1), (2, 2)])
    V, W = (5, 2) if (B, S) == (2, 2) else (4, 1)
    return example(
        network(V, W) + "net.step(y, s, (Uh, h, allowed))",
        y=draw.ids(B, low=1, high=V - 1),
        s=draw.tensor(B, 1, values=(1.0, 2.0, 0.5)),
        Uh=draw.tensor(B, S, 1, values=FEW),
        h=different(draw, B, S, 2),
        allowed=allowed(draw, B, S),
    )


@small("5.2", "Translator.forward", tries=22)
def sentences_and_their_translations(draw: Small) -> Example:
    source = torch.tensor(draw.choice(SOURCES))
    V, W = draw.choice([(4, 1), (5, 2)])
    inputs = draw.ids(len(source), draw.integer(1, 3), low=3, high=V - 1)
    inputs[:, 0] = 1
    if draw.integer(1, 4) == 1:
        inputs[:, 1:] = 0
    learned = "net(source, inputs)[0].sum().backward()\n"
    of_state, of_words = learned + "net.start.bias.grad", learned + "net.source.weight.grad[3:]"
    code = draw.choice([*["net(source, inputs)"] * 5, of_state, of_words])
    return example(network(V, W) + code, source=source, inputs=inputs)


@small("5.2", "Translator.translate", tries=14)
def words_in_a_chain(draw: Small) -> Example:
    V, shift = draw.choice([(5, 3), (5, 2), (4, -1), (5, -1), (6, 2)])
    source = torch.tensor(draw.choice([[[3]], [[4]], [[3], [4]], [[3, 4]], [[3, 4], [4, 0]]]))
    return example(CHAIN.format(V=V, shift=shift, most=draw.integer(1, 4)), source=source)


@small("5.2", "Translator.translate", tries=22)
def words_by_state(draw: Small) -> Example:
    weights, ends = draw.choice(WRITERS)
    source = torch.tensor(draw.choice(SOURCES))
    code = WRITER.format(weights=weights, ends=ends, most=draw.integer(1, 4))
    return example(code, source=source)


# ------------------------------------------------------------------------------ 5.8
HEADS = """
heads = MultiHead(D={D}, H={H})
for layer in heads.children():
    nn.init.eye_(layer.weight)
    nn.init.zeros_(layer.bias)
"""


PARTS = [f"W_{name}.{part}" for name in "qkvo" for part in ("weight", "bias")]


def other_weights(draw: Small) -> str:
    """Code that gives up to two of the layers of D = 2 other weights."""
    lines = set[str]()
    for _ in range(draw.integer(0, 2)):
        name = draw.choice(PARTS)
        values = draw.array(*((2,) if name.endswith("bias") else (2, 2)), values=FEW).tolist()
        lines.add(f"heads.{name}.data = torch.tensor({values})\n")
    return "".join(sorted(lines))


@small("5.8", "MultiHead.forward", tries=50)
def heads_without_a_mask(draw: Small) -> Example:
    D, H = draw.choice([(2, 1), (2, 2), (2, 2), (4, 2)])
    B, T = draw.choice([(1, 1), (1, 2), (1, 2), (1, 3), (2, 1), (2, 2)])
    other = other_weights(draw) if D == 2 else ""
    return example(HEADS.format(D=D, H=H) + other + "heads(x)", x=draw.tensor(B, T, D, values=FEW))


@small("5.8", "MultiHead.forward", tries=40)
def heads_with_a_mask(draw: Small) -> Example:
    H = draw.integer(1, 2)
    B, T = draw.choice([(1, 2), (1, 2), (2, 2), (2, 1), (2, 3)])
    shape = draw.choice([(T, T), (B, T, T), (B, 1, T)])
    mask = allowed(draw, *shape)
    return example(
        HEADS.format(D=2, H=H) + "heads(x, mask)", x=draw.tensor(B, T, 2, values=FEW), mask=mask
    )


OTHERWISE = "{net}.look = lambda q, k, v, mask=None: (q @ k.mT @ v, q @ k.mT)\n"


@small("5.8", "MultiHead.forward", tries=10)
def heads_that_look_otherwise(draw: Small) -> Example:
    bias = f"heads.W_{draw.choice('qkv')}.bias.data += 1\n"
    code = HEADS.format(D=2, H=1) + bias + OTHERWISE.format(net="heads") + "heads(x)"
    return example(code, x=draw.tensor(1, draw.integer(1, 2), 2, values=FEW))


# ------------------------------------------------------------------------------ 5.9
CROSS = """
cross = CrossAttention(D={D}, H={H}, E={E})
for layer in cross.children():
    nn.init.eye_(layer.weight)
    nn.init.zeros_(layer.bias)
"""


@small("5.9", "CrossAttention.remember", tries=50)
def memories(draw: Small) -> Example:
    D, H, E = draw.choice([(1, 1, 1), (2, 1, 2), (2, 2, 2), (2, 2, 1), (4, 2, 4), (4, 2, 2)])
    B, S = draw.choice([(1, 1), (1, 2), (1, 2), (2, 1), (1, 3), (2, 3)])
    other = f"cross.{draw.choice(['W_k', 'W_v'])}.weight.data *= 2\n" if draw.yes() else ""
    code = CROSS.format(D=D, H=H, E=E) + other + "cross.remember(memory)"
    return example(code, memory=different(draw, B, S, E))


@small("5.9", "CrossAttention.remember", tries=2)
def what_can_be_learned(draw: Small) -> Example:
    code = "cross = CrossAttention(D=2, H=2, E=1)\nk, v = cross.remember(memory)\n"
    return example(code + "[k.requires_grad, v.requires_grad]", memory=different(draw, 1, 1, 1))


@small("5.9", "CrossAttention.forward", tries=55)
def texts_and_memories(draw: Small) -> Example:
    D, H = draw.choice([(1, 1), (2, 1), (2, 2), (2, 2), (4, 2)])
    B, T, S = draw.choice([(1, 1, 1), (1, 1, 2), (1, 1, 2), (1, 2, 2), (1, 2, 3), (2, 1, 2)])
    other = f"cross.{draw.choice(['W_q', 'W_o'])}.weight.data *= 2\n" if draw.yes() else ""
    parts = {
        "x": draw.tensor(B, T, D, values=FEW),
        "kv": (draw.tensor(B, H, S, D // H, values=FEW), different(draw, B, H, S, D // H)),
    }
    code = CROSS.format(D=D, H=H, E=D) + other
    if draw.integer(1, 5) > 2:
        return example(code + "cross(x, kv)", **parts)
    mask = allowed(draw, *draw.choice([(T, S), (B, T, S), (B, 1, S)]))
    return example(code + "cross(x, kv, mask)", **parts, mask=mask)


@small("5.9", "CrossAttention.forward", tries=6)
def memories_that_are_looked_at_otherwise(draw: Small) -> Example:
    code = CROSS.format(D=2, H=1, E=2) + OTHERWISE.format(net="cross") + "cross(x, kv)"
    kv = draw.tensor(1, 1, 2, 2, values=FEW), different(draw, 1, 1, 2, 2)
    return example(code, x=draw.tensor(1, 1, 2, values=FEW), kv=kv)


@small("5.9", "CrossAttention.forward", tries=3, last=True)
def what_a_memory_learns(draw: Small) -> Example:
    code = CROSS.format(D=1, H=1, E=1)
    code += "v.requires_grad_()\ncross(x, (k, v))[0].sum().backward()\nv.grad"
    k, v = draw.tensor(1, 1, 2, 1, values=(1.0, 2.0)), different(draw, 1, 1, 2, 1)
    return example(code, changes=["v"], x=torch.ones(1, 1, 1), k=k, v=v)
