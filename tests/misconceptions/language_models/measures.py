"""Plausible mistakes in sections 1.1 to 1.5, each with the sentence its author should read.

Every function replaces one function of the reference; some test must reject each.
"""

import math
from collections import Counter

import numpy as np

from examiner.judge.misconceptions import misconception

SPECIAL = ["<s>", "</s>", "<unk>"]
BOS, EOS, UNK = range(3)


def counted(sentences):
    return Counter(word for sentence in sentences for word in sentence)


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="edge",
    says="Equally frequent words must be in alphabetical order: as it is, the list depends on "
    "which sentence was read first.",
)
def leaves_equal_counts_in_order_of_appearance(sentences, min_count=1):
    words = counted(sentences).most_common()
    return SPECIAL + [w for w, count in words if count >= min_count and w not in SPECIAL]


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="idea",
    says="The words are in alphabetical order; the most frequent one should stand first.",
)
def sorts_by_alphabet(sentences, min_count=1):
    counts = counted(sentences)
    return SPECIAL + sorted(w for w in counts if counts[w] >= min_count and w not in SPECIAL)


@misconception(
    "1.1",
    replaces="build_vocabulary",
    says="A word that was seen exactly min_count times belongs to the vocabulary: use >=, not >.",
)
def wants_more_than_min_count(sentences, min_count=1):
    counts = counted(sentences)
    kept = [w for w in counts if counts[w] > min_count and w not in SPECIAL]
    return SPECIAL + sorted(kept, key=lambda word: (-counts[word], word))


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="idea",
    says="The special symbols are missing: they are the first three words of every vocabulary.",
)
def forgets_the_special_symbols(sentences, min_count=1):
    counts = counted(sentences)
    kept = [w for w in counts if counts[w] >= min_count and w not in SPECIAL]
    return sorted(kept, key=lambda word: (-counts[word], word))


@misconception(
    "1.1",
    replaces="build_vocabulary",
    kind="edge",
    says="A special symbol that stands in the text is listed twice: one of its ids means nothing.",
)
def lists_special_symbols_twice(sentences, min_count=1):
    counts = counted(sentences)
    kept = [w for w in counts if counts[w] >= min_count]
    return SPECIAL + sorted(kept, key=lambda word: (-counts[word], word))


@misconception(
    "1.1",
    replaces="to_ids",
    kind="idea",
    says="Unknown words were left out. A model must see that something stood there: give them UNK.",
)
def drops_unknown_words(words, vocabulary):
    return [vocabulary.index(word) for word in words if word in vocabulary]


@misconception(
    "1.2",
    replaces="inputs_and_targets",
    kind="idea",
    says="Inputs and targets are the same tokens: nothing is left to predict. Shift them by one.",
)
def does_not_shift(ids):
    return [BOS, *ids], [BOS, *ids]


@misconception(
    "1.2",
    replaces="inputs_and_targets",
    kind="idea",
    says="The end is never predicted: the targets end with EOS, as the inputs begin with BOS.",
)
def never_predicts_the_end(ids):
    return [BOS, *ids[:-1]], list(ids)


@misconception(
    "1.2",
    replaces="inputs_and_targets",
    kind="idea",
    says="Inputs and targets are the wrong way round: the model reads BOS and predicts EOS.",
)
def exchanges_inputs_and_targets(ids):
    return [*ids, EOS], [BOS, *ids]


@misconception(
    "1.2",
    replaces="batch",
    kind="idea",
    says="Targets must come from the text, one place later. You turned each window around its end, "
    "so the last target is the window's own first token.",
)
def rolls_the_windows(ids, starts, T):
    x = ids[starts[:, None] + np.arange(T)]
    return x, np.roll(x, -1, axis=1)


@misconception(
    "1.2",
    replaces="batch",
    kind="idea",
    says="Row b must begin at starts[b]; all your rows begin where the first one does.",
)
def begins_every_row_alike(ids, starts, T):
    places = np.tile(starts[0] + np.arange(T), (len(starts), 1))
    return ids[places], ids[places + 1]


def softened(logits, axis):
    z = logits - logits.max(axis=axis, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=axis, keepdims=True))


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="edge",
    says="Large scores overflow in exp: subtract the largest score of each row first.",
)
def lets_exp_overflow(logits):
    with np.errstate(all="ignore"):
        return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="edge",
    says="You took the logarithm of a softmax that had already rounded to 0. Subtract the "
    "logarithm of the sum from the scores instead.",
)
def takes_the_log_of_the_softmax(logits):
    with np.errstate(divide="ignore"):
        return np.log(np.exp(softened(logits, -1)))


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="idea",
    says="You normalised over all rows together: each row over the last axis sums to 1 by itself.",
)
def normalises_the_whole_array(logits):
    z = logits - logits.max()
    with np.errstate(divide="ignore"):
        return z - np.log(np.exp(z).sum())


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="idea",
    says="These are probabilities: the logarithm is missing.",
)
def returns_probabilities(logits):
    return np.exp(softened(logits, -1))


@misconception(
    "1.3",
    replaces="log_softmax",
    kind="idea",
    says="You normalised over the first axis; the vocabulary is the last one.",
)
def normalises_the_first_axis(logits):
    with np.errstate(all="ignore"):
        return softened(logits, 0)


def row_after(model, history):
    return np.asarray(model.log_probs(list(history)))


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="The history does not grow: after each token of the text, that token belongs to it.",
)
def never_lengthens_the_history(model, history, text):
    return [float(row_after(model, history)[w]) for w in text]


@misconception(
    "1.4",
    replaces="token_log_probs",
    says="The given history is forgotten after the first token: it stays in front of the text.",
)
def forgets_the_given_history(model, history, text):
    return [float(row_after(model, text[:t] or history)[w]) for t, w in enumerate(text)]


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="The model was shown the token that it had to predict: the history ends before it.",
)
def shows_the_answer(model, history, text):
    histories = ([*history, *text[: t + 1]] for t in range(len(text)))
    return [float(row_after(model, h)[w]) for h, w in zip(histories, text, strict=True)]


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="idea",
    says="These are probabilities; the model's logarithms were what was wanted.",
)
def undoes_the_logarithm(model, history, text):
    histories = ([*history, *text[:t]] for t in range(len(text)))
    return [math.exp(row_after(model, h)[w]) for h, w in zip(histories, text, strict=True)]


@misconception(
    "1.4",
    replaces="token_log_probs",
    kind="edge",
    says="Impossible tokens were left out of the list, which makes the text look likely: they have "
    "-inf.",
)
def leaves_out_impossible_tokens(model, history, text):
    histories = ([*history, *text[:t]] for t in range(len(text)))
    found = [float(row_after(model, h)[w]) for h, w in zip(histories, text, strict=True)]
    return [value for value in found if value > -math.inf]


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="idea",
    says="You averaged over the whole table; of each row, only the target's number counts.",
)
def averages_all_log_probs(log_probs, targets):
    return -float(np.mean(log_probs))


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="idea",
    says="log_probs[:, targets] picks every target from every row; pick one number of each row, "
    "with np.arange for the rows.",
)
def picks_all_targets_of_all_rows(log_probs, targets):
    return -float(log_probs[:, targets].mean())


@misconception(
    "1.5",
    replaces="cross_entropy",
    kind="idea",
    says="This is the sum over the rows; the cross-entropy is the mean.",
)
def sums_the_surprises(log_probs, targets):
    return -float(log_probs[np.arange(len(targets)), targets].sum())


@misconception(
    "1.5",
    replaces="perplexity",
    kind="idea",
    says="The logarithms are natural ones, so the inverse is exp, not a power of 2.",
)
def takes_a_power_of_two(log_probs):
    return 2 ** (-sum(log_probs) / len(log_probs))


@misconception(
    "1.5",
    replaces="perplexity",
    kind="idea",
    says="You averaged 1/P. Perplexity averages the logarithms and takes exp of that mean.",
)
def averages_the_inverse_probabilities(log_probs):
    return sum(math.inf if x == -math.inf else math.exp(-x) for x in log_probs) / len(log_probs)


@misconception(
    "1.5",
    replaces="bits_per_byte",
    kind="idea",
    says="These are bits per token: divide by the number of bytes, which does not depend on how "
    "the text was cut.",
)
def divides_by_the_tokens(log_probs, text):
    return -sum(log_probs) / math.log(2) / len(log_probs)


@misconception(
    "1.5",
    replaces="bits_per_byte",
    kind="idea",
    says="len(text) counts characters; é has two bytes and an emoji four. Use text.encode().",
)
def divides_by_the_characters(log_probs, text):
    return -sum(log_probs) / math.log(2) / len(text)


@misconception(
    "1.5",
    replaces="bits_per_byte",
    kind="idea",
    says="These are nats: divide by ln 2 to have bits.",
)
def leaves_nats(log_probs, text):
    return -sum(log_probs) / len(text.encode())
