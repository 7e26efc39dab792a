"""Small inputs of chapter 3 on learning and evaluation, sections 3.7 to 3.12."""

import itertools

import numpy as np
import torch

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.embeddings.suite import oracles as plain
from tests.embeddings.suite.small import (
    BY_SIGN,
    NONE,
    later,
    table_with_clear_axes,
)

# ---------------------------------------------------------------- 3.7


SCORES = (1.0, 0.0, 2.0, -1.0)
WORDS = (1.0, 2.0, -1.0)  # the numbers of a word's own vector


@small("3.7", "softmax_loss", tries=4)
def before_learning(draw: Small) -> Example:
    v, U = torch.tensor([[draw.choice([1.0, 2.0])]]), torch.zeros(2, 1)
    return example("softmax_loss(v, U, targets)", v=v, U=U, targets=draw.ids(1, high=1))


@small("3.7", "softmax_loss")
def pairs_and_words(draw: Small) -> Example:
    B, V, D = draw.choice([(1, 2, 1), (2, 2, 1), (2, 3, 1), (1, 2, 2), (2, 3, 2), (1, 3, 2)])
    return example(
        "softmax_loss(v, U, targets)",
        v=draw.tensor(B, D, values=WORDS),
        U=draw.tensor(V, D, values=SCORES),
        targets=draw.ids(B, high=V - 1),
    )


@small("3.7", "softmax_loss", tries=6)
def large_scores(draw: Small) -> Example:
    return example(
        "softmax_loss(v, U, targets)",
        v=draw.tensor(1, 1, values=(1.0, 2.0)),
        U=draw.tensor(2, 1, values=(500.0, 0.0, -500.0)),
        targets=draw.ids(1, high=1),
    )


# ---------------------------------------------------------------- 3.8


@small("3.8", "negative_sampling", tries=100)
def pairs_and_noise(draw: Small) -> Example:
    B, S, D = draw.choice([(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 3, 1), (1, 2, 2), (2, 1, 2)])
    return example(
        "negative_sampling(v, u, noise, k)",
        v=draw.tensor(B, D, values=WORDS),
        u=draw.tensor(B, D, values=SCORES),
        noise=draw.tensor(S, D, values=SCORES),
        k=draw.choice([1, 2, 3, 1, 0.5]),
    )


@small("3.8", "negative_sampling", tries=8)
def large_scores_of_noise(draw: Small) -> Example:
    return example(
        "negative_sampling(v, u, noise, k)",
        v=draw.tensor(1, 1, values=(1.0, 2.0)),
        u=draw.tensor(1, 1, values=(500.0, -500.0, 1.0)),
        noise=draw.tensor(1, 1, values=(500.0, -500.0)),
        k=1,
    )


# ---------------------------------------------------------------- 3.9


def windows_of(draw: Small, V: int, B: int, C: int) -> Code:
    """Windows of ids below V, in which NONE stands as such; those without words later."""
    rows = draw.integers(B, C, low=NONE, high=V - 1)
    text = ", ".join("[" + ", ".join(map(str, row)).replace("-1", "NONE") + "]" for row in rows)
    empty = (rows == NONE).all(axis=1).any()
    return Code(f"torch.tensor([{text}])", B * C + 6 * bool(empty))


SIZES = ((1, 2), (1, 2), (1, 3), (2, 2), (2, 1), (2, 3))  # windows and their places


@small("3.9", "context_means")
def windows_and_vectors(draw: Small) -> Example:
    V, D = draw.integer(2, 3), draw.choice([1, 1, 2])
    E = draw.rng.permutation(np.arange(1.0, 1 + V * D)).reshape(V, D)
    windows = windows_of(draw, V, *draw.choice(SIZES))
    return example("context_means(E, contexts)", E=torch.tensor(E.tolist()), contexts=windows)


@small("3.9", "context_gradients")
def windows_and_gradients(draw: Small) -> Example:
    V, D = draw.integer(2, 3), draw.choice([1, 1, 2])
    B, C = draw.choice(SIZES)
    return example(
        "context_gradients(dh, contexts, V)",
        dh=draw.tensor(B, D, values=(6.0, 1.0, 3.0, 2.0)),
        contexts=windows_of(draw, V, B, C),
        V=V,
    )


# ---------------------------------------------------------------- 3.10


def lengths(counts: list[int]) -> set[tuple[int, ...]]:
    """The lengths that a Huffman code may have: more than one where trees are equally large."""
    found = set[tuple[int, ...]]()

    def join(trees: list[tuple[int, tuple[int, ...]]], known: tuple[int, ...]) -> None:
        if len(trees) == 1:
            found.add(known)
            return
        least = sorted(count for count, _ in trees)[:2]
        for one, other in itertools.combinations(trees, 2):
            if sorted([one[0], other[0]]) == least:
                words = one[1] + other[1]
                rest = [tree for tree in trees if tree not in (one, other)]
                longer = tuple(n + (word in words) for word, n in enumerate(known))
                join([*rest, (one[0] + other[0], words)], longer)

    join([(count, (word,)) for word, count in enumerate(counts)], (0,) * len(counts))
    return found


def counts_with_one_tree(draw: Small, least: int, most: int) -> list[int]:
    while True:
        size = draw.length(least, most)
        counts = [draw.integer(1, 3 + 2 * draw.size) for _ in range(size)]
        if len(lengths(counts)) == 1:
            return counts


@small("3.10", "huffman_codes", tries=6)
def two_words_or_one(draw: Small) -> Example:
    counts = [draw.integer(1, 3) for _ in range(draw.integer(1, 2))]
    return example("sorted(huffman_codes(counts))", counts=counts)


@small("3.10", "huffman_codes", tries=70)
def lengths_of_codes(draw: Small) -> Example:
    counts = counts_with_one_tree(draw, 3, 5)
    return example("[len(code) for code in huffman_codes(counts)]", counts=counts)


@small("3.10", "huffman_codes", tries=30)
def codes_that_begin_others(draw: Small) -> Example:
    counts = [draw.integer(1, 4) for _ in range(draw.length(3, 5))]
    code = "codes = huffman_codes(counts)\n"
    code += "[(a, b) for a in codes for b in codes if a != b and b.startswith(a)]"
    return example(code, counts=counts)


@small("3.10", "huffman_codes", tries=6)
def different_codes(draw: Small) -> Example:
    counts = [draw.integer(1, 3) for _ in range(draw.integer(3, 4))]
    return example("len(set(huffman_codes(counts)))", counts=counts)


@small("3.10", "tree_log_probs", tries=90)
def vectors_and_paths(draw: Small) -> Example:
    B, L, D = draw.choice([(1, 1, 1), (1, 2, 1), (1, 2, 2), (2, 2, 1), (2, 1, 1), (1, 3, 1)])
    ends = [draw.integer(1, L) for _ in range(B)]
    signs = [[draw.choice([1.0, -1.0]) if i < end else 0.0 for i in range(L)] for end in ends]
    F = draw.integer(L, L + 1)
    paths = [[0, *(1 + draw.rng.permutation(F - 1))[: L - 1].tolist()] for _ in range(B)]
    paths = [
        [fork if sign else 0 for fork, sign in zip(*rows, strict=True)]
        for rows in zip(paths, signs, strict=True)
    ]
    return example(
        "tree_log_probs(v, N, forks, signs)",
        v=draw.tensor(B, D, values=WORDS),
        N=draw.tensor(F, D, values=SCORES),
        forks=torch.tensor(paths),
        signs=torch.tensor(signs),
    )


@small("3.10", "tree_log_probs", tries=4)
def large_scores_at_forks(draw: Small) -> Example:
    return example(
        "tree_log_probs(v, N, forks, signs)",
        v=draw.tensor(1, 1, values=(1.0, 2.0)),
        N=draw.tensor(1, 1, values=(500.0, -500.0)),
        forks=torch.tensor([[0]]),
        signs=draw.tensor(1, 1, values=(1.0, -1.0)),
    )


# ---------------------------------------------------------------- 3.11


@small("3.11", "odd_one_out", tries=110)
def groups_of_words(draw: Small) -> Example:
    V = draw.choice([3, 3, 4])
    while True:
        E = draw.array(V, 2, values=(1.0, 0.0, 2.0, 3.0, -1.0))
        ids = draw.rng.permutation(V)[: draw.choice([3, V])].tolist()
        cosines = plain.cosines(E[ids], E[ids])
        scores = np.sort((cosines - np.diag(np.diag(cosines))).sum(axis=1))
        if scores[1] - scores[0] > 1e-3 and E.any(axis=1).all():
            return example("odd_one_out(E, ids)", E=E, ids=ids)


@small("3.11", "odd_one_out", tries=16)
def groups_with_a_row_of_zeros(draw: Small) -> Example:
    while True:
        E = draw.array(4, 2, values=(1.0, 2.0, 0.0, -1.0, 3.0))
        ids = draw.rng.permutation(4).tolist()
        cosines = plain.cosines(E[ids], E[ids])
        scores = np.sort((cosines - np.diag(np.diag(cosines))).sum(axis=1))
        if (~E.any(axis=1)).sum() == 1 and -0.99 < scores[0] < min(scores[1], 0) - 1e-3:
            return example("odd_one_out(E, ids)", E=later(E), ids=ids)


@small("3.11", "analogy", tries=110)
def questions(draw: Small) -> Example:
    V, exclude = draw.choice([4, 4, 5]), bool(draw.integer(0, 2))
    while True:
        along_axes = draw.yes()  # all products are whole numbers: equal ones are equal
        values = (1.0, 0.0, -1.0) if along_axes else (1.0, 0.0, 2.0, -1.0, -2.0)
        E = draw.array(V, 2, values=values)
        a, b, c = draw.rng.permutation(V)[:3].tolist()
        X = plain.unit(E)
        target = X[a] - X[b] + X[c]
        scores = X @ target
        left = [i for i in range(V) if not (exclude and i in (a, b, c))]
        best = np.sort(scores[left])
        exact = along_axes and (E == 0).any(axis=1).all()
        zeros = not E.any(axis=1).all()
        clear = exact or len(best) == 1 or best[-1] - best[-2] > 1e-3
        if clear and np.linalg.norm(target) > 0.1 and (not zeros or draw.integer(0, 4) == 0):
            break
    given = {"E": later(E) if zeros else E, "a": a, "b": b, "c": c}
    if exclude:
        return example("analogy(E, a, b, c)", **given)
    return example("analogy(E, a, b, c, exclude=False)", **given)


@small("3.11", "analogy", tries=6)
def words_that_are_equally_near(draw: Small) -> Example:
    while True:
        # vectors along the axes: all products are whole numbers, so equal ones are equal
        E = np.array([draw.choice([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]) for _ in range(5)])
        a, b, c = draw.rng.permutation(5)[:3].tolist()
        target = E[a] - E[b] + E[c]
        left = [i for i in range(5) if i not in (a, b, c)]
        if target.any() and (E[left[0]] == E[left[1]]).all():
            return example("analogy(E, a, b, c)", E=E, a=a, b=b, c=c)


@small("3.11", "spearman")
def two_lists(draw: Small) -> Example:
    while True:
        n = draw.length(2, 5)
        x, y = ([draw.integer(1, n + 2) for _ in range(n)] for _ in range(2))
        ties = len(set(x)) < n or len(set(y)) < n
        if len(set(x)) > 1 < len(set(y)) and (not ties or draw.integer(0, 2) == 0):
            given = (later(x), later(y)) if ties else (x, y)
            return example("spearman(x, y)", x=given[0], y=given[1], atol=1e-9)


# ---------------------------------------------------------------- 3.12


POINTS = "[np.abs(part).round(6) for part in pca(X, d)]"


@small("3.12", "pca", tries=20)
def two_points(draw: Small) -> Example:
    start, step = draw.integers(2, high=2), draw.choice([(3, 4), (4, 3), (2, 0), (0, 2)])
    X = np.array([start, start + step], dtype=float)
    return example(POINTS, X=X, d=1, **BY_SIGN)


@small("3.12", "pca", tries=2)
def three_points(draw: Small) -> Example:
    X = np.array([[2.0, 3.0], [0.0, 3.0], [1.0, 0.0]])  # its shares are 3/4 and 1/4
    return example(POINTS, X=X, d=draw.integer(1, 2), **BY_SIGN)


@small("3.12", "pca", tries=60)
def points_of_a_cloud(draw: Small) -> Example:
    n, m, d = draw.choice([(3, 2, 1), (3, 2, 1), (3, 2, 2), (2, 3, 1), (4, 2, 1)])
    X = table_with_clear_axes(draw, d, n, m, centred=True)
    return example(POINTS, X=X, d=d, **BY_SIGN)


@small("3.12", "pca", tries=10)
def points_back_in_space(draw: Small) -> Example:
    d = draw.integer(1, 2)
    X = table_with_clear_axes(draw, d, 3, 2, centred=True)
    code = "points, axes, shares = pca(X, d)\n(points @ axes).round(6)"
    return example(code, X=X, d=d, **BY_SIGN)
