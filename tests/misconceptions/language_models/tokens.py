"""Plausible mistakes in sections 1.7 to 1.9: characters, candidates, merges."""

import math
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from examiner.judge.misconceptions import load_module, misconception

given = load_module(Path(__file__).parents[3] / "solutions" / "language_models.py", "given_parts")
chunks, merge = given.chunks, given.merge


def count_places(texts, n, places):
    counts = {}
    for text in texts:
        for t in places(text):
            row = counts.setdefault(text[max(0, t - n + 1) : t], {})
            row[text[t]] = row.get(text[t], 0) + 1
    return counts


@misconception(
    "1.7",
    replaces="count_characters",
    kind="idea",
    says="The texts were joined, so that the end of one is the context of the next. Count each "
    "text by itself.",
)
def counts_across_texts(texts, n):
    return count_places(["".join(texts)], n, lambda text: range(n - 1, len(text)))


@misconception(
    "1.7",
    replaces="count_characters",
    kind="idea",
    says="The first n - 1 characters of a text have no full context, and are not predicted.",
)
def counts_short_contexts(texts, n):
    return count_places(texts, n, lambda text: range(len(text)))


@misconception(
    "1.7",
    replaces="count_characters",
    says="The last character of each text is missing: range excludes its end.",
)
def misses_the_last_character(texts, n):
    return count_places(texts, n, lambda text: range(n - 1, len(text) - 1))


@misconception(
    "1.7",
    replaces="count_characters",
    says="The context has n characters; with the predicted one it must be n in all.",
)
def takes_one_character_too_many(texts, n):
    return count_places(texts, n + 1, lambda text: range(n, len(text)))


def smoothed(counts, text, n, fraction):
    rows = ((text[t], counts.get(text[t - n + 1 : t], {})) for t in range(n - 1, len(text)))
    return sum((math.log(fraction(row, c)) for c, row in rows), 0.0)


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="Each of the V characters got one more, so the row grew by V, not by 1.",
)
def adds_one_to_the_row(counts, text, n, V):
    return smoothed(counts, text, n, lambda row, c: (row.get(c, 0) + 1) / (sum(row.values()) + 1))


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="V is the size of the alphabet, which is given, not how many were seen after u.",
)
def takes_the_row_for_the_alphabet(counts, text, n, V):
    return smoothed(
        counts,
        text,
        n,
        lambda row, c: (row.get(c, 0) + 1) / (sum(row.values()) + (len(row) or V)),
    )


@misconception(
    "1.7",
    replaces="character_log_prob",
    kind="idea",
    says="Pairs that were never seen were skipped, so a foreign text looks likely. They "
    "count, with 1 / (#(u•) + V).",
)
def skips_what_was_never_seen(counts, text, n, V):
    rows = ((text[t], counts.get(text[t - n + 1 : t], {})) for t in range(n - 1, len(text)))
    seen = [(row[c] + 1) / (sum(row.values()) + V) for c, row in rows if c in row]
    return sum(map(math.log, seen), 0.0)


def shared(weights):
    total = sum(weights.values())
    return {c: weight / total if total else math.nan for c, weight in weights.items()}


@misconception(
    "1.7",
    replaces="posterior",
    kind="idea",
    says="The priors were not used: Bayes' rule multiplies each likelihood by its prior.",
)
def ignores_the_priors(log_likelihoods, priors):
    best = max(log_likelihoods.values())
    return shared({c: math.exp(value - best) for c, value in log_likelihoods.items()})


@misconception(
    "1.7",
    replaces="posterior",
    kind="edge",
    says="exp of a log-likelihood of -5000 is 0: subtract the largest sum before you take exp.",
)
def underflows(log_likelihoods, priors):
    return shared({c: math.exp(value) * priors[c] for c, value in log_likelihoods.items()})


@misconception(
    "1.7",
    replaces="posterior",
    kind="idea",
    says="These are not yet probabilities: divide by their sum.",
)
def does_not_normalise(log_likelihoods, priors):
    best = max(log_likelihoods.values())
    return {c: math.exp(value - best) * priors[c] for c, value in log_likelihoods.items()}


def ranked(scores, reverse=True):
    return sorted(scores, key=scores.get, reverse=reverse)


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="The weight belongs to the channel's score, not to the language model's.",
)
def weighs_the_language_model(candidates, weight=1.0):
    return ranked({text: weight * lm + channel for text, (lm, channel) in candidates.items()})


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="The worst candidate is first: sorted goes upwards, and the best score is the largest.",
)
def puts_the_worst_first(candidates, weight=1.0):
    scores = {text: lm + weight * channel for text, (lm, channel) in candidates.items()}
    return ranked(scores, reverse=False)


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="The channel was subtracted: both scores are logarithms of probabilities, and are added.",
)
def subtracts_the_channel(candidates, weight=1.0):
    return ranked({text: lm - weight * channel for text, (lm, channel) in candidates.items()})


@misconception(
    "1.8",
    replaces="rerank",
    kind="idea",
    says="Only the channel was asked; the language model says what the text itself is worth.",
)
def ignores_the_language_model(candidates, weight=1.0):
    return ranked({text: weight * channel for text, (_, channel) in candidates.items()})


@misconception(
    "1.8",
    replaces="rerank",
    kind="edge",
    says="Candidates with equal scores changed places: reversing a sorted list also turns them "
    "around. Sort by the negative score.",
)
def turns_equal_candidates_around(candidates, weight=1.0):
    scores = {text: lm + weight * channel for text, (lm, channel) in candidates.items()}
    return sorted(scores, key=scores.get)[::-1]


def trained(words, n_merges, choose, tally=None, least=2):
    """Count all pairs again for each merge: the plain way, right but slow."""
    words, merges = [(list(word), weight) for word, weight in words], []
    while len(merges) < n_merges:
        counts = Counter()
        for word, weight in words:
            for pair in (tally or pairwise)(word):
                counts[pair] += weight
        if not counts or max(counts.values()) < least:
            break
        best = choose(counts)
        words = [(merge(word, best, 256 + len(merges)), weight) for word, weight in words]
        merges.append(best)
    return merges


def smallest_of_the_best(counts):
    top = max(counts.values())
    return min(pair for pair in counts if counts[pair] == top)


def weighted(text):
    return [(chunk.encode(), weight) for chunk, weight in Counter(chunks(text)).items()]


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="edge",
    says="Equally frequent pairs: you took the one that was found first. Take the smaller pair.",
)
def breaks_ties_by_appearance(text, n_merges):
    return trained(weighted(text), n_merges, lambda counts: max(counts, key=counts.get))


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="edge",
    says="Equally frequent pairs: you took the one that has stood longest in your counts. Take the "
    "smaller pair.",
)
def breaks_ties_by_age(text, n_merges):
    words, counts, places, merges = weighted(text), Counter(), defaultdict(set), []

    def tally(place, word, weight):
        for pair in pairwise(word):
            counts[pair] += weight
            places[pair].add(place)

    for place, (word, weight) in enumerate(words):
        tally(place, word, weight)
    while len(merges) < n_merges and max(counts.values(), default=0) >= 2:
        best = max(counts, key=counts.get)
        for place in places.pop(best):
            word, weight = words[place]
            for pair in pairwise(word):
                counts[pair] -= weight
            words[place] = merge(list(word), best, 256 + len(merges)), weight
            tally(place, *words[place])
        merges.append(best)
    return merges


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="text.split() loses the blanks and leaves signs with their words: cut with chunks(text).",
)
def splits_at_blanks(text, n_merges):
    words = [(word.encode(), weight) for word, weight in Counter(text.split()).items()]
    return trained(words, n_merges, smallest_of_the_best)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="Every different chunk was counted once: a chunk that occurs a hundred times counts a "
    "hundred times.",
)
def counts_each_chunk_once(text, n_merges):
    return trained([(word, 1) for word, _ in weighted(text)], n_merges, smallest_of_the_best)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="edge",
    says="Tokens 0 to 255 are bytes: text.encode(), not the numbers of the characters, which go "
    "far beyond 255.",
)
def begins_with_characters(text, n_merges):
    words = [([ord(c) for c in chunk], weight) for chunk, weight in Counter(chunks(text)).items()]
    return trained(words, n_merges, smallest_of_the_best)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="edge",
    says="A pair that occurs once was merged: the training ends when no pair occurs twice.",
)
def merges_pairs_that_occur_once(text, n_merges):
    return trained(weighted(text), n_merges, smallest_of_the_best, least=1)


@misconception(
    "1.9",
    replaces="train_bpe",
    kind="idea",
    says="The counts were made once, at the beginning. Each merge makes new pairs and breaks old "
    "ones: the counts must follow.",
)
def never_counts_again(text, n_merges):
    counts = Counter()
    for word, weight in weighted(text):
        for pair in pairwise(word):
            counts[pair] += weight
    frequent = [pair for pair in counts if counts[pair] >= 2]
    return sorted(frequent, key=lambda pair: (-counts[pair], pair))[:n_merges]
