"""Small inputs of chapter 6: attention, models and GPT-2's weights.

Where a task calls functions of another one, an example puts something simpler in their place.
"""

import torch
from torch import nn

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.transformers.suite.small import taught

FEW = (0.0, 1.0, 2.0, -1.0)
WHOLE = (0.0, 1.0, 2.0, 3.0, -1.0)


def filled(module, numbers):
    """Give a module's weights these numbers, again and again; return the module."""
    row = torch.tensor(numbers * 99)
    for p in module.parameters():
        p.data, row = row[: p.numel()].view(p.shape), row[p.numel() :]
    return module


def add_places(x, start=0, *more, **named):
    """Add its place to each row, in place of a rotation."""
    return x + torch.arange(start, start + x.shape[-2])[:, None]


def minus_distance(H, T, S, *more, **named):
    """Give head h the penalty -h |i - j|, in place of ALiBi's."""
    distance = (torch.arange(S - T, S)[:, None] - torch.arange(S)).abs()
    return -distance * torch.arange(1.0, H + 1)[:, None, None]


def toy_block(n):
    """Return a block that computes n (x + 1), plus what else it is given."""
    block = nn.Identity()
    block.forward = lambda x, past=None, mask=None, memory=None: (
        n * (x + 1) + (past or 0) + (mask or 0) + (memory or 0),
        (past or 0) + n,
    )
    return block


# ------------------------------------------------------------------ 6.5
MILD = (1.0, 0.0, -1.0, 0.5, 2.0)
HEADS = [(2, 2, 2), (2, 2, 1), (4, 4, 2), (4, 2, 1), (4, 2, 2)]  # D, H, G


def look(draw: Small, T: int, old: int = 0, heads=(2, 1, 1), B: int = 1, **more) -> Example:
    """Self-attention over T tokens and `old` ones; more: positions, masked, bias, causal."""
    D, H, G = heads
    positions = more.get("positions", "none")
    made = f"V=1, D={D}, L=1, H={H}" + (f", G={G}" if G < H else "")
    made += f', positions="{positions}"' + (", bias=False" if "bias" not in more else "")
    made = f"Sizes({made})" + ("" if more.get("causal", True) else ", causal=False")
    lines = [f"layer = filled(SelfAttention({made}), numbers)"]
    if positions == "rotary":
        lines.append("layer.rotate = add_places")
    if positions == "alibi":
        lines.append("layer.alibi = minus_distance")
    numbers = [draw.number((1.0, 2.0, -1.0)), draw.number(MILD), draw.number(MILD)]
    given = {"numbers": Code(str(numbers), 1 + len(more)), "x": draw.tensor(B, T, D, values=FEW)}
    call = "layer(x"
    if old:
        call += ", past=(k, v)"
        given |= {name: draw.tensor(B, G, old, D // H, values=FEW) for name in "kv"}
    if "masked" in more:
        call += ", mask=mask"
        given["mask"] = draw.ids(B, old + T, low=0, high=1).bool()
        given["mask"][:, 0] = True
    return example("\n".join([*lines, call + ")"]), **given)


@small("6.5", "SelfAttention.forward", tries=20)
def texts(draw: Small) -> Example:
    return look(draw, draw.integer(1, 3), old=draw.integer(0, 1))


@small("6.5", "SelfAttention.forward", tries=24)
def rotated(draw: Small) -> Example:
    return look(draw, draw.integer(1, 2), old=draw.integer(0, 2), positions="rotary")


@small("6.5", "SelfAttention.forward", tries=12)
def penalised(draw: Small) -> Example:
    return look(draw, 2, old=draw.integer(0, 1), positions="alibi")


@small("6.5", "SelfAttention.forward", tries=10)
def masked(draw: Small) -> Example:
    return look(draw, draw.integer(2, 3), masked=True)


@small("6.5", "SelfAttention.forward", tries=16)
def several_heads(draw: Small) -> Example:
    return look(draw, draw.integer(1, 2), heads=draw.choice(HEADS))


@small("6.5", "SelfAttention.forward", tries=18)
def all_of_it(draw: Small) -> Example:
    D, H, _ = heads = draw.choice([(2, 1, 1), *HEADS])
    more = {"positions": draw.choice(["rotary", "alibi"] if D // H == 2 else ["none", "alibi"])}
    more |= draw.choice([{}, {"bias": True}, {"causal": False}])
    more |= draw.choice([{}, {"masked": True}])
    return look(draw, 2, draw.integer(0, 2), heads, draw.integer(1, 2), **more)


@small("6.5", "SelfAttention.forward", tries=4, last=True)
def what_attention_teaches(draw: Small) -> Example:
    shown = look(draw, 2, positions=draw.choice(["none", "alibi"]))
    *lines, call = shown.code.split("\n")
    lines += taught(f"{call}[0]")
    return example("\n".join(lines), **shown.arguments, changes=["x"])


# ------------------------------------------------------------------ 6.6
@small("6.6", "LanguageModel.read", tries=76)
def pieces(draw: Small) -> Example:
    L = draw.integer(1, 2)
    learned = draw.yes()
    more = ', T=3, positions="learned"' if learned else ""
    more += draw.choice(["", ", pre=False"])
    given = {"words": draw.tensor(3, 2, values=WHOLE)}
    lines = [
        f"model = LanguageModel(Sizes(V=3, D=2, L={L}, H=1{more}))",
        "model.embed.words.weight.data = words",
    ]
    if learned:
        lines.append("model.embed.places.weight.data = places")
        given["places"] = draw.tensor(3, 2, values=FEW)
    made = ", ".join(f"toy_block({n + 1})" for n in range(L))
    lines.append(f"model.blocks = nn.ModuleList([{made}])")
    lines.append("model.norm.forward = lambda x: 10 * x")
    old, T, call = draw.choice([0, 0, 1]), draw.length(1, 2), "model.read(tokens"
    given["tokens"] = draw.ids(draw.choice([1, 1, 2]), T, high=2)
    if old:
        call += f", past=({old}, states)"
        given["states"] = [draw.integer(1, 3) for _ in range(L)]
    if draw.integer(0, 2) == 0:
        looks = draw.choice([["mask"], ["memory"], ["mask", "memory"]])
        call += "".join(f", {name}={name}" for name in looks)
        given |= {name: Code(str(n + 1.0), 4) for n, name in enumerate(looks)}
    return example("\n".join([*lines, call + ")"]), **given)


@small("6.6", "LanguageModel.read", tries=6, last=True)
def what_reading_teaches(draw: Small) -> Example:
    more = draw.choice(["", ", pre=False"])
    lines = [f"model = LanguageModel(Sizes(V=2, D=2, L=1, H=1{more}))"]
    lines += ["model.blocks = nn.ModuleList([toy_block(2)])", "model.norm.forward = torch.neg"]
    last = draw.choice(["model.embed.words.weight.grad", "model.training"])
    lines += ["model.read(tokens)[0].sum().backward()", last]
    return example("\n".join(lines), tokens=draw.ids(1, draw.length(1, 2), high=1))


@small("6.6", "LanguageModel.logits", tries=40)
def words(draw: Small) -> Example:
    tied = draw.yes()
    lines = [f"model = LanguageModel(Sizes(V=3, D=2, L=1, H=1{'' if tied else ', tied=False'}))"]
    name = "embed.words" if tied else "out"
    lines.append(f"model.{name}.weight.data = words")
    if not tied:
        lines.append("nn.init.zeros_(model.embed.words.weight)")
    lines.append("model.logits(x)")
    if draw.integer(0, 4) == 0:
        lines[-1] = "model.logits(x).sum().backward()"
        lines.append(f"model.{name}.weight.grad")
    return example(
        "\n".join(lines),
        words=draw.tensor(3, 2, values=FEW),
        x=draw.tensor(1, draw.length(1, 2), 2, values=FEW),
    )


LAYERS = {
    "embed": "nn.Embedding(2, 1)",
    "up": "nn.Linear(1, 2)",
    "W_o": "nn.Linear(2, 1)",
    "down": "nn.Linear(1, 2)",
    "norm": "nn.LayerNorm(2)",
    "out": "nn.Linear(2, 3, bias=False)",
}


@small("6.6", "initialise", tries=60)
def first_weights(draw: Small) -> Example:
    names = list(LAYERS)
    draw.rng.shuffle(names)
    names = names[: draw.length(1, 4)]
    made = ", ".join(f'"{name}": {LAYERS[name]}' for name in names)
    lines = [f"model = nn.ModuleDict({{{made}}})"]
    lines += ["for p in model.parameters():", "    p.data.fill_(2.0)"]
    call = f"initialise(model, torch.Generator().manual_seed({draw.integer(0, 3)}), std=std)"
    lines.append(f"dict({call}.state_dict())")
    return example("\n".join(lines), std=draw.choice([1.0, 0.1]))


# ------------------------------------------------------------------ 6.7
GPT2_NAMES = {  # and the shapes of their weights
    "wte.weight": (2, 1),
    "wpe.weight": (2, 1),
    "h.0.ln_1.weight": (2,),
    "h.0.ln_2.bias": (2,),
    "h.1.attn.c_attn.weight": (1, 3),
    "h.0.attn.c_attn.bias": (3,),
    "h.0.attn.c_proj.weight": (2, 2),
    "h.0.attn.c_proj.bias": (2,),
    "h.0.mlp.c_fc.weight": (2, 3),
    "h.0.mlp.c_proj.weight": (3, 1),
    "ln_f.weight": (2,),
    "h.0.attn.bias": (1, 1),
    "h.0.attn.masked_bias": (1,),
    "lm_head.weight": (2, 1),
}


@small("6.7", "from_gpt2", tries=110)
def files(draw: Small) -> Example:
    names = [draw.choice(list(GPT2_NAMES)) for _ in range(draw.length(1, 2))]
    prefix = draw.choice(["", "", "transformer."])
    weights = {
        (prefix if name != "lm_head.weight" else "") + name: draw.tensor(
            *GPT2_NAMES[name], values=WHOLE
        )
        for name in names
    }
    return example("from_gpt2(weights)", weights=weights)
