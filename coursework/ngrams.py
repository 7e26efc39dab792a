"""N-gram language models, from counting to modified Kneser-Ney. Leaves out: pruning, fast storage.

Signs and numbers of equations, such as (2.5), are those of chapter 2. w is a word, u the words
before it (the context, a tuple), u' is u without its first word. #(uw) is how often w followed u,
#(u•) how often any word did, and N1+(u•) how many different words did. A sentence is a list of
words or a string, whose words are its characters. Arguments that make no sense: ValueError.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain

import numpy as np

from nextword.corpora.vocabulary import BOS, EOS  # <s> and </s>: begin and end of a sentence

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
    """Put n - 1 begin symbols before a sentence and one end symbol after it (equation 2.2).

    So the first word has a full context, too, and the end is predicted like a word. About 1 line.
    >>> pad(["sit", "down"], 3)
    ['<s>', '<s>', 'sit', 'down', '</s>']
    """
    _require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("2.1 pad: see section 2.1, equation 2.2")


def windows(tokens: Sequence[Word], n: int) -> list[tuple[Word, ...]]:
    """List the n-grams of a sequence from left to right: a window of n tokens slides by one.

    T tokens hold T - n + 1 n-grams, or none if T < n. Nothing is padded here. About 1 line.
    >>> windows("abcd", 3)
    [('a', 'b', 'c'), ('b', 'c', 'd')]
    """
    _require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("2.1 windows: see section 2.1, equation 2.2")


# ------------------------------------------------------------------ 2.2 Counting
def count_ngrams(sentences: Iterable[Sequence[Word]], n: int) -> list[Table]:
    """Count which words follow which contexts, for contexts of 0, 1, ..., n - 1 words (2.3).

    Returns n tables: tables[k][u][w] = #(uw), where u is a tuple of k words. Each word and each
    end of a sentence adds 1 to every table. BOS is never predicted: it stands in contexts only.
    About 7 lines; a million tokens in seconds: let Counter and zip do the walking.
    >>> count_ngrams([["a", "b"], ["a"]], 2)[1]
    {('<s>',): {'a': 2}, ('a',): {'b': 1, '</s>': 1}, ('b',): {'</s>': 1}}
    """
    _require("n", n, n >= 1, "at least 1")
    sentences = sentences if isinstance(sentences, str) else list(sentences)
    _require("sentences", sentences, type(sentences) is list and sentences, "a non-empty list")
    raise NotImplementedError("2.2 count_ngrams: see section 2.2, equation 2.3")


# ------------------------------------------------------------------ 2.3 Maximum likelihood
class NGramModel:
    """What all models share; each adds `estimate`, its own formula for P(w | u) from the counts.

    As it stands, it is a toy for small examples: its tables hold probabilities in place of counts.
    tables: one for each context length, as `count_ngrams` returns them; n = len(tables).
    vocabulary: the words that can be predicted; EOS is one of them, BOS is not. Any other word
        has probability 0, and a context with such a word in it was never seen.
    """

    def __init__(self, tables: Sequence[Mapping], vocabulary: Words) -> None:
        self.tables, self.n = list(tables), len(tables)  # n is the order: 2 = bigrams
        self.words = frozenset(vocabulary)
        self.vocabulary = sorted(self.words, key=str)  # the same order on every run
        _require("tables", "none", self.n > 0, "as count_ngrams returns them")
        _require("vocabulary", BOS, BOS not in self.words, "of words that can be predicted")
        extra = {word for t in self.tables for row in t.values() for word in row} - self.words
        _require("counted words", extra, not extra, "in the vocabulary: see replace_unknown")
        self.totals = [{u: sum(row.values()) for u, row in t.items()} for t in self.tables]

    def row(self, context: Context) -> Mapping[Word, float]:
        """Return {w: #(uw)} for the words seen after u; empty if u was never seen."""
        return self.tables[len(context)].get(context, {})

    def total(self, context: Context) -> float:
        """Return #(u•), how often any word followed u; 0 if u was never seen (equation 2.4)."""
        return self.totals[len(context)].get(context, 0)

    def estimate(self, word: Word, context: Context) -> float:
        """Return P(w | u) for a word of the vocabulary and a context of at most n - 1 words."""
        return self.row(context).get(word, 0.0)

    def shorter(self, word: Word, context: Context) -> float:
        """Return P(w | u'), one word less; where no word is left, all words are equally likely."""
        return self.estimate(word, context[1:]) if context else 1 / len(self.vocabulary)

    def prob(self, word: Word, context: Sequence[Word] = ()) -> float:
        """Return P(w | u), where only the last n - 1 words of the context count (equation 2.2)."""
        u = tuple(context[max(0, len(context) - self.n + 1) :])
        return self.estimate(word, u) if word in self.words else 0.0

    def distribution(self, context: Sequence[Word] = ()) -> dict[Word, float]:
        """Return {w: P(w | u)} for all words of the vocabulary."""
        return {word: self.prob(word, context) for word in self.vocabulary}

    def log_probs(self, sentences: Iterable[Sequence[Word]]) -> list[float]:
        """Return ln P(w | u) of each word and each end of sentence, in one flat list (2.7).

        In nats; -inf where P is 0. Task 2.4. About 4 lines; `self.prob` gives the probabilities.
        >>> NGramModel([{(): {"a": 0.75, "</s>": 0.25}}], ["a", EOS]).log_probs(["a"])
        [-0.2876820724517809, -1.3862943611198906]
        """
        raise NotImplementedError("2.4 NGramModel.log_probs: see section 2.4, equations 2.7 and 2.8")


class MLE(NGramModel):
    """Maximum likelihood: the probabilities that make the training text most likely."""

    def estimate(self, word: Word, context: Context) -> float:
        """Return #(uw) / #(u•), and 0 if the context was never seen (2.5). About 2 lines.

        >>> MLE([{}, {("a",): {"a": 1, "b": 1, EOS: 1}}], ["a", "b", EOS]).prob("b", "a")
        0.3333333333333333
        """
        raise NotImplementedError("2.3 MLE.estimate: see section 2.3, equation 2.5")


# ------------------------------------------------------------------ 2.4 Perplexity
def perplexity(log_probs: Sequence[float]) -> float:
    """Return exp(-mean of the natural log-probabilities): the choices per word (equation 2.8).

    Infinite as soon as one probability is 0. About 1 line.
    >>> perplexity([-math.log(2)] * 10)  # ten throws of a coin
    2.0
    """
    _require("log_probs", "none", len(log_probs) > 0, "at least one number")
    raise NotImplementedError("2.4 perplexity: see section 2.4, equations 2.7 and 2.8")


# ------------------------------------------------------------------ 2.5 Additive smoothing
class Additive(NGramModel):
    """Pretend that each word was seen alpha times more often, alpha > 0 (Laplace: alpha = 1)."""

    def __init__(self, tables: Tables, vocabulary: Words, alpha: float = 1.0) -> None:
        _require("alpha", alpha, alpha > 0, "above 0")
        super().__init__(tables, vocabulary)
        self.alpha = alpha

    def estimate(self, word: Word, context: Context) -> float:
        """Return (#(uw) + alpha) / (#(u•) + alpha V), V words in all (2.9). About 2 lines.

        >>> Additive([{}, {("b",): {EOS: 1}}], ["a", "b", "c", EOS], 0.25).prob("c", "b")
        0.125
        """
        raise NotImplementedError("2.5 Additive.estimate: see section 2.5, equation 2.9")


# ------------------------------------------------------------------ 2.6 Interpolation
class Interpolated(NGramModel):
    """A weighted mean of the estimates of all orders (Jelinek and Mercer 1980).

    weights[k] belongs to the k-grams, weights[0] to the uniform distribution 1/V: n + 1 numbers
    that sum to 1. None is below 0 and the first is above 0, so that no word gets probability 0.
    """

    def __init__(self, tables: Tables, vocabulary: Words, weights: Sequence[float]) -> None:
        super().__init__(tables, vocabulary)
        self.weights = list(weights)
        sound = len(weights) == self.n + 1 and min(weights) >= 0 < weights[0]
        sound = sound and math.isclose(sum(weights), 1)
        _require("weights", weights, sound, f"{self.n + 1} numbers, sum 1, the first above 0")

    def estimate(self, word: Word, context: Context) -> float:
        """Return the weighted mean of 1/V and #(vw) / #(v•) for all endings v of u (2.10).

        The endings of u are (), its last word, its last two words, ..., u itself. One that was
        never seen has no estimate: leave it out, divide by the weights that remain. 8 lines.
        >>> model = Interpolated([{(): {"a": 1}}, {("a",): {"b": 1}}], "abcd", [0.25, 0.25, 0.5])
        >>> model.prob("c", "a"), model.prob("c", "c")  # 0.25 / 4, 0.25 / 4 / (0.25 + 0.25)
        (0.0625, 0.125)
        """
        raise NotImplementedError("2.6 Interpolated.estimate: see section 2.6, equation 2.10")


# ------------------------------------------------------------------ 2.7 Absolute discounting
class AbsoluteDiscounting(NGramModel):
    """Each count gives up D, 0 < D <= 1; u' shares that out anew (Ney, Essen and Kneser 1994)."""

    def __init__(self, tables: Tables, vocabulary: Words, discount: float = 0.75) -> None:
        _require("discount", discount, 0 < discount <= 1, "above 0 and at most 1")
        super().__init__(tables, vocabulary)
        self.discounts = [(0.0, discount, discount, discount)] * self.n  # of 0, 1, 2, 3 and more
        self.saved = cache(self.saved)  # computed once per u

    def discount(self, count: int, context: Context) -> float:
        """Return D(c), what a count c after u gives up: D, but 0 from a count of 0."""
        return self.discounts[len(context)][min(count, 3)]

    def saved(self, context: Context) -> float:
        """Return lambda(u), the sum of all D(#(uw)) over #(u•); 1 if u is new (2.12). 2 lines."""
        raise NotImplementedError("2.7 AbsoluteDiscounting.saved: see section 2.7, equations 2.11 and 2.12")

    def estimate(self, word: Word, context: Context) -> float:
        """Return (#(uw) - D(#(uw))) / #(u•) + lambda(u) P(w | u') (equation 2.11).

        If u was never seen, P(w | u) = P(w | u'): `self.shorter(word, context)`. About 6 lines.
        >>> model = AbsoluteDiscounting([{(): {"a": 3, "b": 1, EOS: 2}}], ["a", "b", "c", EOS], 0.5)
        >>> model.saved(()), model.prob("c")  # (3 * 0.5)/6, 1.5/6 * 1/4
        (0.25, 0.0625)
        """
        raise NotImplementedError("2.7 AbsoluteDiscounting.estimate: see section 2.7, equations 2.11 and 2.12")


# ------------------------------------------------------------------ 2.8 Back-off
class Backoff(NGramModel):
    """Ask the shorter context about unseen words only; 0 < D < 1 (after Katz 1987)."""

    def __init__(self, tables: Tables, vocabulary: Words, discount: float = 0.75) -> None:
        _require("discount", discount, 0 < discount < 1, "above 0 and below 1")
        super().__init__(tables, vocabulary)
        self.D = discount
        self.backoff_weight = cache(self.backoff_weight)  # computed once per u

    def estimate(self, word: Word, context: Context) -> float:
        """Return (#(uw) - D) / #(u•) for a word seen after u, else alpha(u) P(w | u') (2.13).

        D counts as 0 where the whole vocabulary was seen: no word is left to save for. 5 lines.
        """
        raise NotImplementedError("2.8 Backoff.estimate: see section 2.8, equations 2.13 and 2.14")

    def backoff_weight(self, context: Context) -> float:
        """Return alpha(u), with which the probabilities after u sum to 1 (equation 2.14).

        It is (D N1+(u•) / #(u•)) / (1 - the sum of P(w | u') over the words w seen after u),
        but 1 if u was never seen, and 0 where the whole vocabulary was seen. About 7 lines.
        >>> model = Backoff([{(): {"a": 3, "b": 3, EOS: 2}}], ["a", "b", "c", EOS], 0.5)
        >>> model.prob("a"), model.prob("c")  # 2.5/8, alpha/4 with alpha = 1.5/8 / (1 - 3/4)
        (0.3125, 0.1875)
        """
        raise NotImplementedError("2.8 Backoff.backoff_weight: see section 2.8, equations 2.13 and 2.14")


# ------------------------------------------------------------------ 2.9 Kneser-Ney
def continuation_counts(tables: Tables) -> list[Table]:
    """Count, for all but the longest n-grams, the different words seen before them (2.15, 2.16).

    In new tables of the same form, #(uw) becomes N1+(•uw): the number of words v with a count
    #(vuw) > 0 in the next table. The last table keeps its counts, and so do, in every table, the
    contexts that begin with BOS: nothing stands before a sentence (nltk does not heed this).
    Contexts that begin with two BOS say no more than those with one: leave them out everywhere.
    As in KenLM (Chen and Goodman 1999; Heafield et al. 2013). About 11 lines.
    >>> continuation_counts([{}, {("a",): {"b": 1}, ("c",): {"b": 2}}])[0]  # b: after a and after c
    {(): {'b': 2}}
    """
    raise NotImplementedError("2.9 continuation_counts: see section 2.9, equations 2.15 and 2.16")


class KneserNey(AbsoluteDiscounting):
    """Absolute discounting of continuation counts (2.17), interpolated down to 1/V as in KenLM.

    >>> KneserNey(count_ngrams(["ab", "cb", "cb"], 2), ["a", "b", "c", EOS], 0.5).prob("b")
    0.4
    """

    def __init__(self, tables: Tables, vocabulary: Words, discount: float = 0.75) -> None:
        super().__init__(continuation_counts(tables), vocabulary, discount)


# ------------------------------------------------------------------ 2.10 Three discounts
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # as lmplz --discount_fallback


def modified_discounts(table: Table) -> tuple[float, float, float]:
    """Return the discounts D1, D2, D3 for counts of 1, of 2, and of 3 or more (equation 2.18).

    n1, ..., n4 are the numbers of n-grams in the table with a count of 1, ..., 4, and
    Y = n1 / (n1 + 2 n2), D1 = 1 - 2 Y n2/n1, D2 = 2 - 3 Y n3/n2, D3 = 3 - 4 Y n4/n3
    (Chen and Goodman 1999, section 3). If n1, n2 or n3 is 0 or one of the three comes out
    below 0, the text is too small or too regular: return FALLBACK_DISCOUNTS. About 7 lines.
    >>> modified_discounts({(): {"a": 1, "b": 1, "c": 1, "d": 1, "e": 2, "f": 2, "g": 3}})
    (0.5, 1.25, 3.0)
    """
    raise NotImplementedError("2.10 modified_discounts: see section 2.10, equation 2.18")


class ModifiedKneserNey(KneserNey):
    """Kneser-Ney with three discounts for each order, estimated from its table (2.19), as KenLM."""

    def __init__(self, tables: Tables, vocabulary: Words) -> None:
        super().__init__(tables, vocabulary)
        self.discounts = [(0.0, *modified_discounts(table)) for table in self.tables]


# ------------------------------------------------------------------ 2.11 Generating text
def generate(model: NGramModel, rng: np.random.Generator, max_words: int = 50) -> list[Word]:
    """Draw a sentence word by word, each from P(w | the words so far) (equation 2.20).

    Begins after n - 1 BOS; ends at EOS, which is not returned, or after max_words words. 8 lines.
    >>> cow = [{}, {(BOS,): {"m": 1}, ("m",): {"o": 1}, ("o",): {EOS: 1}}]
    >>> generate(NGramModel(cow, ["m", "o", EOS]), np.random.default_rng(0))
    ['m', 'o']
    """
    _require("max_words", max_words, max_words >= 1, "at least 1")
    raise NotImplementedError("2.11 generate: see section 2.11, equation 2.20")
