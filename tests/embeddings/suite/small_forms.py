"""Small inputs of chapter 3 in other forms: tuples, iterators, windows beyond the sentence, no
variance. Leaves out everything about the values themselves (small.py, small_learning.py): these are
asked of those who are right on all others.
"""

import math

import numpy as np

from examiner.counterexamples import Example, Small, example, small


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
