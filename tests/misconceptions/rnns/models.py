"""Plausible mistakes in sections 4.9 to 4.11: batches, training, generating."""

import math
from copy import deepcopy

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from nextword.corpora.batches import until_end
from nextword.judge.misconceptions import misconception

PAD, BOS, EOS = 0, 1, 2


def padded(rows):
    return pad_sequence([torch.tensor(row) for row in rows], True, PAD)


def batch_of(stories):
    return padded([[BOS, *s] for s in stories]), padded([[*s, EOS] for s in stories])


# subtle: a batch without EOS leaves out the ends as well; so log_probs are tried first
def told(model, stories, size, keep=lambda targets: targets != PAD, evaluate=True):
    """Log-probabilities with one thing changed."""
    if evaluate:
        model.eval()
    found = []
    with torch.no_grad():
        for k in range(0, len(stories), size):
            inputs, targets = batch_of(stories[k : k + size])
            logs = model(inputs)[0].log_softmax(-1).gather(-1, targets[:, :, None])[:, :, 0]
            found += logs[keep(targets)].tolist()
    return found


@misconception(
    "4.9",
    replaces="log_probs",
    kind="idea",
    says="PAD was counted as a prediction. Keep only places whose target is a word or EOS.",
)
def counts_padding(model, stories, size=32):
    return told(model, stories, size, keep=lambda targets: targets >= 0)


@misconception(
    "4.9",
    replaces="log_probs",
    kind="idea",
    says="The ends of the stories are left out. EOS is predicted like a word.",
)
def leaves_out_the_ends(model, stories, size=32):
    return told(model, stories, size, keep=lambda targets: targets > EOS)


@misconception(
    "4.9",
    replaces="log_probs",
    says="The model is still in training mode, so dropout disturbs what it says: model.eval().",
)
def scores_with_dropout(model, stories, size=32):
    return told(model, stories, size, evaluate=False)


@misconception(
    "4.9",
    replaces="log_probs",
    says="These are logarithms to the base 2; equation 4.24 has natural ones.",
)
def takes_bits(model, stories, size=32):
    return [log / math.log(2) for log in told(model, stories, size)]


@misconception(
    "4.9",
    replaces="make_batch",
    kind="idea",
    says="The targets are the same as the inputs. They must be one word further on, so that each "
    "word is predicted from those before it.",
)
def does_not_shift(stories):
    rows = padded([[BOS, *story] for story in stories])
    return rows, rows


@misconception(
    "4.9",
    replaces="make_batch",
    says="EOS stands in the inputs of the shorter stories. An input ends with the last word; EOS "
    "is a target only.",
)
def reads_the_end(stories):
    rows = padded([[BOS, *story, EOS] for story in stories])
    return rows[:, :-1], rows[:, 1:]


@misconception(
    "4.9",
    replaces="make_batch",
    says="PAD stands before the shorter stories. Fill up after the end, so that every story begins "
    "at the first step.",
)
def pads_on_the_left(stories):
    inputs, targets = batch_of(stories)
    shifts = [int((row == PAD).sum()) for row in targets]
    turned = [
        torch.stack([row.roll(n) for row, n in zip(rows, shifts, strict=True)])
        for rows in (inputs, targets)
    ]
    return turned[0], turned[1]


@misconception(
    "4.9",
    replaces="make_batch",
    kind="idea",
    says="EOS is missing in the targets: where a story ends is predicted, too.",
)
def never_ends(stories):
    inputs, targets = batch_of(stories)
    return inputs, torch.where(targets == EOS, PAD, targets)


def trained(
    model, optimizer, batch, chunk, clip, *, ignore=PAD, carry=True, clear=True, late=False,
    watch=True, weighted=True,
):  # fmt: skip
    """Training on a batch with one thing changed."""
    s, (inputs, targets), losses, sizes = None, batch, [], []
    for k in range(0, inputs.shape[1], chunk):
        logits, s = model(inputs[:, k : k + chunk], s if carry else None)
        s, expected = s.detach(), targets[:, k : k + chunk]
        loss = nn.functional.cross_entropy(logits.mT, expected, ignore_index=ignore)
        if watch and not loss.isfinite():
            raise FloatingPointError(f"the loss is {loss.item()}")
        if clear:
            optimizer.zero_grad()
        loss.backward()
        if not late:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
        sizes.append(int((expected != ignore).sum()) if weighted else 1)
    return sum(n * loss for n, loss in zip(sizes, losses, strict=True)) / sum(sizes)


@misconception(
    "4.10",
    replaces="train_batch",
    kind="idea",
    says="The loss counts PAD, so the model learns to predict padding: ignore_index=PAD.",
)
def learns_padding(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, ignore=-100)


@misconception(
    "4.10",
    replaces="train_batch",
    says="Each chunk begins with an empty state: hand the state of the chunk before to the model.",
)
def forgets_between_chunks(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, carry=False)


@misconception(
    "4.10",
    replaces="train_batch",
    says="The gradients of earlier steps are still there: zero_grad before each backward.",
)
def adds_up_gradients(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, clear=False)


@misconception(
    "4.10",
    replaces="train_batch",
    says="Gradients are clipped after the step, when it is too late: backward, clip, step.",
)
def clips_after_the_step(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, late=True)


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="A loss of NaN is not noticed: look at it before backward and raise FloatingPointError.",
)
def does_not_look_at_the_loss(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, watch=False)


@misconception(
    "4.10",
    replaces="train_batch",
    says="The mean of the chunks' means is not the mean over all targets: later chunks hold fewer.",
)
def averages_the_chunks(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, weighted=False)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="idea",
    says="The model has the weights of its last epoch. Keep a deepcopy of those of the best one (a "
    "state_dict alone changes with the model), and load it at the end.",
)
def keeps_the_last_weights(model, epoch, validate, most, patience=1):
    curve, best, lowest = [], 0, math.inf
    while len(curve) < min(most, best + patience):
        curve.append((epoch(), validate()))
        if curve[-1][1] < lowest:
            best, lowest = len(curve), curve[-1][1]
    return curve


@misconception(
    "4.10",
    replaces="stop_early",
    says="An epoch was compared with the one before it. Compare with the best so far.",
)
def compares_with_the_epoch_before(model, epoch, validate, most, patience=1):
    curve, bad, lowest, weights = [], 0, math.inf, deepcopy(model.state_dict())
    while len(curve) < most and bad < patience:
        curve.append((epoch(), validate()))
        worse = len(curve) > 1 and curve[-1][1] >= curve[-2][1]
        bad = bad + 1 if worse else 0
        if curve[-1][1] < lowest:
            lowest, weights = curve[-1][1], deepcopy(model.state_dict())
    model.load_state_dict(weights)
    return curve


@misconception(
    "4.10",
    replaces="stop_early",
    says="Training goes on for one epoch too many: stop as soon as `patience` epochs in a row were "
    "no better.",
)
def waits_one_epoch_longer(model, epoch, validate, most, patience=1):
    curve, best, lowest, weights = [], 0, math.inf, deepcopy(model.state_dict())
    while len(curve) < min(most, best + patience + 1):
        curve.append((epoch(), validate()))
        if curve[-1][1] < lowest:
            best, lowest, weights = len(curve), curve[-1][1], deepcopy(model.state_dict())
    model.load_state_dict(weights)
    return curve


def told_stories(
    model, n, rng, most, prompt=(), *, again=False, keep=True, ban=True, greedy=False, one=False
):
    """Stories drawn with one thing changed."""
    model.eval()
    tokens, s = torch.tensor([[BOS, *prompt]] * n), None
    rows = tokens[:, :0]
    with torch.no_grad():
        while rows.shape[1] < most and not (rows == EOS).any(1).all():
            logits, s = model(tokens, s if keep else None)
            chances = logits[:, -1].softmax(-1)
            if ban:
                chances[:, [PAD, BOS]] = 0.0
            if greedy:
                drawn = chances.argmax(-1, keepdim=True)
            elif one:
                drawn = torch.multinomial(chances[:1], 1, generator=rng).expand(n, 1)
            else:
                drawn = torch.multinomial(chances, 1, generator=rng)
            rows = torch.cat([rows, drawn], dim=1)
            tokens = torch.cat([tokens, drawn], dim=1) if again else drawn
    return rows.tolist()


@misconception(
    "4.11",
    replaces="generate",
    kind="idea",
    says="The likeliest word was taken each time. Draw from the chances, with torch.multinomial.",
)
def takes_the_likeliest(model, n, rng, most, prompt=()):
    return until_end(told_stories(model, n, rng, most, prompt, greedy=True))


@misconception(
    "4.11",
    replaces="generate",
    says="All words are read again at each step, though the state holds them already: read only "
    "the new one.",
)
def reads_all_again(model, n, rng, most, prompt=()):
    return until_end(told_stories(model, n, rng, most, prompt, again=True))


@misconception(
    "4.11",
    replaces="generate",
    kind="idea",
    says="The state is not handed on, so each word is drawn as if it were the first.",
)
def hands_no_state_on(model, n, rng, most, prompt=()):
    return until_end(told_stories(model, n, rng, most, prompt, keep=False))


@misconception(
    "4.11",
    replaces="generate",
    kind="edge",
    says="PAD or BOS was drawn. They are no words: set their chances to 0 before drawing.",
)
def draws_padding(model, n, rng, most, prompt=()):
    return until_end(told_stories(model, n, rng, most, prompt, ban=False))


@misconception(
    "4.11",
    replaces="generate",
    says="All stories got the same words: draw for each row by its own chances.",
)
def draws_once_for_all(model, n, rng, most, prompt=()):
    return until_end(told_stories(model, n, rng, most, prompt, one=True))


@misconception(
    "4.11",
    replaces="generate",
    says="EOS ends a story, but is no part of it, nor is anything after it: cut with until_end.",
)
def returns_the_end(model, n, rng, most, prompt=()):
    return told_stories(model, n, rng, most, prompt)
