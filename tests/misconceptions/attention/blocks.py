"""Plausible mistakes in sections 5.11 and 5.12: attention in blocks, and windows."""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from nextword.judge.misconceptions import misconception


def blocks(q, k, v, causal=False, block=256, **wrong):
    """Attention in blocks with one thing or another wrong."""
    T, S, done = q.shape[-2], k.shape[-2], []
    rows = torch.arange(T)[:, None] + wrong.get("shift", S - T)
    for i in range(0, T, block):
        ask, places = q[..., i : i + block, :], rows[i : i + block]
        top, total, mixed = wrong.get("first", torch.finfo(q.dtype).min), 0.0, 0.0
        for j in range(0, S, block):
            scores = ask @ k[..., j : j + block, :].mT / math.sqrt(q.shape[-1])
            columns = torch.arange(S)[j : j + block] - (j if wrong.get("local") else 0)
            if causal:
                scores = scores.masked_fill(columns > places, -math.inf)
            higher = scores.amax(-1, keepdim=True).clamp(min=top)
            higher = higher if wrong.get("tops", True) else torch.zeros_like(higher)
            shrink, powers = torch.exp(top - higher), torch.exp(scores - higher)
            total = total * shrink + powers.sum(-1, keepdim=True)
            kept = mixed * shrink if wrong.get("scale", True) else mixed
            mixed = kept + powers @ v[..., j : j + block, :]
            top = higher if wrong.get("tops", True) else 0.0
        done.append(mixed / total.clamp(min=1e-30))
    return torch.cat(done, dim=-2)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="idea",
    says="A larger score must scale down both sums: the powers, and the powers times values.",
)
def scales_one_sum_only(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, scale=False)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="edge",
    says="No largest score is kept, so large scores overflow.",
)
def keeps_no_top(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, first=0.0, tops=False)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    says="A table of all T x S scores is held, which blocks are meant to avoid.",
)
def holds_the_whole_table(q, k, v, causal=False, block=256):
    T, S = q.shape[-2], k.shape[-2]
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        hidden = torch.arange(S) > torch.arange(T)[:, None] + S - T
        scores = scores.masked_fill(hidden, -math.inf)
    return torch.softmax(scores, dim=-1).nan_to_num(0.0) @ v


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="idea",
    says="The softmax is taken within each block, and the blocks are averaged: weights of "
    "different blocks cannot be compared in this way.",
)
def averages_the_blocks(q, k, v, causal=False, block=256):
    parts = [
        torch.softmax(q @ keys.mT / math.sqrt(q.shape[-1]), -1) @ values
        for keys, values in zip(k.split(block, -2), v.split(block, -2), strict=True)
    ]
    return sum(parts) / len(parts)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    says="`causal` counts the keys from the start of their block: use their places in the whole.",
)
def counts_within_the_block(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, local=True)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="edge",
    says="With T and S different, query i is word i + S - T.",
)
def puts_the_queries_at_the_start(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, shift=0)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="edge",
    says="A query that sees no key gets NaN: 0 divided by 0. Give it zeros.",
)
def divides_by_an_empty_sum(q, k, v, causal=False, block=256):
    T, S = q.shape[-2], k.shape[-2]
    seen = torch.arange(T)[:, None] + S - T >= 0
    found = blocks(q, k, v, causal, block)
    return found.masked_fill(~seen, math.nan) if causal else found


def window(q, k, v, back, ahead=0, block=None):
    """Windows in blocks, from `back` words before a query to `ahead` after it."""
    T, done = q.shape[-2], []
    block = max(1, block or back + 1)
    for i in range(0, T, block):
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
    says="The numbers are right, but a table of T x T scores is computed and most of it hidden: "
    "touch only the keys that are near.",
)
def hides_most_of_a_full_table(q, k, v, width):
    T = q.shape[-2]
    rows, columns = torch.arange(T)[:, None], torch.arange(T)
    mask = (columns <= rows) & (columns > rows - width)
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    return torch.softmax(scores, dim=-1) @ v


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
