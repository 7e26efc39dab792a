"""Toy models that the tests of 7.7 tune, and one step of tuning with which they compare."""

import torch
from torch import nn

from examiner.suite import ship
from tests.after_training.suite.oracles import IGNORE, clipped, tensor

V = 7  # words of the toy models, PAD, BOS and EOS among them


@ship
class Toy(nn.Module):
    """A language model: the logits depend on all tokens so far."""

    def __init__(self, w):
        super().__init__()
        self.word, self.out = (nn.Parameter(w[name].clone()) for name in ("word", "out"))

    def forward(self, tokens, past=None):
        s = self.word.new_zeros(len(tokens), self.word.shape[1]) if past is None else past
        logits = []
        for k in range(tokens.shape[1]):
            s = torch.tanh(0.8 * s + self.word[tokens[:, k]])
            logits.append(s @ self.out)
        return torch.stack(logits, dim=1), s


def toy_weights(rng, H=4):
    """Random weights of a toy model."""
    return {"word": tensor(rng, V, H), "out": tensor(rng, H, V)}


@ship
def strange_loss(new, old, advantages, mask, eps=0.2, *more, **named):
    """In the place of `clipped_loss`: something else that depends on all that it is given."""
    seen = mask.to(new)
    square = ((new - 2 * old) ** 2 * seen).sum(-1) * (1 + eps)
    return (square / 90 + advantages * (new * seen).sum(-1) / 2).mean()


STAND_INS = {"clipped_loss": strange_loss}


@ship
def tune(tune_step, w, w_reference, batch, rate, options, stand_ins, decay=0.0, frozen=()):
    """Let a student's function make one step of SGD; stand_ins: parts that it is to use.

    The loss, the divergence, weights of model and reference, and whether the latter has gradients.
    A function that does without these parts never notices. frozen: what does not learn.
    """
    model, reference = Toy(w), Toy(w_reference)
    for name, p in model.named_parameters():
        p.requires_grad_(name not in frozen)
        p.grad = None if name in frozen else torch.full_like(p, 9.0)
    names = getattr(tune_step, "__globals__", {})
    own = {name: names[name] for name in stand_ins if name in names}
    try:
        names.update({name: stand_ins[name] for name in own})
        optimizer = torch.optim.SGD(model.parameters(), rate, weight_decay=decay)
        loss, apart = tune_step(model, reference, optimizer, *batch, **options)
    finally:
        names.update(own)
    weights = [{n: p.detach() for n, p in m.named_parameters()} for m in (model, reference)]
    grads = [bool(p.grad.any()) for p in reference.parameters() if p.grad is not None]
    return float(loss), float(apart), *weights, any(grads)


@ship
def refused(tune_step, w, w_reference, batch):
    """The kind of error that a step stopped with, if any, and the model's weights afterwards."""
    model, reference, said = Toy(w), Toy(w_reference), ""
    try:
        tune_step(model, reference, torch.optim.SGD(model.parameters(), 0.1), *batch)
    except NotImplementedError:  # nothing is written yet
        raise
    except Exception as error:
        said = type(error).__name__
    return said, {name: p.detach() for name, p in model.named_parameters()}


@ship
def modes_seen(tune_step, w, batch, trains):
    """The modes of model and reference, while they answer in two steps and after these.

    And how often the model, as dropout does, has drawn what it had drawn before.
    """
    models = Toy(w).train(trains), Toy(w).train(not trains)
    seen, drawn = ([], []), []
    for model, modes in zip(models, seen, strict=True):
        model.register_forward_hook(lambda m, *_, modes=modes: modes.append(m.training))
    models[0].register_forward_hook(
        lambda *_: drawn.append(float(torch.rand(1, dtype=torch.float64)))
    )
    for _ in range(2):
        tune_step(*models, torch.optim.SGD(models[0].parameters(), 0.1), *batch)
    modes = [sorted({*each, m.training}) for each, m in zip(seen, models, strict=True)]
    return modes, len(drawn) - len(set(drawn))


def log_probs(model, inputs, targets):
    """The log-probability of each target, 0 where there is none."""
    logs = model(inputs)[0].log_softmax(-1)
    rows = [
        torch.stack([log[w] if w != IGNORE else 0 * log[0] for log, w in zip(*row, strict=True)])
        for row in zip(logs, targets.tolist(), strict=True)
    ]
    return torch.stack(rows)


def tuned(w, w_reference, batch, rate, options, stand_ins=(), decay=0.0, frozen=()):
    """What one step makes of a toy model: loss, divergence, weights."""
    inputs, targets, old, advantages = batch
    model, reference = Toy(w), Toy(w_reference)
    for name in frozen:
        getattr(model, name).requires_grad_(False)
    new, log_q = log_probs(model, inputs, targets), log_probs(reference, inputs, targets).detach()
    mask = targets != IGNORE
    eps, beta, clip = (options.get(k, v) for k, v in (("eps", 0.2), ("beta", 0.0), ("clip", 1.0)))
    of_loss = strange_loss if stand_ins else clipped
    u = log_q - new
    k3 = u.exp() - 1 - u
    apart = sum((each * m).sum() / m.sum() for each, m in zip(k3, mask, strict=True)) / len(mask)
    loss = of_loss(new, old, advantages, mask, eps) + (beta * apart if beta else 0)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    torch.optim.SGD(model.parameters(), rate, weight_decay=decay).step()
    return loss.item(), apart.item(), {name: p.detach() for name, p in model.named_parameters()}
