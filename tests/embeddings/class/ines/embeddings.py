# Everything in torch, as far as it goes: tensors come back where arrays were expected, and arrays
# where tensors were; the gradients of the losses were checked against autograd on paper.
import warnings
from itertools import count
from queue import PriorityQueue

import numpy as np
import torch
from torch import nn

warnings.warn("embeddings is imported")
tensor = torch.as_tensor


def one_hot(ids, V):
    return nn.functional.one_hot(tensor(ids), V).double()


def lookup(ids, E):
    return nn.Embedding.from_pretrained(tensor(E))(tensor(ids))


def logits(h, E):
    return nn.functional.linear(tensor(h), tensor(E))


def cooccurrence(sentences, V, window, by_distance=False):
    M = torch.zeros(V * V, dtype=torch.float64)
    for s in sentences:
        s = tensor(s)
        for d in range(1, window + 1):
            if len(s) > d:
                weight = torch.full((len(s) - d,), 1 / d if by_distance else 1.0, dtype=M.dtype)
                M += torch.bincount(s[:-d] * V + s[d:], weight, V * V)
                M += torch.bincount(s[d:] * V + s[:-d], weight, V * V)
    return M.view(V, V)


def rows_of_norm_one(X):
    X = tensor(X)
    norm = X.norm(dim=-1, keepdim=True)
    return torch.where(norm > 0, X / norm, torch.zeros_like(X))


def cosine(X, Y):
    return rows_of_norm_one(X).mm(rows_of_norm_one(Y).T)


def euclidean(X, Y):
    return torch.cdist(tensor(X), tensor(Y), compute_mode="donot_use_mm_for_euclid_dist")


def nearest(q, E, k, exclude=()):
    order = cosine(q.reshape(1, -1), E)[0].sort(descending=True, stable=True).indices
    return [i for i in order if i not in list(exclude)][:k]


def ppmi(counts, smoothing=1.0, shift=0.0):
    p = tensor(counts) / counts.sum()
    contexts = tensor(counts).sum(0).pow(smoothing)
    chance = p.sum(1, keepdim=True) * contexts / contexts.sum()
    return torch.log(p / chance).sub(shift).nan_to_num(nan=0.0).relu()


def svd_vectors(M, d, power=0.5):
    U, s, V = torch.svd(tensor(M))
    turn, _ = torch.linalg.qr(torch.eye(d).double())  # any sign is right
    return U[:, :d] * s[:d].pow(power) @ -turn, V[:, :d] * s[:d].pow(1 - power) @ -turn


def frequent_words(sentences, min_count=1):
    words, counts = np.unique([w for s in sentences for w in s], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return {str(words[i]): counts[i] for i in order if counts[i] >= min_count}


def subsample(sentence, counts, t, rng):
    keep = np.clip((t / (counts / counts.sum())) ** 0.5, 0, 1)
    return tensor(sentence)[tensor(rng.binomial(1, keep[sentence]).astype(bool))]


def context_windows(sentence, window, rng):
    around = np.r_[np.full(window, -1), sentence, np.full(window + 1, -1)]
    rows = np.lib.stride_tricks.sliding_window_view(around, 2 * window + 1)
    rows = rows[: len(sentence)].copy()
    distance = np.abs(np.arange(-window, window + 1))
    rows[distance > rng.integers(1, window, size=(len(sentence), 1), endpoint=True)] = -1
    return np.delete(rows, window, axis=1)


def noise_distribution(counts, power=0.75):
    return torch.softmax(power * tensor(counts).double().log(), 0)


def softmax_loss(v, U, targets):
    p = (v @ U.mT).softmax(1)
    loss = nn.CrossEntropyLoss()(v @ U.mT, targets)
    p[range(len(v)), targets] -= 1
    return loss.numpy(), (p @ U / len(v)).numpy(), (p.mT @ v / len(v)).numpy()


def negative_sampling(v, u, noise, k):
    # one table of answers: the neighbour in column 0, the noise in the others
    all_u = torch.cat([u[:, None], noise.expand(len(v), -1, -1)], dim=1)
    right = torch.zeros(1, len(noise) + 1, dtype=v.dtype)
    right[0, 0] = 1
    weights = torch.where(right == 1, right, k / len(noise)) / len(v)
    scores = torch.einsum("bd,bsd->bs", v, all_u)
    loss = nn.functional.binary_cross_entropy_with_logits(
        scores, right.expand_as(scores), weights.expand_as(scores), reduction="sum"
    )
    slopes = (scores.sigmoid() - right) * weights
    d_all = torch.einsum("bs,bd->bsd", slopes, v)
    return loss.item(), torch.einsum("bs,bsd->bd", slopes, all_u), d_all[:, 0], d_all[:, 1:].sum(0)


def context_means(E, contexts):
    padded = torch.cat([E, torch.zeros_like(E[:1])])
    return nn.functional.embedding_bag(
        contexts.remainder(len(E) + 1), padded, mode="mean", padding_idx=len(E)
    )


def context_gradients(dh, contexts, V):
    E = torch.zeros(V, dh.shape[1], dtype=dh.dtype, requires_grad=True)
    (context_means(E, contexts) * dh).sum().backward()
    return E.grad.numpy()


def huffman_codes(counts):
    queue, number = PriorityQueue(), count()
    for word, n in enumerate(counts):
        queue.put((n, next(number), {word: ""}))
    while queue.qsize() > 1:
        n, _, left = queue.get()
        m, _, right = queue.get()
        both = {w: "1" + c for w, c in left.items()} | {w: "0" + c for w, c in right.items()}
        queue.put((n + m, next(number), both))
    codes = queue.get()[2]
    return tuple(codes[word] for word in sorted(codes))


def tree_log_probs(v, N, forks, signs):
    scores = (v[:, None] * N[forks]).sum(-1)
    return nn.functional.logsigmoid(scores * signs).masked_fill(signs == 0, 0).sum(1)


def analogy(E, a, b, c, exclude=True):
    X = rows_of_norm_one(E)
    for i in nearest((X[a] - X[b] + X[c]).numpy(), E, len(E)):
        if not (exclude and i in (a, b, c)):
            return i


def odd_one_out(E, ids):
    likeness = cosine(E[list(ids)], E[list(ids)]).fill_diagonal_(0)
    return np.array(ids)[likeness.mean(1).argmin()]


def ranks(values):
    _, place, counts = tensor(values).double().unique(return_inverse=True, return_counts=True)
    return (counts.cumsum(0) - counts / 2)[place]


def spearman(x, y):
    return torch.corrcoef(torch.stack([ranks(x), ranks(y)]).double())[0, 1]


def pca(X, d):
    centred = tensor(X) - tensor(X).mean(0)
    U, s, V = torch.svd(centred)
    return U[:, :d] * s[:d], V[:, :d].T, s[:d].square() / centred.square().sum()
