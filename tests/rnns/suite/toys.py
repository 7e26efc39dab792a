"""Models of words of the tests' own for chapter 4: batches, training, drawing. Leaves out cells."""

from collections import Counter

import torch
from torch import nn

from examiner.suite import ship
from tests.rnns.suite.oracles import tensor


@ship
class Toy(nn.Module):
    """A language model with a state: each word's logits depend on all words before it."""

    def __init__(self, w, noisy=False):
        super().__init__()
        self.word, self.out = nn.Parameter(w["word"].clone()), nn.Parameter(w["out"].clone())
        bias = w.get("bias", torch.zeros(w["out"].shape[1]))
        self.register_buffer("bias", bias, persistent=False)
        self.noisy, self.shapes = noisy, []

    def forward(self, tokens, s=None):
        self.shapes.append(list(tokens.shape))
        s = self.word.new_zeros(len(tokens), self.word.shape[1]) if s is None else s
        logits = []
        for k in range(tokens.shape[1]):
            s = torch.tanh(0.8 * s + self.word[tokens[:, k]])
            logits.append(s @ self.out + self.bias)
        noise = 100.0 if self.noisy and self.training else 0.0
        return torch.stack(logits, dim=1) + noise * torch.eye(self.out.shape[1])[3], s


def toy_weights(rng, V, H=4):
    """Random weights of a toy model."""
    return {"word": tensor(rng, V, H), "out": 2 * tensor(rng, H, V)}


def speaker_weights(rng, V, never=(0, 1)):
    """Random weights of a toy model that hardly ever says some words, PAD and BOS by default.

    Its states are small, so that it hears all words and not just the last, and its logits large.
    """
    w, bias = toy_weights(rng, V), torch.zeros(V)
    bias[list(never)] = -50.0
    return {"word": w["word"] / 2, "out": 2 * w["out"], "bias": bias}


def batch_of(stories):
    """What task 4.9 asks of `make_batch`, here and nowhere else."""
    longest = 1 + max(map(len, stories))
    fill = [[0] * (longest - 1 - len(story)) for story in stories]
    inputs = [[1, *story, *rest] for story, rest in zip(stories, fill, strict=True)]
    targets = [[*story, 2, *rest] for story, rest in zip(stories, fill, strict=True)]
    return torch.tensor(inputs), torch.tensor(targets)


@ship
def with_batches(known, function, *inputs):
    """Call a function of the student's while these batches are known, by the text of the stories.

    So a mistake in `make_batch` does not cost points of `log_probs`; and only stories of this very
    call are known, so nobody can learn from it how a batch is made.
    """
    names = getattr(function, "__globals__", {})
    own = names.get("make_batch")
    if own is None:
        return function(*inputs)

    def look_up(stories):
        found = known.get(str([[int(word) for word in story] for story in stories]))
        return own(stories) if found is None else tuple(rows.clone() for rows in found)

    names["make_batch"] = look_up
    try:
        return function(*inputs)
    finally:
        names["make_batch"] = own


def batches_of(stories, size):
    """The batches that a model reads, `size` stories at a time, by the text of their stories."""
    parts = [stories[k : k + size] for k in range(0, len(stories), size)]
    return {str(part): batch_of(part) for part in parts}


@ship
def told_by_toy(known, function, w, noisy, *inputs):
    """Call a function with a toy model in training mode; the answer, and the shapes it read."""
    model = Toy(w, noisy).train()
    return with_batches(known, function, model, *inputs), model.shapes


def with_toy(function, w, noisy, stories, size=32):
    """What a toy model in training mode tells of stories, and the shapes that it read.

    Whoever asks for 32 stories at a time leaves the size out.
    """
    how = () if size == 32 else (size,)
    return told_by_toy(batches_of(stories, size), function, w, noisy, stories, *how)


@ship
def mode_after_scoring(known, log_probs, w, stories):
    """Whether a toy model that was in evaluation mode is in training mode after scoring."""
    model = Toy(w).eval()
    with_batches(known, log_probs, model, stories)
    return model.training


@ship
def mode_after_telling(generate, w):
    """Whether a toy model that was in evaluation mode is in training mode after telling."""
    model = Toy(w).eval()
    generate(model, 2, torch.Generator().manual_seed(1), 3)
    return model.training


@ship
def drawn(generate, w, n, seed, most, prompt, noisy=False):
    """Let a toy model in training mode tell n stories; these, and the shapes it read."""
    model = Toy(w, noisy).train()
    stories = generate(model, n, torch.Generator().manual_seed(seed), most, prompt)
    return [[int(word) for word in story] for story in stories], model.shapes


@ship
def pairs_drawn(generate, w, n, seed, most, prompt, noisy):
    """Let a toy model in training mode tell n stories; how often each pair of words begins one.

    After its last word, a story goes on with EOS.
    """
    model = Toy(w, noisy).train()
    stories = generate(model, n, torch.Generator().manual_seed(seed), most, prompt)
    pairs = [(*story, 2, 2)[:2] for story in stories]
    return dict(Counter((int(one), int(other)) for one, other in pairs))


@ship
def drawn_in_turn(generate, w, n, seed, most, times):
    """Let a toy model tell n stories, again and again, with one generator that goes on."""
    rng = torch.Generator().manual_seed(seed)
    found = [generate(Toy(w), n, rng, most) for _ in range(times)]
    return [[[int(word) for word in story] for story in stories] for stories in found]


@ship
class Chain(nn.Module):
    """Says its words in a fixed order; of two states that begin alike it keeps each its own."""

    def __init__(self, n_words):
        super().__init__()
        self.n_words, self.n_calls = n_words, 0

    def forward(self, tokens, s=None):
        self.n_calls += 1
        B, T = tokens.shape
        s = torch.zeros(B, 1) if s is None else s
        counts = s + torch.arange(1, T + 1)
        following = torch.where(counts > self.n_words, 2, counts.long() + 2)
        return 99.0 * nn.functional.one_hot(following, 9), counts[:, -1:].float()


@ship
def with_chain(generate, n_words, n, seed, most, *prompt):
    """Let a chain of so many words tell n stories; these, and how often it was asked."""
    model = Chain(n_words)
    return generate(model, n, torch.Generator().manual_seed(seed), most, *prompt), model.n_calls


@ship
def train_toy(train_batch, w, batch, chunk, clip, rate, times, model=None, momentum=0.0):
    """Train a toy model with SGD on one batch, again and again; losses and weights after it."""
    model = Toy(w) if model is None else model
    optimizer = torch.optim.SGD(model.parameters(), rate, momentum=momentum)
    losses = [train_batch(model, optimizer, batch, chunk, clip) for _ in range(times)]
    return [float(loss) for loss in losses], model.state_dict()


@ship
def train_broken(train_batch, w, batch):
    """Train a toy model whose loss is no number: FloatingPointError, or not? And its weights."""
    model = Toy(w)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    try:
        train_batch(model, optimizer, batch, 2, 1.0)
    except FloatingPointError:
        return True, model.state_dict()
    return False, model.state_dict()


@ship
def stopped(stop_early, losses, most, patience):
    """Let training see these validation losses.

    Returns the curve, the weight at the end (how many epochs it had seen), the number of epochs,
    and how many had been made at each validation.
    """
    model, left, made, when = nn.Linear(1, 1, bias=False), iter(losses), [], []
    nn.init.zeros_(model.weight)

    def epoch():
        with torch.no_grad():
            model.weight += 1.0
        made.append(1)
        return float(len(made))

    def validate():
        when.append(len(made))
        return next(left, 1e9)

    curve = stop_early(model, epoch, validate, most, patience)
    return [list(point) for point in curve], model.weight.item(), len(made), when


@ship
def scored(log_probs, w, stories):
    """Score stories without saying how many at a time: the scores, and what was read."""
    model = Toy(w)
    return log_probs(model, stories), model.shapes


@ship
def train_in_mode(train_batch, w, batch, chunk, training):
    """Train twice on a batch, where old gradients are 9.

    The losses, weights, modes seen and left, and how often the model, as dropout does, has drawn
    what it had drawn before.
    """
    model, seen = Toy(w).train(training), []
    for p in model.parameters():
        p.grad = torch.full_like(p, 9.0)
    model.register_forward_hook(lambda m, *_: seen.append(m.training))
    drawn = []
    model.register_forward_hook(lambda *_: drawn.append(float(torch.rand(1))))
    found = train_toy(train_batch, w, batch, chunk, 1e3, 0.5, 2, model)
    return *found, sorted({*seen, model.training}), len(drawn) - len(set(drawn))
