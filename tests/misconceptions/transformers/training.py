"""Plausible mistakes in section 6.8: AdamW, the learning rate, a training step."""

import math

import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import nn

from nextword.judge.misconceptions import misconception

IGNORE = -100


# ------------------------------------------------------------------ 6.8
def adam(p, slope, m, v, t, rate, betas, eps, decay, **wrong):
    """One step with one thing changed."""
    held = decay if p.ndim > 1 or "all" in wrong else 0.0
    slope = slope + held * p if "coupled" in wrong else slope
    m, v = betas[0] * m + (1 - betas[0]) * slope, betas[1] * v + (1 - betas[1]) * slope**2
    t = 10**6 if "raw" in wrong else t
    m_hat, v_hat = m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)
    root = (v_hat + eps).sqrt() if "inside" in wrong else v_hat.sqrt() + eps
    return p - rate * (m_hat / root + (0.0 if "coupled" in wrong else held * p)), m, v


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="The decay is added to the slope, as in Adam before AdamW. It acts on p itself, beside "
    "m and v.",
)
def decays_through_the_slope(p, slope, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, slope, m, v, t, rate, betas, eps, decay, coupled=True)


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="m and v are not corrected: in the first steps they are too small. Divide by 1 - beta^t.",
)
def forgets_the_correction(p, slope, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, slope, m, v, t, rate, betas, eps, decay, raw=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="Gains and biases decay as well. Only what has two axes or more does.",
)
def decays_vectors(p, slope, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, slope, m, v, t, rate, betas, eps, decay, all=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="Epsilon stands inside the root. In Adam it is added to the root.",
)
def puts_epsilon_inside(p, slope, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, slope, m, v, t, rate, betas, eps, decay, inside=True)


def wave(share, peak, last):
    return last + (peak - last) * (1 + math.cos(math.pi * share)) / 2


@misconception(
    "6.8",
    replaces="learning_rate",
    kind="edge",
    says="After the last step the rate rises again. The share that is done is at most 1.",
)
def rises_again(step, peak, warmup, steps, last=0.0):
    if step < warmup:
        return peak * (step + 1) / warmup
    return wave((step - warmup) / (steps - warmup), peak, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The cosine is counted from step 0. It begins at the peak, where the warm-up ends.",
)
def waves_from_zero(step, peak, warmup, steps, last=0.0):
    if step < warmup:
        return peak * (step + 1) / warmup
    return wave(min(1, step / steps), peak, last)


@misconception(
    "6.8",
    replaces="learning_rate",
    says="The first step has the rate 0 and is lost: step 0 has peak / warmup.",
)
def loses_the_first_step(step, peak, warmup, steps, last=0.0):
    if step < warmup:
        return peak * step / warmup
    return wave(min(1, (step - warmup) / (steps - warmup)), peak, last)


def make_step(model, optimizer, batches, clip, count, **wrong):
    """One training step with one thing changed."""
    numbers = [int((batch[-1] != IGNORE).sum()) for batch in batches]
    if "keep" not in wrong:
        optimizer.zero_grad()
    total = 0.0
    for (*inputs, targets), number in zip(batches, numbers, strict=True):
        logits = model(*inputs)[0].flatten(0, -2)
        summed = F.cross_entropy(logits, targets.flatten(), reduction="sum")
        whole = (sum(numbers) if "deaf" in wrong else count or sum(numbers)) or 1
        share = number * len(batches) if "means" in wrong else whole
        share = targets.numel() * len(batches) if "padding" in wrong else share
        loss = summed / (1 if "sums" in wrong else share)
        if not loss.isfinite() and "brave" not in wrong:
            raise FloatingPointError("the loss is no number")
        loss.backward()
        total += loss.item()
        if "each" in wrong:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
    if "each" not in wrong and "free" not in wrong:
        nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return total


@misconception(
    "6.8",
    replaces="train_step",
    says="The mean of the batches' means gives a word in a small batch more weight. Divide the sum "
    "over all targets by their number in all batches.",
)
def takes_the_mean_of_means(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, means=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The losses of the batches are added up and never divided, so the step grows with them.",
)
def adds_losses_up(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, sums=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="Places without a target are counted in the number of targets.",
)
def counts_what_is_no_target(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, padding=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="Gradients of the step before are still there: begin with optimizer.zero_grad().",
)
def keeps_old_gradients(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, keep=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The gradients are clipped after each batch. Clip once, when all of them are gathered.",
)
def clips_each_batch(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, each=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The gradients are never clipped.",
)
def never_clips(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, free=True)


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="A loss of NaN is not noticed: it spoils all weights. Look at it before backward.",
)
def goes_on_with_nan(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, brave=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="`count` is not used. Where it is given, the sum of the losses is divided by it.",
)
def ignores_the_count(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, deaf=True)
