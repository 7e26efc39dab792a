"""Plausible mistakes in section 4.10: a batch in chunks."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from examiner.judge.misconceptions import misconception

PAD = 0


def trained(
    model, optimizer, batch, chunk, clip, *, ignore=PAD, carry=True, clear="first",
    clipped="before", watch="before", weigh=lambda y: int((y != PAD).sum()), reduction="mean",
    whole=False,
):  # fmt: skip
    """Training on a batch with one thing changed."""
    s, (inputs, targets), total = None, batch, 0.0
    sizes = [weigh(each) for each in targets.split(chunk, dim=1)]
    T = inputs.shape[1] // chunk * chunk if whole else inputs.shape[1]
    for k in range(0, T, chunk):
        logits, s = model(inputs[:, k : k + chunk], s if carry else None)
        s, expected = s if carry == "graph" else s.detach(), targets[:, k : k + chunk]
        loss = cross_entropy(logits.mT, expected, ignore_index=ignore, reduction=reduction)
        broken = loss.isnan() if watch == "nan" else ~loss.isfinite()
        if broken and watch == "skip":
            continue
        if broken and watch in ("before", "nan"):
            raise FloatingPointError(f"the loss is {loss.item()}")
        if clear == "first" or (clear == "once" and k == 0):
            optimizer.zero_grad()
        loss.backward()
        if clear == "last":
            optimizer.zero_grad()
        if clipped == "numbers":
            nn.utils.clip_grad_value_(model.parameters(), clip)
        elif clipped == "before":
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        if broken and watch == "after":
            raise FloatingPointError(f"the loss is {loss.item()}")
        total += loss.item() * (1 if reduction == "sum" else sizes[k // chunk])
    return total / sum(sizes)


@misconception(
    "4.10",
    replaces="train_batch",
    kind="idea",
    says="The loss counts PAD, so the model learns to predict padding: ignore_index=PAD.",
)
def learns_padding(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, ignore=-100, weigh=torch.numel)


@misconception(
    "4.10",
    replaces="train_batch",
    kind="idea",
    says="Each chunk begins with an empty state: hand the state of the chunk before to the model.",
)
def forgets_between_chunks(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, carry=False)


@misconception(
    "4.10",
    replaces="train_batch",
    kind="idea",
    says="The gradients of earlier steps are still there: zero_grad before each backward.",
)
def adds_up_gradients(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, clear="never")


@misconception(
    "4.10",
    replaces="train_batch",
    says="The step was made with gradients that nobody had clipped: backward, clip, step.",
)
def clips_after_the_step(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, clipped="after")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="A loss of NaN is not noticed: look at it before backward and raise FloatingPointError.",
)
def does_not_look_at_the_loss(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, watch="never")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="The mean of the chunks' means is not the mean over all targets: later chunks hold fewer.",
)
def averages_the_chunks(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, weigh=lambda y: 1)


@misconception(
    "4.10",
    replaces="train_batch",
    kind="idea",
    says="The state still hangs on the graph of the chunk before, which is gone after "
    "backward: s.detach().",
)
def never_detaches(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, carry="graph")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="idea",
    says="zero_grad stands between backward and step, so every step is made without a "
    "gradient: zero_grad, backward, step.",
)
def clears_after_backward(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, clear="last")


@misconception(
    "4.10",
    replaces="train_batch",
    says="The gradients are cleared once for the whole batch: each chunk needs its own zero_grad.",
)
def clears_once_for_all_chunks(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, clear="once")


@misconception(
    "4.10",
    replaces="train_batch",
    says="Each number was cut off at the limit. clip_grad_norm_ shortens all gradients by one "
    "factor.",
)
def clips_each_number(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, clipped="numbers")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="The loss is looked at after the step: by then NaN is in the weights. Look before "
    "backward.",
)
def looks_at_the_loss_too_late(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, watch="after")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="An infinite loss is not noticed: isfinite is false for infinity and for NaN.",
)
def overlooks_infinity(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, watch="nan")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="A loss that is no number is passed over in silence: raise FloatingPointError.",
)
def skips_a_broken_loss(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, watch="skip")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="The last columns are left out where they make no whole chunk.",
)
def leaves_out_the_last_chunk(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, whole=True)


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="The mean of the losses counts places with padding: weigh each chunk by its targets "
    "but PAD.",
)
def counts_all_places(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, weigh=torch.numel)


@misconception(
    "4.10",
    replaces="train_batch",
    says="A step was made with the sum of the losses; its loss is the mean over its targets.",
)
def trains_on_sums(model, optimizer, batch, chunk, clip):
    return trained(model, optimizer, batch, chunk, clip, reduction="sum")


@misconception(
    "4.10",
    replaces="train_batch",
    kind="edge",
    says="Only the loss of the last chunk is returned: return the mean of all targets.",
)
def returns_the_last_loss(model, optimizer, batch, chunk, clip):
    first = (batch[0].shape[1] - 1) // chunk  # how many chunks stand before the last one
    weights = iter([*[0] * first, 1])
    return trained(model, optimizer, batch, chunk, clip, weigh=lambda y: next(weights))


@misconception(
    "4.10",
    replaces="train_batch",
    kind="idea",
    says="Only one step is made for the whole batch: backward, clip and step belong to each chunk.",
)
def makes_one_step(model, optimizer, batch, chunk, clip):
    s, (inputs, targets), total = None, batch, 0.0
    number = int((targets != PAD).sum())
    optimizer.zero_grad()
    for k in range(0, inputs.shape[1], chunk):
        logits, s = model(inputs[:, k : k + chunk], s)
        s, expected = s.detach(), targets[:, k : k + chunk]
        loss = cross_entropy(logits.mT, expected, ignore_index=PAD, reduction="sum") / number
        if not loss.isfinite():
            raise FloatingPointError(f"the loss is {loss.item()}")
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()
    return total
