"""N-gram language models, from counting to modified Kneser-Ney. Leaves out: pruning, fast storage.

(eq. 2.5) is an equation of chapter 2, and 2.5 alone is a section and its task. "Given" marks what
is complete. The symbols are those of the chapter:

    w    a word, or the end EOS        #(uw)      how often w followed u
    u    its context, a tuple of the   #(u•)      how often any word followed u
         words before it               N1+(u•)    how many different words followed u
    u'   u without its first word      N1+(•uw)   how many different words preceded uw
    n    the order: 2 means bigrams    V          the size of the vocabulary, EOS included

`count_ngrams` fills the tables. Every model is an `NGramModel` with a formula of its own for
P(w | u), the method `estimate`.

A sentence is a list of words, or a string, whose words are its characters. Where a signature says
float or int, return Python's own type, and let tables be plain dicts. The given lines of a function
raise a ValueError for arguments that make no sense, so you need not check them.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain

import numpy as np

from nextword.given.checks import require
from nextword.given.vocabulary import BOS, EOS  # <s> and </s>: begin and end symbol

Word = Hashable
Context = tuple[Word, ...]
Table = dict[Context, dict[Word, int]]  # table[u][w] = #(uw); its contexts have the same length


# ------------------------------------------------------------------ 2.1 Padding and sliding windows
def pad(sentence: Sequence[Word], n: int) -> list[Word]:
    """Put n - 1 begin symbols before a sentence and one end symbol after it (eq. 2.2).

    Then even the first word has a full context, and the end is predicted like a word. Returns a
    new list. About 1 line.

    Raises:
        ValueError: if n is below 1.

    Example:
        >>> pad(["sit", "down"], n=3)
        ['<s>', '<s>', 'sit', 'down', '</s>']
    """
    require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("2.1 pad: see section 2.1, equation 2.2")


def windows(tokens: Sequence[Word], n: int) -> list[tuple[Word, ...]]:
    """List the n-grams of a sequence, from left to right: a window of n tokens slides along it.

    T tokens contain T - n + 1 n-grams, or none if T < n. Nothing is padded here. About 2 lines.

    Raises:
        ValueError: if n is below 1.

    Example:
        >>> windows("abcd", n=3)
        [('a', 'b', 'c'), ('b', 'c', 'd')]
    """
    require("n", n, n >= 1, "at least 1")
    raise NotImplementedError("2.1 windows: see section 2.1, equation 2.2")


# ------------------------------------------------------------------ 2.2 Counting
def count_ngrams(sentences: Iterable[Sequence[Word]], n: int) -> list[Table]:
    """Count which words follow which contexts, for contexts of 0, 1, ..., n - 1 words (eq. 2.3).

    Returns n tables: tables[k][u][w] = #(uw), where u is a tuple of k words. Each word and each
    end of a sentence adds 1 to every table. BOS is never predicted, so it occurs only in contexts.

    A million tokens should take seconds, so let Counter do the counting. About 9 lines.

    Args:
        sentences: a list or a generator; each sentence is counted by itself.
        n: the length of the longest n-grams, and the number of tables.

    Raises:
        ValueError: if n is below 1, or there is no sentence, or sentences is a single string.

    Example:
        >>> unigrams, bigrams = count_ngrams([["a", "b"], ["a"]], n=2)
        >>> unigrams
        {(): {'a': 2, 'b': 1, '</s>': 2}}
        >>> bigrams
        {('<s>',): {'a': 2}, ('a',): {'b': 1, '</s>': 1}, ('b',): {'</s>': 1}}
    """
    require("n", n, n >= 1, "at least 1")
    sentences = sentences if isinstance(sentences, str) else list(sentences)
    require("sentences", sentences, type(sentences) is list and sentences, "a non-empty list")
    raise NotImplementedError("2.2 count_ngrams: see section 2.2, equation 2.3")


# ------------------------------------------------------------------ 2.3 Maximum likelihood
class NGramModel:
    """What all models of this chapter share: each adds `estimate`, its own formula for P(w | u).

    By itself it is a toy for small examples, whose tables hold probabilities instead of counts.

    Args:
        tables: one for each context length, as `count_ngrams` returns them; n = len(tables).
        vocabulary: the words that can be predicted, with EOS but without BOS. Any other word has
            probability 0, and a context that contains one is treated as never seen.

    Raises:
        ValueError: if there is no table, or BOS is in the vocabulary, or a counted word is not.

    Example:
        >>> model = NGramModel([{(): {"a": 0.75, EOS: 0.25}}], ["a", EOS])
        >>> model.prob("a"), model.prob("zebra")
        (0.75, 0.0)
    """

    def __init__(self, tables: Sequence[Mapping], vocabulary: Iterable[Word]) -> None:
        self.tables = list(tables)  # tables[k][u][w], for contexts u of k words
        self.n = len(self.tables)
        self.words = frozenset(vocabulary)  # to look one up
        self.vocabulary = sorted(self.words, key=str)  # in the same order on every run
        require("tables", "none", self.n > 0, "as count_ngrams returns them")
        require("vocabulary", BOS, BOS not in self.words, "of words that can be predicted")
        extra = {word for t in self.tables for row in t.values() for word in row} - self.words
        require(
            "counted words",
            extra,
            not extra,
            "in the vocabulary: see nextword.given.vocabulary",
        )
        self.totals = [{u: sum(row.values()) for u, row in t.items()} for t in self.tables]

    def row(self, context: Context) -> Mapping[Word, float]:
        """Return {w: #(uw)} for the words seen after u, or {} if u was never seen (given)."""
        return self.tables[len(context)].get(context, {})

    def total(self, context: Context) -> float:
        """Return #(u•), how often any word followed u, or 0 if u is unseen (eq. 2.4; given)."""
        return self.totals[len(context)].get(context, 0)

    def estimate(self, word: Word, context: Context) -> float:
        """Return P(w | u) for a word of the vocabulary and a context of at most n - 1 words.

        Each model has its own formula. The toy looks the answer up in its table.
        """
        return self.row(context).get(word, 0.0)

    def shorter(self, word: Word, context: Context) -> float:
        """Return P(w | u'), from the next shorter context, or 1/V if u is empty (given)."""
        if not context:
            return 1 / len(self.vocabulary)
        return self.estimate(word, context[1:])

    def prob(self, word: Word, context: Sequence[Word] = ()) -> float:
        """Given: return P(w | u), where u is the last n - 1 words of the context (eq. 2.2)."""
        start = max(0, len(context) - (self.n - 1))
        u = tuple(context[start:])
        return self.estimate(word, u) if word in self.words else 0.0

    def distribution(self, context: Sequence[Word] = ()) -> dict[Word, float]:
        """Return {w: P(w | u)} for all words of the vocabulary (given)."""
        return {word: self.prob(word, context) for word in self.vocabulary}

    def log_probs(self, sentences: Iterable[Sequence[Word]]) -> list[float]:
        """Task 2.4: return ln P(w | u) of each word and end of sentence, in a flat list (eq. 2.7).

        The order is that of the text, and where P is 0 the list holds -inf. The sentences may come
        from a generator, which can be gone through only once. Pad each with your own `pad`;
        `self.prob` gives the probabilities. About 6 lines.

        Example:
            >>> model = NGramModel([{(): {"a": 0.75, EOS: 0.25}}], ["a", EOS])
            >>> model.log_probs(["a"])  # ln 0.75 for a, then ln 0.25 for the end
            [-0.2876820724517809, -1.3862943611198906]
        """
        raise NotImplementedError("2.4 NGramModel.log_probs: see section 2.4, equations 2.7 and 2.8")


class MLE(NGramModel):
    """Maximum likelihood: the probabilities that make the training text most likely.

    The arguments are those of `NGramModel`.
    """

    def estimate(self, word: Word, context: Context) -> float:
        """Return the share of w among the words that followed u (eq. 2.5).

            P(w | u) = #(uw) / #(u•)

        If u was never seen, return 0. About 4 lines.

        Example:
            >>> model = MLE([{}, {("a",): {"a": 1, "b": 1, EOS: 1}}], ["a", "b", EOS])
            >>> model.prob("b", ["a"]), model.prob("b", ["b"])
            (0.3333333333333333, 0.0)
        """
        raise NotImplementedError("2.3 MLE.estimate: see section 2.3, equation 2.5")


# ------------------------------------------------------------------ 2.4 Perplexity
def perplexity(log_probs: Sequence[float]) -> float:
    """Return the perplexity of a text: exp(-mean of the log-probabilities) (eq. 2.8).

    If one probability is 0, its logarithm is -inf: return math.inf. About 1 line.

    Args:
        log_probs: ln P of each word of a text, as `NGramModel.log_probs` returns them.

    Raises:
        ValueError: if the list is empty.

    Example:
        >>> perplexity([-math.log(2)] * 10)  # ten tosses of a coin
        2.0
    """
    require("log_probs", "none", len(log_probs) > 0, "at least one number")
    raise NotImplementedError("2.4 perplexity: see section 2.4, equations 2.7 and 2.8")


# ------------------------------------------------------------------ 2.5 Additive smoothing
class Additive(NGramModel):
    """Additive smoothing: as if each word had been seen alpha more times after every u.

    Args:
        tables, vocabulary: those of `NGramModel`.
        alpha: the number above 0 that is added to each count. Laplace's rule adds 1.
    """

    def __init__(
        self, tables: Sequence[Table], vocabulary: Iterable[Word], alpha: float = 1.0
    ) -> None:
        require("alpha", alpha, alpha > 0, "above 0")
        super().__init__(tables, vocabulary)
        self.alpha = alpha

    def estimate(self, word: Word, context: Context) -> float:
        """Return the share of w after alpha is added to the count of each of the V words (eq. 2.9).

            P(w | u) = (#(uw) + alpha) / (#(u•) + alpha V)

        If u was never seen, this is 1/V. About 3 lines.

        Example:
            >>> model = Additive([{}, {("b",): {EOS: 1}}], ["a", "b", "c", EOS], alpha=0.25)
            >>> model.prob("c", ["b"])  # (0 + 0.25) / (1 + 0.25 * 4)
            0.125
        """
        raise NotImplementedError("2.5 Additive.estimate: see section 2.5, equation 2.9")


# ------------------------------------------------------------------ 2.6 Interpolation
class Interpolated(NGramModel):
    """A weighted mean of the estimates of all orders (Jelinek and Mercer 1980).

    Args:
        tables, vocabulary: those of `NGramModel`.
        weights: n + 1 numbers that sum to 1, the lambdas of the chapter. weights[0] belongs to the
            uniform distribution 1/V, weights[k] to the k-grams. None is below 0, and the first is
            above 0, so that no word has probability 0.
    """

    def __init__(
        self, tables: Sequence[Table], vocabulary: Iterable[Word], weights: Sequence[float]
    ) -> None:
        super().__init__(tables, vocabulary)
        self.weights = list(weights)
        sound = len(weights) == self.n + 1 and weights[0] > 0 and min(weights) >= 0
        sound = sound and math.isclose(sum(weights), 1)
        require("weights", weights, sound, f"{self.n + 1} numbers, sum 1, the first above 0")

    def estimate(self, word: Word, context: Context) -> float:
        """Return the weighted mean of 1/V and of #(vw) / #(v•) for all endings v of u (eq. 2.10).

        The endings of u are (), its last word, its last two words, ..., u itself. For an ending of
        k words, #(vw) counts (k + 1)-grams, so its weight is weights[k + 1]; 1/V has weights[0].
        Leave out endings that were never seen, and divide by the sum of the weights that were
        used. That sum is below 1 then, and also if u has fewer than n - 1 words. About 9 lines.

        Example:
            >>> tables = [{(): {"a": 1}}, {("a",): {"b": 1}}]
            >>> model = Interpolated(tables, ["a", "b", "c", EOS], [0.25, 0.25, 0.5])
            >>> model.prob("c", ["a"])  # 0.25 * 1/4 + 0.25 * 0 + 0.5 * 0
            0.0625
            >>> model.prob("c", ["c"])  # c was never seen before a word: 0.25 * 1/4 / (0.25 + 0.25)
            0.125
        """
        raise NotImplementedError("2.6 Interpolated.estimate: see section 2.6, equation 2.10")


# ------------------------------------------------------------------ 2.7 Absolute discounting
class AbsoluteDiscounting(NGramModel):
    """Each count gives up D, and the shorter context shares it out (Ney, Essen, Kneser 1994).

    Args:
        tables, vocabulary: those of `NGramModel`.
        discount: D, above 0 and at most 1.

    Example:
        >>> model = AbsoluteDiscounting([{(): {"a": 3, "b": 1, EOS: 2}}], ["a", "b", "c", EOS], 0.5)
        >>> sum(model.distribution().values())
        1.0
    """

    def __init__(
        self, tables: Sequence[Table], vocabulary: Iterable[Word], discount: float = 0.75
    ) -> None:
        require("discount", discount, 0 < discount <= 1, "above 0 and at most 1")
        super().__init__(tables, vocabulary)
        # discounts[k]: what counts of 0, 1, 2, and 3 or more give up in table k (see 2.10)
        self.discounts = [(0.0, discount, discount, discount)] * self.n
        self.saved = cache(self.saved)  # each lambda(u) is computed once

    def discount(self, count: int, context: Context) -> float:
        """Return D(c), what a count c after u gives up: D, or 0 if c is 0 (given)."""
        return self.discounts[len(context)][min(count, 3)]

    def saved(self, context: Context) -> float:
        """Return lambda(u), the share of #(u•) that the counts after u give up in all (eq. 2.12).

            lambda(u) = (sum of D(#(uw)) over the words w seen after u) / #(u•)

        `self.discount(count, context)` gives D. If u was never seen, return 1. About 5 lines.

        Example:
            >>> tables = [{(): {"a": 3, "b": 1, EOS: 2}}]
            >>> AbsoluteDiscounting(tables, ["a", "b", "c", EOS], 0.5).saved(())  # 3 * 0.5 / 6
            0.25
        """
        raise NotImplementedError("2.7 AbsoluteDiscounting.saved: see section 2.7, equations 2.11 and 2.12")

    def estimate(self, word: Word, context: Context) -> float:
        """Return the share that w keeps, plus its part of what all words gave up (eq. 2.11).

            P(w | u) = (#(uw) - D(#(uw))) / #(u•) + lambda(u) P(w | u')

        `self.shorter(word, context)` gives P(w | u'). If u was never seen, P(w | u) = P(w | u').
        About 6 lines.

        Example:
            >>> tables = [{(): {"a": 3, "b": 1, EOS: 2}}]
            >>> model = AbsoluteDiscounting(tables, ["a", "b", "c", EOS], 0.5)
            >>> model.prob("c")  # never seen: 0.25 * 1/4
            0.0625
        """
        raise NotImplementedError("2.7 AbsoluteDiscounting.estimate: see section 2.7, equations 2.11 and 2.12")


# ------------------------------------------------------------------ 2.8 Back-off
class Backoff(NGramModel):
    """Ask the shorter context about unseen words only (after Katz 1987).

    Args:
        tables, vocabulary: those of `NGramModel`.
        discount: D, above 0 and below 1. In the methods it is `self.D`.
    """

    def __init__(
        self, tables: Sequence[Table], vocabulary: Iterable[Word], discount: float = 0.75
    ) -> None:
        require("discount", discount, 0 < discount < 1, "above 0 and below 1")
        super().__init__(tables, vocabulary)
        self.D = discount
        self.backoff_weight = cache(self.backoff_weight)  # each alpha(u) is computed once

    def estimate(self, word: Word, context: Context) -> float:
        """Return what a seen word keeps, or what an unseen word gets (eq. 2.13).

            P(w | u) = (#(uw) - D) / #(u•)     if w was seen after u
                       alpha(u) P(w | u')      if it was not

        alpha(u) is `self.backoff_weight(context)`, not the alpha of `Additive`. If the whole
        vocabulary was seen after u, take D = 0: there is no unseen word to save for. About 5 lines.

        Example:
            >>> model = Backoff([{(): {"a": 3, "b": 3, EOS: 2}}], ["a", "b", "c", EOS], 0.5)
            >>> model.prob("a")  # (3 - 0.5) / 8
            0.3125
        """
        raise NotImplementedError("2.8 Backoff.estimate: see section 2.8, equations 2.13 and 2.14")

    def backoff_weight(self, context: Context) -> float:
        """Return alpha(u), the factor that makes the probabilities after u sum to 1 (eq. 2.14).

            alpha(u) = (D N1+(u•) / #(u•)) / (1 - sum of P(w | u') over the words w seen after u)

        If u was never seen, return 1, and if the whole vocabulary was seen after it, 0.
        About 8 lines.

        Example:
            >>> model = Backoff([{(): {"a": 3, "b": 3, EOS: 2}}], ["a", "b", "c", EOS], 0.5)
            >>> model.backoff_weight(())  # (0.5 * 3 / 8) / (1 - 3/4)
            0.75
        """
        raise NotImplementedError("2.8 Backoff.backoff_weight: see section 2.8, equations 2.13 and 2.14")


# ------------------------------------------------------------------ 2.9 Kneser-Ney
def continuation_counts(tables: Sequence[Table]) -> list[Table]:
    """Count how many different words precede an n-gram, not how often it occurs (eq. 2.15, 2.16).

    Returns new tables of the same form, plain dicts, in which #(uw) becomes N1+(•uw): the number of
    words v, BOS among them, with #(vuw) > 0 in the next table. There are three exceptions:

    1. Contexts that begin with two BOS say no more than those with one. Leave them out everywhere.
    2. Contexts that begin with one BOS keep their counts in every table, since nothing can precede
       a sentence (nltk ignores this).
    3. The last table keeps its counts, since there is no table of longer n-grams.

    As in KenLM (Chen and Goodman 1999; Heafield et al. 2013). About 12 lines.

    Example:
        >>> bigrams = {("a",): {"b": 1}, ("c",): {"b": 2}}
        >>> continuation_counts([{}, bigrams])[0]  # b: after a and after c
        {(): {'b': 2}}
        >>> five = [  # of the sentence "a", five times
        ...     {(): {"a": 5, EOS: 5}},
        ...     {(BOS,): {"a": 5}, ("a",): {EOS: 5}},
        ...     {(BOS, BOS): {"a": 5}, (BOS, "a"): {EOS: 5}},
        ... ]
        >>> continuation_counts(five)[:2]  # a was seen after BOS alone; BOS a keeps its 5
        [{(): {'a': 1, '</s>': 1}}, {('<s>',): {'a': 5}, ('a',): {'</s>': 1}}]
    """
    raise NotImplementedError("2.9 continuation_counts: see section 2.9, equations 2.15 and 2.16")


class KneserNey(AbsoluteDiscounting):
    """Absolute discounting of continuation counts (eq. 2.17), interpolated down to 1/V as in KenLM.

    There is nothing to write here: it works as soon as tasks 2.7 and 2.9 are done.

    Example:
        >>> KneserNey(count_ngrams(["ab", "cb", "cb"], 2), ["a", "b", "c", EOS], 0.5).prob("b")
        0.4
    """

    def __init__(
        self, tables: Sequence[Table], vocabulary: Iterable[Word], discount: float = 0.75
    ) -> None:
        super().__init__(continuation_counts(tables), vocabulary, discount)


# ------------------------------------------------------------------ 2.10 Three discounts
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # those of KenLM's lmplz --discount_fallback


def modified_discounts(table: Table) -> tuple[float, float, float]:
    """Return the discounts D1, D2, D3 for counts of 1, of 2, and of 3 or more (eq. 2.18).

    Let n1, ..., n4 be the number of n-grams in the table with a count of exactly 1, ..., 4. Then,
    after Chen and Goodman (1999, section 3),

        Y  = n1 / (n1 + 2 n2)
        D1 = 1 - 2 Y n2 / n1
        D2 = 2 - 3 Y n3 / n2
        D3 = 3 - 4 Y n4 / n3

    If n1, n2 or n3 is 0, or one of the discounts is below 0, the text is too small or too regular:
    return FALLBACK_DISCOUNTS. About 11 lines.

    Example:
        >>> modified_discounts({(): {"a": 1, "b": 1, "c": 1, "d": 1, "e": 2, "f": 2, "g": 3}})
        (0.5, 1.25, 3.0)
    """
    raise NotImplementedError("2.10 modified_discounts: see section 2.10, equation 2.18")


class ModifiedKneserNey(KneserNey):
    """Kneser-Ney with three discounts for each order, estimated as in KenLM (eq. 2.19).

    There is nothing to write here: it works as soon as tasks 2.7, 2.9 and 2.10 are done.
    """

    def __init__(self, tables: Sequence[Table], vocabulary: Iterable[Word]) -> None:
        super().__init__(tables, vocabulary)
        self.discounts = [(0.0, *modified_discounts(table)) for table in self.tables]


# ------------------------------------------------------------------ 2.11 Generating text
def generate(model: NGramModel, rng: np.random.Generator, max_words: int = 50) -> list[Word]:
    """Draw a sentence word by word, each from P(w | the words so far) (eq. 2.20).

    1. Begin with a history of n - 1 BOS.
    2. Draw a word from `model.distribution(history)`, and append it to the history.
    3. Repeat step 2 until EOS is drawn, or there are max_words words. Return these words only.

    `rng` is the only source of randomness. Let it draw a place in the list of words, since a word
    itself would become a numpy string. About 9 lines.

    Raises:
        ValueError: if max_words is below 1.

    Example:
        >>> cow = [{}, {(BOS,): {"m": 1}, ("m",): {"o": 1}, ("o",): {EOS: 1}}]
        >>> generate(NGramModel(cow, ["m", "o", EOS]), np.random.default_rng(0))
        ['m', 'o']
    """
    require("max_words", max_words, max_words >= 1, "at least 1")
    raise NotImplementedError("2.11 generate: see section 2.11, equation 2.20")
