"""Plausible mistakes in section 4.10: when to stop."""

import math
from copy import deepcopy

from examiner.judge.misconceptions import misconception


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


def watched(model, epoch, validate, most, patience, *, worse=None, first=math.inf, row=True):
    """Early stopping with one thing changed; `worse(curve, lowest)` judges the last epoch."""
    curve, lowest, bad, weights = [], first, 0, deepcopy(model.state_dict())
    while len(curve) < most and bad < patience:
        curve.append((epoch(), validate()))
        if worse(curve, lowest) if worse else curve[-1][1] >= lowest:
            bad += 1
        else:
            bad, weights = 0 if row else bad, deepcopy(model.state_dict())
        lowest = min(lowest, curve[-1][1])
    model.load_state_dict(weights)
    return curve


@misconception(
    "4.10",
    replaces="stop_early",
    says="An epoch was compared with the one before it. Compare with the best so far.",
)
def compares_with_the_epoch_before(model, epoch, validate, most, patience=1):
    worse = lambda curve, _: len(curve) > 1 and curve[-1][1] >= curve[-2][1]  # noqa: E731
    return watched(model, epoch, validate, most, patience, worse=worse)


@misconception(
    "4.10",
    replaces="stop_early",
    says="Training goes on for one epoch too many: stop as soon as `patience` epochs in a row were "
    "no better.",
)
def waits_one_epoch_longer(model, epoch, validate, most, patience=1):
    return watched(model, epoch, validate, most, patience + 1)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="edge",
    says="An epoch that is only as good as the best counts as better here; it is no better.",
)
def takes_as_good_for_better(model, epoch, validate, most, patience=1):
    worse = lambda curve, lowest: curve[-1][1] > lowest  # noqa: E731
    return watched(model, epoch, validate, most, patience, worse=worse)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="edge",
    says="There may be more epochs than `most`: it is a limit, whatever the patience.",
)
def ignores_the_most(model, epoch, validate, most, patience=1):
    return watched(model, epoch, validate, 1000, patience)


@misconception(
    "4.10",
    replaces="stop_early",
    says="Training stops after the first epoch that is no better, whatever the patience.",
)
def has_no_patience(model, epoch, validate, most, patience=1):
    return watched(model, epoch, validate, most, 1)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="idea",
    says="Training never stops early: stop when `patience` epochs in a row were no better.",
)
def goes_on_to_the_end(model, epoch, validate, most, patience=1):
    return watched(model, epoch, validate, most, most)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="edge",
    says="Epochs that were no better are counted in all; only those in a row count, so begin anew "
    "after one that was better.",
)
def counts_bad_epochs_in_all(model, epoch, validate, most, patience=1):
    return watched(model, epoch, validate, most, patience, row=False)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="idea",
    says="The training loss decides here. It falls on and on; the validation loss must decide.",
)
def watches_the_training_loss(model, epoch, validate, most, patience=1):
    worse = lambda curve, _: curve[-1][0] > min(loss for loss, _ in curve)  # noqa: E731
    return watched(model, epoch, validate, most, patience, worse=worse)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="edge",
    says="The lowest loss begins at a number that a first loss may exceed: begin with math.inf.",
)
def begins_with_ten(model, epoch, validate, most, patience=1):
    return watched(model, epoch, validate, most, patience, first=10.0)


@misconception(
    "4.10",
    replaces="stop_early",
    kind="edge",
    says="Validation came before training in each epoch: call epoch() first, then validate().",
)
def validates_first(model, epoch, validate, most, patience=1):
    losses = []

    def both():
        losses.append(validate())
        return epoch()

    return watched(model, both, lambda: losses[-1], most, patience)
