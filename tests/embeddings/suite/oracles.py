"""The definitions of chapter 3 as plain loops, and random inputs, for the suite's hidden tests."""

import heapq
import math
from collections import Counter

import numpy as np
import torch

NONE = -1


def tensor(rng, *shape, dtype=torch.float32):
    return torch.from_numpy(rng.normal(size=shape)).to(dtype)


def random_sentences(rng, V=7, how_many=12, longest=9):
    """Sentences of ids, frequent and rare ones; some sentences are empty or one word long."""
    lengths = [0, 1, 2, *rng.integers(0, longest + 1, size=how_many).tolist()]
    chances = 1 / np.arange(1, V + 1)
    return [rng.choice(V, size=n, p=chances / chances.sum()) for n in lengths]


def cooccurrence(sentences, V, window, by_distance):
    M = np.zeros((V, V))
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for j, other in enumerate(sentence):
                if 1 <= abs(i - j) <= window:
                    M[word, other] += 1 / abs(i - j) if by_distance else 1
    return M


def cosine(x, y):
    """The cosine of two vectors; 0 if one of them is 0."""
    size = math.sqrt(sum(a * a for a in x)) * math.sqrt(sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y, strict=True)) / size if size else 0.0


def cosines(X, Y):
    X, Y = np.asarray(X).tolist(), np.asarray(Y).tolist()  # a loop over numpy's numbers is slow
    return np.array([[cosine(x, y) for y in Y] for x in X])


def ppmi(counts, smoothing=1.0, shift=0.0):
    total, below = counts.sum(), sum(c**smoothing for c in counts.sum(axis=0))
    found = np.zeros(counts.shape)
    for w, row in enumerate(counts):
        for c, count in enumerate(row):
            if count:
                p_w, p_c = row.sum() / total, counts[:, c].sum() ** smoothing / below
                found[w, c] = max(0.0, math.log(count / total / p_w / p_c) - shift)
    return found


def frequent(sentences, min_count):
    counts = Counter(word for sentence in sentences for word in sentence)
    kept = [(-count, word) for word, count in counts.items() if count >= min_count]
    return [(word, -count) for count, word in sorted(kept)]


def skip_gram(v, U, targets):
    """The loss of skip-gram, pair by pair."""
    losses = [torch.logsumexp(U @ v[b], 0) - U[targets[b]] @ v[b] for b in range(len(v))]
    return torch.stack(losses).mean()


def negative_sampling(v, u, noise, k):
    """The loss of negative sampling, pair by pair."""
    losses = []
    for word, neighbour in zip(v, u, strict=True):
        false = torch.stack([torch.nn.functional.logsigmoid(-n @ word) for n in noise]).mean()
        losses.append(-torch.nn.functional.logsigmoid(neighbour @ word) - k * false)
    return torch.stack(losses).mean()


def context_means(E, contexts):
    rows = []
    for row in contexts.tolist():
        known = [E[i] for i in row if i != NONE]
        rows.append(torch.stack(known).mean(dim=0) if known else torch.zeros_like(E[0]))
    return torch.stack(rows)


def random_contexts(rng, B, C, V):
    """Windows with words that repeat, places without a word, rows of no word and of one."""
    contexts = rng.integers(0, V, size=(B, C))
    contexts[rng.random((B, C)) < 0.3] = NONE
    contexts[B // 2] = NONE
    contexts[B - 1] = [0, *[NONE] * (C - 1)]
    contexts[0, -2:] = V - 1
    return torch.from_numpy(contexts)


def distinct_contexts(rng, B, C, V):
    """Windows with places without a word; no word twice in a row, none of id 0, no row empty.

    The first row has one word, the second, if there are two, as many as it can have.
    """
    rows = [[*(rng.permutation(V - 1)[: C - 1] + 1).tolist(), *[NONE] * C][:C] for _ in range(B)]
    for i, row in enumerate(rows):
        for place in range(1, C):
            row[place] = NONE if rng.random() < (1, 0, *[0.3] * B)[i] else row[place]
    return torch.from_numpy(np.stack([rng.permutation(row) for row in rows]))


def shortest_total(counts):
    """The sum of count times length over all words, for the best code there is."""
    heap, total = list(counts), 0
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        total += joined
        heapq.heappush(heap, joined)
    return total


def random_codes(rng, V):
    """A binary tree of V words, joined at random: paths of unequal lengths."""
    trees = [[(word, "")] for word in range(V)]
    while len(trees) > 1:
        left, right = (trees.pop(int(rng.integers(len(trees)))) for _ in range(2))
        joined = [(w, "0" + code) for w, code in left] + [(w, "1" + code) for w, code in right]
        trees.append(joined)
    return [code for _, code in sorted(trees[0])]


def paths(codes, dtype=torch.float64):
    """The forks and signs of each word: forks are numbered in the order of their prefixes."""
    number = {p: i for i, p in enumerate(sorted({c[:i] for c in codes for i in range(len(c))}))}
    forks = torch.zeros(len(codes), max(map(len, codes)), dtype=torch.long)
    signs = torch.zeros(forks.shape, dtype=dtype)
    for word, code in enumerate(codes):
        for i, bit in enumerate(code):
            forks[word, i] = number[code[:i]]
            signs[word, i] = 1 if bit == "0" else -1
    return forks, signs


def tree_log_probs(v, N, forks, signs):
    """ln P of each row's word, fork by fork."""
    found = []
    for word, path, turns in zip(v, forks.tolist(), signs.tolist(), strict=True):
        steps = [torch.zeros_like(word[0])]
        for n, sign in zip(path, turns, strict=True):
            if sign:
                steps.append(torch.nn.functional.logsigmoid(sign * (N[n] @ word)))
        found.append(torch.stack(steps).sum())
    return torch.stack(found)


def unit(E):
    return np.array([row / (math.sqrt(sum(row * row)) or 1) for row in E])


def analogy(E, a, b, c, exclude):
    X = unit(E)
    target = X[a] - X[b] + X[c]
    found = cosines(X, [target])[:, 0]
    return max((i for i in range(len(E)) if not (exclude and i in (a, b, c))), key=found.item)


def odd_one_out(E, ids):
    found = cosines(E[ids], E[ids])
    return ids[(found.sum(axis=1) - found.diagonal()).argmin()]


def spearman(x, y):
    """Pearson's correlation of the ranks; equal values share the mean of their ranks."""
    ranks = []
    for values in (x, y):
        below = [sum(other < value for other in values) for value in values]
        same = [sum(other == value for other in values) for value in values]
        ranks.append([b + (s + 1) / 2 for b, s in zip(below, same, strict=True)])
    (dx, dy) = ([r - sum(row) / len(row) for r in row] for row in ranks)
    along = sum(a * b for a, b in zip(dx, dy, strict=True))
    return along / math.sqrt(sum(a * a for a in dx) * sum(b * b for b in dy))


def principal(X, d):
    """Points times their transpose, the projection on the axes, and the shares, by eigenvalues."""
    centred = X - X.mean(axis=0)
    variances, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :d].T
    points = centred @ axes.T
    return points @ points.T, axes.T @ axes, variances[::-1][:d] / variances.sum()
