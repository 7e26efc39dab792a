"""Small inputs of chapter 6: training and generating."""

import torch
from torch import nn

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code

FEW = (0.0, 1.0, 2.0, -1.0)
IGNORE = -100


def bigrams(V):
    """Return a model whose logits after word w are row w of its weight, plus a bias; first 0."""
    model = nn.Embedding(V, V)
    nn.init.zeros_(model.weight)
    model.bias = nn.Parameter(torch.zeros(V))
    model.forward = lambda tokens, more=0: (model.weight[tokens] + model.bias + more, None)
    return model


def says_the_sum(tokens, past=None):
    """Say 2 plus the sum of all tokens so far, modulo 7; the past is that sum."""
    total = tokens.cumsum(1) + (0 if past is None else past)
    return 1.0 * nn.functional.one_hot(2 + total % 7, 9), total[:, -1:]


def noting(calls):
    """Return a model that notes which tokens it reads, and the past; its past counts tokens."""

    def model(tokens, past=None):
        calls.append((tokens.tolist(), past))
        following = torch.where(tokens < 8, tokens + 1, 2)
        return 1.0 * nn.functional.one_hot(following, 9), (past or 0) + tokens.shape[1]

    return model


def always(logits):
    """Return a model that has the same logits after every token."""
    return lambda tokens, past=None: (torch.tensor(logits).expand(*tokens.shape, -1), past)


# ------------------------------------------------------------------ 6.8
@small("6.8", "adamw", tries=100)
def steps(draw: Small) -> Example:
    shape = draw.choice([(1,), (1, 1), (2,), (2, 1), (1, 2), (), (1, 1, 1)][: 2 + draw.size])
    given = {name: draw.tensor(*shape, values=FEW) for name in ("p", "grad")}
    t = draw.integer(1, 3)
    if shape == ():  # a parameter without an axis is a rare one
        given["p"] = Code(f"torch.tensor({draw.number(FEW)})", 5)
    if t == 1:
        given["m"] = given["v"] = Code(f"torch.zeros({shape})".replace(",)", ")"))
    else:
        given["m"] = draw.tensor(*shape, values=FEW)
        given["v"] = draw.tensor(*shape, values=(1.0, 4.0))
    more = draw.choice(["", "", ", betas=(0.5, 0.75)", ", eps=1.0", ", decay=0.5"])
    code = f"adamw(p, grad, m, v, t=t, rate=rate{more})"
    return example(code, **given, t=t, rate=draw.choice([0.1, 0.5, 1.0]))


@small("6.8", "learning_rate", tries=120)
def plans(draw: Small) -> Example:
    warmup = draw.integer(0, 3)
    steps = warmup + draw.choice([1, 2, 4])
    given = {"step": draw.integer(0, steps + 2), "warmup": warmup, "steps": steps}
    code = "learning_rate(step, peak=1.0, warmup=warmup, steps=steps{})"
    return example(code.format(draw.choice(["", ", last=0.5"])), **given)


def batch_of(draw: Small, shape, several: bool) -> tuple:
    targets = draw.ids(*shape, high=2)
    hidden = torch.tensor([draw.integer(0, 3) == 0 for _ in range(targets.numel())])
    hidden[0] &= draw.size > 3  # so late comes a batch without a target
    more = (draw.tensor(3, values=FEW),) if several else ()
    return draw.ids(*shape, high=2), *more, targets.masked_fill(hidden.view(shape), IGNORE)


@small("6.8", "train_step", tries=90)
def train_steps(draw: Small) -> Example:
    B, rare = draw.choice([1, 1, 2] if draw.size else [1]), draw.size > 1
    several = rare and draw.integer(0, 5) == 0
    lengths = draw.choice([[1], [2], [1, 2], [1, 2], [1, 1, 2], [2, 2]][: 3 + draw.size])
    batches = [batch_of(draw, (B, n), several) for n in lengths]
    if rare and draw.integer(0, 4) == 0:  # each text has one target
        batches = [batch_of(draw, (3,), several)]
    if not any((batch[-1] != IGNORE).any() for batch in batches):
        batches[0][-1].zero_()
    lines = ["model = bigrams(3)"]
    if draw.integer(0, 2) == 0:
        lines.append("model.weight.data = torch.eye(3)")
    if rare and draw.integer(0, 2) == 0:
        lines.append("model.weight.grad = torch.ones(3, 3)")
    lines.append("optimizer = torch.optim.SGD(model.parameters(), lr=1.0)")
    clip = draw.choice(["9.0", "9.0", "0.5", "2.0"] if draw.size else ["9.0"])
    given = {"count": Code("4", 6)} if draw.integer(0, 3) == 0 else {}
    call = f"train_step(model, optimizer, batches, clip={clip}{', count=count' if given else ''})"
    lines.append(f"float({call}), model.weight")
    return example("\n".join(lines), batches=batches, **given, rtol=1e-4, atol=1e-5)


@small("6.8", "train_step", tries=8)
def modes(draw: Small) -> Example:
    lines = ["model = bigrams(3)", draw.choice(["model.eval()", "model.train()"])]
    lines.append("optimizer = torch.optim.SGD(model.parameters(), lr=1.0)")
    lines += ["train_step(model, optimizer, batches, clip=9.0)", "model.training"]
    batches = [(draw.ids(1, 1, high=2), draw.ids(1, 1, high=2))]
    return example("\n".join(lines), batches=batches)


@small("6.8", "train_step", tries=16)
def losses_without_end(draw: Small) -> Example:
    lines = ["model = bigrams(3)"]
    lines.append(f"model.weight.data[0, 0] = {draw.choice(['math.nan', '-math.inf'])}")
    lines.append("optimizer = torch.optim.SGD(model.parameters(), lr=1.0)")
    call = "train_step(model, optimizer, batches, clip=9.0)"
    if draw.yes():
        lines.append(call)
    else:
        lines += ["try:", f"    {call}", "except FloatingPointError:", "    pass", "model.weight"]
    batches = [(torch.tensor([[0]]), torch.tensor([[0]]))]
    if draw.yes():
        batches.insert(0, (torch.tensor([[1]]), draw.ids(1, 1, high=2)))
    return example("\n".join(lines), batches=batches)


@small("6.8", "train_step", tries=1, last=True)
def seeds_of_two_steps(draw: Small) -> Example:
    code = """
model = bigrams(3)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
drawn = []
for step in range(2):
    train_step(model, optimizer, batches, clip=9.0)
    drawn.append(torch.rand(1).item())
drawn[0] == drawn[1]
"""
    return example(code, batches=[(torch.tensor([[0]]), torch.tensor([[0]]))])


# ------------------------------------------------------------------ 6.9
def prompts_of(draw: Small, high: int = 5) -> list[list[int]]:
    n = draw.length(0, 2)
    return [[draw.integer(3, high) for _ in range(n)] for _ in range(draw.choice([1, 1, 2]))]


@small("6.9", "generate", tries=100)
def likeliest(draw: Small) -> Example:
    prompts = prompts_of(draw)
    most = len(prompts[0]) + draw.integer(0, 4)
    cached = draw.choice(["", "", ", cached=False"])
    code = f"generate(says_the_sum, prompts, most=most, rng=None, temperature=0{cached})"
    return example(code, prompts=prompts, most=most)


@small("6.9", "generate", tries=30)
def what_is_read(draw: Small) -> Example:
    n = draw.length(0, 1)
    prompts = [[draw.integer(6, 8) for _ in range(n)] for _ in range(draw.choice([1, 1, 2]))]
    most = n + draw.integer(0, 4)
    if draw.integer(0, 5) == 0:  # two texts that end at different times
        prompts, most = [[8], [7]], 5
    cached = draw.choice(["", ", cached=False"])
    call = f"generate(noting(calls), prompts, most=most, rng=None, temperature=0{cached})"
    return example(f"calls = []\n{call}\ncalls", prompts=prompts, most=most)


@small("6.9", "generate", tries=16)
def what_is_hidden(draw: Small) -> Example:
    prompts = [[draw.integer(3, 4)] for _ in range(draw.length(1, 2))]
    logits = draw.rng.permutation(5).astype(float).tolist()
    code = "generate(always(logits), prompts, most=2, rng=None, temperature=0)"
    return example(code, logits=logits, prompts=prompts)


def chances_of(logits: list[float], temperature: float) -> dict[tuple[int, ...], float]:
    """How often a text is empty, or one word."""
    hidden = torch.tensor([-torch.inf, -torch.inf, *logits[2:]], dtype=torch.float64)
    _, _, end, *words = (hidden / temperature).softmax(-1).tolist()
    return {(): end} | {(word + 3,): p for word, p in enumerate(words)}


@small("6.9", "generate", tries=16)
def draws(draw: Small) -> Example:
    logits = [draw.number((0.0, 1.0, 2.0)) for _ in range(5)]
    temperature = draw.choice([1.0, 2.0, 0.5])
    code = f"rng = torch.Generator().manual_seed({draw.integer(0, 9)})\n"
    code += f"texts = generate(always(logits), [[]] * 500, 1, rng, temperature={temperature})\n"
    code += "Counter(map(tuple, texts))"
    return example(code, logits=Code(str(logits), 9), chances=chances_of(logits, temperature))


@small("6.9", "generate", tries=6)
def many_words(draw: Small) -> Example:
    V = draw.integer(14, 16)
    code = f"rng = torch.Generator().manual_seed({draw.integer(0, 9)})\n"
    code += f"texts = generate(always([w / 9 for w in range({V})]), [[]] * 1000, 1, rng)\n"
    code += "Counter(map(tuple, texts))"
    logits = [w / 9 for w in range(V)]
    return example(code.replace(str(V), "V"), V=Code(str(V), 12), chances=chances_of(logits, 1.0))


@small("6.9", "generate", tries=4)
def seeds(draw: Small) -> Example:
    one, two = draw.choice([(1, 1), (1, 2)])
    code = f"one = generate(always(logits), [[]], 40, torch.Generator().manual_seed({one}))\n"
    code += f"two = generate(always(logits), [[]], 40, torch.Generator().manual_seed({two}))\n"
    return example(code + "one == two", logits=[0.0, 0.0, -9.0, 1.0, 1.0, 1.0])
