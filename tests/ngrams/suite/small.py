"""Small inputs of chapter 2: what a wrong answer is shown on.

Models get tables that are written out, so that a wrong `count_ngrams` does not spoil them. Most are
of running texts, such as "aab", which are smaller than those of padded sentences.
"""

from itertools import chain, product

import numpy as np

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.ngrams.suite import oracles as plain
from tests.ngrams.suite.small_tables import (
    BOS,
    EOS,
    a_context,
    a_text,
    after_a_word,
    after_two_words,
    asked,
    few_sentences,
    in_order,
    padded_text,
    positions,
    small_share,
    unigrams,
)

# ------------------------------------------------------------------------------ 2.1 and 2.2

ORDERS = (2, 2, 3, 1)


@small("2.1", "pad")
def sentences(draw: Small) -> Example:
    words = in_order(draw.words(3, least=min(draw.size, 1)))
    sentence = draw.choice([words, words, tuple(words), "abab", "abcd"])
    return example("list(pad(sentence, n))", sentence=sentence, n=draw.choice(ORDERS))


@small("2.1", "pad", tries=12)
def longer_words(draw: Small) -> Example:
    sentence = draw.choice([["sit"], ["sit", "down"], ("sit", "down"), [2, 0], [BOS, "sit", EOS]])
    return example("list(pad(sentence, n))", sentence=sentence, n=draw.choice(ORDERS))


@small("2.1", "windows")
def sequences(draw: Small) -> Example:
    words = in_order(draw.words(4, least=min(draw.size, 2), letters="abc"))
    tokens = draw.choice([words, words, words, "abcd", "abab", "abca", "aabb"])
    return example("list(windows(tokens, n))", tokens=tokens, n=draw.choice(ORDERS))


@small("2.1", "windows", tries=12)
def longer_tokens(draw: Small) -> Example:
    tokens = draw.choice([["sit"], ["sit", "down"], ["the", "goat", "sat"], [2, 0, 1]])
    return example("list(windows(tokens, n))", tokens=tokens, n=draw.choice(ORDERS))


@small("2.2", "count_ngrams")
def texts(draw: Small) -> Example:
    how_many, longest = (1, 2) if draw.size < 2 else (2, 2) if draw.size < 4 else (3, 3)
    least = 0 if draw.size > 2 and draw.yes() else 1
    lists = few_sentences(draw, draw.integer(1, how_many), longest, least)
    sentences = draw.choice([lists, ["".join(words) for words in lists]])
    n = draw.choice(ORDERS) if draw.size else 2
    return example("list(count_ngrams(sentences, n))", sentences=sentences, n=n)


# ------------------------------------------------------------------------------ models


# ------------------------------------------------------------------------------ 2.3

MLE = "MLE(tables, words).prob(word, context)"


@small("2.3", "MLE.estimate", tries=20)
def shares_of_all(draw: Small) -> Example:
    tables, words = unigrams(draw)
    code = "MLE(tables, words).prob(word)"
    return example(code, tables=tables, words=words, word=draw.choice(words))


@small("2.3", "MLE.estimate", tries=40)
def shares_of_a_row(draw: Small) -> Example:
    tables, words = a_text(draw, 2)
    context = a_context(draw, tables, words)
    return example(MLE, tables=tables, words=words, word=draw.choice(words), context=context)


@small("2.3", "MLE.estimate", tries=30)
def shares_after_two_words(draw: Small) -> Example:
    tables, words = draw.choice([a_text, a_text, padded_text])(draw, 3)
    context = a_context(draw, tables, words)
    return example(MLE, tables=tables, words=words, word=draw.choice(words), context=context)


# ------------------------------------------------------------------------------ 2.4

LOG_PROBS = "list(NGramModel(tables, words).log_probs(sentences))"


@small("2.4", "NGramModel.log_probs", tries=30)
def words_alone(draw: Small) -> Example:
    p = draw.choice([0.5, 0.5, 0.25, 0.75])
    words = draw.choice([["a", EOS], ["a", "b", EOS]])
    known = ["a"] if draw.size < 1 else ["a", "a", "b"]
    sentences = [
        [draw.choice(known) for _ in range(draw.length(1, 2))] for _ in range(draw.length(1, 2))
    ]
    if draw.size > 1 and draw.yes():
        sentences.append([])
    tables = [{(): {"a": p, EOS: 1 - p}}]
    return example(LOG_PROBS, tables=tables, words=words, sentences=sentences)


@small("2.4", "NGramModel.log_probs", tries=1, last=True)
def sentences_that_can_be_read_once(draw: Small) -> Example:
    code = LOG_PROBS.replace("(sentences)", "(iter(sentences))")
    tables = [{(): {"a": 0.5, EOS: 0.5}}]
    return example(code, tables=tables, words=["a", EOS], sentences=[["a"]])


@small("2.4", "NGramModel.log_probs", tries=50)
def words_after_words(draw: Small) -> Example:
    n, table = draw.integer(2, 3 if draw.size > 1 else 2), {}
    sentences = [in_order(draw.words(2, least=1, letters="ab")) for _ in range(draw.length(1, 2))]
    for context, word in chain.from_iterable(positions(each, n) for each in sentences):
        table.setdefault(context, {})[word] = draw.choice([0.5, 0.25, 0.125, 1.0])
    if draw.integer(0, 2) == 0:
        sentences = ["".join(sentence) for sentence in sentences]
    tables = [*({} for _ in range(n - 1)), table]
    if draw.integer(0, 2) == 0:
        tables[0] = {(): {"a": 0.75, EOS: 0.25}}
    words = ["a", "b", EOS] if any("b" in sentence for sentence in sentences) else ["a", EOS]
    return example(LOG_PROBS, tables=tables, words=words, sentences=sentences)


@small("2.4", "perplexity", tries=40)
def logarithms(draw: Small) -> Example:
    chances = [draw.choice(["1/2", "1/4", "1/4", "1/8"]) for _ in range(draw.length(1, 3))]
    logs = [f"math.log({chance})" for chance in chances]
    if len(logs) > 1 and draw.integer(0, 3) == 0:
        logs[-1] = "-math.inf"
    return example("perplexity(logs)", logs=Code(f"[{', '.join(logs)}]", len(logs)))


# ------------------------------------------------------------------------------ 2.5


def alpha(draw: Small) -> float:
    """Return what is added to counts: a 1 as often as another number."""
    return draw.choice([1, 1, 0.5, 2])


@small("2.5", "Additive.estimate", tries=40)
def added_to_unigrams(draw: Small) -> Example:
    tables, words = unigrams(draw) if draw.integer(0, 2) else padded_text(draw, 1)
    if EOS not in words:
        words = [*tables[0][()], EOS]  # which counts as a word, too
    code = "Additive(tables, words, alpha)"
    return asked(code, [], tables=tables, words=words, alpha=alpha(draw))


@small("2.5", "Additive.estimate", tries=50)
def added_to_bigrams(draw: Small) -> Example:
    tables, words = draw.choice([a_text, a_text, padded_text])(draw, 2)
    context = a_context(draw, tables, words)
    code = "Additive(tables, words, alpha)"
    return asked(code, context, tables=tables, words=words, alpha=alpha(draw))


# ------------------------------------------------------------------------------ 2.6


def weights(draw: Small, n: int) -> list[float]:
    """Return n + 1 weights, of which no two are equal, the first above 0; rarely one is 0."""
    if n > 1 and draw.size > 2 and draw.integer(0, 3) == 0:
        return {2: [0.25, 0.0, 0.75], 3: [0.25, 0.0, 0.125, 0.625]}[n]
    shares = {1: [0.25, 0.75], 2: [0.125, 0.25, 0.625], 3: [0.1, 0.2, 0.3, 0.4]}[n]
    return shares if draw.integer(0, 2) else shares[::-1]


@small("2.6", "Interpolated.estimate", tries=24)
def mixed_with_unigrams(draw: Small) -> Example:
    tables, words = unigrams(draw)
    code = "Interpolated(tables, words, weights)"
    return asked(code, [], tables=tables, words=words, weights=weights(draw, 1))


@small("2.6", "Interpolated.estimate", tries=48)
def mixed_with_bigrams(draw: Small) -> Example:
    tables, words = draw.choice([a_text, a_text, padded_text])(draw, 2)
    context = a_context(draw, tables, words) if draw.integer(0, 4) else []
    code = "Interpolated(tables, words, weights)"
    return asked(code, context, tables=tables, words=words, weights=weights(draw, 2))


@small("2.6", "Interpolated.estimate", tries=30)
def mixed_with_trigrams(draw: Small) -> Example:
    tables, words = a_text(draw, 3)
    context = a_context(draw, tables, words)
    code = "Interpolated(tables, words, weights)"
    return asked(code, context, tables=tables, words=words, weights=weights(draw, 3))


# ------------------------------------------------------------------------------ 2.7

DISCOUNTING = "AbsoluteDiscounting(tables, words, discount)"
THREE = """
model = AbsoluteDiscounting(tables, words)
model.discounts = discounts
"""


@small("2.7", "AbsoluteDiscounting.saved", tries=24)
def saved_by_unigrams(draw: Small) -> Example:
    tables, words = unigrams(draw)
    code = f"{DISCOUNTING}.saved(())"
    return example(code, tables=tables, words=words, discount=small_share(draw))


@small("2.7", "AbsoluteDiscounting.saved", tries=30)
def saved_by_a_row(draw: Small) -> Example:
    tables, words = a_text(draw, 2)
    context = tuple(a_context(draw, tables, words))
    code = f"{DISCOUNTING}.saved(context)"
    return example(code, tables=tables, words=words, discount=small_share(draw), context=context)


@small("2.7", "AbsoluteDiscounting.saved", tries=16)
def saved_with_three_discounts(draw: Small) -> Example:
    tables, words = unigrams(draw)
    discounts = np.array([draw.choice([(0, 0.5, 1, 1.5), (0, 0.25, 0.5, 1)])])
    return example(f"{THREE}model.saved(())", tables=tables, words=words, discounts=discounts)


@small("2.7", "AbsoluteDiscounting.estimate", tries=24)
def discounted_unigrams(draw: Small) -> Example:
    tables, words = unigrams(draw)
    return asked(DISCOUNTING, [], tables=tables, words=words, discount=small_share(draw))


@small("2.7", "AbsoluteDiscounting.estimate", tries=40)
def discounted_bigrams(draw: Small) -> Example:
    return after_a_word(draw, DISCOUNTING)


@small("2.7", "AbsoluteDiscounting.estimate", tries=24)
def discounted_trigrams(draw: Small) -> Example:
    return after_two_words(draw, DISCOUNTING)


@small("2.7", "AbsoluteDiscounting.estimate", tries=16)
def three_discounts(draw: Small) -> Example:
    tables, words = unigrams(draw)
    discounts = np.array([draw.choice([(0, 0.5, 1, 1.5), (0, 0.25, 0.5, 1)])])
    code = f"{THREE}model.distribution()"
    return example(code, tables=tables, words=words, discounts=discounts)


# ------------------------------------------------------------------------------ 2.8

BACKOFF = "Backoff(tables, words, discount)"


@small("2.8", "Backoff.estimate", tries=30)
def backed_off_from_unigrams(draw: Small) -> Example:
    tables, words = unigrams(draw)
    return asked(BACKOFF, [], tables=tables, words=words, discount=small_share(draw))


@small("2.8", "Backoff.estimate", tries=40)
def backed_off_from_bigrams(draw: Small) -> Example:
    return after_a_word(draw, BACKOFF)


@small("2.8", "Backoff.estimate", tries=20)
def backed_off_from_trigrams(draw: Small) -> Example:
    return after_two_words(draw, BACKOFF)


@small("2.8", "Backoff.backoff_weight", tries=30)
def weights_of_unigrams(draw: Small) -> Example:
    tables, words = unigrams(draw)
    code = f"{BACKOFF}.backoff_weight(())"
    return example(code, tables=tables, words=words, discount=small_share(draw))


@small("2.8", "Backoff.backoff_weight", tries=50)
def weights_of_bigrams(draw: Small) -> Example:
    tables, words = draw.choice([a_text, a_text, padded_text])(draw, 2)
    context = tuple(a_context(draw, tables, words))
    code = f"{BACKOFF}.backoff_weight(context)"
    return example(code, tables=tables, words=words, discount=small_share(draw), context=context)


# ------------------------------------------------------------------------------ 2.9 and 2.10


@small("2.9", "continuation_counts")
def tables_of_sentences(draw: Small) -> Example:
    sentences = few_sentences(draw, draw.length(1, 2 if draw.size < 4 else 3), 2)
    n = draw.choice([1, 2, 2, 2, 2, 3, 3, 3])
    return example("list(continuation_counts(tables))", tables=plain.count(sentences, n))


@small("2.9", "continuation_counts", tries=4)
def tables_up_to_four_words(draw: Small) -> Example:
    sentences = [draw.choice([["a"], ["a", "b"], ["a", "a"]]) for _ in range(2)]
    return example("list(continuation_counts(tables))", tables=plain.count(sentences, 4))


@small("2.10", "modified_discounts", tries=90)
def tables_of_counts(draw: Small) -> Example:
    least = [int(draw.integer(0, 7) > 0) for _ in range(3)] + [0]
    how_many = [low + draw.integer(0, 1 + draw.size // 2) for low in least]
    if draw.size < 2:
        how_many = [min(each, 2) for each in how_many]
    large = [draw.integer(5, 9) for _ in range(draw.integer(0, 1))]
    numbers = [c for c, times in enumerate(how_many, 1) for _ in range(times)] + large
    row = dict(zip("abcdefghijklmnopqrstuvwxyz", numbers, strict=False))
    table = {(): row}
    if draw.size > 2 and draw.yes():
        half = len(row) // 2
        table = {("a",): dict([*row.items()][:half]), ("b",): dict([*row.items()][half:])}
    return example("tuple(modified_discounts(table))", table=table)


# ------------------------------------------------------------------------------ 2.11

DRAWING = """
model = NGramModel(tables, words)
texts = [" ".join(generate(model, np.random.default_rng(seed), max_words)) for seed in range(100)]
Counter(texts)
"""
TWICE = """
model = NGramModel(tables, words)
texts = [list(generate(model, np.random.default_rng(seed), 9)) for again in range(2)]
texts[0] == texts[1]
"""


GENERATED = "list(generate(NGramModel(tables, words), np.random.default_rng(0), max_words))"


@small("2.11", "generate", tries=30)
def the_only_sentence(draw: Small) -> Example:
    n = draw.integer(1, 2) + int(draw.size > 1)
    sentence = in_order(draw.words(3, least=1, letters="ab"))
    table: dict = {}
    for context, word in positions(sentence, n):
        table.setdefault(context, {word: 1})
    tables = [*({} for _ in range(n - 1)), table]
    words = [*dict.fromkeys(sentence), EOS]
    return example(GENERATED, tables=tables, words=words, max_words=draw.integer(1, 5))


@small("2.11", "generate", tries=1)
def an_empty_sentence(draw: Small) -> Example:
    tables = [{}, {(BOS,): {EOS: 1}, ("a",): {"b": 1}, ("b",): {EOS: 1}}]
    return example(GENERATED, tables=tables, words=["a", "b", EOS], max_words=3)


@small("2.11", "generate", tries=8)
def the_first_word(draw: Small) -> Example:
    p = draw.choice([0.5, 0.9, 0.1])
    row = {"a": p, "b": round(1 - p, 1)}
    return example(DRAWING, chances=row, tables=[{(): row}], words=["a", "b", EOS], max_words=1)


@small("2.11", "generate", tries=4)
def the_word_after(draw: Small) -> Example:
    p = draw.choice([0.5, 0.9, 0.1])
    row = {"a": p, "b": round(1 - p, 1)}
    tables = [{}, {(BOS,): {"a": 1}, ("a",): row}]
    found = {f"a {word}": p for word, p in row.items()}
    return example(DRAWING, chances=found, tables=tables, words=["a", "b", EOS], max_words=2)


@small("2.11", "generate", tries=1)
def four_words(draw: Small) -> Example:
    """Of which a fixed seed hardly gives the likeliest ones."""
    tables = [{(): {"a": 0.5, "b": 0.5}}]
    found = {" ".join(words): 1 / 16 for words in product("ab", repeat=4)}
    return example(DRAWING, chances=found, tables=tables, words=["a", "b", EOS], max_words=4)


@small("2.11", "generate", tries=6)
def the_same_generator_twice(draw: Small) -> Example:
    tables = [{(): {"a": 0.5, "b": 0.5}}]
    return example(TWICE, tables=tables, words=["a", "b", EOS], seed=draw.integer(0, 9))
