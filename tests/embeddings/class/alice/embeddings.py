# Chapter 3, written from the formulas, with loops and plain Python wherever that is clear enough.
from math import exp, log, sqrt

import numpy as np
import torch


def one_hot(ids, V):
    table = np.zeros((*np.shape(ids), V))
    for place in np.ndindex(*np.shape(ids)):
        table[(*place, int(ids[place]))] = 1.0
    return table


def lookup(ids, E):
    return np.take(E, ids, axis=0)


def logits(h, E):
    return np.einsum("...d,vd->...v", h, E)


def cooccurrence(sentences, V, window, by_distance=False):
    M = [[0.0] * V for _ in range(V)]
    for sentence in sentences:
        words = [int(word) for word in sentence]
        for i in range(len(words)):
            for j in range(max(0, i - window), min(len(words), i + window + 1)):
                if i != j:
                    M[words[i]][words[j]] += 1 / abs(i - j) if by_distance else 1
    return M


def angle(x, y):
    sizes = sqrt(sum(a * a for a in x)) * sqrt(sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y)) / sizes if sizes > 0 else 0.0


def cosine(X, Y):
    return [[angle(x, y) for y in Y] for x in X]


def euclidean(X, Y):
    return [[sqrt(sum((a - b) ** 2 for a, b in zip(x, y))) for y in Y] for x in X]


def nearest(q, E, k, exclude=()):
    found = [(-angle(q, row), i) for i, row in enumerate(E) if i not in set(exclude)]
    return [i for _, i in sorted(found)[:k]]


def ppmi(counts, smoothing=1.0, shift=0.0):
    rows = [sum(row) for row in counts]
    columns = [sum(row[c] for row in counts) ** smoothing for c in range(len(counts[0]))]
    found = np.zeros((len(rows), len(columns)))
    for w in range(len(rows)):
        for c in range(len(columns)):
            if counts[w][c] > 0:
                pmi = log(counts[w][c]) - log(rows[w]) - log(columns[c]) + log(sum(columns))
                found[w, c] = max(pmi - shift, 0.0)
    return found


def svd_vectors(M, d, power=0.5):
    # the eigenvectors of M M^T are the left singular vectors
    variances, vectors = np.linalg.eigh(M @ M.T)
    U = vectors[:, np.argsort(-variances)[:d]]
    V = M.T @ U
    s = np.sqrt((V * V).sum(axis=0))
    V = V / np.where(s > 0, s, 1)
    return U @ np.diag(s**power), V @ np.diag(s ** (1 - power))


def frequent_words(sentences, min_count=1):
    counts = {}
    for sentence in sentences:
        for word in sentence:
            counts[word] = counts.get(word, 0) + 1
    words = sorted(word for word in counts if counts[word] >= min_count)
    words.sort(key=counts.get, reverse=True)
    return {word: counts[word] for word in words}


def subsample(sentence, counts, t, rng):
    kept = []
    for word in sentence:
        f = counts[word] / counts.sum()
        if rng.uniform() < sqrt(t / f):
            kept.append(word)
    return np.array(kept, dtype=int)


def context_windows(sentence, window, rng):
    rows = []
    for t in range(len(sentence)):
        reach = rng.choice(np.arange(1, window + 1))
        row = []
        for offset in [*range(-window, 0), *range(1, window + 1)]:
            inside = 0 <= t + offset < len(sentence) and abs(offset) <= reach
            row.append(int(sentence[t + offset]) if inside else -1)
        rows.append(row)
    return rows


def noise_distribution(counts, power=0.75):
    weights = [float(count) ** power for count in counts]
    return [weight / sum(weights) for weight in weights]


def softmax_loss(v, U, targets):
    B = len(v)
    scores = v @ U.T
    p = torch.exp(scores - torch.logsumexp(scores, dim=1, keepdim=True))
    loss, dv, dU = 0, torch.zeros_like(v), torch.zeros_like(U)
    for b in range(B):
        loss = loss + (torch.logsumexp(scores[b], 0) - scores[b, targets[b]]) / B
        for w in range(len(U)):
            error = (p[b, w] - (1 if w == targets[b] else 0)) / B
            dv[b] += error * U[w]
            dU[w] += error * v[b]
    return loss, dv, dU


def minus_log_sigmoid(x):
    return torch.nn.functional.softplus(-x)


def negative_sampling(v, u, noise, k):
    B, S = len(v), len(noise)
    loss, dv, du, dn = 0, torch.zeros_like(v), torch.zeros_like(u), torch.zeros_like(noise)
    for b in range(B):
        x = v[b].dot(u[b])
        loss = loss + minus_log_sigmoid(x) / B
        dv[b] -= torch.sigmoid(-x) * u[b] / B
        du[b] -= torch.sigmoid(-x) * v[b] / B
        for s in range(S):
            y = v[b].dot(noise[s])
            loss = loss + k / S * minus_log_sigmoid(-y) / B
            dv[b] += k / S * torch.sigmoid(y) * noise[s] / B
            dn[s] += k / S * torch.sigmoid(y) * v[b] / B
    return loss, dv, du, dn


def context_means(E, contexts):
    means = torch.zeros(len(contexts), E.shape[1], dtype=E.dtype)
    for b, row in enumerate(contexts.tolist()):
        known = [i for i in row if i >= 0]
        for i in known:
            means[b] += E[i] / len(known)
    return means


def context_gradients(dh, contexts, V):
    dE = torch.zeros(V, dh.shape[1], dtype=dh.dtype)
    for b, row in enumerate(contexts.tolist()):
        known = [i for i in row if i >= 0]
        for i in known:
            dE[i] += dh[b] / len(known)
    return dE


def huffman_codes(counts):
    class Tree:
        def __init__(self, count, word=None, branches=()):
            self.count, self.word, self.branches = count, word, branches

    trees = [Tree(count, word) for word, count in enumerate(counts)]
    while len(trees) > 1:
        trees.sort(key=lambda tree: tree.count, reverse=True)
        one, other = trees.pop(), trees.pop()
        trees.append(Tree(one.count + other.count, branches=(one, other)))
    codes = {}

    def walk(tree, code):
        if tree.word is not None:
            codes[tree.word] = code
        for bit, branch in enumerate(tree.branches):
            walk(branch, code + str(1 - bit))

    walk(trees[0], "")
    return [codes[word] for word in range(len(counts))]


def tree_log_probs(v, N, forks, signs):
    rows = []
    for b in range(len(v)):
        total = v[b].sum() * 0
        for n, sign in zip(forks[b], signs[b]):
            if sign != 0:
                total = total - minus_log_sigmoid(sign * N[n].dot(v[b]))
        rows.append(total)
    return torch.stack(rows)


def analogy(E, a, b, c, exclude=True):
    def unit(row):
        size = sqrt(sum(x * x for x in row))
        return row / size if size else row

    target = unit(E[a]) - unit(E[b]) + unit(E[c])
    answers = set(range(len(E))) - ({a, b, c} if exclude else set())
    return min(answers, key=lambda i: (-angle(E[i], target), i))


def odd_one_out(E, ids):
    means = {i: sum(angle(E[i], E[j]) for j in ids if j != i) / (len(ids) - 1) for i in ids}
    return min(means, key=means.get)


def spearman(x, y):
    def ranks(values):
        places = {}
        for place, v in enumerate(sorted(values)):
            places.setdefault(v, []).append(place)
        return [sum(places[v]) / len(places[v]) for v in values]

    rx, ry = ranks(list(x)), ranks(list(y))
    mx, my = sum(rx) / len(rx), sum(ry) / len(ry)
    top = sum((a - mx) * (b - my) for a, b in zip(rx, ry))
    return top / sqrt(sum((a - mx) ** 2 for a in rx) * sum((b - my) ** 2 for b in ry))


def pca(X, d):
    centred = X - np.mean(X, axis=0)
    variances, vectors = np.linalg.eigh(np.cov(centred, rowvar=False).reshape(X.shape[1], -1))
    order = np.argsort(variances)[::-1][:d]
    return centred @ vectors[:, order], vectors[:, order].T, variances[order] / variances.sum()
