"""More plausible mistakes in sections 1.7 and 1.8: characters, Bayes' rule, candidates."""

import math
from collections import Counter

from examiner.judge.misconceptions import misconception


@misconception(
    "1.7",
    replaces="count_characters",
    kind="idea",
    says="These are counts of whole n-grams: they belong in rows, counts[u][c], by the n - 1 "
    "characters before.",
)
def makes_one_flat_table(texts, n):
    return dict(Counter(t[i : i + n] for t in texts for i in range(len(t) - n + 1)))


def tabled(grams):
    counts = {}
    for gram in grams:
        row = counts.setdefault(gram[:-1], {})
        row[gram[-1]] = row.get(gram[-1], 0) + 1
    return counts


@misconception(
    "1.7",
    replaces="count_characters",
    kind="idea",
    says="Each pair was counted once per text: count it each time that it occurs.",
)
def counts_once_per_text(texts, n):
    return tabled(g for t in texts for g in {t[i : i + n] for i in range(len(t) - n + 1)})


@misconception(
    "1.7",
    replaces="count_characters",
    kind="edge",
    says="The texts were changed to small letters: A and a are two characters.",
)
def makes_letters_small(texts, n):
    lowered = (text.lower() for text in texts)
    return tabled(t[i : i + n] for t in lowered for i in range(len(t) - n + 1))


@misconception(
    "1.7",
    replaces="count_characters",
    kind="edge",
    says="The end of a text has a row, though nothing followed it: only what was seen is counted.",
)
def gives_the_end_a_row(texts, n):
    texts = list(texts)
    counts = tabled(t[i : i + n] for t in texts for i in range(len(t) - n + 1))
    for text in texts:
        counts.setdefault(text[max(0, len(text) - n + 1) :], {})
    return counts


def scored(counts, text, n, fraction, start=None):
    total = 0.0
    for t in range(n - 1 if start is None else start, len(text)):
        p = fraction(counts.get(text[max(0, t - n + 1) : t], {}), text[t])
        total += math.log(p) if p else -math.inf
    return total


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="Nothing was added to the counts: a character that was never seen makes the whole text "
    "impossible.",
)
def does_not_smooth(counts, text, n, V):
    return scored(counts, text, n, lambda row, c: row.get(c, 0) / (sum(row.values()) or 1))


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="#(u•) is how often u was followed by anything: add up the row, do not count its entries.",
)
def counts_entries_for_the_row(counts, text, n, V):
    return scored(counts, text, n, lambda row, c: (row.get(c, 0) + 1) / (len(row) + V))


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="edge",
    says="Contexts that were never seen were passed over: after them each character has 1/V.",
)
def passes_over_unseen_contexts(counts, text, n, V):
    return scored(
        counts,
        text,
        n,
        lambda row, c: (row.get(c, 0) + 1) / (sum(row.values()) + V) if row else 1.0,
    )


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="edge",
    says="A context that was never seen gave an error: its row is empty, and each character has "
    "1/V. Use counts.get.",
)
def stops_at_unseen_contexts(counts, text, n, V):
    contexts = (text[t - n + 1 : t] for t in range(n - 1, len(text)))
    rows = [counts[u] for u in contexts]
    return sum(
        math.log((row.get(c, 0) + 1) / (sum(row.values()) + V))
        for c, row in zip(text[n - 1 :], rows, strict=True)
    )


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="You counted the characters in the table: V is given, and holds those that it lacks, too.",
)
def counts_the_alphabet(counts, text, n, V):
    seen = len({c for row in counts.values() for c in row})
    return scored(counts, text, n, lambda row, c: (row.get(c, 0) + 1) / (sum(row.values()) + seen))


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="The first n - 1 characters were predicted, too: begin with the n-th.",
)
def predicts_the_first_characters(counts, text, n, V):
    return scored(
        counts, text, n, lambda row, c: (row.get(c, 0) + 1) / (sum(row.values()) + V), start=0
    )


def right(counts, text, n, V):
    return scored(counts, text, n, lambda row, c: (row.get(c, 0) + 1) / (sum(row.values()) + V))


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="This is the mean per character: return the sum, the logarithm of the text.",
)
def averages_the_characters(counts, text, n, V):
    return right(counts, text, n, V) / max(1, len(text) - n + 1)


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="This is the probability: return its logarithm.",
)
def returns_the_probability(counts, text, n, V):
    return math.exp(right(counts, text, n, V))


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="edge",
    says="The product of many probabilities is 0 for any float: add up their logarithms instead.",
)
def multiplies_until_nothing_is_left(counts, text, n, V):
    rows = ((text[t], counts.get(text[t - n + 1 : t], {})) for t in range(n - 1, len(text)))
    return math.log(math.prod((row.get(c, 0) + 1) / (sum(row.values()) + V) for c, row in rows))


def shared(weights):
    total = sum(weights.values())
    return {c: weight / total for c, weight in weights.items()}


def joint(log_likelihoods, priors):
    return {c: log_likelihoods[c] + math.log(prior) for c, prior in priors.items()}


@misconception(
    "1.7",
    replaces="posterior",
    kind="edge",
    says="exp of a log-likelihood of -5000 is 0, and 0 was divided by 0: subtract the largest sum "
    "before you take exp.",
)
def divides_zero_by_zero(log_likelihoods, priors):
    return shared({c: math.exp(log_likelihoods[c]) * priors[c] for c in log_likelihoods})


@misconception(
    "1.7",
    replaces="posterior",
    kind="idea",
    says="Priors were added to logarithms: add the logarithms of the priors.",
)
def adds_priors_to_logarithms(log_likelihoods, priors):
    sums = {c: value + priors[c] for c, value in log_likelihoods.items()}
    return shared({c: math.exp(value - max(sums.values())) for c, value in sums.items()})


@misconception(
    "1.7",
    replaces="posterior",
    kind="idea",
    says="You divided logarithms by their sum: take exp first, then divide.",
)
def shares_logarithms(log_likelihoods, priors):
    return shared(joint(log_likelihoods, priors))


@misconception(
    "1.7",
    replaces="posterior",
    kind="edge",
    says="Priors and likelihoods were matched by their places: match them by name.",
)
def matches_by_place(log_likelihoods, priors):
    return shared(
        {
            c: math.exp(log_likelihoods[c] - max(log_likelihoods.values())) * prior
            for c, prior in zip(log_likelihoods, priors.values(), strict=True)
        }
    )


@misconception(
    "1.7",
    replaces="posterior",
    kind="edge",
    says="You subtracted the smallest sum, so that exp overflows: subtract the largest.",
)
def subtracts_the_smallest(log_likelihoods, priors):
    sums = joint(log_likelihoods, priors)
    return shared({c: math.exp(value - min(sums.values())) for c, value in sums.items()})


@misconception(
    "1.7",
    replaces="posterior",
    kind="idea",
    says="These are logarithms of the posterior: return the probabilities.",
)
def returns_log_posteriors(log_likelihoods, priors):
    sums = joint(log_likelihoods, priors)
    top = max(sums.values())
    total = top + math.log(sum(math.exp(value - top) for value in sums.values()))
    return {c: value - total for c, value in sums.items()}


@misconception(
    "1.7",
    replaces="posterior",
    kind="idea",
    says="What you return does not sum to 1: divide by the sum of all classes.",
)
def leaves_the_largest_at_one(log_likelihoods, priors):
    sums = joint(log_likelihoods, priors)
    return {c: math.exp(value - max(sums.values())) for c, value in sums.items()}


def by_score(candidates, score, **how):
    return sorted(candidates, key=lambda text: -score(*candidates[text]), **how)


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="The weight was not used: it multiplies the channel's score.",
)
def ignores_the_weight(candidates, weight=1.0):
    return by_score(candidates, lambda lm, channel: lm + channel)


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="The channel was not asked: what was heard decides, too.",
)
def ignores_the_channel(candidates, weight=1.0):
    return by_score(candidates, lambda lm, channel: lm)


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="Only the channel's score was compared, whatever its weight: add the language model's.",
)
def compares_the_channel_alone(candidates, weight=1.0):
    return by_score(candidates, lambda lm, channel: channel)


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="Only the best candidate is there: return all of them, the best first.",
)
def returns_the_best_alone(candidates, weight=1.0):
    return by_score(candidates, lambda lm, channel: lm + weight * channel)[:1]


@misconception(
    "1.8",
    replaces="rerank",
    kind="edge",
    says="Candidates with equal scores stand by alphabet: they keep their order. Sort by the score "
    "alone.",
)
def sorts_equal_ones_by_alphabet(candidates, weight=1.0):
    def key(text):
        lm, channel = candidates[text]
        return -(lm + weight * channel), text

    return sorted(candidates, key=key)


@misconception(
    "1.8",
    replaces="rerank",
    kind="edge",
    says="Of candidates with equal scores only one is left: a score is no key of a dict.",
)
def keeps_one_of_equal_scores(candidates, weight=1.0):
    scores = {lm + weight * channel: text for text, (lm, channel) in candidates.items()}
    return [scores[score] for score in sorted(scores, reverse=True)]


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="You returned pairs of texts and scores: return the texts.",
)
def returns_scores_too(candidates, weight=1.0):
    scores = {text: lm + weight * channel for text, (lm, channel) in candidates.items()}
    return sorted(scores.items(), key=lambda pair: -pair[1])


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="The language model got 1 - weight: its own weight is 1, whatever the channel's is.",
)
def shares_the_weight(candidates, weight=1.0):
    return by_score(candidates, lambda lm, channel: (1 - weight) * lm + weight * channel)
