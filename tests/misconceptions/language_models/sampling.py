"""More plausible mistakes in section 1.11: temperature, top-k, top-p, and drawing."""

import numpy as np

from examiner.judge.misconceptions import misconception


def softmax(z):
    with np.errstate(all="ignore"):
        weights = np.exp(z - z.max())
        return weights / weights.sum()


def frozen(logits):
    best = (logits == logits.max()).astype(float)
    return best / best.sum()


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="idea",
    says="Above 0 you multiplied by the temperature: divide by it.",
)
def multiplies_above_zero(logits, temperature):
    return softmax(logits * temperature) if temperature > 0 else frozen(logits)


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="idea",
    says="The temperature changes nothing above 0: divide the logits by it before exp.",
)
def ignores_the_temperature(logits, temperature):
    return softmax(logits) if temperature > 0 else frozen(logits)


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="idea",
    says="What you return does not sum to 1: divide by the sum.",
)
def returns_weights(logits, temperature):
    z = logits - logits.max()
    return np.exp(z / temperature) if temperature > 0 else frozen(logits)


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="edge",
    says="Temperature 0 gave an error or nan: it is a case of its own, in which the largest logits "
    "share everything.",
)
def divides_by_zero(logits, temperature):
    with np.errstate(all="ignore"):
        z = (logits - logits.max()) / temperature
        weights = np.exp(z)
        return weights / weights.sum()


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="edge",
    says="Temperature 0 gave an error: it is a case of its own, in which the largest logits share "
    "everything.",
)
def refuses_temperature_zero(logits, temperature):
    if temperature == 0:
        raise ZeroDivisionError("division by zero")
    return softmax(logits / temperature)


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="edge",
    says="At temperature 0 each of the largest logits got 1: they share 1 evenly.",
)
def gives_each_of_the_largest_one(logits, temperature):
    if temperature > 0:
        return softmax(logits / temperature)
    return (logits == logits.max()).astype(float)


@misconception(
    "1.11",
    replaces="with_temperature",
    kind="edge",
    says="Temperature 0 was taken for 1: at 0 the largest logits share everything.",
)
def takes_zero_for_one(logits, temperature):
    return softmax(logits / (temperature or 1.0))


def keep(probs, ids):
    kept = np.zeros_like(probs)
    kept[ids] = probs[ids]
    return kept / kept.sum()


def by_likelihood(probs):
    return np.argsort(-probs, kind="stable")


@misconception(
    "1.11",
    replaces="top_k",
    kind="edge",
    says="Of equally likely tokens you kept the greater id: argsort turned around turns equal ones "
    "around, too. Sort -probs with kind='stable'.",
)
def keeps_the_greater_of_equals(probs, k):
    return keep(probs, np.argsort(probs, kind="stable")[-k:])


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="You kept the first k tokens by id: keep the k most likely ones.",
)
def keeps_the_first_ids(probs, k):
    with np.errstate(all="ignore"):
        return keep(probs, np.arange(k))


@misconception(
    "1.11",
    replaces="top_k",
    says="One token too many was kept: k of them stay.",
)
def keeps_one_too_many(probs, k):
    return keep(probs, by_likelihood(probs)[: k + 1])


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="The probabilities are in another order: each token keeps its place, which is its id.",
)
def sorts_the_kept(probs, k):
    found = np.sort(probs)[::-1].copy()
    found[k:] = 0
    return found / found.sum()


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="You returned k numbers: return one for each token, 0 for those that are dropped.",
)
def returns_k_numbers(probs, k):
    best = np.sort(by_likelihood(probs)[:k])
    return probs[best] / probs[best].sum()


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="All kept tokens became equally likely: they keep their proportions.",
)
def makes_the_kept_alike(probs, k):
    return keep(np.ones_like(probs), by_likelihood(probs)[:k])


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="You took a softmax of the kept probabilities: divide by their sum.",
)
def takes_a_softmax_of_the_kept(probs, k):
    z = np.full_like(probs, -np.inf)
    best = by_likelihood(probs)[:k]
    z[best] = probs[best]
    return softmax(z)


@misconception(
    "1.11",
    replaces="top_k",
    kind="idea",
    says="You kept the least likely tokens, and nothing where they have 0: argsort goes upwards.",
)
def keeps_what_is_least_likely(probs, k):
    with np.errstate(all="ignore"):
        return keep(probs, np.argsort(probs, kind="stable")[:k])


def nucleus(probs, number, order=None):
    return keep(probs, (by_likelihood(probs) if order is None else order)[:number])


@misconception(
    "1.11",
    replaces="top_p",
    kind="idea",
    says="You kept the tokens with a probability of at least p, if there are any: the nucleus is "
    "about what the tokens hold together.",
)
def keeps_tokens_above_p(probs, p):
    with np.errstate(all="ignore"):
        return keep(probs, np.flatnonzero(probs >= p))


@misconception(
    "1.11",
    replaces="top_p",
    says="The tokens that stay below p were kept, without the one that reaches it; with p below "
    "the first, nothing is left.",
)
def keeps_nothing_below_the_first(probs, p):
    with np.errstate(all="ignore"):
        return nucleus(probs, int((np.cumsum(probs[by_likelihood(probs)]) <= p).sum()))


@misconception(
    "1.11",
    replaces="top_p",
    kind="edge",
    says="Where the kept tokens hold p exactly, you took one more: p or more is enough.",
)
def takes_one_more_at_the_border(probs, p):
    return nucleus(probs, int((np.cumsum(probs[by_likelihood(probs)]) <= p).sum()) + 1)


@misconception(
    "1.11",
    replaces="top_p",
    kind="idea",
    says="The kept probabilities do not sum to 1: divide by their sum.",
)
def does_not_scale_the_nucleus(probs, p):
    found = nucleus(probs, int((np.cumsum(probs[by_likelihood(probs)]) < p).sum()) + 1)
    return np.where(found > 0, probs, 0.0)


@misconception(
    "1.11",
    replaces="top_p",
    says="You divided by p: the kept tokens hold more than that. Divide by their sum.",
)
def divides_by_p(probs, p):
    found = nucleus(probs, int((np.cumsum(probs[by_likelihood(probs)]) < p).sum()) + 1)
    return np.where(found > 0, probs, 0.0) / p


@misconception(
    "1.11",
    replaces="top_p",
    kind="idea",
    says="You began with the least likely tokens: begin with the most likely one.",
)
def begins_with_the_least_likely(probs, p):
    order = np.argsort(probs, kind="stable")
    return nucleus(probs, int((np.cumsum(probs[order]) < p).sum()) + 1, order)


@misconception(
    "1.11",
    replaces="top_p",
    kind="idea",
    says="The kept probabilities stand in the order of their size: each token keeps its place.",
)
def sorts_the_nucleus(probs, p):
    ordered = np.sort(probs)[::-1]
    number = int((np.cumsum(ordered) < p).sum()) + 1
    return np.where(np.arange(len(probs)) < number, ordered, 0) / ordered[:number].sum()


@misconception(
    "1.11",
    replaces="top_p",
    kind="edge",
    says="Of equally likely tokens the greater id went first: sort -probs with kind='stable'.",
)
def takes_the_greater_id_first(probs, p):
    order = np.argsort(probs, kind="stable")[::-1]
    return nucleus(probs, int((np.cumsum(probs[order]) < p).sum()) + 1, order)


@misconception(
    "1.11",
    replaces="top_p",
    kind="edge",
    says="All tokens as likely as the last one were kept: only as many as are needed stay.",
)
def keeps_all_as_likely_as_the_last(probs, p):
    order = by_likelihood(probs)
    number = int((np.cumsum(probs[order]) < p).sum()) + 1
    last = order[min(number, len(order)) - 1]
    return keep(probs, np.flatnonzero(probs >= probs[last]))


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="All ids were equally likely, also those of impossible tokens: pass the probabilities to "
    "rng.choice as p.",
)
def draws_from_the_whole_vocabulary(probs, rng):
    return int(rng.integers(len(probs)))


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="numpy's global generator was asked: only `rng` may decide.",
)
def asks_the_global_generator(probs, rng):
    return int(np.random.choice(len(probs), p=probs))


@misconception(
    "1.11",
    replaces="sample",
    says="The id is one too great: the first token is 0.",
)
def draws_one_too_far(probs, rng):
    return int(np.searchsorted(np.cumsum(probs), rng.random())) + 1


@misconception(
    "1.11",
    replaces="sample",
    kind="idea",
    says="You drew a probability: draw the id of a token.",
)
def draws_a_probability(probs, rng):
    return float(rng.choice(probs, p=probs))


@misconception(
    "1.11",
    replaces="sample",
    says="You returned an array: rng.choice with a size gives one. Return a number.",
)
def returns_an_array(probs, rng):
    return rng.choice(len(probs), size=1, p=probs)
