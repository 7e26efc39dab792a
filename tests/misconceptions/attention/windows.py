"""Plausible mistakes in section 5.12: windows."""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from examiner.judge.misconceptions import misconception


def window(q, k, v, back, ahead=0, block=None, whole=False):
    """Windows in blocks, from `back` words before a query to `ahead` after it."""
    T, done = q.shape[-2], []
    block = max(1, block or back + 1)
    for i in range(0, T - T % block if whole else T, block):
        first, last = max(0, i - back), min(T, i + block + ahead)
        rows = torch.arange(i, min(i + block, T))[:, None]
        columns = torch.arange(first, last)
        mask = (columns <= rows + ahead) & (columns >= rows - back)
        near = (each[..., first:last, :] for each in (k, v))
        done.append(scaled_dot_product_attention(q[..., i : i + block, :], *near, mask))
    return torch.cat(done, dim=-2)


@misconception(
    "5.12",
    replaces="windowed_attention",
    says="The window is one key too wide: `width` counts the query's own key, so it ends at i - "
    "width + 1.",
)
def sees_one_key_too_many(q, k, v, width):
    return window(q, k, v, width)


@misconception(
    "5.12",
    replaces="windowed_attention",
    kind="idea",
    says="The window reaches into the future: a query sees its own key and those before it.",
)
def sees_what_follows(q, k, v, width):
    return window(q, k, v, width // 2, width - 1 - width // 2)


@misconception(
    "5.12",
    replaces="windowed_attention",
    kind="idea",
    says="Queries see the keys of their own block only: the window of most queries begins in the "
    "block before.",
)
def looks_within_its_block_only(q, k, v, width):
    T, done = q.shape[-2], []
    for i in range(0, T, width):
        part = [each[..., i : i + width, :] for each in (q, k, v)]
        done.append(scaled_dot_product_attention(*part, is_causal=True))
    return torch.cat(done, dim=-2)


@misconception(
    "5.12",
    replaces="windowed_attention",
    kind="idea",
    says="The numbers are right, but a table of T x T scores is computed and most of it hidden: "
    "touch only the keys that are near.",
)
def hides_most_of_a_full_table(q, k, v, width):
    T = q.shape[-2]
    rows, columns = torch.arange(T)[:, None], torch.arange(T)
    mask = (columns <= rows) & (columns > rows - width)
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, dim=-1) @ v


def by_block(q, k, v, width, mask_of):
    """Windows in blocks of `width`; `mask_of` says what is seen, of rows and columns."""
    T, done = q.shape[-2], []
    for i in range(0, T, width):
        here, near = slice(i, i + width), slice(max(0, i - width + 1), i + width)
        mask = mask_of(torch.arange(T)[here, None], torch.arange(T)[near])
        parts = q[..., here, :], k[..., near, :], v[..., near, :]
        done.append(scaled_dot_product_attention(*parts, mask))
    return torch.cat(done, dim=-2)


@misconception(
    "5.12",
    replaces="windowed_attention",
    says="The window is one key too narrow: `width` keys with the query's own, from i - width "
    "+ 1 on.",
)
def sees_one_key_too_few(q, k, v, width):
    return window(q, k, v, max(width - 2, 0), block=width)


@misconception(
    "5.12",
    replaces="windowed_attention",
    kind="idea",
    says="A query sees the keys of its block that follow it: hide j > i.",
)
def sees_the_rest_of_its_block(q, k, v, width):
    return by_block(q, k, v, width, lambda rows, columns: columns > rows - width)


@misconception(
    "5.12",
    replaces="windowed_attention",
    kind="idea",
    says="All queries of a block see the same first key: hide those at i - width and before "
    "for each query by itself.",
)
def sees_all_keys_of_its_block(q, k, v, width):
    return by_block(q, k, v, width, lambda rows, columns: columns <= rows)


@misconception(
    "5.12",
    replaces="windowed_attention",
    kind="idea",
    says="The window reaches as far ahead as back: a query sees its own key and those before it.",
)
def sees_both_sides(q, k, v, width):
    return window(q, k, v, width - 1, width - 1)


@misconception(
    "5.12",
    replaces="windowed_attention",
    says="The width plays no part: a query sees all keys before it.",
)
def forgets_the_width(q, k, v, width):
    return scaled_dot_product_attention(q, k, v, is_causal=True)


@misconception(
    "5.12",
    replaces="windowed_attention",
    says="Rows and columns are counted from the start of their slices: use their places in the "
    "whole.",
)
def counts_within_the_block_of_a_window(q, k, v, width):
    def mask_of(rows, columns):
        rows, columns = torch.arange(len(rows))[:, None], torch.arange(len(columns))
        return (columns <= rows) & (columns > rows - width)

    return by_block(q, k, v, width, mask_of)


@misconception(
    "5.12",
    replaces="windowed_attention",
    kind="edge",
    says="Words are left out at the end, where they fill no whole window.",
)
def leaves_out_the_last_words(q, k, v, width):
    return window(q, k, v, width - 1, whole=True) if q.shape[-2] >= width else q[..., :0, :]


@misconception(
    "5.12",
    replaces="receptive_field",
    says="Windows overlap in one word: each layer adds width - 1 words, not width.",
)
def adds_the_whole_width(width, n_layers):
    return n_layers * width


@misconception(
    "5.12",
    replaces="receptive_field",
    kind="idea",
    says="Layers add to the reach; they do not multiply it.",
)
def multiplies_the_reach(width, n_layers):
    return width**n_layers


@misconception(
    "5.12",
    replaces="receptive_field",
    says="The word itself is not counted.",
)
def leaves_out_the_word_itself(width, n_layers):
    return n_layers * (width - 1)


@misconception(
    "5.12",
    replaces="receptive_field",
    says="Both sides are counted: a window reaches back only.",
)
def reaches_to_both_sides(width, n_layers):
    return 2 * n_layers * (width - 1) + 1


@misconception(
    "5.12",
    replaces="receptive_field",
    kind="idea",
    says="A layer adds width - 1 words, not one.",
)
def adds_one_word_for_each_layer(width, n_layers):
    return width + n_layers - 1
