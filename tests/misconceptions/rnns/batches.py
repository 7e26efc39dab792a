"""Plausible mistakes in section 4.9: batches of stories."""

import math

import torch
from torch.nn.utils.rnn import pad_sequence

from examiner.judge.misconceptions import misconception

PAD, BOS, EOS = 0, 1, 2


def padded(rows):
    return pad_sequence([torch.tensor(row) for row in rows], True, PAD)


def batch_of(stories):
    return padded([[BOS, *s] for s in stories]), padded([[*s, EOS] for s in stories])


# subtle: a batch without EOS leaves out the ends as well; so log_probs are tried first
def told(model, stories, size, keep=lambda targets: targets != PAD, **wrong):
    """Log-probabilities with one thing changed."""
    logs_of = wrong.get("logs_of", lambda logits: logits.log_softmax(-1))
    if wrong.get("evaluate", True):
        model.eval()
    found = []
    with torch.no_grad():
        for k in range(0, len(stories), size):
            inputs, targets = batch_of(stories[k : k + size])
            asked = inputs if wrong.get("of_inputs") else targets
            logs = logs_of(model(inputs)[0]).gather(-1, asked[:, :, None])[:, :, 0]
            if wrong.get("by_steps"):
                logs, targets = logs.T, targets.T
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
    kind="edge",
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
    replaces="log_probs",
    kind="idea",
    says="These are logits: take log_softmax over the vocabulary, so that they are logarithms of "
    "probabilities.",
)
def returns_the_logits(model, stories, size=32):
    return told(model, stories, size, logs_of=lambda logits: logits)


@misconception(
    "4.9",
    replaces="log_probs",
    kind="idea",
    says="The softmax runs over the steps; it must run over the vocabulary, the last axis.",
)
def shares_among_the_steps(model, stories, size=32):
    return told(model, stories, size, logs_of=lambda logits: logits.log_softmax(1))


@misconception(
    "4.9",
    replaces="log_probs",
    kind="idea",
    says="These are probabilities; asked for are their logarithms.",
)
def returns_chances(model, stories, size=32):
    return told(model, stories, size, logs_of=lambda logits: logits.softmax(-1))


@misconception(
    "4.9",
    replaces="log_probs",
    kind="edge",
    says="A probability that is too small for its format became 0, and its logarithm -infinity: "
    "log_softmax never makes the probability itself.",
)
def takes_the_log_of_a_softmax(model, stories, size=32):
    return told(model, stories, size, logs_of=lambda logits: logits.softmax(-1).log())


@misconception(
    "4.9",
    replaces="log_probs",
    kind="idea",
    says="Each word was asked for after itself: take the logits after the words before it, that "
    "is, gather by the targets.",
)
def tells_what_was_read(model, stories, size=32):
    return told(model, stories, size, of_inputs=True)


@misconception(
    "4.9",
    replaces="log_probs",
    says="The numbers go step by step through all stories of a batch; go story by story.",
)
def tells_step_by_step(model, stories, size=32):
    return told(model, stories, size, by_steps=True)


@misconception(
    "4.9",
    replaces="log_probs",
    kind="edge",
    says="The last stories are left out where `size` does not divide their number.",
)
def leaves_out_the_last_batch(model, stories, size=32):
    return told(model, stories[: len(stories) // size * size], size)


@misconception(
    "4.9",
    replaces="log_probs",
    kind="edge",
    says="All stories were read at once: read `size` of them at a time.",
)
def reads_all_stories_at_once(model, stories, size=32):
    return told(model, stories, len(stories))


@misconception(
    "4.9",
    replaces="log_probs",
    says="There is a list for each story; return one flat list.",
)
def nests_the_stories(model, stories, size=32):
    logs = iter(told(model, stories, size))
    return [[next(logs) for _ in range(len(story) + 1)] for story in stories]


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
    kind="edge",
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


@misconception(
    "4.9",
    replaces="make_batch",
    kind="idea",
    says="The last prediction is missing: the inputs are BOS and all words, the targets all words "
    "and EOS.",
)
def stops_before_the_end(stories):
    return padded([[BOS, *story[:-1]] for story in stories]), padded(stories)


@misconception(
    "4.9",
    replaces="make_batch",
    says="Targets are filled up with EOS: these places would be counted as ends. Use PAD.",
)
def fills_up_with_the_end(stories):
    rows = [torch.tensor([*story, EOS]) for story in stories]
    return batch_of(stories)[0], pad_sequence(rows, True, EOS)


@misconception(
    "4.9",
    replaces="make_batch",
    says="Targets are filled up with -100, torch's own sign for places to ignore. Use PAD here.",
)
def fills_up_with_minus_100(stories):
    rows = [torch.tensor([*story, EOS]) for story in stories]
    return batch_of(stories)[0], pad_sequence(rows, True, -100)


@misconception(
    "4.9",
    replaces="make_batch",
    kind="edge",
    says="Empty stories are left out: they begin and end like others, and have a row.",
)
def leaves_out_empty_stories(stories):
    return batch_of([story for story in stories if story] or [[]])


@misconception(
    "4.9",
    replaces="make_batch",
    says="The stories that were given have changed: append works in place. Build new lists.",
)
def appends_to_the_stories(stories):
    inputs = padded([[BOS, *story] for story in stories])
    for story in stories:
        story.append(EOS)
    return inputs, padded(stories)
