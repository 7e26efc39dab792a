"""Small inputs of chapter 3: what a wrong answer is shown on."""

import itertools
from typing import Any

import numpy as np

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code, literal, size
from tests.embeddings.suite import oracles as plain

NONE = -1
BY_SIGN = {"rtol": 1e-6, "atol": 1e-5}  # of an SVD, which a test may find in single precision


def ids_of(draw: Small, V: int, T: int) -> np.ndarray:
    """A sentence of T ids."""
    return draw.integers(T, high=V - 1)


def later(value: Any) -> Code:
    """What is shown only if nothing else is wrong: a reader expects something more usual."""
    return Code(literal(value), size(value) + 6)


def no_row_of_zeros(draw: Small, n: int, m: int, values: tuple[float, ...]) -> np.ndarray:
    while True:
        X = draw.array(n, m, values=values)
        if X.any(axis=1).all():
            return X


# ---------------------------------------------------------------- 3.1


def ids_of_any_shape(draw: Small, V: int) -> Any:
    shape = draw.choice([(2,), (1,), (3,), (2,), (2, 1), (1, 2), (2, 2), ()])
    ids = draw.integers(*shape, high=V - 1)
    return ids if shape else later(ids)


@small("3.1", "one_hot")
def some_ids(draw: Small) -> Example:
    V = draw.integer(2, 3 + draw.size // 3)
    return example("one_hot(ids, V).tolist()", ids=ids_of_any_shape(draw, V), V=V)


@small("3.1", "one_hot", tries=2)
def no_ids(draw: Small) -> Example:
    return example("one_hot(ids, 2).shape", ids=np.array([], dtype=int))


@small("3.1", "lookup")
def rows_of_a_table(draw: Small) -> Example:
    V, D = draw.choice([(2, 1), (2, 2), (3, 1), (3, 2), (2, 3)])
    E = np.arange(1.0, 1 + V * D).reshape(V, D)
    return example("lookup(ids, E)", ids=ids_of_any_shape(draw, V), E=E)


@small("3.1", "logits")
def vectors_and_a_table(draw: Small) -> Example:
    V, D = draw.choice([(1, 2), (2, 2), (3, 2), (2, 3), (1, 3), (3, 1)])
    shape = draw.choice([(D,), (1, D), (2, D), (1, 2, D)])
    values = (1.0, 2.0, 3.0, 0.0) if draw.yes() else (1.0, 2.0, -1.0, 3.0)
    E = no_row_of_zeros(draw, V, D, values)
    return example("logits(h, E)", h=draw.array(*shape, values=values[:3]), E=E)


# ---------------------------------------------------------------- 3.2


@small("3.2", "cooccurrence", tries=120)
def texts_of_ids(draw: Small) -> Example:
    V = draw.choice([2, 2, 3])
    first = ids_of(draw, V, draw.length(2, 5))
    others = [ids_of(draw, V, draw.integer(0, 3)) for _ in range(draw.integer(0, 1))]
    sentences = [first, *others] if draw.yes() else [*others, first]
    longest = max(len(sentence) for sentence in sentences)
    window = draw.integer(1, max(1, longest - 1)) if draw.integer(0, 5) else draw.integer(3, 4)
    given = {"sentences": sentences, "V": V, "window": window}
    if draw.integer(0, 2):
        return example("cooccurrence(sentences, V, window)", **given)
    return example("cooccurrence(sentences, V, window, by_distance=True)", **given)


@small("3.2", "cooccurrence", tries=4)
def sentences_shorter_than_the_window(draw: Small) -> Example:
    T = draw.integer(1, 3)
    sentences = [draw.rng.permutation(3)[:T], np.array([1, 0])]
    return example("cooccurrence(sentences, 3, window)", sentences=sentences, window=T + 1)


# ---------------------------------------------------------------- 3.3


TWO_TABLES = ((1, 1, 2), (2, 1, 2), (1, 2, 2), (2, 2, 2), (2, 3, 2), (1, 1, 3))


def two_tables(draw: Small) -> tuple[Any, Any]:
    n, m, D = draw.choice(TWO_TABLES)
    values = draw.choice([(1.0, 2.0, 3.0, 0.0, 4.0), (1.0, 2.0, 0.0, -1.0)])
    X, Y = no_row_of_zeros(draw, n, D, values), no_row_of_zeros(draw, m, D, values)
    if draw.integer(0, 3):
        return X, Y
    draw.choice([X, Y])[0] = 0
    return later(X), later(Y)


@small("3.3", "cosine", tries=1)
def one_angle(draw: Small) -> Example:
    return example("cosine(X, Y)", X=np.array([[3.0, 4.0]]), Y=np.array([[2.0, 0.0]]))


@small("3.3", "cosine", tries=100)
def directions(draw: Small) -> Example:
    X, Y = two_tables(draw)
    return example("cosine(X, Y)", X=X, Y=Y, rtol=0, atol=1e-4)


@small("3.3", "cosine", tries=4)
def short_vectors(draw: Small) -> Example:
    X = np.array([[draw.choice([1e-7, 2e-7]), 0.0]])
    return example("cosine(X, Y)", X=X, Y=draw.array(1, 2, values=(1.0, 2.0)))


@small("3.3", "euclidean", tries=1)
def one_triangle(draw: Small) -> Example:
    return example("euclidean(X, Y)", X=np.array([[1.0, 1.0]]), Y=np.array([[4.0, 5.0]]))


@small("3.3", "euclidean")
def distances(draw: Small) -> Example:
    X, Y = two_tables(draw)
    return example("euclidean(X, Y)", X=X, Y=Y, atol=1e-6)


@small("3.3", "euclidean", tries=1)
def equal_rows(draw: Small) -> Example:
    # |x|^2 + |y|^2 - 2 x y is below 0 for some of so many rows, however a machine rounds
    X = Code("np.sin(np.arange(1.0, 561.0)).reshape(80, 7)", 12)
    return example("bool(np.isnan(euclidean(X, X)).any())", X=X)


def exact(q: np.ndarray, E: np.ndarray) -> bool:
    """Whether no rounding decides: rows are equally near only if they are equal or along an axis.

    Others differ by more than rounding can move them.
    """
    cosines = plain.cosines([q], E)[0]
    for i, j in itertools.combinations(range(len(E)), 2):
        along_axes = (E[i] == 0).any() and (E[j] == 0).any() and (q == 0).any()
        if abs(cosines[i] - cosines[j]) < 1e-3 and not (along_axes or (E[i] == E[j]).all()):
            return False
    return True


@small("3.3", "nearest", tries=120)
def neighbours(draw: Small) -> Example:
    V = draw.choice([2, 3, 3, 4])
    while True:
        q = np.array(draw.choice([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 2.0]]))
        values = draw.choice([(1.0, 2.0, 3.0, 0.0), (1.0, 0.0, -1.0, 2.0)])
        E = no_row_of_zeros(draw, V, 2, values)
        if exact(q, E) and len(np.unique(E, axis=0)) == V:
            break
    without = draw.rng.permutation(V)[: draw.integer(0, min(2, V - 1))].tolist()
    if without and draw.yes():
        k = draw.integer(1, V - len(without))
        return example("list(nearest(q, E, k, exclude))", q=q, E=E, k=k, exclude=without)
    return example("list(nearest(q, E, k))", q=q, E=E, k=draw.integer(1, V))


# ---------------------------------------------------------------- 3.4


@small("3.3", "nearest", tries=16)
def neighbours_that_are_equal(draw: Small) -> Example:
    q = np.array(draw.choice([[1.0, 0.0], [0.0, 2.0]]))
    rows = [q, np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([0.0, 0.0])]
    E = np.array([draw.choice(rows) for _ in range(3)])
    return example("list(nearest(q, E, k))", q=q, E=later(E), k=draw.integer(1, 3))


@small("3.4", "ppmi", tries=1)
def one_table(draw: Small) -> Example:
    return example("ppmi(counts)", counts=np.array([[2.0, 1.0], [1.0, 0.0]]))


@small("3.4", "ppmi", tries=110)
def tables_of_counts(draw: Small) -> Example:
    shape = draw.choice([(2, 2), (2, 2), (2, 3), (3, 2)])
    while True:
        counts = draw.array(*shape, values=(1.0, 2.0, 0.0, 3.0, 4.0))
        empty = not (counts.any(axis=0).all() and counts.any(axis=1).all())
        if counts.any() and not on_the_edge(counts):
            break
    kind = draw.integer(0, 3)
    given = later(counts) if empty else counts
    if kind == 0:
        return example("ppmi(counts, smoothing=0.5)", counts=given)
    if kind == 1:
        shift = draw.choice([0.1, 0.2, 0.5])
        return example("ppmi(counts, shift=shift)", counts=given, shift=shift)
    return example("ppmi(counts)", counts=given)


def on_the_edge(counts: np.ndarray) -> bool:
    """Whether a cell is seen as often as chance has it, but for rounding: its PMI is 0."""
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return bool(((counts > 0) & np.isclose(counts, expected) & (counts != expected)).any())


# ---------------------------------------------------------------- 3.5


def table_with_clear_axes(draw: Small, d: int, *shape: int, centred: bool = False) -> np.ndarray:
    """A table of which d axes are clear: but for signs, there is one right answer."""
    while True:
        X = draw.array(*shape, values=(1.0, 2.0, 0.0, 3.0, -1.0))
        s = np.linalg.svd(X - X.mean(axis=0) if centred else X, compute_uv=False)
        if len(s) >= d and s[d - 1] > 0.2 and (-np.diff(s)[:d] > 0.2).all():
            return X


def table_of_squares(draw: Small, n: int, m: int) -> np.ndarray:
    """A table with one number in a row and a column: its singular values, with simple roots."""
    M = np.zeros((n, m))
    k = min(n, m)
    rows, columns = draw.rng.permutation(n)[:k], draw.rng.permutation(m)[:k]
    M[rows, columns] = draw.rng.permutation([1.0, 4.0, 9.0])[:k]
    return M


@small("3.5", "svd_vectors", tries=100)
def factors(draw: Small) -> Example:
    n, m, d = draw.choice([(2, 2, 1), (2, 2, 1), (2, 3, 1), (3, 2, 1), (2, 2, 2), (3, 3, 1)])
    simple = bool(draw.integer(0, 2))
    M = table_of_squares(draw, n, m) if simple else table_with_clear_axes(draw, d, n, m)
    power = draw.choice([None, None, 1.0, 0.0])
    if power is None:
        return example("[np.abs(part).round(6) for part in svd_vectors(M, d)]", M=M, d=d, **BY_SIGN)
    code = "[np.abs(part).round(6) for part in svd_vectors(M, d, power)]"
    return example(code, M=M, d=d, power=power, **BY_SIGN)


@small("3.5", "svd_vectors", tries=10)
def products_of_factors(draw: Small) -> Example:
    d = draw.integer(1, 2)
    M = table_with_clear_axes(draw, d, *draw.choice([(2, 2), (2, 3), (3, 2)]))
    return example("W, C = svd_vectors(M, d)\nnp.round(W @ C.T, 6)", M=later(M), d=d, **BY_SIGN)


# ---------------------------------------------------------------- 3.6


@small("3.6", "frequent_words")
def sentences_of_letters(draw: Small) -> Example:
    sentences, min_count = draw.sentences(3), draw.integer(1, 2)
    if min_count == 1:
        return example("frequent_words(sentences)", sentences=sentences)
    return example("frequent_words(sentences, min_count)", sentences=sentences, min_count=min_count)


@small("3.6", "frequent_words", tries=40)
def words_in_order(draw: Small) -> Example:
    sentence = draw.words(5, least=2)
    return example("list(frequent_words([sentence]).items())", sentence=sentence)


@small("3.6", "subsample", tries=30)
def words_that_stay(draw: Small) -> Example:
    counts = np.array(draw.choice([[1, 1], [2, 2], [1, 3], [3, 1], [1, 1, 2]]))
    t = draw.choice([1.0, 1.0, float(max(counts) / counts.sum())])
    sentence = ids_of(draw, len(counts), draw.length(1, 3) if draw.integer(0, 9) else 0)
    code = "list(subsample(sentence, counts, t, rng))"
    return example(code, sentence=sentence, counts=counts, t=t, rng=draw.generator())


RNGS = "rngs = [np.random.default_rng(seed) for seed in range(200)]\n"


@small("3.6", "subsample", tries=14)
def words_that_are_drawn(draw: Small) -> Example:
    sentence, counts = draw.choice(
        [([0], [1, 1]), ([1], [1, 3]), ([0, 0], [2, 2]), ([1, 1], [3, 1]), ([0, 1], [2, 2])]
    )
    t = draw.choice([0.02, 0.125])
    p = np.sqrt(t / np.array(counts)[sentence] * sum(counts)).tolist()
    chances: dict[tuple[int, ...], float] = {}
    for kept in itertools.product([False, True], repeat=len(p)):
        left = tuple(word for word, stays in zip(sentence, kept, strict=True) if stays)
        share = np.prod([q if stays else 1 - q for q, stays in zip(p, kept, strict=True)])
        chances[left] = chances.get(left, 0.0) + float(share)
    code = RNGS + "Counter([tuple(subsample(sentence, counts, t, rng)) for rng in rngs])"
    given = {"sentence": np.array(sentence), "counts": np.array(counts), "t": t}
    return example(code, **given, chances=chances)


def drawn_twice(draw: Small, call: str, sentence: Code) -> Example:
    """Whether two calls, each with a fresh generator of one seed, draw the same."""
    rng = f"np.random.default_rng({draw.integer(1, 9)})"
    code = f"first = {call}{rng})\nagain = {call}{rng})\nnp.array_equal(first, again)"
    return example(code, sentence=sentence)


@small("3.6", "subsample", tries=2)
def words_that_rng_keeps(draw: Small) -> Example:
    sentence = Code("np.zeros(40, dtype=int)", 9)
    return drawn_twice(draw, "subsample(sentence, np.array([1]), 0.25, ", sentence)


@small("3.6", "context_windows", tries=50)
def windows_of_one_place(draw: Small) -> Example:
    sentence = 5 + draw.rng.permutation(5)[: draw.choice([2, 3, 4, 2, 3, 1, 0])]
    window = 1 if len(sentence) > 2 else draw.choice([1, 1, 2])  # no reach makes a difference
    code = "[list(row) for row in context_windows(sentence, window, rng)]"
    given = sentence if len(sentence) > 1 else later(sentence)
    return example(code, sentence=given, window=window, rng=draw.generator())


@small("3.6", "context_windows", tries=6)
def windows_that_are_drawn(draw: Small) -> Example:
    T, place, window = draw.choice([(3, 0, 2), (3, 2, 2), (5, 2, 2), (4, 0, 3)])
    words = np.arange(5, 5 + T)
    rows = []
    for reach in range(1, window + 1):
        offsets = [o for o in range(-window, window + 1) if o]
        seen = [0 <= place + o < T and abs(o) <= reach for o in offsets]
        both = zip(seen, offsets, strict=True)
        rows.append(tuple(int(words[place + o]) if known else NONE for known, o in both))
    return example(
        RNGS + f"Counter([tuple(context_windows(sentence, window, rng)[{place}]) for rng in rngs])",
        sentence=words,
        window=window,
        chances={row: rows.count(row) / window for row in rows},
    )


@small("3.6", "context_windows", tries=2)
def words_that_two_places_see(draw: Small) -> Example:
    code = "Counter([tuple((context_windows(words, 2, rng) != NONE).sum(axis=1)) for rng in rngs])"
    chances = {(a, 2, b): 0.25 for a in (1, 2) for b in (1, 2)}
    return example(RNGS + code, words=later(draw.rng.permutation(3)), chances=chances)


@small("3.6", "context_windows", tries=2)
def reaches_that_rng_draws(draw: Small) -> Example:
    return drawn_twice(draw, "context_windows(sentence, 2, ", Code("np.arange(40)", 9))


@small("3.6", "noise_distribution", tries=40)
def counts_of_words(draw: Small) -> Example:
    V = draw.length(2, 4)
    counts = np.array([int(draw.choice([1, 16, 2, 81, 4, 3])) for _ in range(V)])
    power = draw.choice([None, None, 1.0, 0.5, 0.0])
    if power is None:
        return example("noise_distribution(counts)", counts=counts)
    return example("noise_distribution(counts, power)", counts=counts, power=power)
