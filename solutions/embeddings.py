"""Embeddings: counted, factorised and learned. Leaves out: subword vectors, the training loop.

Signs and equations, such as (3.4), are those of chapter 3. V: words of the vocabulary, D: numbers
in a vector, B: pairs in a batch. A word is its id, its place in a list of words; a sentence is an
array of ids; vectors are rows. Numpy, but torch where vectors are learned (3.7-3.10). Logarithms
are natural. Arguments that make no sense: ValueError. "No loop", "no autograd": on your honour.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from jaxtyping import Float, Int
from numpy import ndarray
from numpy.random import Generator
from torch import Tensor

from nextword.corpora.checks import require, require_ids

NONE = -1  # stands in a window where no word is

Ids, Sentence, Counts = Int[ndarray, "*ids"], Int[ndarray, " T"], Int[ndarray, " V"]
Table, Matrix, Square = Float[ndarray, "n m"], Float[ndarray, "V D"], Float[ndarray, "V V"]
Loss, Rows, Vectors = Float[Tensor, ""], Float[Tensor, "B D"], Float[Tensor, "V D"]
Noise, Signs, Forks = Float[Tensor, "S D"], Float[Tensor, "B L"], Int[Tensor, "B L"]
Targets, Contexts, Corpus = Int[Tensor, " B"], Int[Tensor, "B C"], Sequence[Int[ndarray, "_"]]


# ------------------------------------------------------------------ 3.1 One-hot vectors and lookup
def one_hot(ids: Ids, V: int) -> Float[ndarray, "*ids V"]:
    """Return V numbers for each id: 1 at the place of the id, 0 elsewhere (3.1). About 1 line.
    >>> one_hot(np.array([2, 0]), 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    require_ids("ids", ids.ravel(), V)
    # BEGIN SOLUTION
    return np.eye(V)[ids]
    # END SOLUTION


def lookup(ids: Ids, E: Matrix) -> Float[ndarray, "*ids D"]:
    """Return the row of E for each id: one_hot(ids) E, without the product (3.2). About 1 line.
    >>> lookup(np.array([1, 1]), np.array([[0.5, 2.0], [3.0, 4.0]])).tolist()
    [[3.0, 4.0], [3.0, 4.0]]
    """
    require_ids("ids", ids.ravel(), len(E))
    # BEGIN SOLUTION
    return E[ids]
    # END SOLUTION


def logits(h: Float[ndarray, "*rows D"], E: Matrix) -> Float[ndarray, "*rows V"]:
    """Return the score of each word for each vector h: h times the word's row (3.3). About 1 line.
    >>> logits(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]])).tolist()
    [1.0, 3.0]
    """
    # BEGIN SOLUTION
    return h @ E.T
    # END SOLUTION


# ------------------------------------------------------------------ 3.2 Co-occurrence
def cooccurrence(sentences: Corpus, V: int, window: int, by_distance: bool = False) -> Square:
    """Count how often word j stands at most `window` places from word i in a sentence (3.4).

    Both sides count, so the matrix is symmetric. A pair adds 1, or 1/d if `by_distance` is True and
    its words stand d places apart. About 5 lines: np.add.at, no loop over the words of a sentence.
    >>> cooccurrence([np.array([0, 1, 1])], V=2, window=1).tolist()  # the pair 1, 1 counts twice
    [[0.0, 1.0], [1.0, 2.0]]
    """
    require("window", window, window >= 1, "at least 1")
    require("sentences", "none", any(map(len, sentences)), "sentences with words in them")
    require_ids("ids", chain.from_iterable(map(set, sentences)), V)
    # BEGIN SOLUTION
    M = np.zeros((V, V))
    for sentence in sentences:
        for d in range(1, min(window, len(sentence) - 1) + 1):
            np.add.at(M, (sentence[:-d], sentence[d:]), 1 / d if by_distance else 1)
    return M + M.T
    # END SOLUTION


# ------------------------------------------------------------------ 3.3 Similarity
def cosine(X: Float[ndarray, "n D"], Y: Float[ndarray, "m D"]) -> Table:
    """Return the cosine of the angle between each row of X and each row of Y (equation 3.5).

    A row of norm 0 has no direction: its similarity is 0 to every vector. About 2 lines, no loop.
    >>> cosine(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.6], [0.0]]
    """
    # BEGIN SOLUTION
    norms = np.linalg.norm(X, axis=1)[:, None] * np.linalg.norm(Y, axis=1)
    return np.divide(X @ Y.T, norms, out=np.zeros_like(norms), where=norms > 0)
    # END SOLUTION


def euclidean(X: Float[ndarray, "n D"], Y: Float[ndarray, "m D"]) -> Table:
    """Return the distance between each row of X and each row of Y (3.6). About 1 line, no loop.
    >>> euclidean(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    # BEGIN SOLUTION
    return np.linalg.norm(X[:, None] - Y, axis=2)
    # END SOLUTION


def nearest(q: Float[ndarray, " D"], E: Matrix, k: int, exclude: Sequence[int] = ()) -> list[int]:
    """Return the ids of the k rows of E with the largest cosine to q, best first.

    Leaves out the ids in `exclude`. Equal cosines: the smaller id first. 3 lines, by `cosine`.
    >>> nearest(np.array([1.0, 0.0]), np.array([[2.0, 2.0], [3.0, 0.0], [0.0, 1.0]]), k=2)
    [1, 0]
    """
    left = len(E) - len(set(require_ids("exclude", exclude, len(E))))
    require("k", k, 1 <= k <= left, f"between 1 and {left}, the words that are not left out")
    # BEGIN SOLUTION
    similarity = cosine(q[None], E)[0]
    similarity[list(exclude)] = -np.inf
    return np.argsort(-similarity, kind="stable")[:k].tolist()
    # END SOLUTION


# ------------------------------------------------------------------ 3.4 PPMI
def ppmi(counts: Table, smoothing: float = 1.0, shift: float = 0.0) -> Table:
    """Return max(0, ln(P(i, j) / (P(i) P(j))) - shift) for each cell (equations 3.7 and 3.8).

    Rows are words i, columns contexts j. P(i, j) and P(i) are shares of all counts; P(j) is the
    share of #(j)**smoothing, where #(j) is the column's sum. A cell of count 0 gives 0, also in an
    empty row or column. About 4 lines (Church and Hanks 1990; Levy, Goldberg and Dagan 2015).
    >>> ppmi(np.array([[2.0, 1.0], [1.0, 0.0]])).round(3).tolist()  # ln((1/4) / (3/4 * 1/4))
    [[0.0, 0.288], [0.288, 0.0]]
    """
    require("counts", "none above 0", counts.min() >= 0 < counts.max(), "0 or more, not all 0")
    require("smoothing", smoothing, 0 < smoothing <= 1, "above 0 and at most 1")
    require("shift", shift, shift >= 0, "0 or more")
    # BEGIN SOLUTION
    contexts = counts.sum(axis=0) ** smoothing
    expected = np.outer(counts.sum(axis=1), contexts / contexts.sum())
    with np.errstate(divide="ignore", invalid="ignore"):  # fmax drops the NaN of 0/0
        return np.fmax(np.log(counts / expected) - shift, 0)
    # END SOLUTION


# ------------------------------------------------------------------ 3.5 Truncated SVD
def svd_vectors(M: Table, d: int, power: float = 0.5) -> tuple[Float[ndarray, "n d"], ndarray]:
    """Return word vectors W (n, d) and context vectors C (m, d) from M = U S V^T (equation 3.9).

    W = U_d S_d**power and C = V_d S_d**(1 - power), of the d largest singular values: no matrix of
    rank d is nearer to M than W C^T. Signs of the columns are free. About 2 lines.
    >>> W, C = svd_vectors(np.array([[2.0, 0.0], [0.0, 1.0]]), d=1)
    >>> np.round(W @ C.T, 6).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    require("d", d, 1 <= d <= min(M.shape), f"between 1 and {min(M.shape)}, the smaller side of M")
    # BEGIN SOLUTION
    U, s, Vt = np.linalg.svd(M, full_matrices=False)
    return U[:, :d] * s[:d] ** power, Vt[:d].T * s[:d] ** (1 - power)
    # END SOLUTION


# ------------------------------------------------------------------ 3.6 From text to training pairs
def frequent_words(sentences: Iterable[Sequence[str]], min_count: int = 1) -> dict[str, int]:
    """Return {word: count} of the words seen at least min_count times. About 2 lines.

    The most frequent word stands first, equally frequent ones by alphabet.
    >>> frequent_words([["b", "a", "b"], ["c", "a"]], min_count=2)
    {'a': 2, 'b': 2}
    """
    require("min_count", min_count, min_count >= 1, "at least 1")
    # BEGIN SOLUTION
    counts = sorted(Counter(chain.from_iterable(sentences)).items(), key=lambda it: (-it[1], it[0]))
    return {word: count for word, count in counts if count >= min_count}
    # END SOLUTION


def subsample(sentence: Sentence, counts: Counts, t: float, rng: Generator) -> Int[ndarray, "_"]:
    """Keep each word, independently and in order, with probability min(1, sqrt(t / f)) (3.10).

    f is the word's share of all counts: counts[i] is how often word i occurs. About 2 lines.
    >>> subsample(np.array([0, 1, 0, 1]), np.array([90, 10]), t=1e-9, rng=np.random.default_rng(0))
    array([], dtype=int64)
    """
    require("t", t, t > 0, "above 0")
    # BEGIN SOLUTION
    keep = np.sqrt(t * counts.sum() / counts[sentence])
    return sentence[rng.random(len(sentence)) < keep]
    # END SOLUTION


def context_windows(sentence: Sentence, window: int, rng: Generator) -> Int[ndarray, "T C"]:
    """Return for each place t of a sentence the words around it, from left to right (3.11).

    The reach of each place is drawn anew, evenly from 1, ..., window. Columns are the places
    t - window, ..., t - 1, t + 1, ..., t + window; a place beyond the reach or outside the
    sentence holds NONE. About 5 lines, no loop.
    >>> context_windows(np.array([7, 8, 9]), window=1, rng=np.random.default_rng(0)).tolist()
    [[-1, 8], [7, 9], [8, -1]]
    """
    require("window", window, window >= 1, "at least 1")
    # BEGIN SOLUTION
    T, offsets = len(sentence), np.r_[-window:0, 1 : window + 1]
    places = np.arange(T)[:, None] + offsets
    reach = rng.integers(1, window + 1, size=(T, 1))
    seen = (places >= 0) & (places < T) & (abs(offsets) <= reach)
    return np.where(seen, sentence[places % max(T, 1)], NONE)
    # END SOLUTION


def noise_distribution(counts: Counts, power: float = 0.75) -> Float[ndarray, " V"]:
    """Return each word's probability as noise: its share of all counts**power (3.12). 1 line.
    >>> noise_distribution(np.array([16, 1])).round(3).tolist()  # 8 to 1
    [0.889, 0.111]
    """
    require("counts", "none or 0", len(counts) and counts.min() > 0, "above 0")
    # BEGIN SOLUTION
    return counts**power / (counts**power).sum()
    # END SOLUTION


# ------------------------------------------------------------------ 3.7 Skip-gram with softmax
def softmax_loss(v: Rows, U: Vectors, targets: Targets) -> tuple[Loss, Rows, Vectors]:
    """Return the loss of skip-gram and its gradients in v and in U, by hand (3.13, 3.14).

    Row b of v is a word's vector, targets[b] its neighbour; P(w | b) is the softmax of U v_b. The
    loss is the mean of -ln P(targets[b] | b). About 3 lines: F.log_softmax, but no autograd.
    >>> loss, dv, dU = softmax_loss(torch.ones(1, 1), torch.zeros(2, 1), torch.tensor([0]))
    >>> loss.exp().item(), dU.tolist()
    (2.0, [[-0.5], [0.5]])
    """
    require_ids("targets", targets.tolist(), len(U))
    # BEGIN SOLUTION
    log_p = F.log_softmax(v @ U.T, dim=1)
    errors = (log_p.exp() - F.one_hot(targets, len(U))) / len(v)
    return F.nll_loss(log_p, targets), errors @ U, errors.T @ v
    # END SOLUTION


# ------------------------------------------------------------------ 3.8 Negative sampling
def negative_sampling(v: Rows, u: Rows, noise: Noise, k: float) -> tuple[Loss, Rows, Rows, Noise]:
    """Return the loss of negative sampling and its gradients in v, u and noise (3.15, 3.16).

    Row b of v is a word's vector, row b of u its neighbour's. The batch shares S vectors of noise,
    each counted k/S times, so that each pair has k of them. The loss is the mean over b of
    -ln s(u_b . v_b) - k/S * (sum over all noise n of ln s(-n . v_b)), where s is the sigmoid.
    About 6 lines: F.logsigmoid, no autograd and no loop (Mikolov et al. 2013).
    >>> zero = torch.zeros(1, 1)
    >>> negative_sampling(torch.ones(1, 1), zero, zero, k=3)[2:]
    (tensor([[-0.5000]]), tensor([[1.5000]]))
    """
    require("k", k, k > 0, "above 0")
    # BEGIN SOLUTION
    true, false = (v * u).sum(dim=1, keepdim=True), v @ noise.T
    each = k / len(noise)
    loss = -(F.logsigmoid(true).sum() + each * F.logsigmoid(-false).sum()) / len(v)
    pull = (torch.sigmoid(true) - 1) / len(v)
    push = torch.sigmoid(false) * (each / len(v))
    return loss, pull * u + push @ noise, pull * v, push.T @ v
    # END SOLUTION


# ------------------------------------------------------------------ 3.9 CBOW
def context_means(E: Vectors, contexts: Contexts) -> Rows:
    """Return the mean of the vectors of the words in each row of `contexts` (equation 3.17).

    NONE is no word and does not count; a row without words gives a vector of 0. About 2 lines.
    >>> context_means(torch.tensor([[1.0], [4.0]]), torch.tensor([[0, 1], [1, NONE]])).tolist()
    [[2.5], [4.0]]
    """
    # BEGIN SOLUTION
    known = (contexts != NONE).unsqueeze(-1)
    return (E[contexts] * known).sum(dim=1) / known.sum(dim=1).clamp(min=1)
    # END SOLUTION


def context_gradients(dh: Rows, contexts: Contexts, V: int) -> Vectors:
    """Return the gradient in E of a loss whose gradient in context_means(E, contexts) is dh (3.18).

    A word gets its part of dh at each place where it stands. About 4 lines: no autograd, no loop.
    >>> context_gradients(torch.tensor([[6.0]]), torch.tensor([[1, 1, 0, NONE]]), V=3).tolist()
    [[2.0], [4.0], [0.0]]
    """
    # BEGIN SOLUTION
    known = contexts != NONE
    parts = dh / known.sum(dim=1, keepdim=True).clamp(min=1)
    rows, columns = known.nonzero(as_tuple=True)
    return dh.new_zeros(V, dh.shape[1]).index_add_(0, contexts[rows, columns], parts[rows])
    # END SOLUTION


# ------------------------------------------------------------------ 3.10 Hierarchical softmax
def huffman_codes(counts: Sequence[int]) -> list[str]:
    """Return the path from the root of a Huffman tree to each word: 0 for left, 1 for right.

    The two trees of the smallest counts become the branches of one, until one is left. No code is
    the beginning of another, and no mean length is smaller. One word alone: "". About 9 lines.
    >>> [len(code) for code in huffman_codes([4, 2, 1, 1])]
    [1, 2, 3, 3]
    """
    require("counts", "none", len(counts), "of at least one word")
    # BEGIN SOLUTION
    codes = [""] * len(counts)
    heap = [(count, word, [word]) for word, count in enumerate(counts)]
    heapq.heapify(heap)
    while len(heap) > 1:
        (a, i, left), (b, _, right) = heapq.heappop(heap), heapq.heappop(heap)
        for bit, words in (("0", left), ("1", right)):
            for word in words:
                codes[word] = bit + codes[word]
        heapq.heappush(heap, (a + b, i, left + right))
    return codes
    # END SOLUTION


def tree_log_probs(v: Rows, N: Noise, forks: Forks, signs: Signs) -> Float[Tensor, " B"]:
    """Return ln P of one word for each row of v: the sum of ln s(sign n . v) on its path (3.19).

    N holds a vector n for each fork of the tree, not for noise. Row b of forks and signs is that
    word's path: rows of N; 1 for left, -1 for right, 0 after the end. 2 lines, by these rows alone.
    >>> path = torch.tensor([[0, 1]]), torch.tensor([[1.0, -1.0]])
    >>> tree_log_probs(torch.ones(1, 2), torch.zeros(2, 2), *path).exp().item()
    0.25
    """
    # BEGIN SOLUTION
    scores = torch.einsum("bd,bld->bl", v, N[forks]) * signs
    return (F.logsigmoid(scores) * signs.abs()).sum(dim=1)
    # END SOLUTION


# ------------------------------------------------------------------ 3.11 Evaluation
def odd_one_out(E: Matrix, ids: Sequence[int]) -> int:
    """Return the id with the lowest mean cosine to the other ids (3.20). About 3 lines.
    >>> odd_one_out(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.2]]), [2, 1, 0])
    1
    """
    chosen = require_ids("ids", ids, len(E))
    require("ids", chosen, len(set(chosen)) == len(chosen) > 2, "at least 3 different ids")
    # BEGIN SOLUTION
    norms = np.linalg.norm(E[chosen], axis=1, keepdims=True)
    X = E[chosen] / np.where(norms > 0, norms, 1)
    return chosen[int(np.argmin(X @ X.sum(axis=0) - (X * X).sum(axis=1)))]
    # END SOLUTION


def analogy(E: Matrix, a: int, b: int, c: int, exclude: bool = True) -> int:
    """Return the id of the word nearest by cosine to a - b + c, on vectors of norm 1 (3.21).

    Rows of E are brought to norm 1 first (a row of 0 stays). With `exclude`, a, b and c are no
    possible answers. Equally near: the smaller id. About 6 lines.
    >>> analogy(np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 0.1], [1.0, 0.2]]), 0, 1, 2)
    3
    """
    require_ids("a, b, c", (a, b, c), len(E))
    require("E", E.shape, len(E) > 3, "of 4 rows or more, so that one is left to answer")
    # BEGIN SOLUTION
    norms = np.linalg.norm(E, axis=1, keepdims=True)
    X = E / np.where(norms > 0, norms, 1)
    scores = X @ (X[a] - X[b] + X[c])
    if exclude:
        scores[[a, b, c]] = -np.inf
    return int(np.argmax(scores))
    # END SOLUTION


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Spearman's correlation of two lists: Pearson's, of their ranks (3.22). About 3 lines.

    Equal values share the mean of their ranks: 5, 5, 7 have the ranks 1.5, 1.5, 3.
    >>> round(spearman([1, 2, 3, 4], [5, 6, 6, 100]), 6)
    0.948683
    """
    sound = len(x) == len(y) and len(set(x)) > 1 < len(set(y))
    require("x and y", (len(x), len(y)), sound, "equally long, each of two values or more")
    # BEGIN SOLUTION
    sides = [[np.searchsorted(np.sort(z), z, side) for side in ("left", "right")] for z in (x, y)]
    ranks = [(below + up_to + 1) / 2 for below, up_to in sides]
    return float(np.corrcoef(*ranks)[0, 1])
    # END SOLUTION


# ------------------------------------------------------------------ 3.12 Principal components
def pca(X: Table, d: int) -> tuple[Float[ndarray, "n d"], Float[ndarray, "d m"], ndarray]:
    """Return the rows as points in d dimensions, the d axes as rows, their shares of the variance.

    The axes have norm 1, are at right angles and go through the mean of the rows; each takes as
    much of the variance as it can (equation 3.23). Signs of the axes are free. About 3 lines.
    >>> points, axes, shares = pca(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]]), d=1)
    >>> abs(points).round(6).tolist(), shares.round(6).tolist()
    ([[2.0], [0.0], [2.0]], [1.0])
    """
    require("d", d, 1 <= d <= min(X.shape), f"between 1 and {min(X.shape)}, the smaller side of X")
    require("X", "equal rows", np.ptp(X, axis=0).any(), "of rows that are not all the same")
    # BEGIN SOLUTION
    centred = X - X.mean(axis=0)
    _, s, axes = np.linalg.svd(centred, full_matrices=False)
    return centred @ axes[:d].T, axes[:d], s[:d] ** 2 / (s**2).sum()
    # END SOLUTION
