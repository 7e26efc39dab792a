"""Embeddings: counted, factorised and learned. Leaves out: subword vectors, the training loop.

An embedding is a vector that stands for a word. This file finds such vectors in two ways:

    counting      3.2 count neighbours, 3.4 reweight the counts, 3.5 compress the rows
    predicting    3.6 make training pairs, 3.7 train vectors that guess a word's neighbours;
                  3.8 and 3.10 do this at a lower cost, 3.9 guesses the word from its neighbours

3.1 looks vectors up, 3.3 and 3.11 compare them, and 3.12 prepares maps. On a first reading, follow
`cooccurrence`, `cosine`, `ppmi` and `svd_vectors`, then `softmax_loss` and `negative_sampling`.

A word is its id: its position in a list of words. A sentence is an array of ids, and a table of
vectors has one row for each word. (eq. 3.4) is an equation of chapter 3. The letters:

    V     words of the vocabulary           B     pairs in a batch
    D     dimensions of a vector            C     positions in a window
    T     words of a sentence               S     noise vectors that a batch shares
    n, m  rows and columns of a table,      F     forks: inner nodes of a tree
          or rows of two tables             L     forks of the longest path
    d     dimensions that are kept                (in code, F is torch.nn.functional)

`x: Float[Tensor, "B D"]` is a tensor of B rows of D numbers, `Int[ndarray, " V"]` an array of V
whole numbers (the space in front means nothing). "*ids" stands for any number of axes, and "_T"
for a length that may differ each time. In 3.7 to 3.10, where vectors are learned, they are tensors
of torch; everywhere else they are arrays of numpy. Tensors that you make have the dtype of those
that you are given: torch.zeros(3).to(v).

Logarithms are natural. Arguments that make no sense raise ValueError; the lines with `require`,
which check them, are given. "No loop" and "no autograd" are a matter of honour.
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
    """Return the one-hot vector of each id: 1 at the id's position, 0 elsewhere (eq. 3.1).

    About 1 line, without a loop: `ids` may have any shape.

    >>> one_hot(np.array([2, 0]), V=3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    require_ids("ids", ids.ravel(), V)
    # BEGIN SOLUTION
    return np.eye(V)[ids]  # row i of the identity matrix is the one-hot vector of word i
    # END SOLUTION


def lookup(ids: Int[ndarray, "*ids"], E: Float[ndarray, "V D"]) -> Float[ndarray, "*ids D"]:
    """Return the vector of each id: its row of E.

    This equals the product of its one-hot vector and E, at the cost of reading one row (eq. 3.2).

    About 1 line, with neither a loop nor a product.

    >>> lookup(np.array([1, 1]), np.array([[0.5, 2.0], [3.0, 4.0]])).tolist()
    [[3.0, 4.0], [3.0, 4.0]]
    """
    require_ids("ids", ids.ravel(), len(E))
    # BEGIN SOLUTION
    return E[ids]
    # END SOLUTION


def logits(h: Float[ndarray, "*rows D"], E: Float[ndarray, "V D"]) -> Float[ndarray, "*rows V"]:
    """Return each word's score for each h: the dot product of h and the word's row (eq. 3.3).

    About 1 line.

    >>> logits(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]])).tolist()
    [1.0, 3.0]
    """
    # BEGIN SOLUTION
    return h @ E.T
    # END SOLUTION


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
        sentences: the ids of each sentence's words. At least one sentence is not empty.
        V: the size of the vocabulary; ids run from 0 to V - 1.
        window: how many places on either side count as near, at least 1.
        by_distance: if True, a pair whose words stand d places apart adds 1/d instead of 1.

    About 8 lines, with np.add.at. Loop over sentences and distances, but not over words. In this
    example word 1 stands beside itself, which counts twice, once from each side:

    >>> cooccurrence([np.array([0, 1, 1])], V=2, window=1).tolist()
    [[0.0, 1.0], [1.0, 2.0]]
    """
    require("window", window, window >= 1, "at least 1")
    has_words = any(len(sentence) > 0 for sentence in sentences)
    require("sentences", "none", has_words, "sentences with words in them")
    require_ids("ids", {word for sentence in sentences for word in sentence}, V)
    # BEGIN SOLUTION
    M = np.zeros((V, V))
    for sentence in sentences:
        for d in range(1, window + 1):
            # all pairs at distance d: none, if the sentence has no more than d words
            left = sentence[:-d]
            right = sentence[d:]
            weight = 1 / d if by_distance else 1
            np.add.at(M, (left, right), weight)  # subtle: M[left, right] += skips repeated pairs
    return M + M.T  # M has each pair from its left word; M.T has it from its right word
    # END SOLUTION


# ------------------------------------------------------------------ 3.3 Similarity
def cosine(X: Float[ndarray, "n D"], Y: Float[ndarray, "m D"]) -> Float[ndarray, "n m"]:
    """Return the cosine of the angle between each row of X and each row of Y (eq. 3.5).

        cos(x, y) = x . y / (|x| |y|)

    A row of norm 0 has no direction. Here its cosine to every vector is 0, by convention.

    About 3 lines, no loop.

    >>> cosine(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.6], [0.0]]
    """
    # BEGIN SOLUTION
    products = X @ Y.T  # (n, m)
    norms = np.linalg.norm(X, axis=1)[:, None] * np.linalg.norm(Y, axis=1)  # (n, m)
    return np.divide(products, norms, out=np.zeros_like(norms), where=norms > 0)
    # END SOLUTION


def euclidean(X: Float[ndarray, "n D"], Y: Float[ndarray, "m D"]) -> Float[ndarray, "n m"]:
    """Return the distance |x - y| between each row of X and each row of Y (eq. 3.6).

    About 2 lines, no loop.

    >>> euclidean(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    # BEGIN SOLUTION
    differences = X[:, None] - Y  # (n, m, D)
    return np.linalg.norm(differences, axis=2)
    # END SOLUTION


def nearest(
    q: Float[ndarray, " D"],
    E: Float[ndarray, "V D"],
    k: int,
    exclude: Sequence[int] = (),
) -> list[int]:
    """Return the ids of the k rows of E with the largest cosine to q, best first.

    Ids in `exclude` are left out. Of equally near rows, the one with the smaller id is first, as in
    a sort with kind="stable". Raises ValueError unless k is at least 1 and k ids are left.

    About 4 lines, with `cosine`.

    >>> nearest(np.array([1.0, 0.0]), np.array([[2.0, 2.0], [3.0, 0.0], [0.0, 1.0]]), k=2)
    [1, 0]
    """
    left = len(E) - len(set(require_ids("exclude", exclude, len(E))))
    require("k", k, 1 <= k <= left, f"between 1 and {left}, the words that are not left out")
    # BEGIN SOLUTION
    similarity = cosine(q[None], E)[0]  # (V,)
    similarity[list(exclude)] = -np.inf
    best_first = np.argsort(-similarity, kind="stable")  # stable: ties stay in order of id
    return best_first[:k].tolist()
    # END SOLUTION


# ------------------------------------------------------------------ 3.4 PPMI
def ppmi(
    counts: Float[ndarray, "n m"],
    smoothing: float = 1.0,
    shift: float = 0.0,
) -> Float[ndarray, "n m"]:
    """Return the positive pointwise mutual information (PPMI) of each cell of a table of counts.

    On a logarithmic scale, it says how much more often i and j meet than by chance, or 0 if they
    do not:

        max(0, ln(P(i, j) / (P(i) P(j))) - shift)        (eq. 3.7) and (eq. 3.8)

        P(i, j) = #(i, j) / N,    P(i) = #(i) / N
        P(j) = #(j)**smoothing / (the sum of #(c)**smoothing over all columns c)

    #(i, j) is the count in row i and column j, #(i) the sum of row i, #(j) that of column j, and N
    that of all counts. A cell whose count is 0 gives 0, even in a row or column of zeros.

    Args:
        counts: a row for each word i, a column for each context j; 0 or more, and not all 0.
        smoothing: a power, above 0 and at most 1. With 1, P(j) is #(j) / N.
        shift: 0 or more; subtracted before negative values become 0.

    About 5 lines (Church and Hanks 1990; Levy, Goldberg and Dagan 2015).

    >>> ppmi(np.array([[2.0, 1.0], [1.0, 0.0]])).round(3).tolist()  # ln((1/4) / (3/4 * 1/4))
    [[0.0, 0.288], [0.288, 0.0]]
    """
    sound = counts.min() >= 0 and counts.max() > 0
    ends = (float(counts.min()), float(counts.max()))
    require("counts (least, greatest)", ends, sound, "0 or more, not all 0")
    require("smoothing", smoothing, 0 < smoothing <= 1, "above 0 and at most 1")
    require("shift", shift, shift >= 0, "0 or more")
    # BEGIN SOLUTION
    contexts = counts.sum(axis=0) ** smoothing  # (m,)
    expected = np.outer(counts.sum(axis=1), contexts / contexts.sum())  # (n, m): #(i) P(j)
    with np.errstate(divide="ignore", invalid="ignore"):  # ln 0 is -inf, 0/0 is NaN
        pmi = np.log(counts / expected)
        return np.fmax(pmi - shift, 0)  # subtle: fmax takes 0 rather than NaN, maximum would not
    # END SOLUTION


# ------------------------------------------------------------------ 3.5 Truncated SVD
def svd_vectors(
    M: Float[ndarray, "n m"],
    d: int,
    power: float = 0.5,
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "m d"]]:
    """Return word vectors W and context vectors C from the SVD of a table, M = U S V^T (eq. 3.9).

        W = U_d S_d**power,    C = V_d S_d**(1 - power)

    The index d: only the d largest singular values are kept, with their columns of U and V. No
    matrix of rank d is nearer to M than W C^T. With power 1 all of S goes to W, with 0 all to C.
    The sign of a column of W is arbitrary, as long as the same column of C has the matching sign.
    Raises ValueError unless d is between 1 and the smaller side of M.

    About 4 lines. np.linalg.svd(M, full_matrices=False) returns U, the singular values as a vector
    with the largest first, and V^T.

    >>> W, C = svd_vectors(np.array([[2.0, 0.0], [0.0, 1.0]]), d=1)
    >>> np.round(W @ C.T, 6).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    require("d", d, 1 <= d <= min(M.shape), f"between 1 and {min(M.shape)}, the smaller side of M")
    # BEGIN SOLUTION
    U, s, Vt = np.linalg.svd(M, full_matrices=False)  # s: the largest singular value first
    W = U[:, :d] * s[:d] ** power
    C = Vt[:d].T * s[:d] ** (1 - power)
    return W, C
    # END SOLUTION


# ------------------------------------------------------------------ 3.6 From text to training pairs
def frequent_words(sentences: Iterable[Sequence[str]], min_count: int = 1) -> dict[str, int]:
    """Return {word: count} for the words that occur at least `min_count` times.

    The most frequent word is first; equally frequent words are in alphabetical order. The sentences
    may come from a generator, which can be gone through only once.

    About 4 lines.

    >>> frequent_words([["b", "b", "d", "a"], ["c", "b", "a", "c"]], min_count=2)
    {'b': 3, 'a': 2, 'c': 2}
    """
    require("min_count", min_count, min_count >= 1, "at least 1")
    # BEGIN SOLUTION
    counts = Counter(chain.from_iterable(sentences))
    words = [word for word, count in counts.items() if count >= min_count]
    words.sort(key=lambda word: (-counts[word], word))
    return {word: counts[word] for word in words}
    # END SOLUTION


def subsample(
    sentence: Int[ndarray, " T"],
    counts: Int[ndarray, " V"],
    t: float,
    rng: Generator,
) -> Int[ndarray, " _kept"]:
    """Thin out frequent words: keep each with probability min(1, sqrt(t / f)) (eq. 3.10).

    Here f is the word's share of all counts. Each occurrence of a word is kept or dropped
    independently of all others. The kept ones stay in order.

    Args:
        sentence: ids; may be empty.
        counts: counts[i] is how often word i occurs in the whole text.
        t: the threshold, above 0. Words whose share is at most t are always kept.
        rng: draws one number for each word of the sentence.

    About 3 lines. In this example word 0 is so frequent that it is hardly ever kept:

    >>> sentence, counts = np.array([0, 1, 0, 1]), np.array([10**12, 1])
    >>> subsample(sentence, counts, t=1e-12, rng=np.random.default_rng(0)).tolist()
    [1, 1]
    """
    require("t", t, t > 0, "above 0")
    # BEGIN SOLUTION
    f = counts[sentence] / counts.sum()  # (T,)
    keep = rng.random(len(sentence)) < np.sqrt(t / f)  # a root of 1 or more keeps every time
    return sentence[keep]
    # END SOLUTION


def context_windows(
    sentence: Int[ndarray, " T"],
    window: int,
    rng: Generator,
) -> Int[ndarray, "T C"]:
    """Return, for each position t of a sentence, the words around it, left to right (eq. 3.11).

    The columns of row t are the positions t - window, ..., t - 1, t + 1, ..., t + window, so C is
    2 * window. Each row draws its own reach: how far it looks, uniformly from 1, ..., window. Where
    a position is beyond the reach or outside the sentence, the row holds NONE.

    Args:
        sentence: ids; if it is empty, the result has no rows.
        window: the largest reach, at least 1.
        rng: draws one reach for each row. rng.integers(low, high) never returns high.

    About 8 lines, no loop.

    >>> context_windows(np.array([7, 8, 9]), window=1, rng=np.random.default_rng(0)).tolist()
    [[-1, 8], [7, 9], [8, -1]]
    """
    require("window", window, window >= 1, "at least 1")
    # BEGIN SOLUTION
    # the position in the sentence that each cell of the result stands for
    T = len(sentence)
    offsets = np.concatenate([np.arange(-window, 0), np.arange(1, window + 1)])  # (C,)
    places = np.arange(T)[:, None] + offsets  # (T, C)

    # the cells that show their word
    reach = rng.integers(1, window + 1, size=(T, 1))
    in_reach = abs(offsets) <= reach  # (T, C)
    in_sentence = (places >= 0) & (places < T)

    words = sentence[places.clip(0, T - 1)]  # (T, C): places outside read a word, for NONE to hide
    return np.where(in_reach & in_sentence, words, NONE)
    # END SOLUTION


def noise_distribution(counts: Int[ndarray, " V"], power: float = 0.75) -> Float[ndarray, " V"]:
    """Return the probability of each word as noise: its share of all counts**power (eq. 3.12).

    Raises ValueError if there are no counts, or if one is not above 0.

    About 2 lines.

    >>> noise_distribution(np.array([16, 1])).round(3).tolist()  # 8/9 and 1/9: 16**0.75 is 8
    [0.889, 0.111]
    """
    sound = len(counts) and counts.min() > 0
    require("counts", counts.tolist(), sound, "one number or more, all above 0")
    # BEGIN SOLUTION
    weights = counts**power
    return weights / weights.sum()
    # END SOLUTION


# ------------------------------------------------------------------ 3.7 Skip-gram with softmax
def softmax_loss(
    v: Float[Tensor, "B D"],
    U: Float[Tensor, "V D"],
    targets: Int[Tensor, " B"],
) -> tuple[Float[Tensor, ""], Float[Tensor, "B D"], Float[Tensor, "V D"]]:
    """Return the loss of skip-gram and its gradients with respect to v and U (eq. 3.13, 3.14).

        loss = mean over b of -ln P(targets[b] | b),    P(w | b) = softmax over w of U_w . v_b

    Args:
        v: row b is the vector of the centre word of pair b.
        U: row w is the context vector of word w, which is used when w is the neighbour.
        targets: targets[b] is the id of the neighbour in pair b.

    Since the loss is a mean, both gradients contain a factor 1/B. That of U is summed over the
    pairs. Work them out by hand: F.log_softmax is allowed, autograd is not. About 8 lines. In this
    example both words are equally likely, so the loss is ln 2:

    >>> loss, dv, dU = softmax_loss(torch.ones(1, 1), torch.zeros(2, 1), torch.tensor([0]))
    >>> loss.exp().item(), dU.tolist()
    (2.0, [[-0.5], [0.5]])
    """
    require_ids("targets", targets.tolist(), len(U))
    # BEGIN SOLUTION
    B = len(v)
    log_p = F.log_softmax(v @ U.T, dim=1)  # (B, V)
    loss = F.nll_loss(log_p, targets)
    y = F.one_hot(targets, len(U))  # (B, V)
    errors = (log_p.exp() - y) / B  # (B, V): dL/dscores, the prediction minus the truth
    dv = errors @ U  # (B, D)
    dU = errors.T @ v  # (V, D)
    return loss, dv, dU
    # END SOLUTION


# ------------------------------------------------------------------ 3.8 Negative sampling
def negative_sampling(
    v: Float[Tensor, "B D"],
    u: Float[Tensor, "B D"],
    noise: Float[Tensor, "S D"],
    k: float,
) -> tuple[Float[Tensor, ""], Float[Tensor, "B D"], Float[Tensor, "B D"], Float[Tensor, "S D"]]:
    """Return the loss of negative sampling and its gradients with respect to v, u and noise.

    The score of a word and its neighbour should be high, its scores with random words low:

        loss = mean over b of  -ln sigmoid(u_b . v_b) - k/S * (sum over n of ln sigmoid(-n . v_b))

    Here n runs over all rows of `noise` (eq. 3.15, 3.16; Mikolov et al. 2013).

    Args:
        v: row b is the vector of the centre word of pair b.
        u: row b is the context vector of its neighbour.
        noise: the context vectors of S random words, which all pairs of the batch share.
        k: negative samples per pair, above 0. The S shared vectors together count as k, so each has
            the weight k/S, which need not be a whole number.

    Since the loss is a mean, all gradients contain a factor 1/B. That of noise is summed over the
    pairs. Work them out by hand: F.logsigmoid is allowed, autograd and loops are not. About 11
    lines. In this example both scores are 0, and sigmoid(0) is 1/2:

    >>> zero = torch.zeros(1, 1)
    >>> negative_sampling(torch.ones(1, 1), zero, zero, k=3)[2:]  # for u and for noise
    (tensor([[-0.5000]]), tensor([[1.5000]]))
    """
    require("k", k, k > 0, "above 0")
    # BEGIN SOLUTION
    # forwards: the scores and the loss
    B = len(v)
    weight = k / len(noise)  # of one vector of noise
    true = (v * u).sum(dim=1, keepdim=True)  # (B, 1): scores of the neighbours
    false = v @ noise.T  # (B, S): scores of the noise
    loss = -(F.logsigmoid(true).sum() + weight * F.logsigmoid(-false).sum()) / B

    # backwards: the gradients with respect to the scores, then those with respect to the vectors
    d_true = (torch.sigmoid(true) - 1) / B  # (B, 1)
    d_false = torch.sigmoid(false) * (weight / B)  # (B, S)
    dv = d_true * u + d_false @ noise  # (B, D)
    du = d_true * v  # (B, D)
    d_noise = d_false.T @ v  # (S, D)
    return loss, dv, du, d_noise
    # END SOLUTION


# ------------------------------------------------------------------ 3.9 CBOW
def context_means(E: Float[Tensor, "V D"], contexts: Int[Tensor, "B C"]) -> Float[Tensor, "B D"]:
    """Return, for each row of `contexts`, the mean of its words' vectors (eq. 3.17).

    NONE is not a word and does not count. A row without words gives a vector of zeros.

    About 4 lines, no loop.

    >>> context_means(torch.tensor([[1.0], [4.0]]), torch.tensor([[0, 1], [0, NONE]])).tolist()
    [[2.5], [1.0]]
    """
    # BEGIN SOLUTION
    known = (contexts != NONE).unsqueeze(-1)  # (B, C, 1)
    total = (E[contexts] * known).sum(dim=1)  # (B, D); subtle: E[NONE] is the last row, times 0
    n = known.sum(dim=1)  # (B, 1): how many words
    return total / n.clamp(min=1)
    # END SOLUTION


def context_gradients(
    dh: Float[Tensor, "B D"],
    contexts: Int[Tensor, "B C"],
    V: int,
) -> Float[Tensor, "V D"]:
    """Return dL/dE, where L is the loss and h = context_means(E, contexts) (eq. 3.18).

    The argument `dh` is dL/dh. If row b of `contexts` holds n words, each of them gets 1/n of row b
    of dh. A word that occurs more than once, in one row or in many, gets the sum of its parts.

    About 7 lines, no autograd and no loop. `dE.index_add_(0, ids, rows)` adds each row to the row
    of dE that its id names, even if an id repeats.

    >>> context_gradients(torch.tensor([[6.0]]), torch.tensor([[1, 1, 0, NONE]]), V=3).tolist()
    [[2.0], [4.0], [0.0]]
    """
    # BEGIN SOLUTION
    D = dh.shape[1]
    known = contexts != NONE  # (B, C)
    n = known.sum(dim=1, keepdim=True)  # (B, 1)
    parts = dh / n.clamp(min=1)  # (B, D): what each word of row b gets
    rows, columns = known.nonzero(as_tuple=True)  # where the words are in `contexts`
    dE = dh.new_zeros(V, D)
    return dE.index_add_(0, contexts[rows, columns], parts[rows])
    # END SOLUTION


# ------------------------------------------------------------------ 3.10 Hierarchical softmax
def huffman_codes(counts: Sequence[int]) -> list[str]:
    """Return the path from the root of a Huffman tree to each word: 0 for left, 1 for right.

    1. Each word is a tree by itself, with the word's count.
    2. Join the two trees with the smallest counts: they become the left and the right branch of a
       new tree, whose count is their sum.
    3. Repeat step 2 until one tree is left.

    Frequent words get short codes, and no code is a prefix of another. No tree has a smaller mean
    length of its codes, weighted by the counts. Several trees may have this smallest mean, and any
    of them is right. If there is only one word, its code is "".

    Args:
        counts: how often each word occurs; at least one word.

    About 12 lines. heapq.heappop(heap) removes the smallest item of a heap and returns it, and
    heapq.heappush(heap, item) adds one. Tuples are compared from left to right. So put a number of
    its own between the count and the tree, or Python compares the trees where counts are equal.

    >>> [len(code) for code in huffman_codes([4, 2, 1, 1])]
    [1, 2, 3, 3]
    """
    require("counts", "none", len(counts), "of at least one word")
    # BEGIN SOLUTION
    codes = [""] * len(counts)
    # 1. a tree is (its count, one of its words to break ties, all its words)
    heap = [(count, word, [word]) for word, count in enumerate(counts)]
    heapq.heapify(heap)
    while len(heap) > 1:
        # 2. join the two smallest: each of their words gets one more digit in front
        a, i, left = heapq.heappop(heap)
        b, _, right = heapq.heappop(heap)
        for word in left:
            codes[word] = "0" + codes[word]
        for word in right:
            codes[word] = "1" + codes[word]
        heapq.heappush(heap, (a + b, i, left + right))
    return codes
    # END SOLUTION


def tree_log_probs(
    v: Float[Tensor, "B D"],
    N: Float[Tensor, "F D"],
    forks: Int[Tensor, "B L"],
    signs: Float[Tensor, "B L"],
) -> Float[Tensor, " B"]:
    """Return, for each row of v, ln P of one word: a sum over the forks of its path (eq. 3.19).

        ln P = sum over the forks f of the path of  ln sigmoid(sign_f * (n_f . v))

    A fork is an inner node of the tree. Only the rows of N on these paths are read.

    Args:
        v: row b is the vector of a centre word.
        N: row f is the vector n_f of fork f.
        forks: row b is the path to a word, as numbers of its forks. A path shorter than L is filled
            up with the numbers of any forks.
        signs: 1 where the path goes left (the code's "0"), -1 where it goes right (its "1"), and 0
            after its end, where nothing is added.

    About 3 lines, no loop. In this example each of the two forks gives a probability of 1/2:

    >>> forks, signs = torch.tensor([[0, 1, 0]]), torch.tensor([[1.0, -1.0, 0.0]])
    >>> tree_log_probs(torch.ones(1, 2), torch.zeros(2, 2), forks, signs).exp().item()
    0.25
    """
    # BEGIN SOLUTION
    scores = torch.einsum("bd,bld->bl", v, N[forks])  # (B, L)
    log_p = F.logsigmoid(scores * signs) * signs.abs()  # subtle: ln sigmoid(0) is not 0
    return log_p.sum(dim=1)
    # END SOLUTION


# ------------------------------------------------------------------ 3.11 Evaluation
def odd_one_out(E: Float[ndarray, "V D"], ids: Sequence[int]) -> int:
    """Return the id whose vector has the lowest mean cosine to those of the other ids (eq. 3.20).

    Raises ValueError unless there are at least 3 ids, all of them different.

    About 6 lines.

    >>> odd_one_out(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.2]]), [2, 1, 0])
    1
    """
    chosen = require_ids("ids", ids, len(E))
    require("ids", chosen, len(set(chosen)) == len(chosen) > 2, "at least 3 different ids")
    # BEGIN SOLUTION
    norms = np.linalg.norm(E[chosen], axis=1, keepdims=True)
    X = E[chosen] / np.where(norms > 0, norms, 1)  # rows of norm 1
    cosines = X @ X.T
    np.fill_diagonal(cosines, 0)  # a word's cosine to itself does not count
    totals = cosines.sum(axis=1)  # each is a mean times the same number
    return chosen[int(np.argmin(totals))]
    # END SOLUTION


def analogy(E: Float[ndarray, "V D"], a: int, b: int, c: int, exclude: bool = True) -> int:
    """Return the id of the word nearest by cosine to a - b + c, on vectors of norm 1 (eq. 3.21).

    The answer is to c as a is to b. All rows of E are scaled to norm 1 first; a row of zeros stays
    as it is. Of equally near words, the smaller id is the answer.

    Args:
        E: at least 4 rows, so that one is left to answer.
        a, b, c: ids.
        exclude: if True, none of a, b and c can be the answer.

    About 6 lines. King is to man as queen is to woman:

    >>> king, man, woman, queen = [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]
    >>> analogy(np.array([king, man, woman, queen, [1.0, 0.0, 0.0]]), 0, 1, 2)
    3
    """
    require_ids("a, b, c", (a, b, c), len(E))
    require("E", E.shape, len(E) > 3, "of 4 rows or more, so that one is left to answer")
    # BEGIN SOLUTION
    norms = np.linalg.norm(E, axis=1, keepdims=True)
    X = E / np.where(norms > 0, norms, 1)  # rows of norm 1
    scores = X @ (X[a] - X[b] + X[c])  # (V,): cosines, times a norm that is the same for all
    if exclude:
        scores[[a, b, c]] = -np.inf
    return int(np.argmax(scores))
    # END SOLUTION


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Spearman's correlation of two lists: Pearson's correlation of their ranks (eq. 3.22).

    The smallest value has rank 1. Equal values share the mean of their ranks: 5, 5, 7 have the
    ranks 1.5, 1.5, 3. Raises ValueError unless both lists are equally long and each holds at least
    two different values.

    About 6 lines. np.unique can number and count equal values, and np.corrcoef is Pearson's
    correlation. The page ranks lists of 50,000 values: comparing all pairs would take too long.

    >>> round(spearman([1, 2, 3, 4], [5, 6, 6, 100]), 6)
    0.948683
    """
    sound = len(x) == len(y) and len(set(x)) > 1 and len(set(y)) > 1
    require("x and y", (len(x), len(y)), sound, "equally long, each of two values or more")

    # BEGIN SOLUTION
    def ranks(values: Sequence[float]) -> Float[ndarray, " n"]:
        in_order = np.sort(values)
        below = np.searchsorted(in_order, values, side="left")  # how many are smaller
        up_to = np.searchsorted(in_order, values, side="right")  # how many are not greater
        return (below + up_to + 1) / 2  # the mean of the ranks below + 1, ..., up_to

    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])
    # END SOLUTION


# ------------------------------------------------------------------ 3.12 Principal components
def pca(
    X: Float[ndarray, "n m"],
    d: int,
) -> tuple[Float[ndarray, "n d"], Float[ndarray, "d m"], Float[ndarray, " d"]]:
    """Return the rows of X as points in d dimensions, the d axes, and their shares of the variance.

    First subtract the mean of the rows; X itself is not changed. The first axis is the direction in
    which the rows vary most. Each further one is at right angles to those before it, and takes as
    much of the remaining variance as one direction can (eq. 3.23).

    Compute in the dtype of X: in single precision, digits of a double X would be lost.

        points    a row's coordinates on the axes
        axes      rows of norm 1; an axis may have either sign, and its coordinates with it
        shares    what part of the variance in all m directions lies along each axis

    Raises ValueError unless d is between 1 and the smaller side of X, or if all rows are the same.

    About 5 lines, with np.linalg.svd or np.linalg.eigh.

    >>> points, axes, shares = pca(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]]), d=1)
    >>> abs(points).round(6).tolist(), shares.round(6).tolist()
    ([[2.0], [0.0], [2.0]], [1.0])
    """
    require("d", d, 1 <= d <= min(X.shape), f"between 1 and {min(X.shape)}, the smaller side of X")
    require("X", "equal rows", np.ptp(X, axis=0).any(), "of rows that are not all the same")
    # BEGIN SOLUTION
    centred = X - X.mean(axis=0)
    _, s, axes = np.linalg.svd(centred, full_matrices=False)  # axes: in rows, the largest s first
    points = centred @ axes[:d].T
    shares = s[:d] ** 2 / (s**2).sum()
    return points, axes[:d], shares
    # END SOLUTION
