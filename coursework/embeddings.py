"""Embeddings: counted, factorised and learned. Leaves out: subword vectors, the training loop.

A word is its id: its position in a list of words. A sentence is an array of ids, and a table of
vectors has one row for each word. Symbols are those of chapter 3; (eq. 3.4) is an equation there.
The sizes in the shapes of arguments and return values:

    V     words of the vocabulary           B     pairs in a batch
    D     dimensions of a vector            C     positions in a window
    T     words of a sentence               S     noise vectors that a batch shares
    n, m  rows and columns of a table,      F     forks: inner nodes of a tree
          or rows of two tables             L     forks of the longest path
    d     dimensions that are kept

So `x: Float[Tensor, "B D"]` is a tensor of B rows of D numbers, `Int[ndarray, " V"]` an array of V
whole numbers (the space in front means nothing), and "*ids" stands for any number of axes. A name
with an underscore in front is not compared with others. Where vectors are learned, in 3.7 to 3.10,
they are tensors of torch; everywhere else arrays of numpy.

Logarithms are natural. Arguments that make no sense raise a ValueError: the lines with `require`,
which are given, see to that. "No loop" and "no autograd" are a matter of honour.
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

from nextword.given.checks import require, require_ids

NONE = -1  # stands in a window where no word is


# ------------------------------------------------------------------ 3.1 One-hot vectors and lookup
def one_hot(ids: Int[ndarray, "*ids"], V: int) -> Float[ndarray, "*ids V"]:
    """Return the one-hot vector of each id: 1 at that position, 0 elsewhere (eq. 3.1).

    About 1 line, without a loop: `ids` may have any shape.

    >>> one_hot(np.array([2, 0]), V=3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    require_ids("ids", ids.ravel(), V)
    raise NotImplementedError("3.1 one_hot: see section 3.1, equations 3.1 to 3.3")


def lookup(ids: Int[ndarray, "*ids"], E: Float[ndarray, "V D"]) -> Float[ndarray, "*ids D"]:
    """Return the vector of each id: its row of E.

    This is the product of its one-hot vector with E, at the cost of reading one row (eq. 3.2).

    About 1 line: neither a loop nor a product.

    >>> lookup(np.array([1, 1]), np.array([[0.5, 2.0], [3.0, 4.0]])).tolist()
    [[3.0, 4.0], [3.0, 4.0]]
    """
    require_ids("ids", ids.ravel(), len(E))
    raise NotImplementedError("3.1 lookup: see section 3.1, equations 3.1 to 3.3")


def logits(h: Float[ndarray, "*rows D"], E: Float[ndarray, "V D"]) -> Float[ndarray, "*rows V"]:
    """Return the score of each word for each vector h: its dot product with the row (eq. 3.3).

    About 1 line.

    >>> logits(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]])).tolist()
    [1.0, 3.0]
    """
    raise NotImplementedError("3.1 logits: see section 3.1, equations 3.1 to 3.3")


# ------------------------------------------------------------------ 3.2 Co-occurrence
def cooccurrence(
    sentences: Sequence[Int[ndarray, " _T"]],
    V: int,
    window: int,
    by_distance: bool = False,
) -> Float[ndarray, "V V"]:
    """Count how often word j stands at most `window` places from word i in a sentence (eq. 3.4).

    Both sides count, so the matrix is symmetric. Sentences may differ in length, and no pair
    reaches from one into the next.

    Args:
        sentences: at least one of them has words in it.
        V: the size of the vocabulary; ids run from 0 to V - 1.
        window: how many places to either side count as near, at least 1.
        by_distance: if True, a pair whose words stand d places apart adds 1/d instead of 1.

    About 8 lines: np.add.at, no loop over the words of a sentence (one over distances is fine).

    >>> cooccurrence([np.array([0, 1, 1])], V=2, window=1).tolist()  # 1, 1: once from each side
    [[0.0, 1.0], [1.0, 2.0]]
    """
    require("window", window, window >= 1, "at least 1")
    has_words = any(len(sentence) > 0 for sentence in sentences)
    require("sentences", "none", has_words, "sentences with words in them")
    require_ids("ids", {word for sentence in sentences for word in sentence}, V)
    raise NotImplementedError("3.2 cooccurrence: see section 3.2, equation 3.4")


# ------------------------------------------------------------------ 3.3 Similarity
def cosine(X: Float[ndarray, "n D"], Y: Float[ndarray, "m D"]) -> Float[ndarray, "n m"]:
    """Return the cosine of the angle between each row of X and each row of Y (eq. 3.5).

        cos(x, y) = x . y / (|x| |y|)

    A row of norm 0 has no direction: its similarity is 0 to every vector.

    About 3 lines, no loop.

    >>> cosine(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.6], [0.0]]
    """
    raise NotImplementedError("3.3 cosine: see section 3.3, equations 3.5 and 3.6")


def euclidean(X: Float[ndarray, "n D"], Y: Float[ndarray, "m D"]) -> Float[ndarray, "n m"]:
    """Return the distance |x - y| between each row of X and each row of Y (eq. 3.6).

    About 2 lines, no loop.

    >>> euclidean(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    raise NotImplementedError("3.3 euclidean: see section 3.3, equations 3.5 and 3.6")


def nearest(
    q: Float[ndarray, " D"],
    E: Float[ndarray, "V D"],
    k: int,
    exclude: Sequence[int] = (),
) -> list[int]:
    """Return the ids of the k rows of E with the largest cosine to q, best first.

    Ids in `exclude` are left out. Ties go to the smaller id, as in a sort with kind="stable".
    Raises ValueError unless k words are left to choose from.

    About 4 lines, with `cosine`.

    >>> nearest(np.array([1.0, 0.0]), np.array([[2.0, 2.0], [3.0, 0.0], [0.0, 1.0]]), k=2)
    [1, 0]
    """
    left = len(E) - len(set(require_ids("exclude", exclude, len(E))))
    require("k", k, 1 <= k <= left, f"between 1 and {left}, the words that are not left out")
    raise NotImplementedError("3.3 nearest: see section 3.3, equations 3.5 and 3.6")


# ------------------------------------------------------------------ 3.4 PPMI
def ppmi(
    counts: Float[ndarray, "n m"],
    smoothing: float = 1.0,
    shift: float = 0.0,
) -> Float[ndarray, "n m"]:
    """Return the positive pointwise mutual information of each cell, smoothed and shifted.

        max(0, ln(P(i, j) / (P(i) P(j))) - shift)        (eq. 3.7) and (eq. 3.8)

        P(i, j) = #(i, j) / N,    P(i) = #(i) / N
        P(j) = #(j)**smoothing / (the sum of #(c)**smoothing over all columns c)

    N is the sum of all counts, #(i) that of row i and #(j) that of column j. A cell whose count is
    0 gives 0, also in an empty row or column.

    Args:
        counts: rows are words i, columns contexts j; 0 or more, and not all 0.
        smoothing: the power, above 0 and at most 1. With 1, P(j) is the column's plain share.
        shift: subtracted before negative values are set to 0; itself 0 or more.

    About 5 lines (Church and Hanks 1990; Levy, Goldberg and Dagan 2015).

    >>> ppmi(np.array([[2.0, 1.0], [1.0, 0.0]])).round(3).tolist()  # ln((1/4) / (3/4 * 1/4))
    [[0.0, 0.288], [0.288, 0.0]]
    """
    sound = counts.min() >= 0 and counts.max() > 0
    require("counts", "none above 0", sound, "0 or more, not all 0")
    require("smoothing", smoothing, 0 < smoothing <= 1, "above 0 and at most 1")
    require("shift", shift, shift >= 0, "0 or more")
    raise NotImplementedError("3.4 ppmi: see section 3.4, equations 3.7 and 3.8")


# ------------------------------------------------------------------ 3.5 Truncated SVD
def svd_vectors(
    M: Float[ndarray, "n m"],
    d: int,
    power: float = 0.5,
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "m d"]]:
    """Return word vectors W and context vectors C from the SVD of a table, M = U S V^T (eq. 3.9).

        W = U_d S_d**power,    C = V_d S_d**(1 - power)

    The index d stands for the d largest singular values: no matrix of rank d is nearer to M than W
    C^T. `power` says how S is divided: 1 gives all of it to W, 0 all to C. A column of W and C may
    have either sign. Raises ValueError unless d is between 1 and the smaller side of M.

    About 4 lines: np.linalg.svd(M, full_matrices=False) gives U, the singular values as a vector,
    the largest first, and V^T.

    >>> W, C = svd_vectors(np.array([[2.0, 0.0], [0.0, 1.0]]), d=1)
    >>> np.round(W @ C.T, 6).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    require("d", d, 1 <= d <= min(M.shape), f"between 1 and {min(M.shape)}, the smaller side of M")
    raise NotImplementedError("3.5 svd_vectors: see section 3.5, equation 3.9")


# ------------------------------------------------------------------ 3.6 From text to training pairs
def frequent_words(sentences: Iterable[Sequence[str]], min_count: int = 1) -> dict[str, int]:
    """Return {word: count} of the words that occur at least `min_count` times.

    The most frequent word stands first; equally frequent ones stand in alphabetical order.

    About 4 lines.

    >>> frequent_words([["b", "b", "d", "a"], ["c", "b", "a", "c"]], min_count=2)
    {'b': 3, 'a': 2, 'c': 2}
    """
    require("min_count", min_count, min_count >= 1, "at least 1")
    raise NotImplementedError("3.6 frequent_words: see section 3.6, equations 3.10 to 3.12")


def subsample(
    sentence: Int[ndarray, " T"],
    counts: Int[ndarray, " V"],
    t: float,
    rng: Generator,
) -> Int[ndarray, " _kept"]:
    """Thin out frequent words: keep each one with probability min(1, sqrt(t / f)) (eq. 3.10).

    Each word is kept or dropped independently of the others, and the order stays.

    Args:
        sentence: ids; may be empty.
        counts: counts[i] is how often word i occurs. f is the word's share of all counts.
        t: the threshold, above 0. Words whose share is at most t always stay.
        rng: draws once for each word of the sentence.

    About 3 lines.

    >>> sentence, counts = np.array([0, 1, 0, 1]), np.array([10**12, 1])
    >>> subsample(sentence, counts, t=1e-12, rng=np.random.default_rng(0)).tolist()  # 0 is frequent
    [1, 1]
    """
    require("t", t, t > 0, "above 0")
    raise NotImplementedError("3.6 subsample: see section 3.6, equations 3.10 to 3.12")


def context_windows(
    sentence: Int[ndarray, " T"],
    window: int,
    rng: Generator,
) -> Int[ndarray, "T C"]:
    """Return for each position t of a sentence the words around it, from left to right (eq. 3.11).

    The columns are the positions t - window, ..., t - 1, t + 1, ..., t + window, so C = 2 * window.
    How far each position looks, its reach, is drawn for itself, uniformly from 1, ..., window. A
    position beyond the reach or outside the sentence holds NONE.

    Args:
        sentence: ids; if it is empty, the result has no rows.
        window: the largest reach, at least 1.
        rng: draws one reach for each position; rng.integers leaves out its upper end.

    About 8 lines, no loop.

    >>> context_windows(np.array([7, 8, 9]), window=1, rng=np.random.default_rng(0)).tolist()
    [[-1, 8], [7, 9], [8, -1]]
    """
    require("window", window, window >= 1, "at least 1")
    raise NotImplementedError("3.6 context_windows: see section 3.6, equations 3.10 to 3.12")


def noise_distribution(counts: Int[ndarray, " V"], power: float = 0.75) -> Float[ndarray, " V"]:
    """Return the probability of each word as noise: its share of all counts**power (eq. 3.12).

    Raises ValueError unless there are counts and all are above 0.

    About 2 lines.

    >>> noise_distribution(np.array([16, 1])).round(3).tolist()  # 8 to 1
    [0.889, 0.111]
    """
    require("counts", "none or 0", len(counts) and counts.min() > 0, "above 0")
    raise NotImplementedError("3.6 noise_distribution: see section 3.6, equations 3.10 to 3.12")


# ------------------------------------------------------------------ 3.7 Skip-gram with softmax
def softmax_loss(
    v: Float[Tensor, "B D"],
    U: Float[Tensor, "V D"],
    targets: Int[Tensor, " B"],
) -> tuple[Float[Tensor, ""], Float[Tensor, "B D"], Float[Tensor, "V D"]]:
    """Return the loss of skip-gram and its gradients with respect to v and U (eq. 3.13, 3.14).

        loss = mean over b of -ln P(targets[b] | b),    P(w | b) = softmax over w of U_w . v_b

    Args:
        v: row b is the vector of a centre word.
        U: row w is the context vector of word w, the one that it has as a neighbour.
        targets: targets[b] is the neighbour that was seen beside word b.

    The gradients are those of the mean: rows of v are divided by B, and U gets the sum over the
    pairs, divided by B. Work them out by hand. About 8 lines: F.log_softmax, but no autograd.

    >>> loss, dv, dU = softmax_loss(torch.ones(1, 1), torch.zeros(2, 1), torch.tensor([0]))
    >>> loss.exp().item(), dU.tolist()
    (2.0, [[-0.5], [0.5]])
    """
    require_ids("targets", targets.tolist(), len(U))
    raise NotImplementedError("3.7 softmax_loss: see section 3.7, equations 3.13 and 3.14")


# ------------------------------------------------------------------ 3.8 Negative sampling
def negative_sampling(
    v: Float[Tensor, "B D"],
    u: Float[Tensor, "B D"],
    noise: Float[Tensor, "S D"],
    k: float,
) -> tuple[Float[Tensor, ""], Float[Tensor, "B D"], Float[Tensor, "B D"], Float[Tensor, "S D"]]:
    """Return the loss of negative sampling and its gradients with respect to v, u and noise.

        loss = mean over b of  -ln sigmoid(u_b . v_b) - k/S * (sum over n of ln sigmoid(-n . v_b))

    Here n runs over all rows of `noise` (eq. 3.15, 3.16; Mikolov et al. 2013).

    Args:
        v: row b is the vector of a centre word.
        u: row b is the context vector of its neighbour.
        noise: S noise vectors, which the whole batch shares.
        k: negative samples per pair, above 0. Each of the S shared vectors stands in with the
            weight k/S, which need not be a whole number.

    The gradients are those of the mean: rows of v and u are divided by B, and noise gets the sum
    over the pairs, divided by B. Work them out by hand. About 11 lines: F.logsigmoid, no autograd
    and no loop.

    >>> zero = torch.zeros(1, 1)
    >>> negative_sampling(torch.ones(1, 1), zero, zero, k=3)[2:]
    (tensor([[-0.5000]]), tensor([[1.5000]]))
    """
    require("k", k, k > 0, "above 0")
    raise NotImplementedError("3.8 negative_sampling: see section 3.8, equations 3.15 and 3.16")


# ------------------------------------------------------------------ 3.9 CBOW
def context_means(E: Float[Tensor, "V D"], contexts: Int[Tensor, "B C"]) -> Float[Tensor, "B D"]:
    """Return the mean of the vectors of the words in each row of `contexts` (eq. 3.17).

    NONE is no word and does not count. A row without words gives a vector of 0.

    About 4 lines, no loop.

    >>> context_means(torch.tensor([[1.0], [4.0]]), torch.tensor([[0, 1], [0, NONE]])).tolist()
    [[2.5], [1.0]]
    """
    raise NotImplementedError("3.9 context_means: see section 3.9, equations 3.17 and 3.18")


def context_gradients(
    dh: Float[Tensor, "B D"],
    contexts: Int[Tensor, "B C"],
    V: int,
) -> Float[Tensor, "V D"]:
    """Return dL/dE, given dh = dL/dh, where h = context_means(E, contexts) (eq. 3.18).

    Row b of dh is shared out evenly among the positions of row b that hold words. A word that
    stands at several positions, in one row or in many, gets the sum.

    About 7 lines: no autograd, no loop; index_add_ adds each row to that of its index, also where
    an index repeats.

    >>> context_gradients(torch.tensor([[6.0]]), torch.tensor([[1, 1, 0, NONE]]), V=3).tolist()
    [[2.0], [4.0], [0.0]]
    """
    raise NotImplementedError("3.9 context_gradients: see section 3.9, equations 3.17 and 3.18")


# ------------------------------------------------------------------ 3.10 Hierarchical softmax
def huffman_codes(counts: Sequence[int]) -> list[str]:
    """Return the path from the root of a Huffman tree to each word: 0 for left, 1 for right.

    At first each word is a tree of its own. Again and again, the two trees with the smallest counts
    become the branches of one, whose count is their sum, until one tree is left. Then no code is a
    prefix of another, and no tree has a smaller mean length of its codes, weighted by the counts.
    Any such tree is right. The code of one word alone is "".

    Args:
        counts: how often each word occurs; at least one word.

    About 12 lines: heapq.heappop(heap) takes the smallest item of a list, and
    heapq.heappush(heap, item) puts one in. Tuples are compared from left to right, so put a number
    of its own between the count and the tree, or two equal counts make Python compare the trees.

    >>> [len(code) for code in huffman_codes([4, 2, 1, 1])]
    [1, 2, 3, 3]
    """
    require("counts", "none", len(counts), "of at least one word")
    raise NotImplementedError("3.10 huffman_codes: see section 3.10, equation 3.19")


def tree_log_probs(
    v: Float[Tensor, "B D"],
    N: Float[Tensor, "F D"],
    forks: Int[Tensor, "B L"],
    signs: Float[Tensor, "B L"],
) -> Float[Tensor, " B"]:
    """Return for each row of v the log-probability of one word: the sum over its path (eq. 3.19).

        ln P = sum over the forks f of the path of  ln sigmoid(sign_f * (n_f . v))

    A fork is an inner node of the tree. Only the rows of N on these paths are read.

    Args:
        v: row b is the vector of a centre word.
        N: a vector n for each fork of the tree.
        forks: row b is the path to the word whose probability is asked for: rows of N, and any row
            after the path's end.
        signs: at each fork of the path 1 for left, the code's "0", and -1 for right, its "1"; 0
            after the path's end, where nothing is added.

    About 3 lines, no loop.

    >>> forks, signs = torch.tensor([[0, 1, 0]]), torch.tensor([[1.0, -1.0, 0.0]])
    >>> tree_log_probs(torch.ones(1, 2), torch.zeros(2, 2), forks, signs).exp().item()
    0.25
    """
    raise NotImplementedError("3.10 tree_log_probs: see section 3.10, equation 3.19")


# ------------------------------------------------------------------ 3.11 Evaluation
def odd_one_out(E: Float[ndarray, "V D"], ids: Sequence[int]) -> int:
    """Return the id with the lowest mean cosine to the other ids (eq. 3.20).

    Raises ValueError unless there are at least 3 ids, all of them different.

    About 6 lines.

    >>> odd_one_out(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.2]]), [2, 1, 0])
    1
    """
    chosen = require_ids("ids", ids, len(E))
    require("ids", chosen, len(set(chosen)) == len(chosen) > 2, "at least 3 different ids")
    raise NotImplementedError("3.11 odd_one_out: see section 3.11, equations 3.20 to 3.22")


def analogy(E: Float[ndarray, "V D"], a: int, b: int, c: int, exclude: bool = True) -> int:
    """Return the id of the word nearest by cosine to a - b + c, on vectors of norm 1 (eq. 3.21).

    a is to b as the answer is to c. All rows of E are scaled to norm 1 first; a row of 0 stays as
    it is. Of equally near words, the smaller id is the answer.

    Args:
        E: 4 rows or more, so that one is left to answer.
        a, b, c: ids.
        exclude: if True, a, b and c themselves are no possible answers.

    About 6 lines.

    >>> king, man, woman, queen = [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]
    >>> analogy(np.array([king, man, woman, queen, [1.0, 0.0, 0.0]]), 0, 1, 2)
    3
    """
    require_ids("a, b, c", (a, b, c), len(E))
    require("E", E.shape, len(E) > 3, "of 4 rows or more, so that one is left to answer")
    raise NotImplementedError("3.11 analogy: see section 3.11, equations 3.20 to 3.22")


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Spearman's correlation of two lists: Pearson's correlation of their ranks (eq. 3.22).

    The smallest value has rank 1. Equal values share the mean of their ranks: 5, 5, 7 have the
    ranks 1.5, 1.5, 3. Raises ValueError unless both lists are equally long and hold two different
    values or more.

    About 6 lines: np.unique numbers and counts equal values, np.corrcoef is Pearson's. The page
    ranks lists of 50,000 values, so compare no value with all others.

    >>> round(spearman([1, 2, 3, 4], [5, 6, 6, 100]), 6)
    0.948683
    """
    sound = len(x) == len(y) and len(set(x)) > 1 and len(set(y)) > 1
    require("x and y", (len(x), len(y)), sound, "equally long, each of two values or more")

    raise NotImplementedError("3.11 spearman: see section 3.11, equations 3.20 to 3.22")


# ------------------------------------------------------------------ 3.12 Principal components
def pca(
    X: Float[ndarray, "n m"],
    d: int,
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "d m"], Float[ndarray, " d"]]:
    """Return the rows of X as points in d dimensions, the d axes, and their shares of the variance.

    Subtract the mean of the rows first. The axes are rows of norm 1, at right angles to each other.
    Each takes as much of the remaining variance as one direction can (eq. 3.23); its share is a
    fraction of the variance in all m directions. A point holds a row's coordinates on the axes. An
    axis may have either sign, and its coordinates with it.

    Raises ValueError unless d is between 1 and the smaller side of X, and the rows are not all the
    same. X is not changed.

    About 5 lines, with np.linalg.svd or np.linalg.eigh.

    >>> points, axes, shares = pca(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]]), d=1)
    >>> abs(points).round(6).tolist(), shares.round(6).tolist()
    ([[2.0], [0.0], [2.0]], [1.0])
    """
    require("d", d, 1 <= d <= min(X.shape), f"between 1 and {min(X.shape)}, the smaller side of X")
    require("X", "equal rows", np.ptp(X, axis=0).any(), "of rows that are not all the same")
    raise NotImplementedError("3.12 pca: see section 3.12, equation 3.23")
