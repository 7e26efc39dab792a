"""Plausible mistakes in sections 5.8 to 5.10: heads, cross-attention, groups."""

import torch
from einops import rearrange, repeat
from torch.nn.functional import scaled_dot_product_attention

from nextword.judge.misconceptions import misconception


def heads(net, x, cut="b t (h k) -> b h t k", join="b h t k -> b t (h k)", **wrong):
    """Several heads with one thing or another wrong."""
    sizes = wrong.get("sizes", {"h": net.H})
    q, k, v = (rearrange(W(x), cut, **sizes) for W in (net.W_q, net.W_k, net.W_v))
    mask = wrong.get("mask")
    mask = mask if mask is None else mask[..., None, :, :]
    y, weights = net.look(q * wrong.get("factor", 1.0), k, v, mask)
    y = rearrange(y, join)
    return (net.W_o(y) if wrong.get("out", True) else y), weights


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="idea",
    says="W_o is not applied: it mixes what the heads bring back.",
)
def forgets_the_last_matrix(self, x, mask=None):
    return heads(self, x, mask=mask, out=False)


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="idea",
    says="Heads own every H-th number: head 0 must own the first K numbers, head 1 the next K. In "
    "einops: (h k), not (k h).",
)
def deals_numbers_like_cards(self, x, mask=None):
    return heads(self, x, "b t (k h) -> b h t k", "b h t k -> b t (k h)", mask=mask)


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="idea",
    says="Words and heads are mixed up: cut the last axis first, then move the heads before the "
    "time. A bare view or reshape to (B, H, T, K) tears the vectors apart.",
)
def reshapes_without_moving(self, x, mask=None):
    B, T, D = x.shape
    q, k, v = (W(x).reshape(B, self.H, T, D // self.H) for W in (self.W_q, self.W_k, self.W_v))
    y, weights = self.look(q, k, v, mask if mask is None else mask[..., None, :, :])
    return self.W_o(rearrange(y, "b h t k -> b t (h k)")), weights


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    says="The heads are not put together as they were cut: the way back is b h t k -> b t (h k).",
)
def joins_in_another_order(self, x, mask=None):
    return heads(self, x, join="b h t k -> b t (k h)", mask=mask)


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    says="The queries are divided by the root of K, which `look` does as well.",
)
def scales_twice(self, x, mask=None):
    return heads(self, x, mask=mask, factor=(self.D // self.H) ** -0.5)


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    says="The mask is not passed on to `look`.",
)
def forgets_the_mask(self, x, mask=None):
    return heads(self, x)


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    says="The weights are averaged over the heads: return those of each head, (B, H, T, T).",
)
def averages_the_weights(self, x, mask=None):
    y, weights = heads(self, x, mask=mask)
    return y, weights.mean(1)


CUT, JOIN = "b t (h k) -> b h t k", "b h t k -> b t (h k)"


def remembered(net, first, second, cut=CUT):
    return tuple(rearrange(each, cut, h=net.H) for each in (first, second))


@misconception(
    "5.9",
    replaces="CrossAttention.remember",
    kind="idea",
    says="Keys and values changed places: return keys first.",
)
def remembers_values_first(self, memory):
    return remembered(self, self.W_v(memory), self.W_k(memory))


@misconception(
    "5.9",
    replaces="CrossAttention.remember",
    says="The values were made with W_k: make them with W_v.",
)
def remembers_keys_twice(self, memory):
    return remembered(self, self.W_k(memory), self.W_k(memory))


@misconception(
    "5.9",
    replaces="CrossAttention.remember",
    says="Keys and values are not cut into heads: their shape must be (B, H, S, K).",
)
def remembers_without_heads(self, memory):
    return self.W_k(memory), self.W_v(memory)


@misconception(
    "5.9",
    replaces="CrossAttention.remember",
    says="Heads own every H-th number of keys and values: head 0 must own the first K.",
)
def deals_the_memory_like_cards(self, memory):
    return remembered(self, self.W_k(memory), self.W_v(memory), "b t (k h) -> b h t k")


def crossed(net, x, kv, mask=None, q=None, out=True):
    q = rearrange(net.W_q(x) if q is None else q, CUT, h=net.H)
    y, weights = net.look(q, *kv, mask if mask is None else mask[..., None, :, :])
    y = rearrange(y, JOIN)
    return (net.W_o(y) if out else y), weights


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    says="The queries are x itself: apply W_q first.",
)
def asks_without_a_matrix(self, x, kv, mask=None):
    return crossed(self, x, kv, mask, q=x)


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    says="The mask is not used: the padding of the memory is seen.",
)
def sees_the_padding_of_the_memory(self, x, kv, mask=None):
    return crossed(self, x, kv)


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    says="W_o is not applied to the merged heads.",
)
def forgets_to_mix_the_heads(self, x, kv, mask=None):
    return crossed(self, x, kv, mask, out=False)


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    kind="idea",
    says="Keys and values of x are used, not those of the memory: that is self-attention.",
)
def looks_at_itself(self, x, kv, mask=None):
    return heads(self, x)


def group(q, k, v, mask, order):
    """Attention in which keys and values are copied for each head, in some order of heads."""
    R = q.shape[1] // k.shape[1]
    k, v = (repeat(each, order, r=R) for each in (k, v))
    mask = mask if mask is None else mask[..., None, :, :]
    unit = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-1], -1)
    weights = scaled_dot_product_attention(q, k, unit, mask)
    return weights @ v, weights


@misconception(
    "5.10",
    replaces="grouped_attention",
    says="Keys and values were copied for each head. The numbers are right, but the memory that "
    "sharing saves is gone: lay the queries of a group in a row.",
)
def copies_the_keys(q, k, v, mask=None):
    return group(q, k, v, mask, "b g s k -> b (g r) s k")


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="idea",
    says="Neighbouring heads use different keys: the first H / G heads share head 0 of k and v. "
    "(g r), not (r g); repeat_interleave, not repeat.",
)
def deals_heads_to_groups_like_cards(q, k, v, mask=None):
    return group(q, k, v, mask, "b g s k -> b (r g) s k")


@misconception(
    "5.10",
    replaces="grouped_attention",
    says="The mask is not used.",
)
def lets_groups_see_everything(q, k, v, mask=None):
    return group(q, k, v, None, "b g s k -> b (g r) s k")


@misconception(
    "5.10",
    replaces="grouped_attention",
    kind="idea",
    says="All heads use the same keys and values: there are G of them, each for H / G heads.",
)
def uses_the_first_keys_for_all(q, k, v, mask=None):
    return group(q, k[:, :1], v[:, :1], mask, "b g s k -> b (g r) s k")


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
