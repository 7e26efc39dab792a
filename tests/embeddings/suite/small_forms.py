"""Small inputs of chapter 3 in other forms: tuples, iterators, windows beyond the sentence, no
variance. Leaves out everything about the values themselves (small.py, small_learning.py): these are
asked of those who are right on all others.
"""

import math

import numpy as np
import torch

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code


@small("3.1", "lookup", tries=1, last=True)
def rows_that_nobody_asks_for(draw: Small) -> Example:
    E = np.array([[1.0, 2.0], [math.nan, math.inf]])
    return example("lookup(ids, E)", ids=np.array([0]), E=E)


@small("3.3", "nearest", tries=2, last=True)
def a_tuple_that_is_left_out(draw: Small) -> Example:
    E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    exclude = draw.choice([(0, 1), (1, 2)])
    code = "list(nearest(q, E, 1, exclude))"
    return example(code, q=np.array([1.0, 0.0]), E=E, exclude=exclude)


@small("3.6", "frequent_words", tries=2, last=True)
def sentences_that_can_be_read_once(draw: Small) -> Example:
    return example("frequent_words(iter(sentences))", sentences=[draw.words(2, 1)])


@small("3.6", "subsample", tries=1, last=True)
def words_that_are_all_dropped(draw: Small) -> Example:
    code = "counts[subsample(sentence, counts, 1e-30, rng)]"
    rng = draw.generator()
    return example(code, sentence=np.array([0, 1]), counts=np.array([3, 2]), rng=rng)


@small("3.6", "subsample", tries=1, last=True)
def words_for_indices(draw: Small) -> Example:
    code = '"ab"[subsample(sentence, counts, t, rng)[0]]'
    given = {"sentence": np.array([0]), "counts": np.array([2, 2])}
    return example(code, **given, t=0.5, rng=draw.generator())


@small("3.6", "context_windows", tries=1, last=True)
def neighbours_for_indices(draw: Small) -> Example:
    code = '"ab"[context_windows(sentence, 1, rng)[0][1]]'
    return example(code, sentence=np.array([0, 1]), rng=draw.generator())


@small("3.5", "svd_vectors", tries=1, last=True)
def a_table_of_rank_one(draw: Small) -> Example:
    code = "W, C = svd_vectors(M, d=2)\n(W @ C.T).round(4)"
    return example(code, M=np.array([[1.0, 0.0], [0.0, 0.0]]))


@small("3.5", "svd_vectors", tries=1)
def two_dimensions_that_are_cut(draw: Small) -> Example:
    M = Code("np.diag([4.0, 1.0, 9.0])", size=2)  # whoever cuts one only is soon told from others
    return example("[np.abs(part).round(6) for part in svd_vectors(M, 1)]", M=M)


@small("3.9", "context_gradients", tries=1)
def a_word_in_two_windows(draw: Small) -> Example:
    contexts = Code("torch.tensor([[0], [0]])", size=1)
    dh = torch.tensor([[1.0], [4.0]])
    return example("context_gradients(dh, contexts, 1)", dh=dh, contexts=contexts)


@small("3.9", "context_means", tries=1, last=True)
def a_vector_of_zeros(draw: Small) -> Example:
    E, contexts = torch.tensor([[0.0], [2.0]]), torch.tensor([[0, 1]])
    return example("context_means(E, contexts)", E=E, contexts=contexts)


@small("3.10", "tree_log_probs", tries=1, last=True)
def gradients_of_forks(draw: Small) -> Example:
    code = "N.requires_grad_()\ntree_log_probs(v, N, forks, signs).sum().backward()\nN.grad"
    forks, signs = torch.tensor([[0]]), torch.tensor([[1.0]])
    return example(code, v=torch.ones(1, 1), N=torch.zeros(1, 1), forks=forks, signs=signs)


@small("3.6", "context_windows", tries=3, last=True)
def windows_beyond_the_sentence(draw: Small) -> Example:
    code = "[list(row) for row in context_windows(sentence, window, rng)]"
    sentence = np.array(draw.choice([[5], [5, 6]]))
    return example(code, sentence=sentence, window=draw.integer(3, 4), rng=draw.generator())


@small("3.11", "odd_one_out", tries=2, last=True)
def a_tuple_of_ids(draw: Small) -> Example:
    E = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    return example("odd_one_out(E, ids)", E=E, ids=(0, 1, 2))


@small("3.12", "pca", tries=2, last=True)
def points_without_variance_along_an_axis(draw: Small) -> Example:
    code = "points, axes, shares = pca(X, 2)\n(np.abs(points).round(6), axes.shape, shares)"
    X = draw.choice([[[0.0, 0.0], [2.0, 0.0]], [[0.0, 1.0], [0.0, 5.0]]])
    return example(code, X=np.array(X))
