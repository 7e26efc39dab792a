"""Plausible mistakes in section 5.10: keys and values that heads share."""

import torch
from einops import rearrange
from torch.nn.functional import scaled_dot_product_attention

from examiner.judge.misconceptions import misconception


def look(q, k, v, mask=None):
    """Attention, and its weights."""
    unit = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-1], -1)
    weights = scaled_dot_product_attention(q, k, unit, mask)
    return weights @ v, weights


def group(q, k, v, mask, lay="b (g r) t k -> b g (r t) k", back="b g (r t) s -> b (g r) t s"):
    """The queries of a group in a row; `mask` makes the rows of a mask, from it and r."""
    T, r = q.shape[2], q.shape[1] // k.shape[1]
    found = look(rearrange(q, lay, g=k.shape[1]), k, v, mask(r))
    return tuple(rearrange(each, back, t=T) for each in found)


def tiled(mask):
    return lambda r: mask if mask is None else mask.tile(r, 1)[..., None, :, :]


@misconception(
    "5.10",
    replaces="grouped_attention",
    says="Keys and values were copied for each head. The numbers are right, but the memory "
    "that sharing saves is gone: lay the queries of a group in a row.",
)
def copies_the_keys(q, k, v, mask=None):
    k, v = (each.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for each in (k, v))
    return look(q, k, v, mask if mask is None else mask[..., None, :, :])


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="idea",
    says="Neighbouring heads use different keys: the first H / G heads share head 0 of k and "
    "v. (g r), not (r g); repeat_interleave, not repeat.",
)
def deals_heads_to_groups_like_cards(q, k, v, mask=None):
    lay, back = "b (r g) t k -> b g (r t) k", "b g (r t) s -> b (r g) t s"
    return group(q, k, v, tiled(mask), lay, back)


@misconception(
    "5.10",
    replaces="grouped_attention",
    says="The answers stand in another order of heads than the queries: undo the pattern by "
    "which they were laid in a row.",
)
def returns_heads_in_another_order(q, k, v, mask=None):
    return group(q, k, v, tiled(mask), back="b g (r t) s -> b (r g) t s")


@misconception(
    "5.10",
    replaces="grouped_attention",
    says="The mask is not used.",
)
def lets_groups_see_everything(q, k, v, mask=None):
    return group(q, k, v, tiled(None))


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="idea",
    says="All heads use the same keys and values: there are G of them, each for H / G heads.",
)
def uses_the_first_keys_for_all(q, k, v, mask=None):
    return group(q, k[:, :1], v[:, :1], tiled(mask))


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="idea",
    says="The queries of a group were averaged; each head keeps its own.",
)
def averages_the_queries(q, k, v, mask=None):
    r = q.shape[1] // k.shape[1]
    mean = rearrange(q, "b (g r) t k -> b g r t k", r=r).mean(2)
    found = look(mean, k, v, mask if mask is None else mask[..., None, :, :])
    return tuple(each.repeat_interleave(r, dim=1) for each in found)


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="edge",
    says="The rows of the mask do not meet their queries: where these stand head by head, the "
    "whole mask is repeated, one copy below the other.",
)
def repeats_each_row_of_the_mask(q, k, v, mask=None):
    return group(
        q, k, v, lambda r: mask if mask is None else mask.repeat_interleave(r, -2)[..., None, :, :]
    )


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="edge",
    says="A mask of (B, T, S) was matched with the groups: it needs an axis of length 1 for them.",
)
def takes_sentences_for_groups(q, k, v, mask=None):
    return group(q, k, v, lambda r: mask if mask is None else mask.tile(r, 1))


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="edge",
    says="Only the first head of a group is masked: the mask holds for all r.",
)
def masks_one_head_of_a_group(q, k, v, mask=None):
    def rows(r):
        if mask is None:
            return None
        free = [torch.ones_like(mask)] * (r - 1)
        return torch.cat([mask, *free], -2)[..., None, :, :]

    return group(q, k, v, rows)


@misconception(
    "5.10",
    replaces="cache_bytes",
    kind="idea",
    says="Only keys are counted: a cache holds keys and values.",
)
def counts_keys_only(n_layers, G, K, T, n_bytes=2):
    return n_layers * G * K * T * n_bytes


@misconception(
    "5.10",
    replaces="cache_bytes",
    says="These are numbers, not bytes: multiply by n_bytes.",
)
def counts_numbers(n_layers, G, K, T, n_bytes=2):
    return 2 * n_layers * G * K * T


@misconception(
    "5.10",
    replaces="cache_bytes",
    kind="edge",
    says="n_bytes plays no part: a number need not have two bytes.",
)
def takes_two_bytes_always(n_layers, G, K, T, n_bytes=2):
    return 2 * n_layers * G * K * T * 2


@misconception(
    "5.10",
    replaces="cache_bytes",
    kind="idea",
    says="Every layer has keys and values of its own: multiply by their number.",
)
def forgets_the_layers(n_layers, G, K, T, n_bytes=2):
    return 2 * G * K * T * n_bytes


@misconception(
    "5.10",
    replaces="cache_bytes",
    kind="idea",
    says="The words were squared. A cache keeps keys and values of each word once; only the "
    "scores are T times T.",
)
def squares_the_words(n_layers, G, K, T, n_bytes=2):
    return 2 * n_layers * G * K * T * T * n_bytes
