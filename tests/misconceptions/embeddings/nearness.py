"""More plausible mistakes in section 3.3: cosines, distances, neighbours."""

import numpy as np

from examiner.judge.misconceptions import misconception


def unit(X, axis=1):
    size = np.linalg.norm(X, axis=axis, keepdims=True)
    return X / np.where(size > 0, size, 1)


@misconception(
    "3.3",
    replaces="cosine",
    kind="idea",
    says="You divided by the norm of the whole table: each row has its own (axis=1).",
)
def divides_by_one_norm_for_all(X, Y):
    return unit(X, None) @ unit(Y, None).T


@misconception(
    "3.3",
    replaces="cosine",
    kind="idea",
    says="You divided by the norms of the columns: those of the rows are wanted (axis=1).",
)
def divides_by_norms_of_columns(X, Y):
    return unit(X, 0) @ unit(Y, 0).T


@misconception(
    "3.3",
    replaces="cosine",
    says="Only one of the two norms was divided by: the cosine needs both.",
)
def divides_by_one_side_only(X, Y):
    return X @ unit(Y).T


@misconception(
    "3.3",
    replaces="cosine",
    says="Rows and columns are exchanged: row i belongs to row i of X.",
)
def turns_the_table_round(X, Y):
    return unit(Y) @ unit(X).T


@misconception(
    "3.3",
    replaces="cosine",
    kind="idea",
    says="Negative cosines became 0: opposite vectors have -1.",
)
def cuts_negative_cosines(X, Y):
    return np.maximum(unit(X) @ unit(Y).T, 0)


@misconception(
    "3.3",
    replaces="cosine",
    kind="idea",
    says="You took the mean off each row first, which makes a correlation: take the rows as "
    "they are.",
)
def correlates_the_rows(X, Y):
    return unit(X - X.mean(axis=1, keepdims=True)) @ unit(Y - Y.mean(axis=1, keepdims=True)).T


@misconception(
    "3.3",
    replaces="cosine",
    kind="idea",
    says="You divided by sums of absolute values: the norm is the root of the sum of squares.",
)
def divides_by_sums(X, Y):
    X, Y = (A / np.maximum(abs(A).sum(axis=1, keepdims=True), 1e-300) for A in (X, Y))
    return X @ Y.T


@misconception(
    "3.3",
    replaces="cosine",
    kind="edge",
    says="A row of zeros has a cosine of 1: it has no direction, so that its similarity is 0.",
)
def gives_zeros_a_cosine_of_one(X, Y):
    found = unit(X) @ unit(Y).T
    found[~np.asarray(X).any(axis=1)] = 1
    return found


@misconception(
    "3.3",
    replaces="euclidean",
    kind="idea",
    says="You took the mean of the squares: Euclid's distance has their sum.",
)
def takes_the_mean_of_squares(X, Y):
    return np.sqrt(((X[:, None] - Y) ** 2).mean(axis=2))


@misconception(
    "3.3",
    replaces="euclidean",
    says="The distances lie on their side: row i belongs to row i of X.",
)
def turns_the_distances_round(X, Y):
    return np.linalg.norm(Y[:, None] - X, axis=2)


@misconception(
    "3.3",
    replaces="euclidean",
    kind="idea",
    says="You brought the vectors to norm 1 first: a distance is between the vectors as they are.",
)
def compares_directions(X, Y):
    return np.linalg.norm(unit(X)[:, None] - unit(Y), axis=2)


@misconception(
    "3.3",
    replaces="euclidean",
    kind="idea",
    says="The product has a plus sign: |x - y|^2 is |x|^2 + |y|^2 - 2 x y.",
)
def adds_the_products(X, Y):
    return np.sqrt(np.maximum((X**2).sum(1)[:, None] + (Y**2).sum(1) + 2 * X @ Y.T, 0))


@misconception(
    "3.3",
    replaces="cosine",
    kind="edge",
    says="A small number on the norms changes the cosines of short vectors: guard against a "
    "norm of 0 alone.",
)
def adds_a_small_number_to_the_norms(X, Y):
    X, Y = (A / (np.linalg.norm(A, axis=1, keepdims=True) + 1e-6) for A in (X, Y))
    return X @ Y.T


@misconception(
    "3.3",
    replaces="euclidean",
    kind="edge",
    says="Equal rows give NaN: by rounding, |x|^2 + |y|^2 - 2 x y can be a little below 0. Cut it "
    "off at 0, or take the norms of the differences.",
)
def takes_the_root_of_what_rounding_left(X, Y):
    with np.errstate(all="ignore"):
        return np.sqrt((X**2).sum(1)[:, None] + (Y**2).sum(1) - 2 * X @ Y.T)


@misconception(
    "3.3",
    replaces="nearest",
    kind="edge",
    says="Rows that equal the question were left out: only the ids in `exclude` are.",
)
def leaves_out_rows_equal_to_the_question(q, E, k, exclude=()):
    return ordered(near(q, E)[0], k, [*exclude, *np.flatnonzero((q == E).all(axis=1))])


def near(q, E):
    return unit(np.asarray(q)[None]) @ unit(E).T


def ordered(scores, k, exclude):
    return [i for i in np.argsort(-scores, kind="stable").tolist() if i not in exclude][:k]


@misconception(
    "3.3",
    replaces="nearest",
    kind="idea",
    says="The order is that of the distances: neighbours have the largest cosine.",
)
def measures_distances(q, E, k, exclude=()):
    return ordered(-np.linalg.norm(E - q, axis=1), k, exclude)


@misconception(
    "3.3",
    replaces="nearest",
    kind="idea",
    says="Opposite vectors became neighbours: a cosine of -1 is the lowest, not the highest.",
)
def ignores_the_sign(q, E, k, exclude=()):
    return ordered(abs(near(q, E)[0]), k, exclude)


@misconception(
    "3.3",
    replaces="nearest",
    kind="edge",
    says="Fewer than k words are left: leave out the excluded ones before you take the first k.",
)
def excludes_after_the_cut(q, E, k, exclude=()):
    return [i for i in ordered(near(q, E)[0], k, ()) if i not in exclude]


@misconception(
    "3.3",
    replaces="nearest",
    kind="edge",
    says="Equally near words stand with the greater id first: argsort turned round turns "
    "them, too. Sort the negative cosines with kind='stable'.",
)
def puts_the_greater_id_first(q, E, k, exclude=()):
    order = np.argsort(near(q, E)[0], kind="stable")[::-1].tolist()
    return [i for i in order if i not in exclude][:k]


@misconception(
    "3.3",
    replaces="nearest",
    says="The nearest word was left out: it is no neighbour of itself only if it is in `exclude`.",
)
def skips_the_nearest(q, E, k, exclude=()):
    return ordered(near(q, E)[0], k + 1, exclude)[1:]


@misconception(
    "3.3",
    replaces="nearest",
    says="The nearest word stands last: it must be first.",
)
def puts_the_nearest_last(q, E, k, exclude=()):
    return ordered(near(q, E)[0], k, exclude)[::-1]


@misconception(
    "3.3",
    replaces="nearest",
    kind="idea",
    says="You returned cosines: return the ids of the words.",
)
def returns_cosines(q, E, k, exclude=()):
    scores = near(q, E)[0]
    return [float(scores[i]) for i in ordered(scores, k, exclude)]


@misconception(
    "3.3",
    replaces="nearest",
    kind="edge",
    says="Excluded words got the cosine 0, which is more than that of opposite ones: give "
    "them -inf.",
)
def gives_excluded_words_zero(q, E, k, exclude=()):
    scores = near(q, E)[0]
    scores[list(exclude)] = 0
    return ordered(scores, k, ())


@misconception(
    "3.3",
    replaces="nearest",
    says="The ids are those of a table without the excluded rows: return those of E.",
)
def numbers_the_words_anew(q, E, k, exclude=()):
    left = np.delete(E, list(exclude), axis=0)
    return ordered(near(q, left)[0], k, ())


@misconception(
    "3.3",
    replaces="nearest",
    kind="edge",
    says="Only the first excluded word was left out: all of them are.",
)
def excludes_the_first_only(q, E, k, exclude=()):
    return ordered(near(q, E)[0], k, list(exclude)[:1])
