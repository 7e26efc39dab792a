"""Toy models, steps of training and recurrences with which the tests of 6.8 to 6.13 compare."""

import collections

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from examiner.suite import ship
from tests.transformers.suite.oracles import tensor

IGNORE = -100


def adamw_steps(p, grads, rate, betas, eps, decay):
    """The parameter after each step of torch's AdamW."""
    p, found = nn.Parameter(p.clone()), []
    optimizer = torch.optim.AdamW([p], rate, betas, eps, decay)
    for grad in grads:
        p.grad = grad.clone()
        optimizer.step()
        found.append(p.detach().clone())
    return found


@ship
class Toy(nn.Module):
    """A language model with a past: the logits depend on all tokens before them.

    Where it gets topics, one word for each text, it answers once for each text.
    """

    def __init__(self, w):
        super().__init__()
        self.word, self.out = nn.Parameter(w["word"].clone()), nn.Parameter(w["out"].clone())
        self.shapes, self.pasts, self.modes = [], [], set()

    def forward(self, tokens, past=None):
        self.shapes.append(list(tokens.shape))
        self.pasts.append(past is not None)
        self.modes.add(self.training)
        topics = past if past is not None and past.dtype == torch.int64 else None
        fresh = past is None or topics is not None
        s = self.word.new_zeros(len(tokens), self.word.shape[1]) if fresh else past
        logits = []
        for k in range(tokens.shape[1]):
            s = torch.tanh(0.8 * s + self.word[tokens[:, k]])
            logits.append(s @ self.out)
        if topics is not None:
            return (s + self.word[topics[: len(s)]]) @ self.out, s
        return torch.stack(logits, dim=1), s


@ship
class Counter(nn.Module):
    """Says the next number after each number, up to 7, and then EOS. Its past counts tokens."""

    def __init__(self):
        super().__init__()
        self.shapes, self.pasts = [], []

    def forward(self, tokens, past=None):
        self.shapes.append(list(tokens.shape))
        self.pasts.append(past is not None)
        following = torch.where(tokens == 7, 2, tokens + 1)
        return nn.functional.one_hot(following, 10).float(), (past or 0) + tokens.shape[1]


def toy_weights(rng, V, H=4):
    """Random weights of a toy model."""
    return {"word": tensor(rng, V, H), "out": 2 * tensor(rng, H, V)}


def one_step(w, batches, clip, count, decay=0.0):
    """One step of SGD, rate 0.5, with the mean over all targets; the loss and the weights."""
    model = Toy(w)
    losses = []
    for *inputs, targets in batches:
        logs = model(*inputs)[0].log_softmax(-1).flatten(0, -2)
        for row, target in zip(logs, targets.flatten().tolist(), strict=True):
            if target != IGNORE:
                losses.append(-row[target])
    loss = torch.stack(losses).sum() / (count or len(losses))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    torch.optim.SGD(model.parameters(), 0.5, weight_decay=decay).step()
    return loss.item(), {name: p.detach() for name, p in model.named_parameters()}


@ship
def train_toy(train_step, w, batches, clip, count, decay=0.0, training=True):
    """Let a student's function make one step of a model in this mode.

    The loss, the weights afterwards, and the modes that the model was in, then and afterwards.
    """
    model = Toy(w).train(training)
    for p in model.parameters():
        p.grad = torch.full_like(p, 9.0)
    optimizer = torch.optim.SGD(model.parameters(), 0.5, weight_decay=decay)
    try:
        loss = train_step(model, optimizer, batches, clip, count)
    except FloatingPointError:  # the test expects a number: this is none
        loss = float("nan")
    weights = {name: p.detach() for name, p in model.named_parameters()}
    return float(loss), weights, sorted({*model.modes, model.training})


@ship
def drawn_in_steps(train_step, w, batches):
    """What a model draws by torch's own luck, as dropout does, in two steps."""
    model, drawn = Toy(w), []
    model.register_forward_hook(lambda *_: drawn.append(float(torch.rand(1))))
    optimizer = torch.optim.SGD(model.parameters(), 0.5)
    for _ in range(2):
        train_step(model, optimizer, [tuple(each) for each in batches], 1e3)
    return drawn


@ship
def train_broken(train_step, w, batches):
    """The kind of error that stopped the training, if any, and the weights afterwards."""
    model, said = Toy(w), ""
    try:
        batches = [tuple(each) for each in batches]
        train_step(model, torch.optim.SGD(model.parameters(), 0.5), batches, 1.0)
    except NotImplementedError:  # nothing is written yet
        raise
    except Exception as error:
        said = type(error).__name__
    return said, {name: p.detach() for name, p in model.named_parameters()}


@ship
def continued_in(training, generate, w, prompts, most):
    """Let a toy model in this mode continue prompts: the texts, and the modes that it was in."""
    model = Toy(w).train(training)
    texts = generate(model, prompts, most, torch.Generator(), 0.0)
    return [[int(word) for word in text] for text in texts], sorted({*model.modes, model.training})


@ship
def continued(generate, w, prompts, most, temperature, seed, cached):
    """Let a toy model, or one that counts, continue prompts.

    The texts, the shapes that it read, whether it was given a past, and whether texts are lists.
    """
    model = (Counter() if w is None else Toy(w)).eval()
    rng = torch.Generator().manual_seed(seed)
    texts = generate(model, prompts, most, rng, temperature, cached)
    lists = all(isinstance(text, list) for text in texts)
    return [[int(word) for word in text] for text in texts], model.shapes, model.pasts, lists


@ship
def continued_often(generate, w, prompts, copies, most, temperature, seed):
    """Let a toy model continue so many copies of prompts, as one batch.

    For each prompt its texts, each with how often it came; the shapes, and whether it had a past.
    """
    # the prompts themselves are among them: whoever changes one hears of it
    batch = [*prompts, *(list(prompt) for _ in range(copies - 1) for prompt in prompts)]
    model = Toy(w).eval()
    rng = torch.Generator().manual_seed(seed)
    rows = [tuple(map(int, text)) for text in generate(model, batch, most, rng, temperature, True)]
    counts = [collections.Counter(rows[k :: len(prompts)]) for k in range(len(prompts))]
    told = [[[list(text), n] for text, n in each.items()] for each in counts]
    return told, model.shapes, model.pasts


@ship
class Words(nn.Module):
    """An encoder that looks words up; its logits are all 100."""

    def __init__(self, words):
        super().__init__()
        self.words = words

    def forward(self, tokens):
        return torch.full((*tokens.shape, len(self.words)), 100.0), self.words[tokens]


@ship
def judged(new_classifier, words, head, bias, tokens):
    """What a student's classifier says of texts, on top of an encoder that looks words up."""
    model = new_classifier(Words(words), head.shape[1], head.shape[0])
    model.head.weight, model.head.bias = nn.Parameter(head.clone()), nn.Parameter(bias.clone())
    logits, vectors = model(tokens)
    return logits.detach(), vectors.detach()


@ship
class Judge(nn.Module):
    """A classifier of texts: an embedding stands in for the encoder."""

    def __init__(self, w):
        super().__init__()
        self.encoder = nn.Embedding.from_pretrained(w["words"].clone(), freeze=False)
        self.head = nn.Linear(w["head"].shape[1], w["head"].shape[0], bias=False)
        self.head.weight = nn.Parameter(w["head"].clone())

    def forward(self, tokens):
        vectors = self.encoder(tokens).mean(1)
        return self.head(vectors), vectors


@ship
def tune_judge(fine_tune, w, batches, rate, head_rate, once=False):
    """Let a student's function teach a judge: the losses, and weights and batches afterwards.

    once: the batches come from an iterator, which can be gone through once.
    """
    model = Judge(w)
    for p in model.parameters():
        p.grad = torch.full_like(p, 9.0)
    given = [tuple(batch) for batch in batches]
    losses = fine_tune(model, iter(given) if once else given, rate, head_rate)
    weights = {"words": model.encoder.weight.detach(), "head": model.head.weight.detach()}
    return [float(loss) for loss in losses], weights, given


@ship
def tuned_twice(fine_tune, w, batches, trains):
    """The encoder's weights after a probe and a tuning, and the modes of a judge's parts.

    And how often the judge, as dropout does, has drawn what it had drawn before.
    """
    model, drawn = Judge(w).train(trains), []
    hook = lambda *_: drawn.append(float(torch.rand(1, dtype=torch.float64)))  # noqa: E731
    model.register_forward_hook(hook)
    fine_tune(model, batches, 0.0, 0.1)
    fine_tune(model, batches, 0.1, 0.1)
    modes = [part.training for part in (model, model.encoder, model.head)]
    return model.encoder.weight.detach(), modes, len(drawn) - len(set(drawn))


def tuned(w, batches, rate, head_rate):
    """What torch's AdamW makes of a judge, each part with an optimizer of its own."""
    model = Judge(w)
    parts = ((model.encoder, rate), (model.head, head_rate))
    optimizers = [torch.optim.AdamW(m.parameters(), lr, weight_decay=0) for m, lr in parts]
    losses = []
    for tokens, labels in batches:
        logs = model(tokens)[0].log_softmax(-1)
        loss = -logs[torch.arange(len(labels)), labels].mean()
        model.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        losses.append(loss.item())
    return losses, {"words": model.encoder.weight.detach(), "head": model.head.weight.detach()}


@ship
def masked(mask_words, tokens, V, seed, share):
    """Inputs and targets drawn with a generator of this seed."""
    inputs, targets = mask_words(tokens, V, torch.Generator().manual_seed(seed), share)
    return inputs, targets


@ship
class Reader(nn.Module):
    """In the place of an encoder: the vectors of the words, and a count of its calls."""

    def __init__(self):
        super().__init__()
        self.words, self.calls = nn.Embedding(9, 6), 0

    def forward(self, tokens):
        self.calls += 1
        x = self.words(tokens)
        return x.sum(-1, keepdim=True), x


@ship
def with_encoder(EncoderDecoder, sizes):
    """A student's encoder-decoder around the test's own encoder."""
    return EncoderDecoder(sizes, Reader())


@ship
def with_words_only(model):
    """Let a model read nothing but its words, and say their sums."""

    def read(tokens, past=None, **look):
        return model.embed.words(tokens), past

    def logits(x):
        return x.sum(-1, keepdim=True).expand(-1, -1, 9)

    model.read, model.logits = read, logits


@ship
def translated(net, source, inputs, pieces):
    """The logits of inputs that are read in pieces, and how often the encoder ran."""
    past, parts = None, []
    for piece in inputs.split(pieces, dim=1):
        logits, past = net(source, piece, past)
        parts.append(logits.detach())
    return parts, net.encoder.calls


@ship
def translated_in_turn(net, sources, inputs):
    """The logits of inputs for each source, which are read in turn: first words, then the rest."""
    first = [net(source, inputs[:, :1]) for source in sources]
    both = []
    for source, (logits, past) in zip(sources, first, strict=True):
        both.append(torch.cat([logits, net(source, inputs[:, 1:], past)[0]], dim=1).detach())
    return both


@ship
def costs(count_costs, sizes, counts, *rest):
    """What a student's function says if `count_parameters` gives these counts, or by its own.

    A function that does without `count_parameters` never notices.
    """
    names, name = getattr(count_costs, "__globals__", {}), "count_parameters"
    own = names.get(name)
    try:
        names[name] = lambda *args, **kwargs: dict(counts)
        return count_costs(sizes, *rest)
    finally:
        names[name] = own


@ship
class Counting(TorchDispatchMode):
    """Counts the operations of torch while it is entered."""

    def __init__(self):
        super().__init__()
        self.n = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.n += 1
        return function(*args, **(kwargs or {}))


@ship
def operations(function, *inputs):
    """How many operations of torch a call makes."""
    with Counting() as counting:
        function(*inputs)
    return counting.n


def plain_recurrence(q, k, v, log_a, S):
    """The recurrence of task 6.13 in loops over texts, heads and steps."""
    B, H, T, K = q.shape
    y, last = torch.zeros(v.shape), torch.zeros(B, H, K, v.shape[-1])
    for b in range(B):
        for h in range(H):
            state = last[b, h] if S is None else S[b, h]
            for t in range(T):
                state = log_a[b, h, t].exp() * state + torch.outer(k[b, h, t], v[b, h, t])
                y[b, h, t] = q[b, h, t] @ state
            last[b, h] = state
    return y, last


@ship
def reader_learns(new_classifier, words, head, tokens, pull):
    """The gradient of a classifier's logits for the words that its encoder looks up."""
    table = words.clone().requires_grad_()
    model = new_classifier(Words(table), head.shape[1], head.shape[0])
    model.head.weight = nn.Parameter(head.clone())
    (model(tokens)[0] * pull).sum().backward()
    return table.grad
