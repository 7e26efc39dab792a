"""Plausible mistakes in section 5.6: masks."""

import math

import torch

from examiner.judge.misconceptions import misconception


def table(T, S, shift=0):
    return torch.arange(S) <= torch.arange(T)[:, None] + shift


@misconception(
    "5.6",
    replaces="causal_mask",
    says="A word does not see itself, and the first word sees nothing: j <= i, not j < i.",
)
def hides_the_word_itself(T, S=None):
    S = T if S is None else S
    return table(T, S, S - T - 1)


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="edge",
    says="With more keys than queries, the queries are the last words: query i is word i + S - T.",
)
def puts_the_queries_first(T, S=None):
    return table(T, T if S is None else S)


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="idea",
    says="The mask is inverted: True is where a query may look.",
)
def marks_what_is_hidden(T, S=None):
    S = T if S is None else S
    return ~table(T, S, S - T)


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="idea",
    says="Words see what follows them: rows are queries and columns are keys, so the lower left "
    "half is True.",
)
def sees_the_future(T, S=None):
    S = T if S is None else S
    return torch.arange(S) >= torch.arange(T)[:, None] + S - T


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="idea",
    says="The table stands on its side: a row for each query, a column for each key.",
)
def gives_each_key_a_row(T, S=None):
    S = T if S is None else S
    return table(T, S, S - T).T


@misconception(
    "5.6",
    replaces="padding_mask",
    says="The first word of the padding is still seen: a sentence of n words has the places "
    "0 to n - 1.",
)
def sees_one_word_of_padding(lengths, S):
    return torch.arange(S) <= lengths[:, None, None]


@misconception(
    "5.6",
    replaces="padding_mask",
    says="An axis for the queries is missing: scores have the shape (B, T, S), so the mask needs "
    "(B, 1, S).",
)
def leaves_no_axis_for_queries(lengths, S):
    return torch.arange(S) < lengths[:, None]


@misconception(
    "5.6",
    replaces="additive_mask",
    says="0 times infinity is NaN: put -inf where the mask is False with masked_fill.",
)
def multiplies_by_infinity(mask, dtype=torch.float32):
    return (~mask).to(dtype) * -math.inf


@misconception(
    "5.6",
    replaces="additive_mask",
    kind="idea",
    says="The mask has -inf where a query may look: 0 belongs there.",
)
def hides_what_may_be_seen(mask, dtype=torch.float32):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="edge",
    says="With more keys than queries the shift is S - T, not T - S: the queries are the last "
    "words.",
)
def shifts_the_other_way(T, S=None):
    S = T if S is None else S
    return table(T, S, T - S)


@misconception(
    "5.6",
    replaces="causal_mask",
    says="The mask holds numbers; it must be boolean.",
)
def returns_numbers(T, S=None):
    S = T if S is None else S
    return table(T, S, S - T).float()


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="edge",
    says="S plays no part: the mask has a column for each of S keys.",
)
def is_always_square(T, S=None):
    return table(T, T)


@misconception(
    "5.6",
    replaces="causal_mask",
    says="This mask is made to be added. Return booleans: True where a query may look.",
)
def makes_numbers_to_add(T, S=None):
    S = T if S is None else S
    return torch.zeros(T, S).masked_fill(~table(T, S, S - T), -math.inf)


@misconception(
    "5.6",
    replaces="padding_mask",
    kind="idea",
    says="The mask is inverted: True is where a query may look, and padding is False.",
)
def marks_the_padding(lengths, S):
    return torch.arange(S) >= lengths[:, None, None]


@misconception(
    "5.6",
    replaces="padding_mask",
    kind="idea",
    says="The padding stands after the words; here it is taken to stand before them.",
)
def pads_in_front(lengths, S):
    return torch.arange(S - 1, -1, -1) < lengths[:, None, None]


@misconception(
    "5.6",
    replaces="padding_mask",
    kind="edge",
    says="The mask ends with the longest sentence; its last axis has S places.",
)
def ends_with_the_longest(lengths, S):
    return torch.arange(int(lengths.max())) < lengths[:, None, None]


@misconception(
    "5.6",
    replaces="padding_mask",
    says="There is a row for each query; one for all of them is enough: (B, 1, S).",
)
def repeats_the_row(lengths, S):
    return (torch.arange(S) < lengths[:, None, None]).expand(-1, S, -1)


@misconception(
    "5.6",
    replaces="padding_mask",
    says="Queries were hidden, too. What a query of padding sees does not matter: (B, 1, S) is "
    "enough.",
)
def hides_queries_as_well(lengths, S):
    seen = torch.arange(S) < lengths[:, None]
    return seen[:, None] & seen[:, :, None]


@misconception(
    "5.6",
    replaces="additive_mask",
    kind="edge",
    says="dtype plays no part: the numbers have that format.",
)
def ignores_the_format(mask, dtype=torch.float32):
    return torch.zeros(mask.shape).masked_fill(~mask, -math.inf)


@misconception(
    "5.6",
    replaces="additive_mask",
    says="The lowest finite number hides nothing where a whole row is hidden: all its keys are "
    "alike then. Use -inf.",
)
def hides_with_the_lowest_number(mask, dtype=torch.float32):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).min)


@misconception(
    "5.6",
    replaces="additive_mask",
    kind="idea",
    says="0 and 1 hide nothing when they are added: -inf does, and 0 leaves a score as it is.",
)
def writes_zero_and_one(mask, dtype=torch.float32):
    return mask.to(dtype)


@misconception(
    "5.6",
    replaces="additive_mask",
    kind="idea",
    says="Where a query may look, 1 is added to the score; 0 leaves it as it is.",
)
def adds_one_where_it_may_look(mask, dtype=torch.float32):
    return torch.ones(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf)
