"""Small inputs of chapter 6, on which a wrong answer is shown: norms to positions.

The other files small_*.py hold those of later tasks.
"""

import torch

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code

FEW = (0.0, 1.0, 2.0, -1.0)
WHOLE = (0.0, 1.0, 2.0, 3.0, -1.0)
POSITIVE = (1.0, 2.0, 0.5)


def filled(module, numbers):
    """Give a module's weights these numbers, again and again; return the module."""
    row = torch.tensor(numbers * 99)
    for p in module.parameters():
        p.data, row = row[: p.numel()].view(p.shape), row[p.numel() :]
    return module


def hidden(vectors, mask):
    """Set vectors to 0 where the mask is False."""
    return vectors if mask is None else vectors * mask[..., None]


def taught(call: str) -> list[str]:
    """Return lines that show the gradient of what a call returns, for x."""
    return ["x.requires_grad_()", f"{call}.sum().backward()", "x.grad"]


# ------------------------------------------------------------------ 6.1
def rows(draw: Small, D: int, values=WHOLE):
    """One vector, or a few along one axis or two."""
    shapes = [(D,), (D,), (2, D), (1, 2, D), (2, 1, D), (2, 2, D)]
    return draw.tensor(*draw.choice(shapes[: 2 + draw.size]), values=values)


def gain_of(draw: Small, D: int):
    return draw.tensor(D, values=POSITIVE) if draw.yes() else Code(f"torch.ones({D})")


def bias_of(draw: Small, D: int):
    return draw.tensor(D, values=(0.0, 3.0)) if draw.yes() else Code(f"torch.zeros({D})")


@small("6.1", "layer_norm")
def vectors(draw: Small) -> Example:
    D = draw.choice([2, 3, 3, 4])
    given = {
        "x": rows(draw, D),
        "gain": Code(f"torch.ones({D})"),
        "bias": Code(f"torch.zeros({D})"),
    }
    if draw.size < 2:
        return example("layer_norm(x, gain, bias)", **given)
    given |= {"gain": gain_of(draw, D), "bias": bias_of(draw, D)}
    if draw.integer(0, 2) == 0:
        return example("layer_norm(x, gain, bias, eps=1.0)", **given)
    return example("layer_norm(x, gain, bias)", **given)


@small("6.1", "layer_norm", tries=6)
def far_from_zero(draw: Small) -> Example:
    x = draw.tensor(2, values=(5000.0, 5002.0))  # their mean is exact
    return example("layer_norm(x, gain, bias)", x=x, gain=gain_of(draw, 2), bias=bias_of(draw, 2))


@small("6.1", "layer_norm", tries=2, last=True)
def what_a_number_learns(draw: Small) -> Example:
    lines = taught("layer_norm(x, torch.ones(3), torch.zeros(3))[0]")
    return example(
        "\n".join(lines), x=torch.tensor([0.0, 1.0, draw.choice([3.0, 4.0])]), changes=["x"]
    )


@small("6.1", "layer_norm_gradients")
def gradients(draw: Small) -> Example:
    D = draw.choice([2, 3, 3, 4])
    x = rows(draw, D)
    given = {"x": x, "gain": gain_of(draw, D), "grad": draw.tensor(*x.shape, values=FEW)}
    code = "layer_norm_gradients(x, gain, grad)"
    # without a spread, or of two numbers, there is hardly a gradient
    plain = x.amax(-1).gt(x.amin(-1)).all() and D > 2 and draw.integer(0, 2)
    return example(code if plain else code[:-1] + ", eps=1.0)", **given)


@small("6.1", "rms_norm")
def vectors_with_a_length(draw: Small) -> Example:
    D = draw.choice([2, 2, 3, 4])
    given = {"x": rows(draw, D, (0.0, 1.0, 3.0, 4.0, -1.0)), "gain": gain_of(draw, D)}
    if draw.size and draw.integer(0, 3) == 0:
        return example("rms_norm(x, gain, eps=1.0)", **given)
    return example("rms_norm(x, gain)", **given)


# ------------------------------------------------------------------ 6.2
@small("6.2", "gelu", tries=60)
def numbers(draw: Small) -> Example:
    shape = draw.choice([(1,), (1,), (2,), (3,), (2, 2)][: 2 + draw.size])
    x = draw.tensor(*shape, values=(1.0, -1.0, 2.0, -2.0, 0.0, 3.0, 0.5)[: 2 + draw.size])
    return example(draw.choice(["gelu(x)", "gelu(x, approximate=True)"]), x=x)


@small("6.2", "FeedForward.forward", tries=60)
def layers(draw: Small) -> Example:
    kind = draw.choice(["relu", "gelu", "gelu_tanh", "swiglu", "swiglu"])
    bias = draw.integer(0, 2) == 0
    made = f'Sizes(V=1, D=2, L=1, H=1, F={draw.integer(1, 3)}, feed="{kind}"'
    made += ")" if bias else ", bias=False)"
    numbers = [draw.number((1.0, 2.0, -1.0, 0.5)) for _ in range(draw.choice([1, 3]))]
    return example(
        f"feed = filled(FeedForward({made}), numbers)\nfeed(x)",
        numbers=Code(str(numbers), 3 if bias else 1),
        x=draw.tensor(*draw.choice([(1, 1), (1, 2), (2, 1)][: 1 + draw.size]), 2, values=FEW),
    )


@small("6.2", "FeedForward.forward", tries=4, last=True)
def what_a_layer_teaches(draw: Small) -> Example:
    made = f'Sizes(V=1, D=2, L=1, H=1, F=2, feed="{draw.choice(["relu", "swiglu"])}", bias=False)'
    lines = [f"feed = filled(FeedForward({made}), numbers)", *taught("feed(x)")]
    given = {"numbers": Code("[1.0]", 1), "x": draw.tensor(1, 1, 2, values=(1.0, 2.0))}
    return example("\n".join(lines), **given, changes=["x"])


# ------------------------------------------------------------------ 6.3
@small("6.3", "Block.around")
def around(draw: Small) -> Example:
    more = draw.choice(["", ", pre=False"])
    lines = [f"block = Block(Sizes(V=1, D=2, L=1, H=1{more}), nn.Identity(), nn.Identity())"]
    if draw.integer(0, 2) == 0:
        lines.append("block.dropout.p = 1.0")
        if draw.yes():
            lines.append("block.eval()")
    norm, layer = draw.choice(
        [("torch.neg", "torch.relu"), ("torch.square", "torch.neg"), ("torch.neg", "torch.exp")]
    )
    lines.append(f"block.around(x, {norm}, {layer})")
    return example("\n".join(lines), x=draw.tensor(1, draw.length(1, 2), 2, values=WHOLE))


@small("6.3", "Block.around", tries=4, last=True)
def what_around_teaches(draw: Small) -> Example:
    more = draw.choice(["", ", pre=False"])
    lines = [f"block = Block(Sizes(V=1, D=2, L=1, H=1{more}), nn.Identity(), nn.Identity())"]
    lines += taught("block.around(x, torch.neg, torch.square)")
    x = draw.tensor(1, 1, 2, values=(1.0, 2.0))
    return example("\n".join(lines), x=x, changes=["x"])


@small("6.3", "Block.forward", tries=4, last=True)
def what_a_block_teaches(draw: Small) -> Example:
    more = draw.choice(["", ", pre=False"])
    lines = ["mixer = lambda x, past=None, mask=None: (x**2, (past, mask))"]
    lines.append(f"block = Block(Sizes(V=1, D=2, L=1, H=1{more}), mixer, torch.neg)")
    lines += [f"block.norm{n}.forward = lambda x: {n + 1} * x" for n in (1, 2)]
    lines += taught("block(x)[0]")
    x = draw.tensor(1, 1, 2, values=(1.0, 2.0))
    return example("\n".join(lines), x=x, changes=["x"])


@small("6.3", "Block.forward", tries=60)
def blocks(draw: Small) -> Example:
    kind, T = draw.choice(["", "past", "mask"]), draw.length(1, 2)
    more = draw.choice(["", ", pre=False"] if draw.size else [""])
    given = {"x": draw.tensor(1, T, 2, values=(1.0, 2.0, 3.0, -1.0))}
    lines = ["mixer = lambda x, past=None, mask=None: (x + 1, (past, mask))"]
    cross, call = "", "block(x"
    if kind:
        call += f", {kind}={kind}"
        given[kind] = draw.ids(1, T, low=0, high=1).bool() if kind == "mask" else draw.number()
    if draw.integer(0, 2) == 0:
        lines.append("cross = lambda x, vectors, mask=None: x + hidden(vectors, mask)")
        cross, call = ", cross", call + ", memory=(vectors, seen)"
        given |= {"vectors": draw.tensor(1, 1, 2), "seen": draw.ids(1, 1, high=1).bool()}
    lines.append(f"block = Block(Sizes(V=1, D=2, L=1, H=1{more}), mixer, torch.neg{cross})")
    for n in range(1, 4 if cross else 3):
        lines.append(f"block.norm{n}.forward = lambda x: {n + 1} * x")
    return example("\n".join([*lines, call + ")"]), **given)


# ------------------------------------------------------------------ 6.4
def whole(n: int) -> Code:
    """A whole number that counts the more the larger it is: what it makes is as large."""
    return Code(str(n), abs(n))


@small("6.4", "sinusoidal", tries=40)
def lengths(draw: Small) -> Example:
    T, D = draw.integer(1, 3), draw.choice([2, 4, 6])
    return example("sinusoidal(T, D)", T=whole(T), D=whole(D))


@small("6.4", "shift_matrix", tries=40)
def shifts(draw: Small) -> Example:
    k, D = draw.integer(-2, 3), draw.choice([2, 4, 6])
    return example("shift_matrix(k, D)", k=whole(k), D=whole(D))


@small("6.4", "rotate")
def rows_to_rotate(draw: Small) -> Example:
    K = draw.choice([2, 2, 4])
    T = draw.integer(1, 3)
    before = draw.choice([(), (), (2,), (1, 2), (2, 1)][: 2 + draw.size])
    x = draw.tensor(*before, T, K, values=(0.0, 1.0, 2.0))
    if draw.yes():
        return example("rotate(x)", x=x)
    return example("rotate(x, start=start)", x=x, start=draw.integer(1, 2))


@small("6.4", "rotate", tries=4, last=True)
def what_a_rotation_teaches(draw: Small) -> Example:
    x = draw.tensor(2, 2, values=(1.0, 2.0))
    return example("\n".join(taught("rotate(x)")), x=x, changes=["x"])


@small("6.4", "rotate", tries=4)
def rows_of_half_precision(draw: Small) -> Example:
    given = {"x": draw.tensor(1, 2, values=(0.0, 1.0)), "start": whole(draw.integer(257, 259))}
    if draw.yes():
        return example("rotate(x.bfloat16(), start=start).dtype == torch.bfloat16", **given)
    return example("rotate(x.bfloat16(), start=start).float()", **given, atol=0.02)


@small("6.4", "alibi")
def heads(draw: Small) -> Example:
    S = draw.integer(1, 4)
    H, T = draw.choice([1, 2, 4, 8]), draw.integer(1, S)
    return example("alibi(H, T, S)", H=whole(H), T=whole(T), S=whole(S))
