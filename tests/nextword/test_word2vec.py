"""The training of word vectors with the functions of chapter 3, and what it is given."""

from typing import Any

import numpy as np
import pytest
import torch

from nextword.models.word2vec import Settings, batches, encode, train, tree_paths
from tests.embeddings.suite import oracles as plain
from tests.reference import reference

course: Any = reference("embeddings")
SMALL = Settings(D=8, window=2, epochs=6, batch=64, shared=16, rate=0.05)


def two_topics(rng: np.random.Generator) -> list[np.ndarray]:
    """Sentences over the words 0 to 4, and sentences over 5 to 9: kinds that never meet."""
    return [rng.integers(0, 5, size=8) + 5 * (i % 2) for i in range(90)]


def mean_cosines(E: torch.Tensor) -> tuple[float, float]:
    """The mean cosine of different words of one topic, and of words of different topics."""
    cosines = torch.nn.functional.cosine_similarity(E[:, None], E[None], dim=2)
    same = torch.block_diag(torch.ones(5, 5), torch.ones(5, 5)) - torch.eye(10)
    return float(cosines[same > 0].mean()), float(cosines[:5, 5:].mean())


@pytest.mark.parametrize("cbow", [False, True])
@pytest.mark.parametrize("t", [None, 0.05])
def test_words_of_one_topic_become_alike(cbow: bool, t: float | None) -> None:
    sentences = two_topics(np.random.default_rng(1))
    counts = np.bincount(np.concatenate(sentences)).tolist()
    how = Settings(**{**vars(SMALL), "cbow": cbow, "t": t})
    vectors = train(course, sentences, counts, how)
    within, between = mean_cosines(vectors.E)
    assert within > 0.6 > 0.3 > between
    assert vectors.losses[-1] < vectors.losses[0]


def test_the_same_seed_gives_the_same_vectors() -> None:
    sentences = two_topics(np.random.default_rng(2))[:20]
    counts = np.bincount(np.concatenate(sentences)).tolist()
    shares: list[float] = []
    one = train(course, sentences, counts, SMALL, seed=5, report=shares.append)
    same = train(course, sentences, counts, SMALL, seed=5)
    other = train(course, sentences, counts, SMALL, seed=6)
    assert torch.equal(one.E, same.E)
    assert torch.equal(one.U, same.U)
    assert not torch.equal(one.E, other.E)
    assert shares == [(i + 1) / 6 for i in range(6)]


def test_each_pair_of_an_epoch_appears_once() -> None:
    """With a window of 1 nothing is left to chance: the pairs are those of the co-occurrences."""
    sentences = two_topics(np.random.default_rng(3))[:9]
    counts = np.bincount(np.concatenate(sentences), minlength=10)
    how = Settings(window=1, batch=10)
    found = np.zeros((10, 10))
    for words, around in batches(course, sentences, counts, how, np.random.default_rng(0)):
        assert len(words) <= 10
        np.add.at(found, (words.numpy(), around.numpy()), 1)
    assert (found == plain.cooccurrence(sentences, 10, 1, False)).all()


def test_paths_of_a_tree() -> None:
    codes = course.huffman_codes([9, 4, 2, 1, 1])
    forks, signs = tree_paths(codes)
    v = torch.randn(1, 3).expand(5, 3)
    N = torch.randn(4, 3)
    assert float(course.tree_log_probs(v, N, forks, signs).exp().sum()) == pytest.approx(1)
    assert forks[:, 0].tolist() == [0] * 5  # every path begins at the root


def test_what_cannot_be_trained_on_is_refused() -> None:
    with pytest.raises(ValueError, match=r"words must be among the 1 of the vocabulary.*'zebra'"):
        encode([["goat", "zebra"]], ["goat"])
    for sentences in ([], [np.array([0])]):
        with pytest.raises(ValueError, match="two words or more"):
            train(course, sentences, [1])
