"""Small inputs of chapter 7, on which a wrong answer is shown: chats to samples.

The other file, small_rewards.py, holds those of later tasks.
"""

import torch

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code, literal

FEW = (0.0, 1.0, 2.0, -1.0)
MARKS = {"user": 3, "assistant": 4, "system": 5}
ROLES = ["user", "assistant", "system"]
SHARES = ([0.5, 0.5], [0.25, 0.75], [0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.125, 0.375, 0.5])


def filled(module, numbers):
    """Give a module's weights these numbers, again and again; return the module."""
    row = torch.tensor(numbers * 99)
    for p in module.parameters():
        p.data, row = row[: p.numel()].view(p.shape), row[p.numel() :]
    return module


def learning(value: torch.Tensor) -> Code:
    """A tensor that asks for a gradient."""
    return Code(f"{literal(value)[:-1]}, requires_grad=True)", value.numel())


# ------------------------------------------------------------------ 7.1
@small("7.1", "render_chat", tries=60)
def chats(draw: Small) -> Example:
    turns = [
        (
            draw.choice(ROLES[: 2 + draw.size]),
            [draw.integer(5, 9) for _ in range(draw.length(0, 2))],
        )
        for _ in range(draw.length(0, 2))
    ]
    place = draw.integer(0, len(turns))
    turns.insert(place, ("assistant", [draw.integer(5, 9) for _ in range(draw.integer(0, 2))]))
    marks = MARKS if draw.size else {"user": 3, "assistant": 4}
    return example("render_chat(turns, marks)", turns=turns, marks=Code(str(marks), len(marks)))


def row_of(draw: Small, n: int) -> tuple[list[int], list[bool]]:
    """A row of n words, and which of them are learned: at least one after the first."""
    answers = [draw.yes() for _ in range(n)]
    answers[draw.integer(1, n - 1)] = True
    return [draw.integer(5, 9) for _ in range(n)], answers


@small("7.1", "answer_batch", tries=60)
def rows(draw: Small) -> Example:
    found = [row_of(draw, draw.integer(2, 3 + draw.size)) for _ in range(draw.choice([1, 1, 2]))]
    which = draw.choice(["", "[0]", "[1]"])
    return example(f"answer_batch(rows){which}", rows=found)


@small("7.1", "answer_batch", tries=1, last=True)
def ids_are_whole_numbers(draw: Small) -> Example:
    code = "[part.is_floating_point() for part in answer_batch(rows)]"
    return example(code, rows=[row_of(draw, 2)])


def targets_of(draw: Small, B: int, T: int, V: int):
    """Targets of which some are IGNORE; at least one is not."""
    found = draw.ids(B, T, high=V - 1)
    for b in range(B):
        for t in range(T):
            if draw.integer(0, 2) == 0 and (found != -100).sum() > 1:
                found[b, t] = -100
    return found


@small("7.1", "answer_loss", tries=60)
def losses(draw: Small) -> Example:
    B, T = draw.choice([(1, 1), (1, 2), (2, 2), (2, 1)])
    far = draw.integer(0, 5) == 0
    logits = draw.tensor(B, T, 2, values=(0.0, 1000.0) if far else FEW)
    return example("answer_loss(logits, targets)", logits=logits, targets=targets_of(draw, B, T, 2))


@small("7.1", "answer_loss", tries=6, last=True)
def what_losses_teach(draw: Small) -> Example:
    B, T = draw.choice([(1, 1), (1, 2)])
    logits = learning(draw.tensor(B, T, 2, values=FEW))
    code = "answer_loss(logits, targets).backward()\nlogits.grad"
    return example(code, logits=logits, targets=targets_of(draw, B, T, 2))


# ------------------------------------------------------------------ 7.2
def layer_of(draw: Small) -> tuple[str, dict]:
    """The line that makes a layer, and its numbers."""
    n_in, n_out = draw.choice([(1, 1), (2, 1), (1, 2), (2, 2)])
    bias = draw.choice(["", "", ", bias=False"])
    R, alpha = draw.integer(1, 2), draw.choice(["1.0", "2.0", "4.0"])
    made = f"LoRA(nn.Linear({n_in}, {n_out}{bias}), R={R}, alpha={alpha})"
    numbers = [draw.number((1.0, 2.0, -1.0, 0.5)) for _ in range(draw.choice([1, 3]))]
    given = {"numbers": Code(str(numbers), len(numbers))}
    return f"layer = filled({made}, numbers)", given | {"n_in": n_in}


@small("7.2", "LoRA.forward", tries=60)
def layers(draw: Small) -> Example:
    line, given = layer_of(draw)
    n_in = given.pop("n_in")
    shape = draw.choice([(n_in,), (n_in,), (2, n_in), (1, 2, n_in)][: 2 + draw.size])
    return example(f"{line}\nlayer(x)", **given, x=draw.tensor(*shape, values=FEW))


@small("7.2", "LoRA.forward", tries=24, last=True)
def what_layers_learn(draw: Small) -> Example:
    line, given = layer_of(draw)
    n_in = given.pop("n_in")
    x, shown = draw.tensor(n_in, values=(1.0, 2.0, -1.0)), draw.choice(["layer.A", "layer.B", "x"])
    code = f"{line}\nlayer(x).sum().backward()\n{shown}.grad"
    return example(code, **given, x=learning(x) if shown == "x" else x)


@small("7.2", "LoRA.merged", tries=60)
def plain_layers(draw: Small) -> Example:
    line, given = layer_of(draw)
    given.pop("n_in")
    shown = draw.choice(
        [
            *["plain.weight"] * 2,
            "plain.bias",
            "layer.base.weight",
            "layer.B",
            "type(plain).__name__",
        ]
    )
    return example(f"{line}\nplain = layer.merged()\n{shown}", **given)


@small("7.2", "LoRA.merged", tries=6)
def plain_layers_that_change(draw: Small) -> Example:
    line, given = layer_of(draw)
    given.pop("n_in")
    line = line.replace(", bias=False", "")
    change = "filled(layer.merged(), [9.0])"
    return example(
        f"{line}\n{change}\n{draw.choice(['layer.base.weight', 'layer.base.bias'])}", **given
    )


NETS = (
    "nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))",
    "nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1))",
    "nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))",
    "nn.Sequential(nn.Linear(1, 2), nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)))",
    "nn.Sequential(nn.Sequential(nn.Linear(1, 2)), nn.Sequential(nn.Linear(2, 3)))",
    "nn.Sequential(nn.Embedding(3, 1), nn.Linear(1, 2), nn.LayerNorm(2))",
    "nn.ModuleDict({'up': nn.Linear(1, 2), 'lookup': nn.Linear(1, 3), 'out': nn.Linear(1, 4)})",
    "nn.ModuleDict({'up': nn.Linear(1, 2), 'upper': nn.Linear(1, 3)})",
    "nn.ModuleDict({'up': nn.Sequential(nn.Linear(1, 2)), 'out': nn.Linear(1, 3)})",
)
SEEN = (
    "[tuple(p.shape) for p in learned]",
    "[name for name, p in model.named_parameters() if p.requires_grad]",
    "[name for p in learned for name, q in model.named_parameters() if p is q]",
    "[(name, type(layer).__name__) for name, layer in model.named_modules()]",
    "[layer.scale for layer in model.modules() if isinstance(layer, LoRA)]",
    "[p.requires_grad for p in learned]",
    "len({id(p) for p in learned})",
)


@small("7.2", "add_lora", tries=100)
def networks(draw: Small) -> Example:
    net = draw.choice(NETS)
    names = ["out", "up", "upper"] if "Dict" in net else ["2", "1", "0"]
    chosen = tuple(name for name in names if draw.yes()) or (names[1],)
    call = f"learned = add_lora(model, names, R={draw.integer(1, 2)}, alpha=2.0)"
    given = {"model": Code(net, net.count("nn.")), "names": Code(str(chosen), len(chosen))}
    return example(f"{call}\n{draw.choice(SEEN)}", **given)


@small("7.2", "add_lora", tries=1, last=True)
def seeds_of_two_networks(draw: Small) -> Example:
    code = """
drawn = []
for network in range(2):
    add_lora(nn.Sequential(nn.Linear(1, 1)), names, R=1, alpha=1.0)
    drawn.append(torch.rand(1).item())
drawn[0] == drawn[1]
"""
    return example(code, names=Code("('0',)", 1))


# ------------------------------------------------------------------ 7.3
@small("7.3", "majority", tries=100)
def votes(draw: Small) -> Example:
    known = draw.choice([["a", "b", None], ["a", "b", "c"], [0, 1, None], ["", "a", None]])
    answers = [draw.choice(known) for _ in range(draw.length(0, 6))]
    return example("majority(answers)", answers=answers)


@small("7.3", "pass_at_k", tries=60)
def chances(draw: Small) -> Example:
    n = draw.integer(1, 3 + draw.size)
    return example("pass_at_k(n, c, k)", n=n, c=draw.integer(0, n), k=draw.integer(1, n))


@small("7.3", "pass_at_k", tries=4)
def many_samples(draw: Small) -> Example:
    given = {"n": 10000, "c": draw.integer(1, 3), "k": draw.choice([10, 5000])}
    return example("pass_at_k(n, c, k)", **given, rtol=1e-6)


@small("7.3", "best_of_n", tries=80)
def best(draw: Small) -> Example:
    shares = draw.choice(SHARES[: 2 + draw.size])
    rewards = draw.tensor(len(shares), values=(0.0, 1.0, 2.0))
    p = torch.tensor(shares)
    return example("best_of_n(p.log(), rewards, n)", p=p, rewards=rewards, n=draw.integer(1, 3))


@small("7.3", "best_of_n", tries=6)
def best_of_many(draw: Small) -> Example:
    p, rewards = torch.tensor(draw.choice(SHARES[:2])), torch.tensor([0.0, 1.0])
    n = draw.choice([100, 200])
    how = {"rtol": 1e-3, "atol": 1e-3}
    return example("best_of_n(p.log(), rewards, n)", p=p, rewards=rewards, n=n, **how)


@small("7.3", "best_of_n", tries=3)
def best_and_rare(draw: Small) -> Example:
    given = {"log_p": torch.tensor([0.0, -70.0]), "rewards": torch.tensor([0.0, 1.0])}
    return example("best_of_n(log_p, rewards, n)", **given, n=draw.integer(2, 4))


@small("7.3", "best_of_n_kl", tries=20)
def distances(draw: Small) -> Example:
    return example("best_of_n_kl(n)", n=draw.integer(1, 9))
