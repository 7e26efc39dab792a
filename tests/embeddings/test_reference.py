"""The reference of chapter 3 against values by hand, scikit-learn, scipy, gensim and autograd.

Leaves out: speed (benchmarks/word2vec.py), and what the suite tests already. The libraries are
imported where a test asks them: a worker that runs other files goes without.
"""

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F  # noqa: N812 - torch's own custom

from examiner.judge.modules import load_module
from tests.embeddings.suite import oracles as plain
from tests.reference import reference

ROOT = Path(__file__).parents[2]
CHEESE = np.array([[14.0, 7, 5, 1], [7, 12, 0, 0], [5, 0, 8, 12], [1, 0, 12, 2]])

embeddings: Any = reference("embeddings")
# for what asks a thousand times, and for what must be refused by the function itself
unchecked: Any = load_module(ROOT / "solutions" / "embeddings.py", "unchecked_embeddings")
near = partial(pytest.approx, rel=1e-9, abs=1e-9)
DTYPES = [(np.float32, 1e-4), (np.float64, 1e-9)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


# ---------------------------------------------------------------- counts


def test_cosines_of_the_cheese_table() -> None:
    found = embeddings.cosine(CHEESE, CHEESE)
    rounded = [round(float(found[i, j]), 2) for i in range(4) for j in range(i + 1, 4)]
    assert rounded == [0.80, 0.49, 0.38, 0.17, 0.04, 0.67]


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES)
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 2), (4, 1, 7)])
def test_similarity_is_that_of_the_libraries(
    rng: np.random.Generator, shape: tuple[int, int, int], dtype: Any, tolerance: float
) -> None:
    from scipy.spatial.distance import cdist
    from sklearn.metrics.pairwise import cosine_similarity

    n, m, D = shape
    X, Y = rng.normal(size=(n, D)).astype(dtype), rng.normal(size=(m, D)).astype(dtype)
    X[0] = 0
    assert embeddings.cosine(X, Y) == pytest.approx(cosine_similarity(X, Y), abs=tolerance)
    assert embeddings.euclidean(X, Y) == pytest.approx(cdist(X, Y), abs=tolerance)
    assert embeddings.cosine(X, Y).dtype == dtype


def test_neighbours_are_those_of_gensim(rng: np.random.Generator) -> None:
    from gensim.models.keyedvectors import KeyedVectors

    E = rng.normal(size=(40, 6))
    vectors = KeyedVectors(6)
    vectors.add_vectors([str(i) for i in range(40)], E)
    for word in range(5):
        expected = [int(name) for name, _ in vectors.most_similar(str(word), topn=7)]
        assert embeddings.nearest(E[word], E, 7, exclude=[word]) == expected


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES)
def test_ppmi_is_a_log_ratio(rng: np.random.Generator, dtype: Any, tolerance: float) -> None:
    counts = rng.poisson(2, size=(6, 9)).astype(dtype)
    counts[2] = 0
    for smoothing, shift in ((1.0, 0.0), (0.75, math.log(5))):
        found = embeddings.ppmi(counts, smoothing, shift)
        assert found == pytest.approx(plain.ppmi(counts, smoothing, shift), abs=tolerance)
        assert found.dtype == dtype


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES)
def test_svd_is_that_of_scikit_learn(
    rng: np.random.Generator, dtype: Any, tolerance: float
) -> None:
    from sklearn.decomposition import TruncatedSVD

    M = rng.normal(size=(9, 6)).astype(dtype)
    for d in (1, 4):
        expected = TruncatedSVD(d, algorithm="arpack").fit_transform(M)
        W, C = embeddings.svd_vectors(M, d, power=1.0)
        assert pytest.approx(expected @ expected.T, abs=10 * tolerance) == W @ W.T
        assert pytest.approx(np.eye(d), abs=10 * tolerance) == C.T @ C


@given(st.lists(st.lists(st.integers(0, 4), max_size=7), min_size=1), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_counts_are_symmetric_and_complete(texts: list[list[int]], window: int) -> None:
    sentences = [np.array(text, dtype=int) for text in texts]
    if not any(map(len, sentences)):
        return
    found = embeddings.cooccurrence(sentences, 5, window)
    assert (found == found.T).all()
    assert found == near(plain.cooccurrence(sentences, 5, window, False))


def test_the_best_rank_has_the_least_error(rng: np.random.Generator) -> None:
    """Eckart and Young: what is left over has the size of the singular values left out."""
    M = rng.normal(size=(8, 8))
    s = np.linalg.svd(M, compute_uv=False)
    for d in range(1, 9):
        W, C = embeddings.svd_vectors(M, d)
        assert np.linalg.norm(M - W @ C.T) == near(math.sqrt((s[d:] ** 2).sum()))


# ---------------------------------------------------------------- training pairs


def test_windows_see_near_words_more_often(rng: np.random.Generator) -> None:
    """With a reach drawn from 1 to 5, a word d places away is seen with probability (6 - d)/5."""
    windows = embeddings.context_windows(np.arange(20_000), 5, rng)[5:-5]
    seen = (windows != embeddings.NONE).mean(axis=0)
    expected = [1 - (d - 1) / 5 for d in (5, 4, 3, 2, 1, 1, 2, 3, 4, 5)]
    assert seen == pytest.approx(expected, abs=0.02)


def test_nothing_gives_nothing(rng: np.random.Generator) -> None:
    """Empty sentences and empty lists of ids are no error: texts hold them."""
    empty = np.array([], dtype=int)
    assert embeddings.one_hot(empty, 3).shape == (0, 3)
    assert embeddings.lookup(empty, np.eye(3)).shape == (0, 3)
    assert embeddings.context_windows(empty, 2, rng).shape == (0, 4)
    assert embeddings.subsample(empty, np.array([2, 1]), 0.1, rng).shape == (0,)
    assert embeddings.frequent_words([[], ["a"], []]) == {"a": 1}
    assert embeddings.cooccurrence([empty, np.array([0])], 2, 3).tolist() == [[0, 0], [0, 0]]


def test_noise_is_that_of_gensim() -> None:
    """gensim's table of noise words is our distribution, summed up."""
    from gensim.models import Word2Vec

    text = [["a"] * 50 + ["b"] * 10 + ["c"] * 3]
    model = Word2Vec(text, vector_size=2, min_count=1, epochs=1, workers=1)
    counts = embeddings.frequent_words(text)
    assert model.wv.index_to_key == list(counts)
    shares = np.diff([0, *model.cum_table.tolist()]) / model.cum_table[-1]
    expected = embeddings.noise_distribution(np.array(list(counts.values())))
    assert shares == pytest.approx(expected, abs=1e-6)


# ---------------------------------------------------------------- losses


def leaves(rng: np.random.Generator, dtype: torch.dtype, *shapes: tuple[int, int]) -> list:
    return [plain.tensor(rng, *shape, dtype=dtype).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("B", "V", "D"), [(7, 11, 5), (1, 1, 1), (3, 2, 4)])
def test_softmax_loss_against_autograd(
    rng: np.random.Generator, B: int, V: int, D: int, dtype: torch.dtype
) -> None:
    v, U = leaves(rng, dtype, (B, D), (V, D))
    targets = torch.from_numpy(rng.integers(0, V, size=B))
    F.cross_entropy(v @ U.T, targets).backward()
    loss, dv, dU = embeddings.softmax_loss(v.detach(), U.detach(), targets)
    torch.testing.assert_close(loss, F.cross_entropy(v @ U.T, targets).detach())
    torch.testing.assert_close(dv, v.grad)
    torch.testing.assert_close(dU, U.grad)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("B", "S", "D", "k"), [(7, 4, 5, 3), (1, 1, 1, 1), (3, 9, 4, 5)])
def test_negative_sampling_against_autograd(
    rng: np.random.Generator, B: int, S: int, D: int, k: int, dtype: torch.dtype
) -> None:
    v, u, noise = leaves(rng, dtype, (B, D), (B, D), (S, D))
    expected = plain.negative_sampling(v, u, noise, k)
    expected.backward()
    got = embeddings.negative_sampling(v.detach(), u.detach(), noise.detach(), k)
    for found, right in zip(got, (expected.detach(), v.grad, u.grad, noise.grad), strict=True):
        torch.testing.assert_close(found, right)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_means_are_those_of_an_embedding_bag(rng: np.random.Generator, dtype: torch.dtype) -> None:
    (E,) = leaves(rng, dtype, (6, 3))
    contexts = plain.random_contexts(rng, 8, 4, 5)
    E.data[5] = 0  # torch's bag leaves out its padding word: here a sixth one
    padded = torch.where(contexts < 0, 5, contexts)
    bag = F.embedding_bag(padded, E, mode="mean", padding_idx=5)
    torch.testing.assert_close(embeddings.context_means(E.detach(), contexts), bag.detach())
    dh = plain.tensor(rng, 8, 3, dtype=dtype)
    (bag * dh).sum().backward()
    torch.testing.assert_close(embeddings.context_gradients(dh, contexts, 6), E.grad)


def test_scores_of_negative_sampling_find_the_shifted_pmi() -> None:
    """Levy and Goldberg (2014): with enough dimensions, u . v becomes PMI - ln k."""
    counts, k = torch.tensor([[8, 2, 1], [2, 6, 3], [1, 3, 9]]), 2
    cells = torch.cartesian_prod(torch.arange(3), torch.arange(3))
    words, contexts = cells.repeat_interleave(counts.flatten(), dim=0).T
    E, U = torch.eye(3, dtype=torch.float64), torch.zeros(3, 3, dtype=torch.float64)
    for _ in range(1500):  # all pairs, and all contexts as noise: the expected gradient, no chance
        _, _, du, dn = unchecked.negative_sampling(E[words], U[contexts], U[contexts], k)
        U.index_add_(0, contexts, -8 * (du + dn))
    p = counts / counts.sum()
    expected = torch.log(p / p.sum(dim=1, keepdim=True) / p.sum(dim=0)) - math.log(k)
    torch.testing.assert_close(E @ U.T, expected.double(), atol=1e-3, rtol=1e-3)


# ---------------------------------------------------------------- trees


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=60))
@settings(max_examples=80, deadline=None)
def test_huffman_codes_are_the_shortest(counts: list[int]) -> None:
    codes = embeddings.huffman_codes(counts)
    total = sum(n * len(code) for n, code in zip(counts, codes, strict=True))
    assert total == plain.shortest_total(counts)
    assert sum(2.0 ** -len(code) for code in codes) == 1  # no place of the tree is empty
    p = np.array(counts) / sum(counts)
    entropy = float(-(p * np.log2(p)).sum())
    assert entropy - 1e-9 <= total / sum(counts) < entropy + 1


def test_huffman_lengths_are_those_of_gensim() -> None:
    from gensim.models import Word2Vec

    counts = {"a": 40, "b": 21, "c": 9, "d": 9, "e": 4, "f": 2, "g": 1}
    text = [[word] * n for word, n in counts.items()]
    model = Word2Vec(text, vector_size=2, min_count=1, hs=1, negative=0, epochs=1, workers=1)
    lengths = [len(model.wv.get_vecattr(word, "code")) for word in counts]
    total = sum(n * length for n, length in zip(counts.values(), lengths, strict=True))
    assert total == plain.shortest_total(counts.values())
    found = embeddings.huffman_codes(list(counts.values()))
    assert sum(n * len(c) for n, c in zip(counts.values(), found, strict=True)) == total


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("V", [2, 3, 40])
def test_a_tree_is_a_distribution(rng: np.random.Generator, V: int, dtype: torch.dtype) -> None:
    codes = embeddings.huffman_codes(rng.integers(1, 100, size=V).tolist())
    forks, signs = plain.paths(codes, dtype)
    v = plain.tensor(rng, 1, 5, dtype=dtype).expand(V, 5)
    N = plain.tensor(rng, V - 1, 5, dtype=dtype)
    found = embeddings.tree_log_probs(v, N, forks, signs)
    torch.testing.assert_close(found, plain.tree_log_probs(v, N, forks, signs))
    assert float(found.exp().sum()) == pytest.approx(1, abs=1e-5)


# ---------------------------------------------------------------- evaluation


def test_analogies_are_those_of_gensim(rng: np.random.Generator) -> None:
    from gensim.models.keyedvectors import KeyedVectors

    E = rng.normal(size=(30, 5)) * rng.uniform(0.2, 5, size=(30, 1))
    vectors = KeyedVectors(5)
    vectors.add_vectors([str(i) for i in range(30)], E)
    for a, b, c in rng.choice(30, size=(20, 3)).tolist():
        if len({a, b, c}) == 3:
            ((answer, _),) = vectors.most_similar(
                positive=[str(a), str(c)], negative=[str(b)], topn=1
            )
            assert embeddings.analogy(E, a, b, c) == int(answer)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_rank_correlation_is_that_of_scipy(x: list[int], random: Any) -> None:
    from scipy.stats import spearmanr

    y = [random.randint(0, 5) for _ in x]
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert embeddings.spearman(x, y) == near(float(spearmanr(x, y).statistic))


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES)
@pytest.mark.parametrize(("n", "D", "d"), [(20, 6, 2), (5, 5, 4), (4, 9, 3), (2, 1, 1)])
def test_components_are_those_of_scikit_learn(
    rng: np.random.Generator, n: int, D: int, d: int, dtype: Any, tolerance: float
) -> None:
    from sklearn.decomposition import PCA

    X = (rng.normal(size=(n, D)) * 3 + 10).astype(dtype)
    points, axes, shares = embeddings.pca(X, d)
    theirs = PCA(d, svd_solver="full").fit(X)
    signs = np.sign((axes * theirs.components_).sum(axis=1))
    assert axes * signs[:, None] == pytest.approx(theirs.components_, abs=100 * tolerance)
    assert points * signs == pytest.approx(theirs.transform(X), abs=100 * tolerance)
    assert shares == pytest.approx(theirs.explained_variance_ratio_, abs=tolerance)


# ---------------------------------------------------------------- bad input

ROWS = np.eye(4)
ONE = np.array([0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.one_hot(np.array([4]), 4), "between 0 and 3"),
        (lambda e: e.lookup(np.array([-1]), ROWS), "between 0 and 3"),
        (lambda e: e.cooccurrence([ONE], 1, 0), "window must be at least 1"),
        (lambda e: e.cooccurrence([], 1, 1), "sentences with words"),
        (lambda e: e.cooccurrence([np.array([0, 7])], 3, 1), "between 0 and 2"),
        (lambda e: e.nearest(ROWS[0], ROWS, 5), "k must be between 1 and 4"),
        (lambda e: e.nearest(ROWS[0], ROWS, 4, exclude=[0]), "k must be between 1 and 3"),
        (lambda e: e.ppmi(np.zeros((2, 2))), "not all 0"),
        (lambda e: e.ppmi(-ROWS), "0 or more"),
        (lambda e: e.ppmi(ROWS, smoothing=0.0), "smoothing"),
        (lambda e: e.ppmi(ROWS, shift=-1.0), "shift"),
        (lambda e: e.svd_vectors(ROWS, 5), "between 1 and 4"),
        (lambda e: e.frequent_words([["a"]], 0), "min_count"),
        (lambda e: e.subsample(ONE, ONE + 1, 0.0, np.random.default_rng()), "t must be above 0"),
        (lambda e: e.context_windows(ONE, 0, np.random.default_rng()), "window must be at least 1"),
        (lambda e: e.noise_distribution(np.array([1, 0])), "counts"),
        (
            lambda e: e.softmax_loss(torch.ones(1, 2), torch.ones(3, 2), torch.tensor([3])),
            "targets",
        ),
        (lambda e: e.huffman_codes([]), "at least one word"),
        (lambda e: e.analogy(ROWS, 0, 1, 9), "between 0 and 3"),
        (lambda e: e.analogy(ROWS[:3], 0, 1, 2), "4 rows or more"),
        (lambda e: e.odd_one_out(ROWS, [0, 1]), "at least 3 different ids"),
        (lambda e: e.spearman([1, 2], [1, 2, 3]), "equally long"),
        (lambda e: e.spearman([1, 1], [1, 2]), "two values or more"),
        (lambda e: e.pca(ROWS, 5), "between 1 and 4"),
        (lambda e: e.pca(np.ones((3, 2)), 1), "not all the same"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call(unchecked)
    assert "\n" not in str(error.value)
