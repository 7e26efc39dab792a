"""Plausible mistakes in section 6.8: a training step."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import nn

from examiner.judge.misconceptions import misconception

IGNORE = -100


def make_step(model, optimizer, batches, clip, count, **wrong):
    """One training step with one thing changed."""
    real = [batch[-1] != (0 if "pads" in wrong else IGNORE) for batch in batches]
    numbers = [int(each.sum()) for each in real]
    if "all" in wrong:
        numbers = [batch[-1].numel() for batch in batches]
    if "rows" in wrong:
        numbers = [len(batch[-1]) for batch in batches]
    whole = (sum(numbers) if "deaf" in wrong else count or sum(numbers)) or 1
    whole = (count or 1) * sum(numbers) if "product" in wrong else whole
    if "keep" not in wrong:
        optimizer.zero_grad()
    if "eval" in wrong:
        model.eval()
    total = 0.0
    for number, (*inputs, targets) in enumerate(batches):
        if "apart" in wrong and number:
            optimizer.zero_grad()
        loss = loss_of(model, inputs, targets, whole, len(batches), wrong)
        finite = {"nan": not loss.isnan(), "brave": True, "first": bool(number) or loss.isfinite()}
        if not finite.get(wrong.get("look", ""), loss.isfinite()):
            if wrong.get("stop") == "skip":
                continue
            raise wrong.get("error", FloatingPointError)("the loss is no number")
        loss.backward()
        total = loss.item() if "last" in wrong else total + loss.item()
        if "each" in wrong:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        if "steps" in wrong:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            optimizer.zero_grad()
    return finish(model, optimizer, clip, total, len(batches), wrong)


def loss_of(model, inputs, targets, whole, n, wrong):
    """The loss of one batch, divided as is right or with one thing changed."""
    logits = model(*(inputs[:1] if "first_input" in wrong else inputs))[0].flatten(0, -2)
    logits = logits.softmax(-1) if "chances" in wrong else logits
    if "shifted" in wrong:
        targets = torch.cat([targets[:, 1:], torch.full_like(targets[:, :1], IGNORE)], 1)
    smooth = 0.1 if "smooth" in wrong else 0.0
    summed = F.cross_entropy(logits, targets.flatten(), reduction="sum", label_smoothing=smooth)
    mean = F.cross_entropy(logits, targets.flatten())
    many = (targets != IGNORE).sum()
    kinds = {"means": mean / n, "sum_of_means": mean, "weighed": mean * many / whole}
    return kinds.get(wrong.get("loss", ""), summed / (1 if "sums" in wrong else whole))


def finish(model, optimizer, clip, total, n, wrong):
    """Clip, make the step, and tell the loss."""
    if "value" in wrong:
        nn.utils.clip_grad_value_(model.parameters(), clip)
    elif "single" in wrong:
        for p in model.parameters():
            nn.utils.clip_grad_norm_([p], clip)
    elif not {"each", "free", "steps"} & wrong.keys():
        nn.utils.clip_grad_norm_(model.parameters(), wrong.get("my_clip", clip))
    if not {"still", "steps"} & wrong.keys():
        optimizer.step()
    if "late" in wrong and not math.isfinite(total):
        raise FloatingPointError("the loss is no number")
    return total / n if "mean_told" in wrong else total


@misconception(
    "6.8",
    replaces="train_step",
    kind="idea",
    says="The mean of the batches' means gives a word in a small batch more weight. Divide the sum "
    "over all targets by their number in all batches.",
)
def takes_the_mean_of_means(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, loss="means")


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
    return make_step(model, optimizer, batches, clip, count, all=True)


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
    says="The gradients are not clipped before the step: clip all of them together.",
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
    return make_step(model, optimizer, batches, clip, count, look="brave")


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="`count` is not used. Where it is given, the sum of the losses is divided by it.",
)
def ignores_the_count(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, deaf=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The means of the batches are added up. Divide the sum over all targets by their number "
    "in all batches.",
)
def adds_means_up(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, loss="sum_of_means")


@misconception(
    "6.8",
    replaces="train_step",
    says="PAD is taken for what does not count. Among targets that is IGNORE.",
)
def takes_pad_for_ignore(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, pads=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The loss is divided by the number of rows. Divide by the number of targets.",
)
def divides_by_rows(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, rows=True)


@misconception(
    "6.8",
    replaces="train_step",
    kind="idea",
    says="The gradients are wiped before each batch, so only the last one counts. Wipe them "
    "once, at the beginning.",
)
def wipes_for_each_batch(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, apart=True)


@misconception(
    "6.8",
    replaces="train_step",
    kind="idea",
    says="There is a step for each batch. Gather the gradients of all and make one.",
)
def steps_for_each_batch(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, steps=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="Each number of the gradient is clipped by itself. Clip the norm of all: "
    "nn.utils.clip_grad_norm_.",
)
def clips_each_number(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, value=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="Each parameter's gradient is clipped by itself. Clip the norm of all of them together.",
)
def clips_each_parameter(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, single=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The gradients are clipped at 1, whatever `clip` is.",
)
def clips_at_one(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, my_clip=1.0)


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="`count` is multiplied by the number of targets. Where it is given, it takes its place.",
)
def multiplies_by_the_count(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, product=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="Only the loss of the last batch is returned. Return that of all: add them up.",
)
def tells_the_last_loss(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, last=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The loss that is returned is divided by the number of batches. Its parts are divided "
    "already: add them up.",
)
def tells_a_mean(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, mean_told=True)


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="The loss is looked at after the step, when the weights are spoiled. Look at it before.",
)
def looks_after_the_step(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, look="brave", late=True)


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="Only NaN is noticed. An infinite loss spoils the weights as well: loss.isfinite().",
)
def notices_nan_only(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, look="nan")


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="Only the loss of the first batch is looked at. Look at each.",
)
def looks_at_the_first_batch(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, look="first")


@misconception(
    "6.8",
    replaces="train_step",
    says="A loss that is no number is passed over in silence. Raise FloatingPointError.",
)
def skips_a_broken_batch(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, stop="skip")


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="The error is not a FloatingPointError.",
)
def raises_another_error(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, error=ValueError)


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="Only the first input reaches the model. A batch may hold several: model(*inputs).",
)
def passes_the_first_input(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, first_input=True)


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="Where a batch has no target, its mean is NaN. Take the sum over the targets: "
    'reduction="sum".',
)
def weighs_means(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, loss="weighed")


@misconception(
    "6.8",
    replaces="train_step",
    says="No weight changes: call backward for each loss and optimizer.step() at the end, while "
    "the gradients are still there.",
)
def makes_no_step(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, still=True)


@misconception(
    "6.8",
    replaces="train_step",
    kind="edge",
    says="The model is put into evaluation, so it drops nothing. Leave it in training.",
)
def trains_in_evaluation(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, eval=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="A softmax is applied to the logits. cross_entropy does that itself.",
)
def takes_the_softmax_twice(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, chances=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The targets are moved by one. They are the next words already.",
)
def moves_the_targets(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, shifted=True)


@misconception(
    "6.8",
    replaces="train_step",
    says="The targets are smoothed. Nobody asked for that.",
)
def smooths_the_targets(model, optimizer, batches, clip, count=None):
    return make_step(model, optimizer, batches, clip, count, smooth=True)
