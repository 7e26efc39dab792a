"""More plausible mistakes in sections 3.11 and 3.12: odd words, analogies, ranks, axes."""

import numpy as np

from examiner.judge.misconceptions import misconception


def unit(E):
    size = np.linalg.norm(E, axis=1, keepdims=True)
    return E / np.where(size > 0, size, 1)


def among(E, ids):
    """The cosines of the words to each other, with 0 for each to itself."""
    X = unit(E[list(ids)])
    table = X @ X.T
    np.fill_diagonal(table, 0)
    return table


def lowest(ids, values):
    return int(list(ids)[int(np.argmin(values))])


@misconception(
    "3.11",
    replaces="odd_one_out",
    kind="idea",
    says="One low cosine decided: the mean of all does.",
)
def looks_at_the_worst_pair(E, ids):
    return lowest(ids, among(E, ids).min(axis=1))


@misconception(
    "3.11",
    replaces="odd_one_out",
    kind="idea",
    says="Distances decided: the odd one has the lowest mean cosine.",
)
def takes_the_most_distant(E, ids):
    X = E[list(ids)]
    return lowest(ids, -np.linalg.norm(X[:, None] - X, axis=2).sum(axis=1))


@misconception(
    "3.11",
    replaces="odd_one_out",
    says="You compared with all words of E: only the given ones count.",
)
def compares_with_all_words(E, ids):
    X = unit(E)
    return lowest(ids, (X[list(ids)] @ X.T).sum(axis=1))


@misconception(
    "3.11",
    replaces="odd_one_out",
    says="You compared with the mean vector, in which long vectors and the word itself have "
    "a part: take the mean of the cosines to the others.",
)
def compares_with_the_centre(E, ids):
    X = E[list(ids)]
    return lowest(ids, unit(X) @ X.mean(axis=0))


@misconception(
    "3.11",
    replaces="odd_one_out",
    kind="idea",
    says="The highest cosine decided: the mean of all does.",
)
def looks_at_the_best_pair(E, ids):
    table = among(E, ids)
    np.fill_diagonal(table, -2)
    return lowest(ids, table.max(axis=1))


@misconception(
    "3.11",
    replaces="odd_one_out",
    kind="idea",
    says="You compared with the first word only, which may be the odd one: compare each with "
    "all others.",
)
def compares_with_the_first_only(E, ids):
    table = among(E, ids)
    return int(list(ids)[1 + int(np.argmin(table[0, 1:]))])


@misconception(
    "3.11",
    replaces="odd_one_out",
    says="The ids were sorted on the way: the place in one list is not that in the other.",
)
def sorts_the_ids(E, ids):
    return lowest(ids, among(E, sorted(ids)).sum(axis=1))


@misconception(
    "3.11",
    replaces="odd_one_out",
    kind="edge",
    says="You took off 1 for the word's cosine to itself, but that of a row of zeros is 0.",
)
def takes_off_one_for_zeros(E, ids):
    X = unit(E[list(ids)])
    return lowest(ids, (X @ X.T).sum(axis=1) - 1)


def answer(scores, left_out=()):
    scores[list(left_out)] = -np.inf
    return int(np.argmax(scores))


@misconception(
    "3.11",
    replaces="analogy",
    kind="idea",
    says="The signs are a + b - c: it is a - b + c.",
)
def adds_b_and_takes_off_c(E, a, b, c, exclude=True):
    X = unit(E)
    return answer(X @ (X[a] + X[b] - X[c]), (a, b, c) if exclude else ())


@misconception(
    "3.11",
    replaces="analogy",
    says="Only c was left out: a and b are no possible answers either.",
)
def excludes_c_only(E, a, b, c, exclude=True):
    X = unit(E)
    return answer(X @ (X[a] - X[b] + X[c]), (c,) if exclude else ())


@misconception(
    "3.11",
    replaces="analogy",
    says="The nearest word by distance was taken: nearest is by cosine, so that lengths do "
    "not matter.",
)
def measures_the_distance(E, a, b, c, exclude=True):
    X = unit(E)
    return answer(-np.linalg.norm(E - (X[a] - X[b] + X[c]), axis=1), (a, b, c) if exclude else ())


@misconception(
    "3.11",
    replaces="analogy",
    kind="edge",
    says="Of equally near words the greater id was returned: the smaller one is the answer.",
)
def takes_the_last_of_equals(E, a, b, c, exclude=True):
    X = unit(E)
    scores = X @ (X[a] - X[b] + X[c])
    if exclude:
        scores[[a, b, c]] = -np.inf
    return len(scores) - 1 - int(np.argmax(scores[::-1]))


@misconception(
    "3.11",
    replaces="analogy",
    kind="edge",
    says="A row of zeros gives NaN, which argmax takes for the largest: such a row stays 0.",
)
def divides_zeros_by_zero(E, a, b, c, exclude=True):
    with np.errstate(all="ignore"):
        X = E / np.linalg.norm(E, axis=1, keepdims=True)
    return answer(X @ (X[a] - X[b] + X[c]), (a, b, c) if exclude else ())


@misconception(
    "3.11",
    replaces="analogy",
    kind="edge",
    says="a, b and c got the cosine 0, which is more than that of opposite words: give them -inf.",
)
def gives_the_question_zero(E, a, b, c, exclude=True):
    X = unit(E)
    scores = X @ (X[a] - X[b] + X[c])
    if exclude:
        scores[[a, b, c]] = 0
    return int(np.argmax(scores))


def places(values, low=0.5, high=0.5):
    """Ranks; equal values have a rank between their lowest and their highest."""
    ordered = np.sort(values)
    return low * (np.searchsorted(ordered, values, "left") + 1) + high * np.searchsorted(
        ordered, values, "right"
    )


def pearson(x, y):
    return float(np.corrcoef(x, y)[0, 1])


@misconception(
    "3.11",
    replaces="spearman",
    kind="idea",
    says="np.argsort says which value stands where, not which rank a value has: sort twice, "
    "and share ranks among equal values.",
)
def correlates_the_order(x, y):
    return pearson(np.argsort(x, kind="stable"), np.argsort(y, kind="stable"))


@misconception(
    "3.11",
    replaces="spearman",
    kind="edge",
    says="After equal values the ranks go on without a gap: 5, 5, 7 have the ranks 1.5, 1.5, "
    "3, not 1, 1, 2.",
)
def leaves_no_gaps_after_ties(x, y):
    return pearson(*(np.unique(values, return_inverse=True)[1] for values in (x, y)))


@misconception(
    "3.11",
    replaces="spearman",
    kind="edge",
    says="Equal values share the highest of their ranks: they must share the mean of their ranks.",
)
def gives_ties_the_highest_rank(x, y):
    return pearson(places(x, 0, 1), places(y, 0, 1))


@misconception(
    "3.11",
    replaces="spearman",
    kind="idea",
    says="Only one of the lists was ranked: rank both.",
)
def ranks_one_list_only(x, y):
    return pearson(places(x), y)


@misconception(
    "3.11",
    replaces="spearman",
    kind="idea",
    says="This is the covariance of the ranks: divide by both standard deviations.",
)
def returns_the_covariance(x, y):
    return float(np.cov(places(x), places(y))[0, 1])


@misconception(
    "3.11",
    replaces="spearman",
    kind="idea",
    says="The correlation was squared, so that its sign is lost.",
)
def squares_the_correlation(x, y):
    return pearson(places(x), places(y)) ** 2


@misconception(
    "3.11",
    replaces="spearman",
    kind="idea",
    says="One list was ranked from the largest, the other from the smallest: the sign is turned.",
)
def ranks_against_each_other(x, y):
    return -pearson(places(x), places(y))


@misconception(
    "3.11",
    replaces="spearman",
    kind="idea",
    says="This is Kendall's correlation, which compares pairs: Spearman's is Pearson's of "
    "the ranks.",
)
def compares_pairs(x, y):
    a, b = (np.sign(np.subtract.outer(values, values)) for values in (x, y))
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def components(Z):
    _, s, axes = np.linalg.svd(Z, full_matrices=False)
    return s, axes, s**2 / (s**2).sum()


def centred(X):
    return X - X.mean(axis=0)


@misconception(
    "3.12",
    replaces="pca",
    kind="idea",
    says="You took off the mean of each row: take off that of each column (axis=0).",
)
def centres_the_rows(X, d):
    Z = X - X.mean(axis=1, keepdims=True)
    _, axes, shares = components(Z)
    return Z @ axes[:d].T, axes[:d], shares[:d]


@misconception(
    "3.12",
    replaces="pca",
    kind="idea",
    says="You took off one mean of all numbers: each column has its own (axis=0).",
)
def takes_off_one_mean(X, d):
    Z = X - X.mean()
    _, axes, shares = components(Z)
    return Z @ axes[:d].T, axes[:d], shares[:d]


@misconception(
    "3.12",
    replaces="pca",
    says="These are variances: divide by their sum to have shares.",
)
def returns_variances(X, d):
    Z = centred(X)
    s, axes, _ = components(Z)
    return Z @ axes[:d].T, axes[:d], s[:d] ** 2 / len(X)


@misconception(
    "3.12",
    replaces="pca",
    says="The axes are columns: each is a row.",
)
def lays_the_axes_down(X, d):
    Z = centred(X)
    _, axes, shares = components(Z)
    return Z @ axes[:d].T, axes[:d].T, shares[:d]


@misconception(
    "3.12",
    replaces="pca",
    kind="idea",
    says="You took the axes of the least variance: eigh lists the smallest eigenvalue first.",
)
def takes_the_least_variance(X, d):
    Z = centred(X)
    values, vectors = np.linalg.eigh(Z.T @ Z)
    return Z @ vectors[:, :d], vectors[:, :d].T, values[:d] / values.sum()


@misconception(
    "3.12",
    replaces="pca",
    kind="idea",
    says="The points lack the singular values: project the centred rows on the axes.",
)
def returns_points_of_norm_one(X, d):
    U, s, axes = np.linalg.svd(centred(X), full_matrices=False)
    return U[:, :d], axes[:d], (s**2 / (s**2).sum())[:d]


@misconception(
    "3.12",
    replaces="pca",
    says="There are shares of all axes: return those of the d axes.",
)
def returns_all_shares(X, d):
    Z = centred(X)
    _, axes, shares = components(Z)
    return Z @ axes[:d].T, axes[:d], shares


@misconception(
    "3.12",
    replaces="pca",
    says="The shares are added up: return that of each axis by itself.",
)
def adds_up_the_shares(X, d):
    Z = centred(X)
    _, axes, shares = components(Z)
    return Z @ axes[:d].T, axes[:d], np.cumsum(shares)[:d]


@misconception(
    "3.12",
    replaces="pca",
    says="The axes have the lengths of the deviations: their norm is 1.",
)
def stretches_the_axes(X, d):
    Z = centred(X)
    s, axes, shares = components(Z)
    return Z @ axes[:d].T, axes[:d] * s[:d, None] / np.sqrt(len(X)), shares[:d]
