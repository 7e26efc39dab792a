"""Plausible mistakes in sections 1.11 and 1.12: how a model chooses its next word."""

import copy
import math

import numpy as np

from examiner.judge.misconceptions import misconception

EOS = 1


def softmax(z):
    weights = np.exp(z - z.max())
    return weights / weights.sum()


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="idea",
    says="You multiplied by the temperature: a high one must make the distribution flatter, so "
    "divide by it.",
)
def multiplies_by_the_temperature(logits, temperature):
    with np.errstate(all="ignore"):
        return softmax(np.where(np.isinf(logits), -np.inf, logits * temperature))


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="edge",
    says="At temperature 0 only one token was kept: all of the largest logits share evenly.",
)
def keeps_one_token_at_zero(logits, temperature):
    if temperature > 0:
        return softmax(logits / temperature)
    return np.eye(len(logits))[int(np.argmax(logits))]


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="idea",
    says="The temperature changes nothing: divide the logits by it, before exp. Afterwards the "
    "division is undone when the sum is made 1.",
)
def divides_the_probabilities(logits, temperature):
    return softmax(logits)


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="edge",
    says="exp overflows at low temperatures: subtract the largest logit first.",
)
def overflows_when_cold(logits, temperature):
    with np.errstate(all="ignore"):
        if temperature == 0:
            weights = (logits == logits.max()).astype(float)
        else:
            weights = np.exp(logits / temperature)
        return weights / weights.sum()


def keep(probs, ids):
    kept = np.zeros_like(probs)
    kept[ids] = probs[ids]
    return kept / kept.sum()


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="What is left does not sum to 1: divide by the sum of the kept probabilities.",
)
def does_not_scale_the_rest(probs, k):
    return np.where(keep(probs, np.argsort(-probs, kind="stable")[:k]) > 0, probs, 0.0)


@misconception(
    "1.11",
    replaces="top_k",
    kind="edge",
    says="More than k tokens were kept where several are equally likely: of equals, the smaller id "
    "goes first.",
)
def keeps_all_equals(probs, k):
    return keep(probs, np.flatnonzero(probs >= np.sort(probs)[-k]))


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="You kept the least likely tokens: argsort goes upwards.",
)
def keeps_the_least_likely(probs, k):
    ids = np.argsort(probs, kind="stable")[:k]
    return keep(probs, ids) if probs[ids].sum() > 0 else np.full(len(probs), 1 / len(probs))


@misconception(
    "1.11",
    replaces="top_p",
    says="The token that reaches p was dropped. The nucleus holds p or more, so it belongs to it.",
)
def drops_the_token_that_reaches_p(probs, p):
    order = np.argsort(-probs, kind="stable")
    kept = order[np.cumsum(probs[order]) <= p]
    return keep(probs, kept if len(kept) else order[:1])


@misconception(
    "1.11",
    replaces="top_p",
    kind="idea",
    says="You kept all tokens with a probability of at least p. The nucleus is about what the "
    "tokens hold together.",
)
def takes_p_for_a_threshold(probs, p):
    kept = np.flatnonzero(probs >= p)
    return keep(probs, kept if len(kept) else np.argmax(probs))


@misconception(
    "1.11",
    replaces="top_p",
    kind="idea",
    says="The tokens were taken in the order of their ids; begin with the most likely one.",
)
def takes_tokens_by_id(probs, p):
    return keep(probs, np.flatnonzero(np.cumsum(probs) - probs < p))


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="You always took the most likely token: draw one, with the probabilities as chances.",
)
def takes_the_most_likely_token(probs, rng):
    return int(np.argmax(probs))


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="Every token was equally likely: pass the probabilities to rng.choice as p.",
)
def draws_uniformly(probs, rng):
    return int(rng.choice(np.flatnonzero(probs)))


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="You made a generator of your own: only `rng` may decide, so that a run can be repeated.",
)
def ignores_the_generator(probs, rng):
    return int(np.random.default_rng(0).choice(len(probs), p=probs))


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="You drew from a copy of the generator, so it gives the same token again and again: draw "
    "from `rng` itself.",
)
def draws_from_a_copy(probs, rng):
    return int(copy.deepcopy(rng).choice(len(probs), p=probs))


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="You made a new generator for each draw: only `rng` may decide, so that a run can be "
    "repeated.",
)
def makes_a_new_generator(probs, rng):
    return int(np.random.default_rng().choice(len(probs), p=probs))


def search(model, history, width, max_tokens, alpha, *, order=None, places=True, keep_open=True):
    """The beam, with a switch for each thing that can go wrong."""
    live, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        longer = [
            ([*text, w], total + float(log_p))
            for text, total in live
            for w, log_p in enumerate(np.asarray(model.log_probs([*history, *text])))
            if log_p > -math.inf
        ]
        ranked = sorted(longer, key=order or (lambda pair: -pair[1]))
        if places:
            ranked = ranked[:width]
        finished += [pair for pair in ranked if pair[0][-1] == EOS]
        live = [pair for pair in ranked if pair[0][-1] != EOS][:width]
    scored = [(t, s / len(t) ** alpha) for t, s in finished + (live if keep_open else [])]
    return sorted(scored, key=lambda pair: -pair[1])[:width]


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="The scores are not divided by the number of tokens to the power of alpha.",
)
def never_normalises(model, history, width, max_tokens, alpha=0.0):
    return search(model, history, width, max_tokens, 0.0)


@misconception(
    "1.12",
    replaces="beam_search",
    says="Texts that end in EOS must be among the `width` most likely results, too: cut the list "
    "first, and set the finished ones aside then.",
)
def lets_every_end_in(model, history, width, max_tokens, alpha=0.0):
    return search(model, history, width, max_tokens, alpha, places=False)


@misconception(
    "1.12",
    replaces="beam_search",
    says="Texts still open after max_tokens steps were thrown away; they are finished, too.",
)
def throws_open_texts_away(model, history, width, max_tokens, alpha=0.0):
    return search(model, history, width, max_tokens, alpha, keep_open=False)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="The least likely texts were kept: of negative log-probabilities the largest is best.",
)
def keeps_the_least_likely_texts(model, history, width, max_tokens, alpha=0.0):
    return search(model, history, width, max_tokens, alpha, order=lambda pair: pair[1])


@misconception(
    "1.12",
    replaces="beam_search",
    says="The history is missing: each text continues the given history, not the empty one.",
)
def forgets_the_history(model, history, width, max_tokens, alpha=0.0):
    return search(model, history[:1], width, max_tokens, alpha)


@misconception(
    "1.12",
    replaces="beam_search",
    kind="idea",
    says="Only one text was followed, the best of the first step and so on: that is greedy search. "
    "A beam goes on with `width` texts at once.",
)
def follows_one_text(model, history, width, max_tokens, alpha=0.0):
    return search(model, history, 1, max_tokens, alpha)
