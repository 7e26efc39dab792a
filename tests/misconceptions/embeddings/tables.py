"""More plausible mistakes in sections 3.4 and 3.5: PPMI and the SVD."""

import numpy as np

from examiner.judge.misconceptions import misconception


def shares(counts, smoothing=1.0):
    """P(i, j), P(i) as a column, and P(j), smoothed."""
    contexts = counts.sum(axis=0) ** smoothing
    return (
        counts / counts.sum(),
        counts.sum(axis=1, keepdims=True) / counts.sum(),
        contexts / contexts.sum(),
    )


def cut(counts, fractions, shift):
    with np.errstate(all="ignore"):
        found = np.log(fractions) - shift
    return np.where(counts > 0, np.maximum(found, 0), 0.0)


def fractions(counts, smoothing):
    P, rows, columns = shares(counts, smoothing)
    with np.errstate(all="ignore"):
        return P / (rows * columns)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The shift was added: it is taken off.",
)
def adds_the_shift(counts, smoothing=1.0, shift=0.0):
    return cut(counts, fractions(counts, smoothing), -shift)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The shift was not used: it is taken off before the cut at 0.",
)
def ignores_the_shift(counts, smoothing=1.0, shift=0.0):
    return cut(counts, fractions(counts, smoothing), 0.0)


@misconception(
    "3.4",
    replaces="ppmi",
    says="You took off the logarithm of the shift: here `shift` is what is taken off.",
)
def takes_the_logarithm_of_the_shift(counts, smoothing=1.0, shift=0.0):
    return cut(counts, fractions(counts, smoothing), np.log(shift) if shift else 0.0)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The shift was taken off after the cut at 0, so that seen pairs have negative "
    "numbers: first the shift, then the maximum with 0.",
)
def shifts_seen_cells_after_the_cut(counts, smoothing=1.0, shift=0.0):
    return cut(counts, fractions(counts, smoothing), 0.0) - np.where(counts > 0, shift, 0.0)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The rows were smoothed, too: the power belongs to the columns alone.",
)
def smooths_rows_too(counts, smoothing=1.0, shift=0.0):
    P, _, columns = shares(counts, smoothing)
    rows = counts.sum(axis=1, keepdims=True) ** smoothing
    with np.errstate(all="ignore"):
        return cut(counts, P / (rows / rows.sum() * columns), shift)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The smoothed shares do not sum to 1: divide the powers by the sum of the powers.",
)
def divides_powers_by_the_total(counts, smoothing=1.0, shift=0.0):
    P, rows, _ = shares(counts)
    with np.errstate(all="ignore"):
        powers = counts.sum(axis=0) ** smoothing
        return cut(counts, P / (rows * powers / counts.sum()), shift)


@misconception(
    "3.4",
    replaces="ppmi",
    says="You took the power of the shares, which do not sum to 1 then: take it of the "
    "counts, and divide by the sum of the powers.",
)
def smooths_shares(counts, smoothing=1.0, shift=0.0):
    P, rows, columns = shares(counts)
    with np.errstate(all="ignore"):
        return cut(counts, P / (rows * columns**smoothing), shift)


@misconception(
    "3.4",
    replaces="ppmi",
    kind="idea",
    says="Nothing is above 0, since what you take the logarithm of is never above 1: divide "
    "P(i, j) by P(i) and by P(j), all three as shares.",
)
def divides_by_the_row_only(counts, smoothing=1.0, shift=0.0):
    P, rows, _ = shares(counts)
    with np.errstate(all="ignore"):
        return cut(counts, P / rows, shift)


@misconception(
    "3.4",
    replaces="ppmi",
    kind="idea",
    says="The logarithm is missing: these are quotients.",
)
def returns_quotients(counts, smoothing=1.0, shift=0.0):
    found = fractions(counts, smoothing)
    return np.where(counts > 0, np.maximum(found - shift, 0), 0.0)


@misconception(
    "3.4",
    replaces="ppmi",
    kind="idea",
    says="You multiplied by P(i, j), as for the mean over all pairs: PPMI has the logarithm alone.",
)
def weighs_with_p(counts, smoothing=1.0, shift=0.0):
    return counts / counts.sum() * cut(counts, fractions(counts, smoothing), shift)


@misconception(
    "3.4",
    replaces="ppmi",
    kind="idea",
    says="You added 1 to each count: take the counts as they are.",
)
def adds_one_to_the_counts(counts, smoothing=1.0, shift=0.0):
    return cut(counts + 1, fractions(counts + 1, smoothing), shift)


@misconception(
    "3.4",
    replaces="ppmi",
    says="The sums of the rows stand for those of the columns: P(j) is the share of a column "
    "(axis=0).",
)
def takes_rows_for_columns(counts, smoothing=1.0, shift=0.0):
    P, rows, _ = shares(counts)
    powers = counts.sum(axis=1 if counts.shape[0] == counts.shape[1] else 0) ** smoothing
    with np.errstate(all="ignore"):
        return cut(counts, P / (rows * powers / powers.sum()), shift)


def parts(M, d):
    U, s, Vt = np.linalg.svd(M, full_matrices=False)
    return U[:, :d], s[:d], Vt[:d].T


@misconception(
    "3.5",
    replaces="svd_vectors",
    says="The context vectors are columns: transpose them, each is a row.",
)
def lays_the_contexts_down(M, d, power=0.5):
    U, s, V = parts(M, d)
    return U * s**power, (V * s ** (1 - power)).T


@misconception(
    "3.5",
    replaces="svd_vectors",
    says="`power` was not used: you always took the root.",
)
def ignores_the_power(M, d, power=0.5):
    U, s, V = parts(M, d)
    return U * s**0.5, V * s**0.5


@misconception(
    "3.5",
    replaces="svd_vectors",
    says="The powers are exchanged: the words get `power`, the contexts the rest.",
)
def exchanges_the_powers(M, d, power=0.5):
    U, s, V = parts(M, d)
    return U * s ** (1 - power), V * s**power


@misconception(
    "3.5",
    replaces="svd_vectors",
    says="There is one dimension too many: keep d.",
)
def keeps_one_dimension_too_many(M, d, power=0.5):
    U, s, V = parts(M, d + 1)
    return U * s**power, V * s ** (1 - power)


@misconception(
    "3.5",
    replaces="svd_vectors",
    says="All dimensions were kept: cut after the first d.",
)
def keeps_all_dimensions(M, d, power=0.5):
    U, s, V = parts(M, None)
    return U * s**power, V * s ** (1 - power)


@misconception(
    "3.5",
    replaces="svd_vectors",
    kind="idea",
    says="Words and contexts are exchanged: rows of M are words, so that they come from U.",
)
def exchanges_words_and_contexts(M, d, power=0.5):
    U, s, V = parts(M, d)
    return V * s ** (1 - power), U * s**power


@misconception(
    "3.5",
    replaces="svd_vectors",
    kind="idea",
    says="Only the word vectors are there: return the context vectors, too.",
)
def returns_words_alone(M, d, power=0.5):
    U, s, _ = parts(M, d)
    return U * s**power
