"""N-gram language models, from counting to modified Kneser-Ney. Leaves out: pruning, fast storage.

Signs and numbers of equations, such as (2.5), are those of chapter 2. w is a word, u the words
before it (the context, a tuple), u' is u without its first word. #(uw) is how often w followed u,
#(u•) how often any word did, and N1+(u•) how many different words did. A sentence is a list of
words or a string, whose words are its characters. Arguments that make no sense: ValueError.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from itertools import chain

import numpy as np

from nextword.given.vocabulary import BOS, EOS  # <s> and </s>: begin and end of a sentence

Word = Hashable
Words = Iterable[Word]
Context = tuple[Word, ...]
Table = dict[Context, dict[Word, int]]  # table[u][w] = #(uw); its contexts have the same length
Tables = Sequence[Table]


def _require(name: str, value: object, holds: object, expected: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {expected}, got {value!r:.60}")


# ------------------------------------------------------------------ 2.1 Padding and sliding windows
def pad(sentence: Sequence[Word], n: int) -> list[Word]:
    _require("n", n, n >= 1, "at least 1")
    padded = [BOS] * (n - 1)
    padded.extend(sentence)
    padded.append(EOS)
    return padded


def windows(tokens: Sequence[Word], n: int) -> list[tuple[Word, ...]]:
    _require("n", n, n >= 1, "at least 1")
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


# ------------------------------------------------------------------ 2.2 Counting
def count_ngrams(sentences: Iterable[Sequence[Word]], n: int) -> list[Table]:
    _require("n", n, n >= 1, "at least 1")
    sentences = sentences if isinstance(sentences, str) else list(sentences)
    _require("sentences", sentences, type(sentences) is list and sentences, "a non-empty list")
    tables = [{} for _ in range(n)]
    for sentence in sentences:
        tokens = [BOS] * (n - 1) + list(sentence) + [EOS]
        for t in range(n - 1, len(tokens)):
            for k in range(n):
                row = tables[k].setdefault(tuple(tokens[t - k : t]), {})
                row[tokens[t]] = row.get(tokens[t], 0) + 1
    return tables


# ------------------------------------------------------------------ 2.3 Maximum likelihood
class NGramModel:
    def __init__(self, tables: Tables, vocabulary: Words) -> None:
        self.tables, self.n = list(tables), len(tables)  # n is the order: 2 = bigrams
        self.words = frozenset(vocabulary)
        self.vocabulary = sorted(self.words, key=str)  # the same order on every run
        _require("tables", "none", self.n > 0, "as count_ngrams returns them")
        _require("vocabulary", BOS, BOS not in self.words, "of words that can be predicted")
        extra = {word for t in self.tables for row in t.values() for word in row} - self.words
        _require("counted words", extra, not extra, "in the vocabulary: see replace_unknown")
        self.totals = [{u: sum(row.values()) for u, row in t.items()} for t in self.tables]

    def row(self, context: Context) -> dict[Word, int]:
        return self.tables[len(context)].get(context, {})

    def total(self, context: Context) -> int:
        return self.totals[len(context)].get(context, 0)

    def estimate(self, word: Word, context: Context) -> float:
        return self.row(context).get(word, 0.0)

    def shorter(self, word: Word, context: Context) -> float:
        return self.estimate(word, context[1:]) if context else 1 / len(self.vocabulary)

    def prob(self, word: Word, context: Sequence[Word] = ()) -> float:
        u = tuple(context[max(0, len(context) - self.n + 1) :])
        return self.estimate(word, u) if word in self.words else 0.0

    def distribution(self, context: Sequence[Word] = ()) -> dict[Word, float]:
        return {word: self.prob(word, context) for word in self.vocabulary}

    def log_probs(self, sentences: Iterable[Sequence[Word]]) -> list[float]:
        logs = []
        for sentence in sentences:
            for ngram in windows(pad(sentence, self.n), self.n):
                p = self.prob(ngram[-1], ngram[:-1])
                if p == 0:
                    logs.append(float("-inf"))
                else:
                    logs.append(math.log(p))
        return logs


class MLE(NGramModel):
    def estimate(self, word: Word, context: Context) -> float:
        row = self.row(context)
        if not row:
            return 0
        return row.get(word, 0) / sum(row.values())


# ------------------------------------------------------------------ 2.4 Perplexity
def perplexity(log_probs: Sequence[float]) -> float:
    _require("log_probs", "none", len(log_probs) > 0, "at least one number")
    raise NotImplementedError("2.4 perplexity: see section 2.4, equations 2.7 and 2.8")


# ------------------------------------------------------------------ 2.5 Additive smoothing
class Additive(NGramModel):
    def __init__(self, tables: Tables, vocabulary: Words, alpha: float = 1.0) -> None:
        _require("alpha", alpha, alpha > 0, "above 0")
        super().__init__(tables, vocabulary)
        self.alpha = alpha

    def estimate(self, word: Word, context: Context) -> float:
        V = len(self.vocabulary)
        return (self.row(context).get(word, 0) + self.alpha) / (self.total(context) + self.alpha * V)


# ------------------------------------------------------------------ 2.6 Interpolation
class Interpolated(NGramModel):
    def __init__(self, tables: Tables, vocabulary: Words, weights: Sequence[float]) -> None:
        super().__init__(tables, vocabulary)
        self.weights = list(weights)
        sound = len(weights) == self.n + 1 and min(weights) >= 0 < weights[0]
        sound = sound and math.isclose(sum(weights), 1)
        _require("weights", weights, sound, f"{self.n + 1} numbers, sum 1, the first above 0")

    def estimate(self, word: Word, context: Context) -> float:
        p = self.weights[0] / len(self.vocabulary)
        used = self.weights[0]
        for k in range(1, len(context) + 2):
            ending = context[len(context) - k + 1 :]
            if self.row(ending):
                p += self.weights[k] * self.row(ending).get(word, 0) / self.total(ending)
                used += self.weights[k]
        return p / used


# ------------------------------------------------------------------ 2.7 Absolute discounting
class AbsoluteDiscounting(NGramModel):
    def __init__(self, tables: Tables, vocabulary: Words, discount: float = 0.75) -> None:
        _require("discount", discount, 0 < discount <= 1, "above 0 and at most 1")
        super().__init__(tables, vocabulary)
        self.discounts = [(0.0, discount, discount, discount)] * self.n  # of 0, 1, 2, 3 and more
        self.saved = cache(self.saved)  # computed once per u

    def discount(self, count: int, context: Context) -> float:
        return self.discounts[len(context)][min(count, 3)]

    def saved(self, context: Context) -> float:
        if not self.row(context):
            return 1
        given_up = 0
        for count in self.row(context).values():
            given_up += self.discount(count, context)
        return given_up / self.total(context)

    def estimate(self, word: Word, context: Context) -> float:
        p = self.saved(context) * self.shorter(word, context)
        if word in self.row(context):
            count = self.row(context)[word]
            p += (count - self.discount(count, context)) / self.total(context)
        return p


# ------------------------------------------------------------------ 2.8 Back-off
class Backoff(NGramModel):
    def __init__(self, tables: Tables, vocabulary: Words, discount: float = 0.75) -> None:
        _require("discount", discount, 0 < discount < 1, "above 0 and below 1")
        super().__init__(tables, vocabulary)
        self.D = discount
        self.backoff_weight = cache(self.backoff_weight)  # computed once per u

    def estimate(self, word: Word, context: Context) -> float:
        row = self.row(context)
        if word in row and len(row) == len(self.vocabulary):
            return row[word] / self.total(context)
        if word in row:
            return (row[word] - self.D) / self.total(context)
        return self.backoff_weight(context) * self.shorter(word, context)

    def backoff_weight(self, context: Context) -> float:
        row = self.row(context)
        if not row:
            return 1
        unseen = [word for word in self.vocabulary if word not in row]
        if not unseen:
            return 0
        saved = self.D * len(row) / self.total(context)
        return saved / sum(self.shorter(word, context) for word in unseen)


# ------------------------------------------------------------------ 2.9 Kneser-Ney
def continuation_counts(tables: Tables) -> list[Table]:
    new = [{} for _ in tables]
    for k in range(len(tables)):
        for context in tables[k]:
            if context[:2] == (BOS, BOS):
                continue
            if k == len(tables) - 1 or context[:1] == (BOS,):
                new[k][context] = dict(tables[k][context])
            if k > 0:
                row = new[k - 1].setdefault(context[1:], {})
                for word in tables[k][context]:
                    row[word] = row.get(word, 0) + 1
    return new


class KneserNey(AbsoluteDiscounting):
    def __init__(self, tables: Tables, vocabulary: Words, discount: float = 0.75) -> None:
        super().__init__(continuation_counts(tables), vocabulary, discount)


# ------------------------------------------------------------------ 2.10 Three discounts
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # as lmplz --discount_fallback


def modified_discounts(table: Table) -> tuple[float, float, float]:
    n = [0, 0, 0, 0, 0]
    for row in table.values():
        for count in row.values():
            if count <= 4:
                n[count] += 1
    if n[1] == 0 or n[2] == 0 or n[3] == 0:
        return FALLBACK_DISCOUNTS
    Y = n[1] / (n[1] + 2 * n[2])
    found = [c - (c + 1) * Y * n[c + 1] / n[c] for c in (1, 2, 3)]
    if any(D < 0 for D in found):
        return FALLBACK_DISCOUNTS
    return tuple(found)


class ModifiedKneserNey(KneserNey):
    def __init__(self, tables: Tables, vocabulary: Words) -> None:
        super().__init__(tables, vocabulary)
        self.discounts = [(0.0, *modified_discounts(table)) for table in self.tables]


# ------------------------------------------------------------------ 2.11 Generating text
def generate(model: NGramModel, rng: np.random.Generator, max_words: int = 50) -> list[Word]:
    _require("max_words", max_words, max_words >= 1, "at least 1")
    history = [BOS] * (model.n - 1)
    words = []
    while len(words) < max_words:
        chances = model.distribution(history)
        number = rng.choice(len(chances), p=list(chances.values()))
        word = list(chances)[number]
        if word == EOS:
            return words
        words.append(word)
        history.append(word)
    return words
