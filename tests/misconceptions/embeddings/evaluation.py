"""Plausible mistakes in sections 3.11 and 3.12: analogies, ranks, principal components."""

import numpy as np

from examiner.judge.misconceptions import misconception


def unit(E):
    size = np.linalg.norm(E, axis=1, keepdims=True)
    return E / np.where(size > 0, size, 1)


def best(scores, question, exclude):
    if exclude:
        scores[list(question)] = -np.inf
    return int(np.argmax(scores))


@misconception(
    "3.11",
    replaces="analogy",
    kind="idea",
    says="The signs are mixed up: paris - france + italy is a - b + c.",
)
def mixes_up_the_signs(E, a, b, c, exclude=True):
    X = unit(E)
    return best(X @ (X[b] - X[a] + X[c]), (a, b, c), exclude)


@misconception(
    "3.11",
    replaces="analogy",
    says="Rows of different lengths enter the sum as they are: bring the rows to norm 1 first.",
)
def adds_rows_of_any_length(E, a, b, c, exclude=True):
    return best(unit(E) @ (E[a] - E[b] + E[c]), (a, b, c), exclude)


@misconception(
    "3.11",
    replaces="analogy",
    says="Long vectors win: compare a - b + c with rows of norm 1, too.",
)
def compares_by_dot_products(E, a, b, c, exclude=True):
    X = unit(E)
    return best(E @ (X[a] - X[b] + X[c]), (a, b, c), exclude)


@misconception(
    "3.11",
    replaces="analogy",
    says="With exclude=False the words of the question are possible answers, too.",
)
def always_excludes(E, a, b, c, exclude=True):
    X = unit(E)
    return best(X @ (X[a] - X[b] + X[c]), (a, b, c), True)


@misconception(
    "3.11",
    replaces="analogy",
    kind="idea",
    says="The words of the question are among the answers: exclude=True leaves them out.",
)
def never_excludes(E, a, b, c, exclude=True):
    X = unit(E)
    return best(X @ (X[a] - X[b] + X[c]), (a, b, c), False)


@misconception(
    "3.11",
    replaces="odd_one_out",
    kind="idea",
    says="This is the place in the list: return the id that stands there.",
)
def returns_the_place(E, ids):
    X = unit(E[list(ids)])
    return int(np.argmin(X @ X.sum(axis=0) - (X * X).sum(axis=1)))


@misconception(
    "3.11",
    replaces="odd_one_out",
    kind="idea",
    says="This is the word that fits best: the odd one has the lowest mean cosine.",
)
def returns_the_best_fit(E, ids):
    X = unit(E[list(ids)])
    return list(ids)[int(np.argmax(X @ X.sum(axis=0) - (X * X).sum(axis=1)))]


@misconception(
    "3.11",
    replaces="odd_one_out",
    says="Long vectors decide: compare cosines, so bring the rows to norm 1 first.",
)
def lets_long_vectors_decide(E, ids):
    X = E[list(ids)]
    return list(ids)[int(np.argmin(X @ X.sum(axis=0) - (X * X).sum(axis=1)))]


def ranks(values, side_weights=(0.5, 0.5)):
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, "left")
    up_to = np.searchsorted(ordered, values, "right")
    return side_weights[0] * below + side_weights[1] * up_to + 0.5


@misconception(
    "3.11",
    replaces="spearman",
    kind="idea",
    says="This is Pearson's correlation of the values: take it of their ranks.",
)
def correlates_the_values(x, y):
    return float(np.corrcoef(x, y)[0, 1])


@misconception(
    "3.11",
    replaces="spearman",
    kind="edge",
    says="Equal values have different ranks, by their place in the list: they must share the mean "
    "of their ranks.",
)
def breaks_ties_by_place(x, y):
    places = [np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (x, y)]
    return float(np.corrcoef(*places)[0, 1])


@misconception(
    "3.11",
    replaces="spearman",
    kind="edge",
    says="Equal values share the lowest of their ranks: they must share the mean of their ranks.",
)
def gives_ties_the_lowest_rank(x, y):
    return float(np.corrcoef(ranks(x, (1, 0)), ranks(y, (1, 0)))[0, 1])


@misconception(
    "3.11",
    replaces="spearman",
    kind="edge",
    says="1 - 6 sum(d**2) / (n (n**2 - 1)) holds only without equal values: take Pearson's "
    "correlation of the ranks.",
)
def uses_the_short_formula(x, y):
    n, d = len(x), ranks(x) - ranks(y)
    return float(1 - 6 * (d**2).sum() / (n * (n**2 - 1)))


def components(X, d):
    _, s, axes = np.linalg.svd(X, full_matrices=False)
    return X @ axes[:d].T, axes[:d], s[:d] ** 2 / (s**2).sum()


@misconception(
    "3.12",
    replaces="pca",
    kind="idea",
    says="The mean is still in the rows, and the first axis points at it: subtract it first.",
)
def forgets_to_centre(X, d):
    return components(X, d)


@misconception(
    "3.12",
    replaces="pca",
    kind="idea",
    says="Each column is divided by its standard deviation: subtract the mean, and no more.",
)
def standardises(X, d):
    deviations = X.std(axis=0)
    return components((X - X.mean(axis=0)) / np.where(deviations > 0, deviations, 1), d)


@misconception(
    "3.12",
    replaces="pca",
    says="Variance goes with the square of a singular value: these are shares of their sum.",
)
def forgets_the_square(X, d):
    centred = X - X.mean(axis=0)
    _, s, axes = np.linalg.svd(centred, full_matrices=False)
    return centred @ axes[:d].T, axes[:d], s[:d] / s.sum()


@misconception(
    "3.12",
    replaces="pca",
    says="The shares are of the first d axes only: divide by the variance on all axes.",
)
def shares_among_the_chosen(X, d):
    points, axes, shares = components(X - X.mean(axis=0), d)
    return points, axes, shares / shares.sum()


@misconception(
    "3.12",
    replaces="pca",
    kind="idea",
    says="These are the axes with the least variance: np.linalg.eigh lists the smallest "
    "eigenvalue first.",
)
def takes_the_last_axes(X, d):
    centred = X - X.mean(axis=0)
    _, s, axes = np.linalg.svd(centred, full_matrices=False)
    return centred @ axes[-d:].T, axes[-d:], s[-d:] ** 2 / (s**2).sum()


@misconception(
    "3.12",
    replaces="pca",
    says="The rows themselves are projected, so the points lie far from 0: subtract the mean from "
    "them, too.",
)
def projects_what_was_not_centred(X, d):
    _, axes, shares = components(X - X.mean(axis=0), d)
    return X @ axes.T, axes, shares
