"""Small inputs of chapter 4: training and translators. Leaves out other models of words."""

from typing import Any

import torch
from torch import nn

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.rnns.suite.small_models import stories_of
from tests.rnns.suite.toys import batch_of

PAD, BOS, EOS = 0, 1, 2


# ------------------------------------------------------------------------------ training
ALWAYS = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(w)

    def forward(self, tokens, s=None):
        return self.w.expand(*tokens.shape, 4), torch.zeros(len(tokens), 1)
"""
# the logits are sums of the weights of all words that were read
ADDS = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(w)

    def forward(self, tokens, s=None):
        h = (self.w * nn.functional.one_hot(tokens, 4)).cumsum(1)
        h = h if s is None else h + s[:, None]
        return h, h[:, -1]
"""
TRAIN = """
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
loss = train_batch(model, optimizer, (inputs, targets), chunk=chunk, clip=clip)
(float(loss), model.w)
"""


def trained(draw: Small, code: str, w: Any, stories: list, chunk: int, **how) -> Example:
    inputs, targets = batch_of(stories)
    known = {"w": w, "inputs": inputs, "targets": targets, "chunk": chunk}
    known["clip"] = how.pop("clip", None) or draw.choice([9.0, 9.0, 0.5])
    return example(code, **known, rtol=1e-3, atol=1e-4, changes=["w"])


@small("4.10", "train_batch", tries=20)
def training_one_logit_for_each_word(draw: Small) -> Example:
    stories = stories_of(draw, 2, 2, (3,))
    w = draw.choice([torch.zeros(4), torch.zeros(4), draw.tensor(4, values=(0.0, 2.0))])
    return trained(draw, ALWAYS + TRAIN, w, stories, draw.integer(1, 3))


@small("4.10", "train_batch", tries=22)
def training_a_model_with_a_state(draw: Small) -> Example:
    stories = stories_of(draw, 2, 3, (3,))
    return trained(
        draw, ADDS + TRAIN, draw.tensor(4, values=(1.0, 2.0)), stories, draw.integer(1, 3)
    )


@small("4.10", "train_batch", tries=4)
def a_loss_that_is_not_finite(draw: Small) -> Example:
    w = Code(f"torch.tensor([0.0, 0.0, 0.0, {draw.choice(['math.nan', '-math.inf'])}])", size=4)
    return trained(draw, ALWAYS + TRAIN, w, [[3]], 2, clip=1.0)


@small("4.10", "train_batch", tries=4)
def weights_where_the_loss_is_not_finite(draw: Small) -> Example:
    code = """
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
try:
    train_batch(model, optimizer, (inputs, targets), chunk=chunk, clip=clip)
except FloatingPointError:
    pass
model.w
"""
    w = Code(f"torch.tensor([0.0, 0.0, 0.0, {draw.choice(['math.nan', '-math.inf'])}])", size=4)
    return trained(draw, ALWAYS + code, w, [[3]], 2, clip=1.0)


@small("4.10", "train_batch", tries=1, last=True)
def the_mode_that_stays(draw: Small) -> Example:
    code = """
model = Model().eval()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
train_batch(model, optimizer, (inputs, targets), chunk=chunk, clip=clip)
model.training
"""
    return trained(draw, ALWAYS + code, torch.zeros(4), [[3]], 2)


@small("4.10", "train_batch", tries=1, last=True)
def a_word_that_is_next_to_impossible(draw: Small) -> Example:
    w = torch.tensor([0.0, 0.0, 0.0, -200.0])
    return trained(draw, ALWAYS + TRAIN, w, [[3]], 2)


@small("4.10", "train_batch", tries=1, last=True)
def seeds_of_two_steps(draw: Small) -> Example:
    code = """
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
drawn = []
for step in range(2):
    train_batch(model, optimizer, (inputs, targets), chunk=chunk, clip=clip)
    drawn.append(torch.rand(1).item())
drawn[0] == drawn[1]
"""
    return trained(draw, ALWAYS + code, torch.zeros(4), [[3]], 2, clip=9.0)


@small("4.10", "train_batch", tries=2, last=True)
def an_optimizer_that_remembers_its_last_step(draw: Small) -> Example:
    code = ALWAYS + TRAIN.replace("lr=1.0", "lr=1.0, momentum=0.5")
    return trained(draw, code, torch.zeros(4), [[3] * draw.integer(1, 2)], 1, clip=9.0)


@small("4.10", "train_batch", tries=2, last=True)
def a_state_that_is_carried_on(draw: Small) -> Example:
    return trained(draw, ADDS + TRAIN, torch.ones(4), [[3] * draw.integer(4, 5)], 1)


STOP = """
model = nn.Linear(1, 1)
model.bias.data[:] = 0.0
left = iter(losses)
epoch = lambda: 1 / model.bias.data.add_(1.0).item()
validate = lambda: next(left, 9.0)
curve = stop_early(model, epoch, validate, most=most{patience})
([tuple(pair) for pair in curve], model.bias)
"""
BEST_AT_TWO = """
model = nn.Linear(1, 1)
model.bias.data[:] = 0.0
epoch = lambda: 1 / model.bias.data.add_(1.0).item()
validate = lambda: abs(model.bias.item() - best)
curve = stop_early(model, epoch, validate, most=most{patience})
([tuple(pair) for pair in curve], model.bias)
"""


@small("4.10", "stop_early", tries=40)
def losses_one_after_the_other(draw: Small) -> Example:
    values = draw.choice([(1.0, 2.0, 3.0), (1.0, 2.0, 3.0), (20.0, 30.0, 25.0)])
    losses = [draw.choice(values) for _ in range(draw.integer(2, 5))]
    how = {"losses": losses, "most": draw.integer(1, 5), "patience": draw.integer(1, 3)}
    if draw.yes():
        how.pop("patience")
    code = STOP.format(patience=", patience=patience" if "patience" in how else "")
    return example(code, **how, rtol=1e-4)


@small("4.10", "stop_early", tries=6)
def losses_that_fall_and_rise(draw: Small) -> Example:
    losses = draw.choice(
        [[3.0, 4.0, 2.0, 3.0, 1.0], [2.0, 3.0, 1.0, 2.0], [2.0, 3.0, 1.0, 2.0, 3.0]]
    )
    how = {"losses": losses, "most": draw.integer(5, 6), "patience": 2}
    return example(STOP.format(patience=", patience=patience"), **how, rtol=1e-4)


@small("4.10", "stop_early", tries=8)
def a_model_that_is_best_after_some_epochs(draw: Small) -> Example:
    code = BEST_AT_TWO.format(patience="")
    return example(code, best=draw.integer(1, 3), most=draw.integer(2, 5), rtol=1e-4)


# ------------------------------------------------------------------------------ translating
TRANSLATOR = """
model = Seq2Seq(V_source=5, V_target=5, D=1, H=1)
for parameter in model.parameters():
    parameter.data[:] = 0.5
"""
ENCODE = """
model = Seq2Seq(V_source={V}, V_target=3, D=1, H={H})
for parameter in model.parameters():
    parameter.data[:] = 0.5
for parameter in model.encoder.parameters():
    parameter.data[:] = 1.0
model.source.weight.data[:, 0] = vectors
model.encode(source)
"""


def padded(rows: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


@small("4.12", "Seq2Seq.encode", tries=44)
def sentences_with_padding(draw: Small) -> Example:
    V, H = draw.choice([4, 5, 5]), draw.choice([1, 1, 2])
    words = list(range(3, V))
    rows = [
        [draw.choice(words) for _ in range(draw.integer(1, 3))] for _ in range(draw.integer(1, 3))
    ]
    vectors = torch.tensor([0.0, 0.0, 0.0, 1.0, -1.0][:V])
    return example(ENCODE.format(V=V, H=H), vectors=vectors, source=padded(rows))


TRANSLATOR = """
model = Seq2Seq(V_source=5, V_target=5, D=1, H=1)
for parameter in model.parameters():
    parameter.data[:] = 0.5
for parameter in model.encoder.parameters():
    parameter.data[:] = 1.0
for layer in (model.source, model.target, model.out):
    layer.weight.data[:, 0] = vectors
"""
BIAS = "model.out.bias.data[:] = bias\n"
FEATURES = (0.0, 1.0, 2.0, -1.0, -2.0)
LONGEST = 7  # words


def sources(draw: Small, most: int) -> torch.Tensor:
    """Draw sentences of one length: without padding, a mistake in `encode` shows less."""
    return draw.ids(draw.integer(1, most), draw.integer(1, 3), low=3, high=4)


def inputs_for(draw: Small, B: int) -> torch.Tensor:
    words = draw.ids(B, draw.integer(1, 3), low=3, high=4)
    words[:, 0] = BOS
    return words


@small("4.12", "Seq2Seq.encode", tries=2, last=True)
def what_encoding_learns(draw: Small) -> Example:
    code = """
model.encode(source).sum().backward()
(model.source.weight.grad, model.encoder.bias_hh_l0.grad)
"""
    source = torch.tensor([[3, 4][: draw.integer(1, 2)]])
    vectors = torch.tensor([0.0, 0.0, 0.0, 1.0, -1.0])
    return example(TRANSLATOR + code, vectors=vectors, source=source)


@small("4.12", "Seq2Seq.forward", tries=30)
def logits_after_true_words(draw: Small) -> Example:
    code = TRANSLATOR + "model(source, inputs)"
    source = sources(draw, 2)
    how = {"source": source, "inputs": inputs_for(draw, len(source))}
    return example(code, vectors=draw.tensor(5, values=FEATURES), **how)


@small("4.12", "Seq2Seq.forward", tries=3, last=True)
def what_the_source_learns(draw: Small) -> Example:
    code = """
model(source, inputs).sum().backward()
model.source.weight.grad
"""
    how = {
        "source": draw.ids(1, draw.integer(1, 2), low=3, high=4),
        "inputs": torch.tensor([[BOS]]),
    }
    vectors = draw.tensor(5, values=(1.0, 2.0, 0.5))
    return example(TRANSLATOR + code, vectors=vectors, **how)


@torch.no_grad()
def translated(vectors: torch.Tensor, bias: torch.Tensor, row: list, most: int) -> tuple:
    """Return what the model writes of one sentence, and by how much its words are the likeliest."""
    encoder, gru = nn.GRU(1, 1, batch_first=True), nn.GRU(1, 1, batch_first=True)
    for network, weight in (encoder, 1.0), (gru, 0.5):
        for parameter in network.parameters():
            parameter.data[:] = weight
    _, s = encoder(vectors[row][None, :, None])
    words, margins = [BOS], []
    while len(words) <= most and words[-1] != EOS:
        h, s = gru(vectors[words[-1:]][None, :, None], s)
        first, second = (h[0, 0] * vectors + bias).topk(2)[0].tolist()
        words.append(int((h[0, 0] * vectors + bias).argmax()))
        margins.append(first - second)
    return [word for word in words[1:] if word != EOS], min(margins)


@small("4.12", "Seq2Seq.translate", tries=40)
def greedy_translations(draw: Small) -> Example:
    source, most = sources(draw, 3), draw.integer(1, 4)
    found: list[tuple] = []
    while not all_end(found):
        vectors = draw.tensor(5, values=(0.0, 1.0, 2.0, -1.0, -2.0, 4.0, -4.0))
        bias = torch.tensor([-9.0, -9.0, *(draw.choice([0.0, 1.0, 2.0]) for _ in range(3))])
        found = [translated(vectors, bias, row, LONGEST) for row in source.tolist()]
    rows = f"[list(row) for row in model.translate(source, most={most})]"
    return example(TRANSLATOR + BIAS + rows, vectors=vectors, bias=bias, source=source)


def all_end(found: list[tuple]) -> bool:
    """Tell whether some row has a word, all end by themselves, and no word is in doubt."""
    lengths = [len(words) for words, _ in found]
    sure = all(margin > 0.02 for _, margin in found)
    return sure and 0 < max(lengths, default=0) < LONGEST
