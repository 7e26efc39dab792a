"""Small inputs of chapter 6: encoders, counting and recurrences."""

from itertools import product

import torch
from torch import nn

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code

FEW = (0.0, 1.0, 2.0, -1.0)
IGNORE = -100


def show_words(tokens, past=None, mask=None):
    """Return the number of each word plus 1, and 0 where the mask is False."""
    return ((tokens + 1.0) * (1 if mask is None else mask))[..., None], None


def sum_up(tokens, past=None, mask=None, memory=None):
    """Return the sum of tokens + 1 up to each, plus that of the memory; the past is that sum."""
    seen = 1 if mask is None else mask
    total = ((tokens + 1) * seen).cumsum(1) + (0 if past is None else past)
    if memory is not None:
        vectors, shown = memory
        vectors = vectors if shown is None else vectors * shown[..., None]
        return total[..., None] + vectors.sum(1, keepdim=True), total[:, -1:]
    return 1.0 * total[..., None], total[:, -1:]


# ------------------------------------------------------------------ 6.10
def fates(word: int, V: int) -> dict[int, float]:
    """What the encoder sees in place of a chosen word, and how often."""
    others = dict.fromkeys(range(3, V - 1), 0.1 / (V - 4))
    return others | {word: others[word] + 0.1, V - 1: 0.8}


def seeded(draw: Small) -> str:
    return f"torch.Generator().manual_seed({draw.integer(0, 9)})"


@small("6.10", "mask_words", tries=24)
def targets(draw: Small) -> Example:
    share, which = draw.choice([("1.0", 1), ("1.0", 1), ("0.0", 1), ("0.0", 0)])
    tokens = draw.ids(draw.choice([1, 1, 2]), draw.length(1, 3), high=4)
    given = {"tokens": tokens, "V": 6}
    return example(f"mask_words(tokens, V, {seeded(draw)}, share={share})[{which}]", **given)


@small("6.10", "mask_words", tries=6)
def marks(draw: Small) -> Example:
    tokens = draw.ids(1, draw.length(1, 3), high=2)
    return example(f"mask_words(tokens, V, {seeded(draw)}, share=1.0)", tokens=tokens, V=6)


@small("6.10", "mask_words", tries=6)
def inputs(draw: Small) -> Example:
    V = draw.integer(6, 7)
    word = draw.integer(3, V - 2)
    code = f"inputs, targets = mask_words(tokens, V, {seeded(draw)}, share=1.0)\n"
    code += "Counter(inputs.flatten().tolist())"
    tokens = Code(f"torch.full((8, 1000), {word})", 6)
    return example(code, tokens=tokens, V=V, chances=fates(word, V))


@small("6.10", "mask_words", tries=2)
def one_word(draw: Small) -> Example:
    code = f"rng = {seeded(draw)}\nCounter(\n"
    code += "    mask_words(tokens, V, rng, share=0.5)[1].item() for _ in range(100)\n)"
    found = {3: 0.5, IGNORE: 0.5}
    return example(code, tokens=Code("torch.tensor([[3]])", 5), V=6, chances=found)


@small("6.10", "mask_words", tries=4)
def pairs(draw: Small) -> Example:
    share = draw.choice([0.5, 0.25])
    code = f"inputs, targets = mask_words(tokens, V, {seeded(draw)}, share={share})\n"
    code += "Counter(map(tuple, targets.tolist()))"
    found = {}
    for chosen in product([True, False], repeat=2):
        key = tuple(w if c else IGNORE for w, c in zip((3, 4), chosen, strict=True))
        found[key] = share ** sum(chosen) * (1 - share) ** (2 - sum(chosen))
    tokens = Code("torch.tensor([[3, 4]]).repeat(500, 1)", 6)
    return example(code, tokens=tokens, V=6, chances=found)


@small("6.10", "mask_words", tries=3)
def joint(draw: Small) -> Example:
    code = f"inputs, targets = mask_words(tokens, V, {seeded(draw)}, share=0.5)\n"
    code += "Counter(zip(inputs.flatten().tolist(), targets.flatten().tolist()))"
    V = draw.integer(6, 7)
    found = {(word, 3): p / 2 for word, p in fates(3, V).items()} | {(3, IGNORE): 0.5}
    return example(code, tokens=Code("torch.full((2, 1000), 3)", 6), V=V, chances=found)


@small("6.10", "mask_words", tries=3)
def two_seeds(draw: Small) -> Example:
    one, two = draw.choice([(1, 1), (1, 2)])
    call = "mask_words(tokens, 9, torch.Generator().manual_seed({}))[1]"
    code = f"torch.equal({call.format(one)}, {call.format(two)})"
    return example(code, tokens=Code("torch.full((1, 100), 3)", 6))


def texts_of(draw: Small, B: int):
    """Texts that may end with padding, but begin with a word."""
    tokens = draw.ids(B, draw.length(1, 3), high=4)
    tokens[:, 0] = tokens[:, 0].clamp(min=1)
    return tokens


@small("6.10", "Encoder.forward", tries=40)
def encoders(draw: Small) -> Example:
    code = "encoder = Encoder(Sizes(V=5, D=2, L=1, H=1))\n"
    code += "encoder.read, encoder.logits = show_words, torch.neg\nencoder(tokens)"
    return example(code, tokens=texts_of(draw, draw.choice([1, 1, 2])))


@small("6.10", "Encoder.forward", tries=2, last=True)
def what_an_encoder_teaches(draw: Small) -> Example:
    lines = [
        "encoder = Encoder(Sizes(V=5, D=2, L=1, H=1))",
        "encoder.read = lambda tokens, past=None, mask=None: (vectors[tokens], None)",
        "encoder.logits = torch.neg",
        "encoder(tokens)[0].sum().backward()",
        "vectors.grad",
    ]
    vectors = Code("torch.ones(5, 1, requires_grad=True)", 5)
    return example("\n".join(lines), tokens=texts_of(draw, 1), vectors=vectors)


@small("6.10", "Classifier.forward", tries=30)
def classifiers(draw: Small) -> Example:
    code = "encoder = lambda tokens: (tokens, 10.0 * tokens[..., None])\n"
    code += "model = Classifier(encoder, 1, 1)\n"
    code += "nn.init.ones_(model.head.weight), nn.init.ones_(model.head.bias)\nmodel(tokens)"
    return example(code, tokens=texts_of(draw, draw.choice([1, 1, 2])))


def judging():
    """Return a classifier of words: logits 0 for both classes, whatever the word."""
    model = nn.Module()
    model.encoder, model.head = nn.Embedding(3, 1), nn.Linear(1, 2, bias=False)
    nn.init.ones_(model.encoder.weight), nn.init.zeros_(model.head.weight)
    model.forward = lambda tokens: (model.head(model.encoder(tokens[:, 0])), None)
    return model


@small("6.10", "fine_tune", tries=60)
def tunings(draw: Small) -> Example:
    n = draw.choice([1, 1, 2, 3])
    batches = []
    for _ in range(n):
        B = draw.choice([1, 1, 2])
        words = [[draw.integer(0, 2)] for _ in range(B)]
        labels = [draw.integer(0, 1) for _ in range(B)]
        batches.append(f"(torch.tensor({words}), torch.tensor({labels}))")
    rates = draw.choice(["0.0, 0.5", "0.5, 0.0", "0.5, 0.25", "0.25, 0.5"])
    shown = draw.choice(["losses", "model.head.weight", "model.encoder.weight"])
    code = f"model = judging()\nlosses = fine_tune(model, batches, {rates})\n{shown}"
    return example(code, batches=Code(f"[{', '.join(batches)}]", 4 * n))


@small("6.10", "fine_tune", tries=1, last=True)
def seeds_of_two_calls(draw: Small) -> Example:
    code = """
model = judging()
drawn = []
for call in range(2):
    fine_tune(model, batches, 0.5, 0.5)
    drawn.append(torch.rand(1).item())
drawn[0] == drawn[1]
"""
    return example(code, batches=Code("[(torch.tensor([[0]]), torch.tensor([0]))]", 4))


# ------------------------------------------------------------------ 6.11
@small("6.11", "EncoderDecoder.forward", tries=48)
def translators(draw: Small) -> Example:
    B = draw.choice([1, 1, 2])
    lines = [
        "encoder = lambda source: (source, 10.0 * (source[..., None] + 1))",
        "model = EncoderDecoder(Sizes(V=5, D=2, L=1, H=1), encoder)",
        "model.read, model.logits = sum_up, torch.neg",
    ]
    given = {
        "source": texts_of(draw, B),
        "inputs": texts_of(draw, B),
    }
    kind = draw.choice(["whole", "whole", "pieces", "pieces", "twice", "calls", "gradient"])
    if kind == "whole":
        lines.append("model(source, inputs)[0]")
    elif kind == "pieces":
        lines += ["_, past = model(source, inputs)", "model(source, more, past)[0]"]
        given["more"] = draw.ids(B, 1, high=4)
    elif kind == "twice":
        lines += ["model(other, inputs)", "model(source, inputs)[0]"]
        given["other"] = draw.ids(B, given["source"].shape[1], high=4)
    elif kind == "calls":
        lines[0] = (
            "calls = []\nencoder = lambda source: (calls.append(1), 10.0 * (source[..., None] + 1))"
        )
        lines += ["_, past = model(source, inputs)", "model(source, inputs, past)", "len(calls)"]
    else:
        lines[0] = "encoder = lambda source: (None, vectors[source])"
        given["vectors"] = Code("torch.ones(5, 1, requires_grad=True)", 5)
        lines += ["model(source, inputs)[0].sum().backward()", "vectors.grad"]
    return example("\n".join(lines), **given)


# ------------------------------------------------------------------ 6.12
def sizes_of(draw: Small, most: int) -> Code:
    """Sizes of a small model, some of which are not the usual ones."""
    D, H = draw.choice([(2, 1), (4, 2), (4, 2)])
    given = {"V": draw.integer(1, 3), "D": D, "L": draw.integer(1, 2), "H": H}
    others = ["G", "F", "positions", "places", "feed", "norm", "bias", "tied", "pre"]
    draw.rng.shuffle(others)
    for name in others[: draw.length(0, most)]:
        more = {
            "G": {"G": 1},
            "F": {"F": 3},
            "positions": {"T": 3, "positions": draw.choice(["sinusoidal", "alibi", "none"])},
            "places": {"T": 3, "positions": "learned"},
            "feed": {"feed": draw.choice(["swiglu", "swiglu", "relu"])},
            "norm": {"norm": "rms"},
            "bias": {"bias": False},
            "tied": {"tied": False},
            "pre": {"pre": False},
        }
        given |= more[name]
    text = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return Code(f"Sizes({text})", len(given))


@small("6.12", "count_parameters", tries=120)
def models(draw: Small) -> Example:
    return example("count_parameters(sizes)", sizes=sizes_of(draw, 3))


@small("6.12", "count_costs", tries=100)
def passes(draw: Small) -> Example:
    given = {"sizes": sizes_of(draw, 2), "T": draw.integer(1, 3)}
    if draw.integer(0, 3) == 0:
        return example("count_costs(sizes, T, n_bytes=n_bytes)", **given, n_bytes=4)
    return example("count_costs(sizes, T)", **given)


# ------------------------------------------------------------------ 6.13
def recurrence(draw: Small) -> dict:
    B, H = draw.choice([(1, 1), (1, 1), (2, 1), (1, 2)][: 2 + draw.size])
    T, K, V = draw.length(1, 3), draw.length(1, 2), draw.length(1, 2)
    values = (1.0, 2.0, -1.0)
    found = {
        "q": draw.tensor(B, H, T, K, values=values),
        "k": draw.tensor(B, H, T, K, values=values),
        "v": draw.tensor(B, H, T, V, values=values),
        "a": draw.tensor(B, H, T, values=(0.5, 1.0, 0.25)),
    }
    if draw.integer(0, 3) == 0:
        found["a"] = torch.full((B, H, T), 0.5)
    return found


@small("6.13", "recurrent", tries=90)
def texts_step_by_step(draw: Small) -> Example:
    given = recurrence(draw)
    if draw.yes():
        return example("recurrent(q, k, v, a.log())", **given)
    shape = (*given["q"].shape[:2], given["q"].shape[3], given["v"].shape[3])
    return example("recurrent(q, k, v, a.log(), S)", **given, S=draw.tensor(*shape, values=FEW))


@small("6.13", "parallel", tries=90)
def texts_at_once(draw: Small) -> Example:
    return example("parallel(q, k, v, a.log())", **recurrence(draw))


@small("6.13", "parallel", tries=16)
def strong_decays(draw: Small) -> Example:
    T = 2 + draw.size
    given = {name: draw.tensor(1, 1, T, 1, values=(1.0, 2.0)) for name in "qkv"}
    given["log_a"] = Code(f"torch.full((1, 1, {T}), -100.0)", 2 * T + 2)
    if draw.yes():
        return example("parallel(q, k, v, log_a)", **given)
    lines = ["log_a.requires_grad_()", "parallel(q, k, v, log_a)[0].sum().backward()", "log_a.grad"]
    return example("\n".join(lines), **given, changes=["log_a"])
