"""Small inputs of chapter 1 in other forms: tuples, iterators, texts that a mark begins or ends.

Leaves out everything about the values themselves (small.py): these are asked last.
"""

import numpy as np

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.language_models.suite.small import SPECIAL, model_of

BOS, EOS = 0, 1


@small("1.1", "to_ids", tries=2, last=True)
def words_that_can_be_read_once(draw: Small) -> Example:
    code = "to_ids(iter(words), vocabulary)"
    return example(code, words=draw.words(2, 1, "ab"), vocabulary=[*SPECIAL, "a", "b"])


@small("1.1", "build_vocabulary", tries=4, last=True)
def a_blank_or_a_sentence_twice(draw: Small) -> Example:
    sentences = draw.choice([["a b"], [["a"], ["b"], ["b"]]])
    return example("build_vocabulary(sentences)", sentences=sentences)


@small("1.7", "count_characters", tries=1, last=True)
def texts_that_can_be_read_once(draw: Small) -> Example:
    return example("count_characters(iter(texts), n=2)", texts=["ab"])


@small("1.2", "inputs_and_targets", tries=3, last=True)
def a_tuple_of_ids(draw: Small) -> Example:
    ids = (draw.integer(3, 9),) * draw.integer(1, 2)
    return example("inputs_and_targets(ids)", ids=ids)


@small("1.2", "inputs_and_targets", tries=6, last=True)
def texts_with_marks_of_their_own(draw: Small) -> Example:
    ids = draw.choice([[BOS, 3], [3, EOS], [BOS], [EOS]])
    return example("inputs_and_targets(ids)", ids=ids)


@small("1.2", "batch", tries=1, last=True)
def inputs_for_indices(draw: Small) -> Example:
    code = 'x, y = batch(ids, starts, T=2)\n"abcd"[x[0][0]], "abcd"[y[0][0]]'
    return example(code, ids=np.array([3, 1, 0]), starts=np.array([0]))


@small("1.4", "token_log_probs", tries=8, last=True)
def other_histories(draw: Small) -> Example:
    model = model_of({(): [0, *draw.shares(2)], (0,): [0, *draw.shares(2)]})
    history = draw.choice([[], [2], (0,)])
    code = "token_log_probs(model, history, text)"
    return example(code, model=model, history=history, text=[2])


@small("1.10", "decode", tries=1, last=True)
def a_mark_of_byte_order(draw: Small) -> Example:
    return example("decode(ids, merges)", ids=[*"\ufeffa".encode()], merges=[])


@small("1.11", "with_temperature", tries=1, last=True)
def a_temperature_next_to_zero(draw: Small) -> Example:
    code = "with_temperature(logits, temperature)"
    return example(code, logits=np.array([900.0, 1000.0]), temperature=1e-306)


@small("1.11", "sample", tries=1, last=True)
def many_draws(draw: Small) -> Example:
    row = [0.05, 0.1, 0.15, 0.3, 0.4]
    code = "rng = np.random.default_rng(4)\nCounter([sample(probs, rng) for _ in range(2000)])"
    return example(code, chances=dict(enumerate(row)), probs=np.array(row))


@small("1.11", "sample", tries=1, last=True)
def a_sum_that_is_nearly_one(draw: Small) -> Example:
    code = "sample(probs, np.random.default_rng(0)) in (0, 1)"
    return example(code, probs=Code("np.array([0.5, 0.5 + 5e-7])"))


@small("1.12", "beam_search", tries=1, last=True)
def texts_that_are_next_to_impossible(draw: Small) -> Example:
    model = model_of({(): [0, 0, 1e-200, 1], (2,): [0, 0, 1e-150, 1]})
    code = "beam_search(model, [0], width=4, max_tokens=2)[-1]"
    return example(code, model=model)


@small("1.12", "beam_search", tries=3, last=True)
def a_history_that_is_a_tuple(draw: Small) -> Example:
    model = model_of({(): [0, 0.25, 0.75]})
    code = "beam_search(model, history, width=1, max_tokens=1)"
    return example(code, model=model, history=(0, 2)[: draw.integer(1, 2)])
