"""Plausible mistakes in section 5.11: attention in blocks."""

import math

import torch

from examiner.judge.misconceptions import misconception


def blocks(q, k, v, causal=False, block=256, **wrong):
    """Attention in blocks with one thing or another wrong."""
    T, S, done, low = q.shape[-2], k.shape[-2], [], torch.finfo(q.dtype).min
    rows = torch.arange(T)[:, None] + wrong.get("shift", S - T)
    root = 1.0 if wrong.get("rootless") else math.sqrt(q.shape[-1])
    for i in range(0, max(1, T - block + 1) if wrong.get("whole") == "queries" else T, block):
        ask, places = q[..., i : i + block, :], rows[i : i + block]
        top, total, mixed = torch.as_tensor(wrong.get("first", low), dtype=q.dtype), 0.0, 0.0
        for j in range(0, max(1, S - block + 1) if wrong.get("whole") == "keys" else S, block):
            scores = ask @ k[..., j : j + block, :].mT / root
            columns = torch.arange(S)[j : j + block]
            if wrong.get("local"):
                columns = torch.arange(len(columns))
                places = torch.arange(len(places))[:, None] + S - T
            if causal:
                scores = scores.masked_fill(columns > places - wrong.get("blind", 0), -math.inf)
            least = low if wrong.get("own") else top
            higher = scores.detach().amax(-1, keepdim=True).clamp(min=least)
            higher = higher if wrong.get("tops", True) else torch.zeros_like(higher)
            shrink, powers = torch.exp(top - higher), torch.exp(scores - higher)
            kept, mass = (1.0 if name in wrong.get("grown", ()) else shrink for name in ("o", "l"))
            total = total * mass + powers.sum(-1, keepdim=True)
            mixed = mixed * kept + powers @ v[..., j : j + block, :]
            top = higher if wrong.get("tops", True) else top
        least = wrong.get("least", 1e-30)
        done.append(mixed if wrong.get("undivided") else mixed / total.clamp(min=least))
    return torch.cat(done, dim=-2)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="idea",
    says="A larger score must scale down both sums: the powers, and the powers times values.",
)
def scales_one_sum_only(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, grown="o", least=1.0)


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
    kind="idea",
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
    done = []
    rows = torch.arange(q.shape[-2])[:, None] + k.shape[-2] - q.shape[-2]
    for ask, places in zip(q.split(block, -2), rows.split(block), strict=True):
        parts = []
        for j in range(0, k.shape[-2], block):
            scores = ask @ k[..., j : j + block, :].mT / math.sqrt(q.shape[-1])
            hidden = torch.arange(k.shape[-2])[j : j + block] > places
            scores = scores.masked_fill(hidden, -math.inf) if causal else scores
            parts.append(scores.softmax(-1).nan_to_num(0.0) @ v[..., j : j + block, :])
        done.append(sum(parts) / len(parts))
    return torch.cat(done, dim=-2)


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
    says="A query that sees no key gets NaN: begin with the lowest finite number, not with -inf, "
    "and do not divide by a sum of 0. It gets zeros.",
)
def divides_by_an_empty_sum(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, least=0.0)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="idea",
    says="The sum of powers is not scaled down when a larger score appears; scale both sums.",
)
def scales_the_values_only(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, grown="l", least=1.0)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="idea",
    says="When a larger score appears, what was summed before must be scaled down: both sums.",
)
def scales_nothing(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, grown="ol", least=1.0)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    says="The largest score is that of the last block alone; keep the largest of all blocks so "
    "far.",
)
def keeps_the_top_of_the_block(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, own=True, least=1.0)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    says="No block divides its scores by the root of K, the length of a query.",
)
def forgets_the_root_in_blocks(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, rootless=True)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    says="`causal` plays no part: hide the keys after i + S - T.",
)
def ignores_causal(q, k, v, causal=False, block=256):
    return blocks(q, k, v, False, block)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="edge",
    says="Keys are left out at the end, where they make no whole block.",
)
def leaves_out_the_last_keys(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, whole="keys")


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="edge",
    says="Queries are left out at the end, where they make no whole block.",
)
def leaves_out_the_last_queries(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, whole="queries")


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="idea",
    says="The sum of powers times values is not divided by the sum of powers.",
)
def never_divides(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, undivided=True)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="edge",
    says="The largest score begins at 0: where all scores are far below, their powers are 0. "
    "Begin with the lowest finite number.",
)
def begins_with_zero(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, first=0.0)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    says="In `causal`, a query sees its own word as well: j <= i + S - T.",
)
def hides_its_own_word(q, k, v, causal=False, block=256):
    return blocks(q, k, v, causal, block, blind=1)


@misconception(
    "5.11",
    replaces="blockwise_attention",
    kind="edge",
    says="More is held than the scores of `block` queries and `block` keys: go through both in "
    "blocks of that size.",
)
def reads_all_keys_at_once(q, k, v, causal=False, block=256):
    done = []
    rows = torch.arange(q.shape[-2])[:, None] + k.shape[-2] - q.shape[-2]
    for ask, places in zip(q.split(block, -2), rows.split(block), strict=True):
        scores = ask @ k.mT / math.sqrt(q.shape[-1])
        hidden = torch.arange(k.shape[-2]) > places
        scores = scores.masked_fill(hidden, -math.inf) if causal else scores
        done.append(torch.softmax(scores, dim=-1).nan_to_num(0.0) @ v)
    return torch.cat(done, dim=-2)
