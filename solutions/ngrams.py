"""N-gram language models, from counting to modified Kneser-Ney. Leaves out: pruning, fast storage.

The symbols are those of chapter 2, and so are the numbers of equations, such as (eq. 2.5).

    w         a word                          #(uw)     how often w followed u
    u         its context: the words before   #(u•)     how often any word followed u
              it, as a tuple                  N1+(u•)   how many different words followed u
    u'        u without its first word        N1+(•uw)  how many different words preceded uw
    n         the order: 2 = bigrams          V         how many words can be predicted, and EOS

A sentence is a list of words, or a string, whose words are its characters. The given lines of a
function raise a ValueError for arguments that make no sense, so you need not check them. A
signature that says float or int means Python's own type; tables are plain dicts.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain

import numpy as np

from nextword.given.checks import require
from nextword.given.vocabulary import BOS, EOS  # <s> and </s>: start and end of a sentence

Word = Hashable
Context = tuple[Word, ...]
Table = dict[Context, dict[Word, int]]  # table[u][w] = #(uw); its contexts have the same length


# ------------------------------------------------------------------ 2.1 Padding and sliding windows
def pad(sentence: Sequence[Word], n: int) -> list[Word]:
    """Put n - 1 start symbols before a sentence and one end symbol after it (eq. 2.2).

    This gives even the first word a full context, and the end is predicted like a word. Returns a
    new list. About 1 line.

    Raises:
        ValueError: if n is below 1.

    Example:
        >>> pad(["sit", "down"], n=3)
        ['<s>', '<s>', 'sit', 'down', '</s>']
    """
    require("n", n, n >= 1, "at least 1")
    # BEGIN SOLUTION
    return [BOS] * (n - 1) + list(sentence) + [EOS]
    # END SOLUTION


def windows(tokens: Sequence[Word], n: int) -> list[tuple[Word, ...]]:
    """List the n-grams of a sequence from left to right: a window of n tokens slides by one.

    T tokens contain T - n + 1 n-grams, or none if T < n. Nothing is padded here. About 2 lines.

    Raises:
        ValueError: if n is below 1.

    Example:
        >>> windows("abcd", n=3)
        [('a', 'b', 'c'), ('b', 'c', 'd')]
    """
    require("n", n, n >= 1, "at least 1")
    # BEGIN SOLUTION
    copies = [tokens[i:] for i in range(n)]  # each begins one token later than the one before
    return list(zip(*copies, strict=False))  # ends with the shortest copy
    # END SOLUTION


# ------------------------------------------------------------------ 2.2 Counting
def count_ngrams(sentences: Iterable[Sequence[Word]], n: int) -> list[Table]:
    """Count which words follow which contexts, for contexts of 0, 1, ..., n - 1 words (eq. 2.3).

    Returns n tables: tables[k][u][w] = #(uw), where u is a tuple of k words. Each word and each
    end of a sentence adds 1 to every table. BOS is never predicted: it stands in contexts only.

    A million tokens should take seconds: let Counter and zip do the walking. About 9 lines.

    Args:
        sentences: each is counted by itself; a generator will do.
        n: the length of the longest n-grams, and the number of tables.

    Raises:
        ValueError: if n is below 1, or there is no sentence, or sentences is one string.

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
    # BEGIN SOLUTION
    longest = Counter(chain.from_iterable(windows(pad(s, n), n) for s in sentences))
    tables: list[Table] = [{} for _ in range(n)]
    for gram, count in longest.items():
        word = gram[-1]
        for k in range(n):
            context = gram[n - 1 - k : -1]  # the k words before it
            row = tables[k].setdefault(context, {})
            row[word] = row.get(word, 0) + count
    return tables
    # END SOLUTION


# ------------------------------------------------------------------ 2.3 Maximum likelihood
class NGramModel:
    """What all models of this chapter share: each adds `estimate`, its own formula for P(w | u).

    As it stands, it is a toy for small examples: its tables hold probabilities in place of counts.

    Args:
        tables: one for each context length, as `count_ngrams` returns them; n = len(tables).
        vocabulary: the words that can be predicted; EOS is one of them, BOS is not. Any other word
            has probability 0, and a context with such a word in it counts as unseen.

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
        require("counted words", extra, not extra, "in the vocabulary: see replace_unknown")
        self.totals = [{u: sum(row.values()) for u, row in t.items()} for t in self.tables]

    def row(self, context: Context) -> Mapping[Word, float]:
        """Return {w: #(uw)} for the words seen after u; empty if u was never seen (given)."""
        return self.tables[len(context)].get(context, {})

    def total(self, context: Context) -> float:
        """Return #(u•), how often any word followed u; 0 if u was never seen (eq. 2.4; given)."""
        return self.totals[len(context)].get(context, 0)

    def estimate(self, word: Word, context: Context) -> float:
        """Return P(w | u) for a word of the vocabulary and a context of at most n - 1 words.

        Each model has its own; in the toy the table holds the answer.
        """
        return self.row(context).get(word, 0.0)

    def shorter(self, word: Word, context: Context) -> float:
        """Return P(w | u'), from a context one word shorter; 1/V if u is empty (given)."""
        if not context:
            return 1 / len(self.vocabulary)
        return self.estimate(word, context[1:])

    def prob(self, word: Word, context: Sequence[Word] = ()) -> float:
        """Given: return P(w | u); only the last n - 1 words of the context count (eq. 2.2)."""
        start = max(0, len(context) - (self.n - 1))
        u = tuple(context[start:])
        return self.estimate(word, u) if word in self.words else 0.0

    def distribution(self, context: Sequence[Word] = ()) -> dict[Word, float]:
        """Return {w: P(w | u)} for all words of the vocabulary (given)."""
        return {word: self.prob(word, context) for word in self.vocabulary}

    def log_probs(self, sentences: Iterable[Sequence[Word]]) -> list[float]:
        """Task 2.4: return ln P(w | u) of each word and end of sentence, in a flat list (eq. 2.7).

        In nats, in the order of the text; -inf where P is 0. Each sentence is padded with your own
        `pad`, and `self.prob` gives the probabilities. About 6 lines.

        Example:
            >>> model = NGramModel([{(): {"a": 0.75, EOS: 0.25}}], ["a", EOS])
            >>> model.log_probs(["a"])  # of a, then of the end
            [-0.2876820724517809, -1.3862943611198906]
        """
        # BEGIN SOLUTION
        found = []
        for sentence in sentences:
            for gram in windows(pad(sentence, self.n), self.n):
                p = self.prob(gram[-1], gram[:-1])
                found.append(math.log(p) if p > 0 else -math.inf)
        return found
        # END SOLUTION


class MLE(NGramModel):
    """Maximum likelihood: the probabilities that make the training text most likely.

    Its arguments are those of `NGramModel`.
    """

    def estimate(self, word: Word, context: Context) -> float:
        """Return the share of w among the words that followed u (eq. 2.5).

            P(w | u) = #(uw) / #(u•)

        0 if the context was never seen. About 4 lines.

        Example:
            >>> model = MLE([{}, {("a",): {"a": 1, "b": 1, EOS: 1}}], ["a", "b", EOS])
            >>> model.prob("b", ["a"]), model.prob("b", ["b"])
            (0.3333333333333333, 0.0)
        """
        # BEGIN SOLUTION
        total = self.total(context)
        if total == 0:
            return 0.0
        return self.row(context).get(word, 0) / total
        # END SOLUTION


# ------------------------------------------------------------------ 2.4 Perplexity
def perplexity(log_probs: Sequence[float]) -> float:
    """Return exp(-mean of ln P): the number of equally likely words that it amounts to (eq. 2.8).

    Infinite, not an error, as soon as one probability is 0. About 1 line.

    Args:
        log_probs: ln P of each word of a text, as `NGramModel.log_probs` returns them.

    Raises:
        ValueError: if there is none.

    Example:
        >>> perplexity([-math.log(2)] * 10)  # ten tosses of a coin
        2.0
    """
    require("log_probs", "none", len(log_probs) > 0, "at least one number")
    # BEGIN SOLUTION
    return math.exp(-sum(log_probs) / len(log_probs))
    # END SOLUTION


# ------------------------------------------------------------------ 2.5 Additive smoothing
class Additive(NGramModel):
    """Additive smoothing: as if each word had been seen alpha more times after every u.

    Args:
        tables, vocabulary: those of `NGramModel`.
        alpha: what is added to each count, above 0 (Laplace: 1).
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

        This is 1/V if u was never seen. About 3 lines.

        Example:
            >>> model = Additive([{}, {("b",): {EOS: 1}}], ["a", "b", "c", EOS], alpha=0.25)
            >>> model.prob("c", ["b"])  # (0 + 0.25) / (1 + 0.25 * 4)
            0.125
        """
        # BEGIN SOLUTION
        V = len(self.vocabulary)
        count = self.row(context).get(word, 0)
        return (count + self.alpha) / (self.total(context) + self.alpha * V)
        # END SOLUTION


# ------------------------------------------------------------------ 2.6 Interpolation
class Interpolated(NGramModel):
    """A weighted mean of the estimates of all orders (Jelinek and Mercer 1980).

    Args:
        tables, vocabulary: those of `NGramModel`.
        weights: weights[k] belongs to the k-grams, weights[0] to the uniform distribution 1/V.
            There are n + 1 of them. They sum to 1, none is below 0, and the first is above 0: then
            no word has probability 0.
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
        """Return the weighted mean of 1/V and #(vw) / #(v•) for all endings v of u (eq. 2.10).

        The endings of u are (), its last word, its last two words, ..., u itself. An ending of j
        words has the weight weights[j + 1]. An ending that was never seen has no estimate, and a
        short u has fewer endings: leave out what is missing, and divide by the sum of the weights
        that were used. About 9 lines.

        Example:
            >>> tables = [{(): {"a": 1}}, {("a",): {"b": 1}}]
            >>> model = Interpolated(tables, ["a", "b", "c", EOS], [0.25, 0.25, 0.5])
            >>> model.prob("c", ["a"])  # 0.25 * 1/4 + 0.25 * 0 + 0.5 * 0
            0.0625
            >>> model.prob("c", ["c"])  # c was never seen before a word: 0.25 * 1/4 / (0.25 + 0.25)
            0.125
        """
        # BEGIN SOLUTION
        mixture = self.weights[0] / len(self.vocabulary)
        used = self.weights[0]
        for k in range(len(context) + 1):
            ending = context[len(context) - k :]  # the last k words
            total = self.total(ending)
            if total > 0:
                mixture += self.weights[k + 1] * self.row(ending).get(word, 0) / total
                used += self.weights[k + 1]
        return mixture / used
        # END SOLUTION


# ------------------------------------------------------------------ 2.7 Absolute discounting
class AbsoluteDiscounting(NGramModel):
    """Each count gives up D; the shorter context shares it out again (Ney, Essen, Kneser 1994).

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
        # discounts[k]: what a count of 0, 1, 2, and 3 or more gives up in table k
        self.discounts = [(0.0, discount, discount, discount)] * self.n
        self.saved = cache(self.saved)  # each lambda(u) is computed once

    def discount(self, count: int, context: Context) -> float:
        """Return D(c), what a count c after u gives up: D, but 0 for a count of 0 (given)."""
        return self.discounts[len(context)][min(count, 3)]

    def saved(self, context: Context) -> float:
        """Return lambda(u), the share of #(u•) that the counts after u give up in all (eq. 2.12).

            lambda(u) = (sum of D(#(uw)) over the words w seen after u) / #(u•)

        1 if u was never seen. `self.discount(count, context)` gives D. About 5 lines.

        Example:
            >>> tables = [{(): {"a": 3, "b": 1, EOS: 2}}]
            >>> AbsoluteDiscounting(tables, ["a", "b", "c", EOS], 0.5).saved(())  # 3 * 0.5 / 6
            0.25
        """
        # BEGIN SOLUTION
        row = self.row(context)
        if not row:
            return 1.0
        given_up = sum(self.discount(count, context) for count in row.values())
        return given_up / self.total(context)
        # END SOLUTION

    def estimate(self, word: Word, context: Context) -> float:
        """Return the share that w keeps, plus its part of what all words gave up (eq. 2.11).

            P(w | u) = (#(uw) - D(#(uw))) / #(u•) + lambda(u) P(w | u')

        If u was never seen, P(w | u) = P(w | u'): `self.shorter(word, context)`. About 6 lines.

        Example:
            >>> tables = [{(): {"a": 3, "b": 1, EOS: 2}}]
            >>> model = AbsoluteDiscounting(tables, ["a", "b", "c", EOS], 0.5)
            >>> model.prob("c")  # never seen: 0.25 * 1/4
            0.0625
        """
        # BEGIN SOLUTION
        row = self.row(context)
        if not row:
            return self.shorter(word, context)
        count = row.get(word, 0)
        kept = (count - self.discount(count, context)) / self.total(context)
        return kept + self.saved(context) * self.shorter(word, context)
        # END SOLUTION


# ------------------------------------------------------------------ 2.8 Back-off
class Backoff(NGramModel):
    """Ask the shorter context about unseen words only (after Katz 1987).

    Args:
        tables, vocabulary: those of `NGramModel`.
        discount: D, above 0 and below 1; stored as `self.D`.
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

        If the whole vocabulary was seen after u, take D = 0: no unseen word needs the rest.
        alpha(u) is `self.backoff_weight(context)`. About 5 lines.

        Example:
            >>> model = Backoff([{(): {"a": 3, "b": 3, EOS: 2}}], ["a", "b", "c", EOS], 0.5)
            >>> model.prob("a")  # (3 - 0.5) / 8
            0.3125
        """
        # BEGIN SOLUTION
        row = self.row(context)
        if word not in row:
            return self.backoff_weight(context) * self.shorter(word, context)
        D = self.D if len(row) < len(self.vocabulary) else 0
        return (row[word] - D) / self.total(context)
        # END SOLUTION

    def backoff_weight(self, context: Context) -> float:
        """Return alpha(u), the factor that makes the probabilities after u sum to 1 (eq. 2.14).

            alpha(u) = (D N1+(u•) / #(u•)) / (1 - sum of P(w | u') over the words w seen after u)

        1 if u was never seen, and 0 where the whole vocabulary was seen. About 8 lines.

        Example:
            >>> model = Backoff([{(): {"a": 3, "b": 3, EOS: 2}}], ["a", "b", "c", EOS], 0.5)
            >>> model.backoff_weight(())  # (0.5 * 3 / 8) / (1 - 3/4)
            0.75
        """
        # BEGIN SOLUTION
        row = self.row(context)
        if not row:
            return 1.0
        if len(row) == len(self.vocabulary):
            return 0.0
        saved = self.D * len(row) / self.total(context)
        seen = sum(self.shorter(word, context) for word in row)
        return saved / (1 - seen)
        # END SOLUTION


# ------------------------------------------------------------------ 2.9 Kneser-Ney
def continuation_counts(tables: Sequence[Table]) -> list[Table]:
    """Count, for all but the longest n-grams, different words seen before them (eq. 2.15, 2.16).

    Returns new tables of the same form, plain dicts, in which #(uw) becomes N1+(•uw): the number of
    words v, BOS among them, with a count #(vuw) > 0 in the next table. There are three exceptions:

    - the last table keeps its counts: no longer n-gram says what stood before;
    - in every table, the contexts that begin with BOS keep their counts: nothing stands before a
      sentence (nltk ignores this);
    - contexts that begin with two BOS say no more than those with one: leave them out everywhere.

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
    # BEGIN SOLUTION
    counts: list[Table] = [{} for _ in tables]
    for k, table in enumerate(tables):
        for context, row in table.items():
            if context[:2] == (BOS, BOS):
                continue
            if context[:1] == (BOS,) or k == len(tables) - 1:
                counts[k][context] = dict(row)
            if context:  # its first word is one more word before each n-gram of context[1:]
                below = counts[k - 1].setdefault(context[1:], {})
                for word in row:
                    below[word] = below.get(word, 0) + 1
    return counts
    # END SOLUTION


class KneserNey(AbsoluteDiscounting):
    """Absolute discounting of continuation counts (eq. 2.17), interpolated down to 1/V as in KenLM.

    Nothing is left to write: it is complete with tasks 2.7 and 2.9.

    Example:
        >>> KneserNey(count_ngrams(["ab", "cb", "cb"], 2), ["a", "b", "c", EOS], 0.5).prob("b")
        0.4
    """

    def __init__(
        self, tables: Sequence[Table], vocabulary: Iterable[Word], discount: float = 0.75
    ) -> None:
        super().__init__(continuation_counts(tables), vocabulary, discount)


# ------------------------------------------------------------------ 2.10 Three discounts
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # as lmplz --discount_fallback


def modified_discounts(table: Table) -> tuple[float, float, float]:
    """Return the discounts D1, D2, D3 for counts of 1, of 2, and of 3 or more (eq. 2.18).

        Y  = n1 / (n1 + 2 n2)
        D1 = 1 - 2 Y n2 / n1
        D2 = 2 - 3 Y n3 / n2
        D3 = 3 - 4 Y n4 / n3

    n1, ..., n4 are the numbers of n-grams in the table with a count of exactly 1, ..., 4 (Chen and
    Goodman 1999, section 3). If n1, n2 or n3 is 0, or one of the three discounts is below 0, the
    text is too small or too regular: return FALLBACK_DISCOUNTS. About 11 lines.

    Example:
        >>> modified_discounts({(): {"a": 1, "b": 1, "c": 1, "d": 1, "e": 2, "f": 2, "g": 3}})
        (0.5, 1.25, 3.0)
    """
    # BEGIN SOLUTION
    counts = Counter(count for row in table.values() for count in row.values())
    n1, n2, n3, n4 = counts[1], counts[2], counts[3], counts[4]
    if n1 == 0 or n2 == 0 or n3 == 0:
        return FALLBACK_DISCOUNTS
    Y = n1 / (n1 + 2 * n2)
    D1 = 1 - 2 * Y * n2 / n1
    D2 = 2 - 3 * Y * n3 / n2
    D3 = 3 - 4 * Y * n4 / n3
    if min(D1, D2, D3) < 0:
        return FALLBACK_DISCOUNTS
    return D1, D2, D3
    # END SOLUTION


class ModifiedKneserNey(KneserNey):
    """Kneser-Ney with three discounts for each order, estimated as in KenLM (eq. 2.19).

    Nothing is left to write: it is complete with tasks 2.7, 2.9 and 2.10.
    """

    def __init__(self, tables: Sequence[Table], vocabulary: Iterable[Word]) -> None:
        super().__init__(tables, vocabulary)
        self.discounts = [(0.0, *modified_discounts(table)) for table in self.tables]


# ------------------------------------------------------------------ 2.11 Generating text
def generate(model: NGramModel, rng: np.random.Generator, max_words: int = 50) -> list[Word]:
    """Draw a sentence word by word, each from P(w | the words so far) (eq. 2.20).

    Begins after n - 1 BOS; ends at EOS, which is not returned, or after max_words words. Only
    `rng` decides. `model.distribution(history)` gives the chances. Draw a place in the list of
    words and not a word, which `rng.choice` would turn into numpy's own kind. About 9 lines.

    Raises:
        ValueError: if max_words is below 1.

    Example:
        >>> cow = [{}, {(BOS,): {"m": 1}, ("m",): {"o": 1}, ("o",): {EOS: 1}}]
        >>> generate(NGramModel(cow, ["m", "o", EOS]), np.random.default_rng(0))
        ['m', 'o']
    """
    require("max_words", max_words, max_words >= 1, "at least 1")
    # BEGIN SOLUTION
    history: list[Word] = [BOS] * (model.n - 1)
    for _ in range(max_words):
        chances = model.distribution(history)
        # subtle: draw a place, not the word, which numpy would turn into a numpy string
        place = rng.choice(len(chances), p=list(chances.values()))
        word = list(chances)[place]
        if word == EOS:
            break
        history.append(word)
    return history[model.n - 1 :]
    # END SOLUTION
