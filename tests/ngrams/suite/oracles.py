"""Random texts and the models of chapter 2 as plain loops, for the hidden tests of its suite.

Each model is written from its equation, without the tricks of the solution: a distribution is
built up from the uniform one, row by row, to the context u.
"""

import math
from itertools import islice

import numpy as np

from examiner.suite import map_calls

BOS, EOS = "<s>", "</s>"
FALLBACK = (0.5, 1.0, 1.5)


def random_sentences(rng, n_sentences=25, n_words=6, longest=9, shortest=0):
    """Sentences over a few words; some words are rare, one sentence has the shortest length."""
    chances = 1 / np.arange(1, n_words + 1)
    lengths = [shortest, *rng.integers(shortest, longest + 1, size=n_sentences).tolist()]
    drawn = iter(rng.choice(n_words, size=sum(lengths), p=chances / chances.sum()).tolist())
    return [[f"w{i}" for i in islice(drawn, length)] for length in lengths]


def random_strings(rng):
    """The same as strings of characters."""
    return ["".join(word[1] for word in sentence) for sentence in random_sentences(rng)]


def count(sentences, n):
    """Count position by position."""
    tables = [{} for _ in range(n)]
    for sentence in sentences:
        tokens = [BOS] * (n - 1) + list(sentence) + [EOS]
        for t in range(n - 1, len(tokens)):
            for k in range(n):
                row = tables[k].setdefault(tuple(tokens[t - k : t]), {})
                row[tokens[t]] = row.get(tokens[t], 0) + 1
    return tables


def different(sentences, n):
    """How many different k-grams end at a word or a sentence end, for k from 1 to n."""
    padded = [[BOS] * (n - 1) + list(sentence) + [EOS] for sentence in sentences]
    ends = [(tokens, t + 1) for tokens in padded for t in range(n - 1, len(tokens))]
    return [len({tuple(tokens[t - k : t]) for tokens, t in ends}) for k in range(1, n + 1)]


def random_words(rng, n=3):
    """Tables and a vocabulary with two words that were never seen: no row is complete."""
    words = count(random_sentences(rng), n)
    return words, [*words[0][()], "new", "newer"]


def random_texts(rng, n=3):
    """Yield tables and a vocabulary: of words with two unseen ones, and of characters without."""
    yield random_words(rng, n)
    characters = count(random_strings(rng), n)
    yield characters, [*characters[0][()]]


def seen_contexts(rng, tables, how_many=30):
    """Contexts of every length that were seen: the empty one, beginnings, and random ones."""
    seen = [u for table in tables for u in table]
    chosen = [u for u in seen if set(u) <= {BOS}]
    return chosen + [seen[i] for i in rng.permutation(len(seen))[:how_many].tolist()]


def new_contexts(rng, tables):
    """Contexts that were never seen; of some, the last word was, and of some it was not."""
    words = sorted({word for row in tables[0].values() for word in row} - {EOS})
    found = []
    for k in range(1, len(tables)):
        last = rng.choice(words, size=4).tolist()
        found += [("never", "seen", "words")[-k:], *(("never",) * (k - 1) + (w,) for w in last)]
    return [u for u in found if u not in tables[len(u)]]


def assert_follows(rng, model, tables, plain, contexts=None):
    """Compare a model with `plain(u)`, the distribution after u, for contexts of all kinds."""
    if contexts is None:
        contexts = seen_contexts(rng, tables) + new_contexts(rng, tables)
    answers = map_calls(model.distribution, [(u,) for u in contexts])
    for u, answer in zip(contexts, answers, strict=True):
        got, expected = dict(answer), plain(u)
        assert got.keys() == expected.keys()
        for word, p in expected.items():  # pytest.approx would take longer than the models do
            assert is_near(got[word], p)


def assert_follows_here_and_there(rng, model, counts, plain, contexts, of_each):
    """Compare a model with `plain(u)` for some words after each context: of every kind of count.

    In a second try each probability of a model is a conversation with parts that are lent.
    """
    expected = {}
    for u in contexts:
        row, p = counts[len(u)].get(u, {}), plain(u)
        kinds = {}  # words with counts of 0, 1, 2, and 3 or more
        for word in rng.permutation([*p]).tolist():
            kinds.setdefault(min(row.get(word, 0), 3), []).append(word)
        expected |= {(w, u): p[w] for kind in kinds.values() for w in kind[:of_each]}
    for got, p in zip(map_calls(model.prob, [*expected]), expected.values(), strict=True):
        assert is_near(got, p)


def is_near(got, p):
    return math.isclose(got, p, rel_tol=1e-9, abs_tol=1e-12)


def rows_up_to(tables, u):
    """The rows of (), of the last word of u, of its last two words, ..., of u."""
    return [tables[k].get(u[len(u) - k :], {}) for k in range(len(u) + 1)]


def shares(tables, words, alpha, u):
    """Equation 2.9, or 2.5 if alpha is 0; all 0 where there is nothing to share."""
    counts = {w: rows_up_to(tables, u)[-1].get(w, 0) + alpha for w in words}
    return {w: c / (sum(counts.values()) or 1) for w, c in counts.items()}


def interpolation(tables, words, weights, u):
    """Equation 2.10."""
    parts, used = [dict.fromkeys(words, weights[0] / len(words))], weights[0]
    for row, weight in zip(rows_up_to(tables, u), weights[1:], strict=False):
        if row:
            parts.append({w: weight * count / sum(row.values()) for w, count in row.items()})
            used += weight
    return {w: sum(part.get(w, 0) for part in parts) / used for w in words}


def discounting(tables, words, cuts, u):
    """Equations 2.11 and 2.12; cuts[k][c] is taken from a count c in table k."""
    p = dict.fromkeys(words, 1 / len(words))
    for row, cut in zip(rows_up_to(tables, u), cuts, strict=False):
        if row:
            kept = {w: row.get(w, 0) - cut[min(row.get(w, 0), 3)] for w in words}
            saved = sum(row.values()) - sum(kept.values())
            p = {w: (kept[w] + saved * p[w]) / sum(row.values()) for w in words}
    return p


def backoff(tables, words, D, u):
    """Equations 2.13 and 2.14."""
    p = dict.fromkeys(words, 1 / len(words))
    for row in rows_up_to(tables, u):
        total, unseen = sum(row.values()), [w for w in words if w not in row]
        if row and unseen:
            rest = D * len(row) / total / sum(p[w] for w in unseen)
            p = {w: (row[w] - D) / total if w in row else rest * p[w] for w in words}
        elif row:
            p = {w: row[w] / total for w in words}
    return p


def continuations(tables):
    """Equations 2.15 and 2.16."""
    found = [{} for _ in tables]
    before = {BOS} | {word for row in tables[0].values() for word in row}
    for k, table in enumerate(tables):
        for u, row in table.items():
            if u[:2] == (BOS, BOS):
                continue
            if u[:1] == (BOS,) or k == len(tables) - 1:
                found[k][u] = dict(row)
            else:
                longer = [tables[k + 1].get((v, *u), {}) for v in before]
                found[k][u] = {w: sum(w in each for each in longer) for w in row}
    return found


def table_with(rng, n1, n2, n3, n4):
    """A table with n1 counts of 1, ..., n4 counts of 4, and three larger ones, in four rows."""
    counts = [1] * n1 + [2] * n2 + [3] * n3 + [4] * n4 + rng.integers(5, 99, size=3).tolist()
    table = {}
    for i, count in enumerate(rng.permutation(counts).tolist()):
        table.setdefault((f"u{i % 4}",), {})[f"w{i}"] = count
    return table


def large_enough(rng):
    """Tables whose continuation counts have all of n1 to n4, and so discounts of their own."""
    while True:
        tables = count(random_sentences(rng, n_sentences=120, n_words=60), 3)
        counts = continuations(tables)
        if all(n4 and discounts(t) != FALLBACK for t in counts for n4 in counts_of_counts(t)[3:]):
            return tables, counts


def counts_of_counts(table):
    """How many n-grams were seen 1, 2, 3 and 4 times."""
    counts = [count for row in table.values() for count in row.values()]
    return [counts.count(c) for c in (1, 2, 3, 4)]


def discounts(table):
    """Equation 2.18."""
    n1, n2, n3, n4 = counts_of_counts(table)
    if 0 in (n1, n2, n3):
        return FALLBACK
    Y = n1 / (n1 + 2 * n2)
    found = (1 - 2 * Y * n2 / n1, 2 - 3 * Y * n3 / n2, 3 - 4 * Y * n4 / n3)
    return FALLBACK if min(found) < 0 else found
