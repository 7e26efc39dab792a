"""Small inputs of chapter 7: rewards, the policy gradient, groups, pairs, judges, answers."""

import math

import torch
from torch import nn

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code, literal

FEW = (0.0, 1.0, 2.0, -1.0)
LOGS = (-1.0, -2.0, -3.0, 0.0)
IGNORE = -100


def id_and_place(rows):
    """Return a vector of one number for each token: its id, and 10 times its place."""
    return (rows + 10.0 * torch.arange(rows.shape[1]))[..., None]


def ones(module):
    """Set all weights of a module to 1; return the module."""
    for p in module.parameters():
        nn.init.ones_(p)
    return module


def learning(value: torch.Tensor) -> Code:
    """A tensor that asks for a gradient."""
    return Code(f"{literal(value)[:-1]}, requires_grad=True)", value.numel())


# ------------------------------------------------------------------ 7.4
@small("7.4", "RewardModel.forward", tries=90)
def texts(draw: Small) -> Example:
    B, T = draw.choice([1, 1, 2]), draw.length(1, 3)
    rows = draw.ids(B, T, low=draw.choice([0, 2, 3]), high=5)
    for row in rows:
        n = draw.integer(1, T)
        row[n - 1], row[n:] = draw.integer(3, 5), 0
    reader = draw.choice(["id_and_place", "lambda rows: -id_and_place(rows)"])
    return example(f"model = ones(RewardModel({reader}, D=1))\nmodel(rows)", rows=rows)


@small("7.4", "RewardModel.forward", tries=12, last=True)
def what_readers_learn(draw: Small) -> Example:
    rows = draw.ids(1, draw.length(1, 2), low=1, high=2)
    lines = ["reader = nn.Embedding(3, 1)", "model = ones(RewardModel(reader, D=1))"]
    lines += [
        "model(rows).sum().backward()",
        draw.choice(["reader", "model.head"]) + ".weight.grad",
    ]
    return example("\n".join(lines), rows=rows)


@small("7.4", "preference_loss", tries=50)
def pairs(draw: Small) -> Example:
    B = draw.length(1, 2)
    values = (0.0, 10000.0) if draw.integer(0, 4) == 0 else FEW
    given = {name: draw.tensor(B, values=values) for name in ("chosen", "rejected")}
    if draw.integer(0, 2) == 0:
        return example("preference_loss(chosen, rejected, scale=2.0)", **given)
    return example("preference_loss(chosen, rejected)", **given)


# ------------------------------------------------------------------ 7.5
def tokens_of(draw: Small, B: int, T: int) -> dict:
    """Logits of two words, and targets of which some are IGNORE."""
    targets = draw.ids(B, T, high=1)
    for b in range(B):
        for t in range(T):
            targets[b, t] = IGNORE if draw.integer(0, 3) == 0 else targets[b, t]
    return {"logits": draw.tensor(B, T, 2, values=FEW), "targets": targets}


@small("7.5", "text_log_probs", tries=60)
def texts_of_tokens(draw: Small) -> Example:
    given = tokens_of(draw, *draw.choice([(1, 1), (1, 2), (2, 1), (2, 2)]))
    if draw.integer(0, 5) == 0:
        given["logits"] *= 1000
    return example("text_log_probs(logits, targets)", **given)


@small("7.5", "text_log_probs", tries=8)
def tokens_that_are_rare(draw: Small) -> Example:
    far, T = draw.choice([(60.0, 2), (200.0, 1)])
    logits = torch.tensor([[[0.0, far]] * T])
    return example(
        "text_log_probs(logits, targets)", logits=logits, targets=torch.zeros(1, T).long()
    )


@small("7.5", "text_log_probs", tries=1, last=True)
def a_token_that_is_impossible(draw: Small) -> Example:
    logits = torch.tensor([[[0.0, -math.inf]]])
    return example("text_log_probs(logits, targets)", logits=logits, targets=torch.tensor([[0]]))


@small("7.5", "text_log_probs", tries=4, last=True)
def what_tokens_learn(draw: Small) -> Example:
    given = tokens_of(draw, 1, 1) | {"targets": torch.tensor([[1]])}
    given["logits"] = learning(given["logits"])
    return example("text_log_probs(logits, targets).sum().backward()\nlogits.grad", **given)


@small("7.5", "leave_one_out", tries=40)
def baselines(draw: Small) -> Example:
    return example("leave_one_out(rewards)", rewards=draw.tensor(draw.length(2, 4), values=FEW))


@small("7.5", "policy_loss", tries=60)
def policies(draw: Small) -> Example:
    B = draw.length(1, 2)
    given = {"log_p": draw.tensor(B, values=LOGS)}
    given |= {name: draw.tensor(B, values=FEW) for name in ("rewards", "baseline")}
    shown = draw.choice(["", "log_p", "rewards", "baseline"])
    if not shown:
        return example("policy_loss(log_p, rewards, baseline)", **given)
    given["log_p"] = learning(given["log_p"])
    if shown != "log_p":
        given[shown] = learning(given[shown])
    return example(f"policy_loss(log_p, rewards, baseline).backward()\n{shown}.grad", **given)


# ------------------------------------------------------------------ 7.6
@small("7.6", "tilted", tries=50)
def leashes(draw: Small) -> Example:
    p = draw.choice([[1.0], [0.5, 0.5], [0.25, 0.75], [0.5, 0.25, 0.25]])
    far = draw.integer(0, 4) == 0
    rewards = draw.tensor(len(p), values=(0.0, 1000.0) if far else FEW)
    given = {"p": torch.tensor(p), "rewards": rewards, "beta": draw.choice([1.0, 2.0, 0.5])}
    return example("tilted(p.log(), rewards, beta)", **given)


@small("7.6", "kl_estimates", tries=50)
def estimates(draw: Small) -> Example:
    shape = draw.choice([(1,), (1,), (2,), (1, 2), (2, 2)][: 2 + draw.size])
    given = {name: draw.tensor(*shape, values=LOGS) for name in ("log_p", "log_q")}
    return example(f"kl_estimates(log_p, log_q){draw.choice(['', '[0]', '[1]', '[2]'])}", **given)


@small("7.6", "kl_estimates", tries=1, last=True)
def probabilities_that_hardly_differ(draw: Small) -> Example:
    given = {"log_p": torch.tensor([0.0]), "log_q": torch.tensor([1e-4])}
    return example("kl_estimates(log_p, log_q)[2]", **given, rtol=0.1, atol=1e-12)


@small("7.6", "kl_estimates", tries=3, last=True)
def samples_that_are_far_apart(draw: Small) -> Example:
    given = {"log_p": torch.tensor([-30.0]), "log_q": torch.tensor([-1.0])}
    return example(f"kl_estimates(log_p, log_q)[{draw.integer(0, 2)}]", **given)


@small("7.6", "kl_estimates", tries=6, last=True)
def what_estimates_teach(draw: Small) -> Example:
    log_p, log_q = (draw.tensor(1, values=LOGS) for _ in "pq")
    code = f"kl_estimates(log_p, log_q)[{draw.integer(0, 2)}].sum().backward()\nlog_p.grad"
    return example(code, log_p=learning(log_p), log_q=log_q)


@small("7.6", "leashed", tries=50)
def prices(draw: Small) -> Example:
    B = draw.length(1, 2)
    given = {"rewards": draw.tensor(B, values=FEW)}
    given |= {name: draw.tensor(B, values=LOGS) for name in ("log_p", "log_reference")}
    call = f"leashed(rewards, log_p, log_reference, beta={draw.choice([0.0, 0.5, 2.0])})"
    if draw.integer(0, 3) == 0:
        name = draw.choice(["log_p", "rewards"])
        given[name] = learning(given[name])
        call += ".requires_grad"
    return example(call, **given)


# ------------------------------------------------------------------ 7.7
@small("7.7", "group_advantages", tries=70)
def groups(draw: Small) -> Example:
    B, G = draw.choice([(1, 2), (1, 3), (2, 2), (2, 3)])
    more = draw.choice(["", "", ", scaled=False", ", eps=1.0"])
    return example(f"group_advantages(rewards{more})", rewards=draw.tensor(B, G, values=FEW))


@small("7.7", "group_advantages", tries=12)
def equal_rewards(draw: Small) -> Example:
    size, G = draw.choice([5.1, 0.1, 0.7, 3.3]), draw.choice([3, 6, 7])
    return example("group_advantages(rewards)", rewards=Code(f"torch.full((1, {G}), {size})", 3))


@small("7.7", "clipped_loss", tries=90)
def tokens(draw: Small) -> Example:
    B, T = draw.choice([(1, 1), (1, 1), (1, 2), (2, 2)])
    given = {name: draw.tensor(B, T, values=LOGS) for name in ("new", "old")}
    if draw.integer(0, 2) == 0:
        given["new"] = given["old"].clone()
    mask = draw.ids(B, T, high=1).bool()
    mask[:, draw.integer(0, T - 1)] = True
    given |= {"advantages": draw.tensor(B, values=(1.0, 2.0, -1.0)), "mask": mask}
    shown, more = draw.choice(["", "", "new", "old"]), draw.choice(["", "", ", eps=0.5"])
    call = f"clipped_loss(new, old, advantages, mask{more})"
    if not shown:
        return example(call, **given)
    given["new"] = learning(given["new"])
    if shown == "old":
        given["old"] = learning(given["old"])
    return example(f"{call}.backward()\n{shown}.grad", **given)


@small("7.7", "clipped_loss", tries=1, last=True)
def a_ratio_far_from_one(draw: Small) -> Example:
    given = {"new": torch.tensor([[0.0]]), "old": torch.tensor([[-30.0]])}
    given |= {"advantages": torch.tensor([-1.0]), "mask": torch.tensor([[True]])}
    return example("clipped_loss(new, old, advantages, mask)", **given)


@small("7.7", "clipped_loss", tries=8)
def what_is_masked(draw: Small) -> Example:
    given = {"new": torch.tensor([[0.0, 0.0]]), "old": torch.tensor([[0.0, -torch.inf]])}
    if draw.yes():
        given = {"new": torch.tensor([[0.0, 900.0]]), "old": torch.zeros(1, 2)}
    given |= {"advantages": torch.tensor([1.0]), "mask": torch.tensor([[True, False]])}
    if draw.yes():
        return example("clipped_loss(new, old, advantages, mask)", **given)
    given["new"] = learning(given["new"])
    code = "clipped_loss(new, old, advantages, mask).backward()\nnew.grad"
    return example(code, **given)


def bigrams(V):
    """Return a model for which, after each token, all V tokens are equally likely."""
    model = nn.Embedding(V, V)
    nn.init.zeros_(model.weight)
    model.forward = lambda rows: (model.weight[rows], None)
    return model


def says(shares):
    """Return a model that always gives these shares to its tokens."""
    model = nn.Module()
    model.logits = nn.Parameter(torch.tensor(shares).log())
    model.forward = lambda rows: (model.logits.expand(*rows.shape, -1), None)
    return model


def batch_of(draw: Small, B: int, T: int) -> dict:
    """Inputs, targets, old log-probabilities and advantages for models of two tokens."""
    targets = draw.ids(B, T, high=1)
    for row in targets:
        if T > 1 and draw.yes():
            row[draw.integer(0, T - 1)] = IGNORE
    old = draw.tensor(B, T, values=(-1.0, -0.75, -0.5)).masked_fill(targets == IGNORE, 0.0)
    given = {"inputs": draw.ids(B, T, high=1), "targets": targets, "old": old}
    return given | {"advantages": draw.tensor(B, values=(1.0, 2.0, -1.0))}


@small("7.7", "tune_step", tries=90)
def steps(draw: Small) -> Example:
    given = batch_of(draw, *draw.choice([(1, 1), (1, 1), (1, 2), (2, 2)]))
    shares = draw.choice([[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
    if draw.integer(0, 5) == 0:
        shares = [0.0, 1.0]
    beta = 0.0 if 0.0 in shares else draw.choice([0.0, 1.0, 2.0])
    clip = draw.choice(["", ", clip=9.0", ", clip=0.1"])
    lines = ["model, reference = bigrams(2), says(shares)"]
    lines += ["optimizer = torch.optim.SGD(model.parameters(), lr=1.0)"]
    call = "tune_step(model, reference, optimizer, inputs, targets, old, advantages"
    call += f", beta={beta}{draw.choice(['', '', ', eps=0.1'])}{clip})"
    lines.append(call)
    if draw.yes():
        lines.append(draw.choice(["model.weight", "model.weight", "reference.logits.grad"]))
    elif draw.integer(0, 3) == 0:
        lines += [call, "model.weight"]
    return example("\n".join(lines), shares=Code(str(shares)), **given)


@small("7.7", "tune_step", tries=4)
def other_references(draw: Small) -> Example:
    given = batch_of(draw, 1, 1) | {"shares": Code("[0.25, 0.25, 0.5]")}
    lines = ["model, reference = bigrams(2), says(shares)"]
    lines += ["optimizer = torch.optim.SGD(model.parameters(), lr=1.0)"]
    lines += ["tune_step(model, reference, optimizer, inputs, targets, old, advantages)"]
    return example("\n".join(lines), **given)


@small("7.7", "tune_step", tries=1, last=True)
def seeds_of_two_steps(draw: Small) -> Example:
    code = """
model, reference = bigrams(2), says(shares)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
drawn = []
for step in range(2):
    tune_step(model, reference, optimizer, inputs, targets, old, advantages)
    drawn.append(torch.rand(1).item())
drawn[0] == drawn[1]
"""
    return example(code, shares=Code("[0.5, 0.5]"), **batch_of(draw, 1, 1))


@small("7.7", "tune_step", tries=2, last=True)
def modes_in_a_step(draw: Small) -> Example:
    code = f"""
model, reference = bigrams(2), says(shares)
modes = []
{draw.choice(["model", "reference"])}.register_forward_hook(lambda m, *_: modes.append(m.training))
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
tune_step(model, reference, optimizer, inputs, targets, old, advantages)
set(modes)
"""
    return example(code, shares=Code("[0.5, 0.5]"), **batch_of(draw, 1, 1))


# ------------------------------------------------------------------ 7.8
@small("7.8", "implicit_rewards", tries=40)
def implied(draw: Small) -> Example:
    B, beta = draw.length(1, 2), draw.choice([1.0, 2.0, 0.5])
    given = {name: draw.tensor(B, values=LOGS) for name in ("log_p", "log_reference")}
    call = f"implicit_rewards(log_p, log_reference, beta={beta})"
    if draw.integer(0, 4):
        return example(call, **given)
    given["log_p"] = learning(given["log_p"])
    return example(f"{call}.sum().backward()\nlog_p.grad", **given)


@small("7.8", "dpo_loss", tries=60)
def preferred(draw: Small) -> Example:
    B, beta = draw.length(1, 2), draw.choice([1.0, 2.0, 0.5])
    names = ["chosen", "rejected", "reference_chosen", "reference_rejected"]
    values = (-5000.0, 0.0) if draw.integer(0, 4) == 0 else LOGS
    given = {name: draw.tensor(B, values=values) for name in names}
    call = f"dpo_loss({', '.join(names)}, beta={beta})"
    if draw.integer(0, 4):
        return example(call, **given)
    name = draw.choice(names[:2])
    given[name] = learning(given[name])
    return example(f"{call}.backward()\n{name}.grad", **given)


# ------------------------------------------------------------------ 7.9
@small("7.9", "cautious", tries=50)
def judges(draw: Small) -> Example:
    M, B = draw.choice([(2, 1), (1, 1), (2, 2), (3, 1), (3, 2)])
    caution = draw.choice([1.0, 2.0, 0.5, 0.0])
    return example("cautious(scores, caution)", scores=draw.tensor(M, B), caution=caution)


@small("7.9", "without_length", tries=50)
def lines(draw: Small) -> Example:
    B = draw.length(2, 4)
    lengths = draw.tensor(B, values=(1.0, 2.0, 3.0))
    if draw.integer(0, 3) == 0:
        lengths = torch.full((B,), draw.number((1.0, 2.0)))
    rewards = draw.tensor(B, values=FEW)
    return example("without_length(rewards, lengths)", rewards=rewards, lengths=lengths)


# ------------------------------------------------------------------ 7.10
def words_of(draw: Small, most: int, mark: str = "answer") -> list[str]:
    others = ["a", "b", ".", f"{mark}s"]
    return [mark if draw.yes() else draw.choice(others) for _ in range(draw.length(0, most))]


@small("7.10", "final_answer", tries=100)
def answers(draw: Small) -> Example:
    if draw.integer(0, 4) == 0:
        return example('final_answer(words, mark="so")', words=words_of(draw, 5, "so"))
    return example("final_answer(words)", words=words_of(draw, 5))


@small("7.10", "verified", tries=60)
def right_and_wrong(draw: Small) -> Example:
    mark = draw.choice(["answer", "answer", "so"])
    texts, answers = [], []
    for _ in range(draw.length(1, 2)):
        right = tuple(draw.words(2, 1))
        wrong = draw.choice([["".join(right)], [*right][::-1], [*right, "a"], draw.words(2, 1)])
        said = [*right] if draw.yes() else wrong
        texts.append([*draw.words(1), draw.choice([mark, mark, mark, "or"]), *said])
        answers.append(right)
    call = "verified(texts, answers)" if mark == "answer" else f'verified(texts, answers, "{mark}")'
    return example(call, texts=texts, answers=answers)
