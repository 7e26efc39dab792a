"""N-grams with numpy: words get numbers, rows become arrays."""

from collections import Counter, defaultdict
from functools import lru_cache

import numpy as np

from nextword.given.vocabulary import BOS, EOS

FALLBACK_DISCOUNTS = np.array([0.5, 1.0, 1.5])


def pad(sentence, n):
    yield from [BOS] * (n - 1)
    yield from sentence
    yield EOS


def windows(tokens, n):
    tokens = list(tokens)
    return (tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def count_ngrams(sentences, n):
    tables = [defaultdict(Counter) for _ in range(n)]
    longest = Counter(gram for sentence in sentences for gram in windows(pad(sentence, n), n))
    for gram, count in longest.items():
        for k in range(n):
            tables[k][gram[n - 1 - k : -1]][gram[-1]] += count
    return tables


def perplexity(log_probs):
    return np.exp(-np.mean(np.asarray(log_probs, dtype=float)))


class NGramModel:
    def __init__(self, tables, vocabulary):
        self.tables, self.n = tables, len(tables)
        self.vocabulary = sorted(set(vocabulary))
        self.number = {word: i for i, word in enumerate(self.vocabulary)}
        self.V = len(self.vocabulary)
        self.p = lru_cache(maxsize=10_000)(self.p)

    def counts(self, context):
        """The row of a context as an array, one number per word of the vocabulary."""
        row = np.zeros(self.V)
        for word, count in self.tables[len(context)].get(context, {}).items():
            row[self.number[word]] = count
        return row

    def lower(self, context):
        return self.p(context[1:]) if context else np.full(self.V, 1 / self.V)

    def p(self, context):
        return self.counts(context)

    def distribution(self, context=()):
        context = tuple(context)
        context = context[len(context) - self.n + 1 :] if len(context) >= self.n else context
        return dict(zip(self.vocabulary, self.p(context)))

    def prob(self, word, context=()):
        return self.distribution(context).get(word, np.float64(0))

    def log_probs(self, sentences):
        grams = [gram for s in sentences for gram in windows(pad(s, self.n), self.n)]
        return np.log(np.array([self.prob(gram[-1], gram[:-1]) for gram in grams]))


class MLE(NGramModel):
    def p(self, context):
        counts = self.counts(context)
        return counts / max(counts.sum(), 1)


class Additive(NGramModel):
    def __init__(self, tables, vocabulary, alpha=1.0):
        super().__init__(tables, vocabulary)
        self.alpha = alpha

    def p(self, context):
        counts = self.counts(context) + self.alpha
        return counts / counts.sum()


class Interpolated(NGramModel):
    def __init__(self, tables, vocabulary, weights):
        super().__init__(tables, vocabulary)
        self.weights = np.asarray(weights, dtype=float)

    def p(self, context):
        orders = len(context) + 1
        rows = [np.ones(self.V)] + [self.counts(context[orders - 1 - k :]) for k in range(orders)]
        rows = np.stack(rows)
        totals = rows.sum(axis=1, keepdims=True)
        weights = self.weights[: orders + 1] * (totals[:, 0] > 0)
        return weights @ (rows / np.maximum(totals, 1)) / weights.sum()


class AbsoluteDiscounting(NGramModel):
    def __init__(self, tables, vocabulary, discount=0.75):
        super().__init__(tables, vocabulary)
        self.discounts = np.tile([0, discount, discount, discount], (self.n, 1))

    def cut(self, context):
        counts = self.counts(context)
        return counts, self.discounts[len(context)][np.minimum(counts, 3).astype(int)]

    def saved(self, context):
        counts, cut = self.cut(context)
        return cut.sum() / counts.sum() if counts.any() else np.float32(1)

    def p(self, context):
        counts, cut = self.cut(context)
        if not counts.any():
            return self.lower(context)
        return (counts - cut) / counts.sum() + self.saved(context) * self.lower(context)


class Backoff(NGramModel):
    def __init__(self, tables, vocabulary, discount=0.75):
        super().__init__(tables, vocabulary)
        self.discount = discount

    def backoff_weight(self, context):
        seen = self.counts(context) > 0
        if not seen.any() or seen.all():
            return float(not seen.any())
        saved = self.discount * seen.sum() / self.counts(context).sum()
        return saved / self.lower(context)[~seen].sum()

    def p(self, context):
        counts = self.counts(context)
        if not counts.any():
            return self.lower(context)
        weight = self.backoff_weight(context)
        kept = (counts - self.discount * (weight > 0)) / counts.sum()
        return np.where(counts > 0, kept, weight * self.lower(context))


def continuation_counts(tables):
    new = [defaultdict(Counter) for _ in tables]
    for k, table in enumerate(tables):
        for u, row in table.items():
            if u[:2] == (BOS, BOS):
                continue
            if u[:1] == (BOS,) or k == len(tables) - 1:
                new[k][u].update(row)
            if u:
                new[k - 1][u[1:]].update(row.keys())
    return new


class KneserNey(AbsoluteDiscounting):
    def __init__(self, tables, vocabulary, discount=0.75):
        super().__init__(continuation_counts(tables), vocabulary, discount)


def modified_discounts(table):
    counts = np.array([count for row in table.values() for count in row.values()], dtype=int)
    n = np.bincount(counts, minlength=6)
    if not n[1:4].all():
        return FALLBACK_DISCOUNTS
    c = np.arange(1, 4)
    discounts = c - (c + 1) * n[1] / (n[1] + 2 * n[2]) * n[2:5] / n[1:4]
    return FALLBACK_DISCOUNTS if (discounts < 0).any() else discounts


class ModifiedKneserNey(KneserNey):
    def __init__(self, tables, vocabulary):
        super().__init__(tables, vocabulary)
        rows = [np.append(0, modified_discounts(table)) for table in self.tables]
        self.discounts = np.array(rows)


def generate(model, rng, max_words=50):
    history = [BOS] * (model.n - 1)
    for _ in range(max_words):
        chances = model.distribution(history)
        word = rng.choice(list(chances), p=list(chances.values()))
        if word == EOS:
            break
        history.append(word)
    return np.array(history[model.n - 1 :])
