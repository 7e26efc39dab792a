"""Plausible mistakes in sections 3.1 to 3.5: lookup, counts, similarity, PPMI, SVD."""

import numpy as np

from examiner.judge.misconceptions import misconception


@misconception(
    "3.1",
    replaces="one_hot",
    kind="idea",
    says="The ones stand in the columns: row i belongs to id i of the array, and its 1 at that id.",
)
def lays_the_vectors_on_their_side(ids, V):
    return np.moveaxis(np.eye(V)[ids], -1, 0)


@misconception(
    "3.1",
    replaces="one_hot",
    kind="idea",
    says="Ids begin with 0: the vector of word 0 has its 1 in the first place.",
)
def counts_ids_from_one(ids, V):
    return np.eye(V)[np.asarray(ids) - 1]


@misconception(
    "3.1",
    replaces="lookup",
    kind="idea",
    says="You picked columns: the vector of a word is a row of E.",
)
def looks_up_columns(ids, E):
    return np.moveaxis(E[:, np.asarray(ids) % E.shape[1]], 0, -1)


@misconception(
    "3.1",
    replaces="lookup",
    kind="edge",
    says="Ids may come in a table: keep their shape and put the D numbers of each word last.",
)
def flattens_the_ids(ids, E):
    return E[np.ravel(ids)]


@misconception(
    "3.1",
    replaces="logits",
    kind="idea",
    says="A score is a dot product. You divided by the norms, which makes it a cosine.",
)
def divides_by_the_norms(h, E):
    sizes = np.linalg.norm(h, axis=-1, keepdims=True) * np.linalg.norm(E, axis=1)
    return h @ E.T / np.where(sizes > 0, sizes, 1)


@misconception(
    "3.1",
    replaces="logits",
    kind="idea",
    says="These are probabilities. Logits are the scores before the softmax.",
)
def returns_probabilities(h, E):
    scores = np.exp(h @ E.T - np.max(h @ E.T, axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


def pairs(sentence, window):
    for d in range(1, window + 1):
        for i in range(len(sentence) - d):
            yield sentence[i], sentence[i + d], d


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="idea",
    says="You counted the words to the right only. Both words of a pair see each other, so the "
    "matrix is symmetric.",
)
def looks_to_the_right_only(sentences, V, window, by_distance=False):
    M = np.zeros((V, V))
    for sentence in sentences:
        for i, j, d in pairs(sentence, window):
            M[i, j] += 1 / d if by_distance else 1
    return M


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="edge",
    says="A pair that occurs several times at the same distance was counted once: M[i, j] += 1 "
    "with arrays adds only once to each cell. np.add.at adds each time.",
)
def adds_once_to_a_cell(sentences, V, window, by_distance=False):
    M = np.zeros((V, V))
    for sentence in sentences:
        for d in range(1, min(window, len(sentence) - 1) + 1):
            M[sentence[:-d], sentence[d:]] += 1 / d if by_distance else 1
    return M + M.T


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="idea",
    says="Pairs reach from one sentence into the next: count each sentence on its own.",
)
def crosses_the_ends_of_sentences(sentences, V, window, by_distance=False):
    M, text = np.zeros((V, V)), np.concatenate(sentences)
    for i, j, d in pairs(text, window):
        M[i, j] += 1 / d if by_distance else 1
    return M + M.T


@misconception(
    "3.2",
    replaces="cooccurrence",
    kind="idea",
    says="Each word was counted as its own neighbour, too: distances begin with 1.",
)
def counts_the_word_itself(sentences, V, window, by_distance=False):
    M = np.zeros((V, V))
    for sentence in sentences:
        for i, j, d in pairs(sentence, window):
            M[i, j] += 1 / d if by_distance else 1
    return M + M.T + np.diag(np.bincount(np.concatenate(sentences), minlength=V))


@misconception(
    "3.2",
    replaces="cooccurrence",
    says="The window is one too small: a word `window` places away still counts.",
)
def stops_one_place_early(sentences, V, window, by_distance=False):
    M = np.zeros((V, V))
    for sentence in sentences:
        for i, j, d in pairs(sentence, window - 1):
            M[i, j] += 1 / d if by_distance else 1
    return M + M.T


def norms(X):
    return np.sqrt((np.asarray(X) ** 2).sum(axis=1))


@misconception(
    "3.3",
    replaces="nearest",
    kind="idea",
    says="The order is that of the dot products, so long vectors win: compare cosines.",
)
def prefers_long_vectors(q, E, k, exclude=()):
    order = np.argsort(-(E @ q), kind="stable").tolist()
    return [i for i in order if i not in exclude][:k]


@misconception(
    "3.3",
    replaces="nearest",
    says="The excluded words are among the answers: leave them out before you take the first k.",
)
def ignores_exclude(q, E, k, exclude=()):
    return np.argsort(-(E @ q) / np.maximum(norms(E), 1e-300), kind="stable")[:k].tolist()


@misconception(
    "3.3",
    replaces="nearest",
    kind="idea",
    says="These are the farthest words: np.argsort puts the smallest number first.",
)
def returns_the_farthest(q, E, k, exclude=()):
    order = np.argsort((E @ q) / np.maximum(norms(E), 1e-300), kind="stable").tolist()
    return [i for i in order if i not in exclude][:k]


@misconception(
    "3.3",
    replaces="cosine",
    kind="idea",
    says="These are dot products: divide by the norms of both vectors.",
)
def forgets_the_norms(X, Y):
    return X @ Y.T


@misconception(
    "3.3",
    replaces="cosine",
    kind="idea",
    says="You divided by the squared norms: the cosine needs the norms, which are square roots.",
)
def divides_by_squares(X, Y):
    size = norms(X)[:, None] ** 2 * norms(Y) ** 2
    return X @ Y.T / np.where(size > 0, size, 1)


@misconception(
    "3.3",
    replaces="cosine",
    kind="edge",
    says="A row of zeros gives NaN. A vector without direction has similarity 0 to everything.",
)
def divides_by_zero(X, Y):
    with np.errstate(all="ignore"):
        return X @ Y.T / (norms(X)[:, None] * norms(Y))


@misconception(
    "3.3",
    replaces="euclidean",
    kind="idea",
    says="The square root is missing: this is the squared distance.",
)
def forgets_the_root(X, Y):
    return ((X[:, None] - Y) ** 2).sum(axis=2)


@misconception(
    "3.3",
    replaces="euclidean",
    kind="idea",
    says="You added up the absolute differences. Euclid's distance is the root of the sum of "
    "their squares.",
)
def walks_around_the_block(X, Y):
    return np.abs(X[:, None] - Y).sum(axis=2)


def information(counts, smoothing=1.0):
    contexts = counts.sum(axis=0) ** smoothing
    with np.errstate(all="ignore"):
        return np.log(counts / np.outer(counts.sum(axis=1), contexts / contexts.sum()))


@misconception(
    "3.4",
    replaces="ppmi",
    kind="idea",
    says="Logarithms are natural here. Yours have the base 2.",
)
def measures_in_bits(counts, smoothing=1.0, shift=0.0):
    return np.fmax(information(counts, smoothing) / np.log(2) - shift, 0)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The smoothing is missing: P(j) is the share of #(j)**smoothing.",
)
def never_smooths(counts, smoothing=1.0, shift=0.0):
    return np.fmax(information(counts) - shift, 0)


@misconception(
    "3.4",
    replaces="ppmi",
    says="You smoothed the words. The power belongs to the contexts, the columns.",
)
def smooths_the_rows(counts, smoothing=1.0, shift=0.0):
    return np.fmax(information(counts.T, smoothing).T - shift, 0)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The shift is taken off after the cut at 0, which gives negative numbers: first the "
    "shift, then the maximum with 0.",
)
def shifts_after_the_cut(counts, smoothing=1.0, shift=0.0):
    return np.fmax(information(counts, smoothing), 0) - shift


@misconception(
    "3.4",
    replaces="ppmi",
    kind="idea",
    says="There are negative numbers: the first P of PPMI means that all of them become 0.",
)
def keeps_negative_values(counts, smoothing=1.0, shift=0.0):
    found = information(counts, smoothing) - shift
    return np.where(np.isfinite(found), found, 0)


@misconception(
    "3.4",
    replaces="ppmi",
    kind="edge",
    says="Empty rows or columns give NaN: 0 divided by 0 must become 0.",
)
def leaves_nan(counts, smoothing=1.0, shift=0.0):
    return np.maximum(information(counts, smoothing) - shift, 0)


def parts(M, d):
    U, s, Vt = np.linalg.svd(M, full_matrices=False)
    return U[:, :d], s[:d], Vt[:d].T


@misconception(
    "3.5",
    replaces="svd_vectors",
    says="Both sides have the singular values to the power `power`: the contexts get the rest, "
    "1 - power.",
)
def gives_both_sides_the_same_power(M, d, power=0.5):
    U, s, V = parts(M, d)
    return U * s**power, V * s**power


@misconception(
    "3.5",
    replaces="svd_vectors",
    kind="idea",
    says="The singular values are missing: multiply the columns of U and V by their powers.",
)
def forgets_the_singular_values(M, d, power=0.5):
    U, _, V = parts(M, d)
    return U, V


@misconception(
    "3.5",
    replaces="svd_vectors",
    kind="idea",
    says="You kept the smallest singular values: numpy lists the largest first.",
)
def keeps_the_smallest(M, d, power=0.5):
    U, s, Vt = np.linalg.svd(M, full_matrices=False)
    return U[:, -d:] * s[-d:] ** power, Vt[-d:].T * s[-d:] ** (1 - power)


@misconception(
    "3.5",
    replaces="svd_vectors",
    kind="idea",
    says="The context vectors lie on their side: numpy returns V already transposed, so "
    "transpose it again.",
)
def forgets_that_v_is_transposed(M, d, power=0.5):
    U, s, Vt = np.linalg.svd(M, full_matrices=False)
    return U[:, :d] * s[:d] ** power, Vt[:, :d] * s[:d] ** (1 - power)


@misconception(
    "3.5",
    replaces="svd_vectors",
    kind="idea",
    says="You took the mean off the columns first, as for principal components. Here M is "
    "factorised as it is.",
)
def centres_the_matrix(M, d, power=0.5):
    U, s, V = parts(M - M.mean(axis=0), d)
    return U * s**power, V * s ** (1 - power)
