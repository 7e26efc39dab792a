"""Plausible mistakes in sections 5.8 and 5.9: heads, cross-attention."""

from einops import rearrange

from examiner.judge.misconceptions import misconception

CUT, JOIN = "b t (h k) -> b h t k", "b h t k -> b t (h k)"


def heads(net, x, cut=CUT, join=JOIN, **wrong):
    """Several heads with one thing or another wrong."""
    sizes = wrong.get("sizes", {"h": net.H})
    layers = wrong.get("layers", (net.W_q, net.W_k, net.W_v))
    q, k, v = (rearrange(W(x), cut, **sizes) for W in layers)
    mask = wrong.get("mask")
    mask = mask if mask is None else mask[..., None, :, :]
    y, weights = net.look(q * wrong.get("factor", 1.0), k, v, mask)
    y = y.reshape(x.shape) if join == "reshape" else rearrange(y, join)
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


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="idea",
    says="The answers were joined by a bare reshape, which mixes words and heads: move the "
    "heads behind the time first.",
)
def joins_by_a_reshape(self, x, mask=None):
    return heads(self, x, join="reshape", mask=mask)


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="idea",
    says="The queries were made with W_k: each role has a matrix of its own.",
)
def asks_with_the_keys(self, x, mask=None):
    return heads(self, x, mask=mask, layers=(self.W_k, self.W_k, self.W_v))


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="idea",
    says="The values were made with W_k: each role has a matrix of its own.",
)
def answers_with_the_keys(self, x, mask=None):
    return heads(self, x, mask=mask, layers=(self.W_q, self.W_k, self.W_k))


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    says="x was added to the answer. A block of a transformer does so around its heads; the "
    "heads do not.",
)
def adds_the_input(self, x, mask=None):
    y, weights = heads(self, x, mask=mask)
    return x + y, weights


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="idea",
    says="All D numbers look at once, as one head: cut queries, keys and values into H heads.",
)
def looks_with_one_head(self, x, mask=None):
    y, weights = self.look(self.W_q(x), self.W_k(x), self.W_v(x), mask)
    return self.W_o(y), weights[:, None].expand(-1, self.H, -1, -1)


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    kind="edge",
    says="A mask of (B, T, T) was matched with the heads: it needs an axis of length 1 for them.",
)
def takes_sentences_for_heads(self, x, mask=None):
    q, k, v = (rearrange(W(x), CUT, h=self.H) for W in (self.W_q, self.W_k, self.W_v))
    y, weights = self.look(q, k, v, mask)
    return self.W_o(rearrange(y, JOIN)), weights


@misconception(
    "5.8",
    replaces="MultiHead.forward",
    says="The biases of W_q, W_k and W_v are missing: call the layers, not their weights alone.",
)
def leaves_out_the_biases(self, x, mask=None):
    layers = [lambda z, W=W: z @ W.weight.T for W in (self.W_q, self.W_k, self.W_v)]
    return heads(self, x, mask=mask, layers=layers)


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
    kind="idea",
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
    kind="idea",
    says="Heads own every H-th number of keys and values: head 0 must own the first K.",
)
def deals_the_memory_like_cards(self, memory):
    return remembered(self, self.W_k(memory), self.W_v(memory), "b t (k h) -> b h t k")


def crossed(net, x, kv, mask=None, q=None, out=True, join=JOIN):
    q = rearrange(net.W_q(x) if q is None else q, CUT, h=net.H)
    y, weights = net.look(q, *kv, mask if mask is None else mask[..., None, :, :])
    y = y.reshape(x.shape) if join == "reshape" else rearrange(y, join)
    return (net.W_o(y) if out else y), weights


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    kind="idea",
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
    kind="idea",
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


@misconception(
    "5.9",
    replaces="CrossAttention.remember",
    kind="idea",
    says="Words and heads of the memory are mixed up: cut the last axis, then move the heads "
    "before the words. A bare view tears vectors apart.",
)
def tears_the_memory_apart(self, memory):
    B, S, _ = memory.shape
    return tuple(W(memory).view(B, self.H, S, -1) for W in (self.W_k, self.W_v))


@misconception(
    "5.9",
    replaces="CrossAttention.remember",
    says="The heads stand after the words: the shape must be (B, H, S, K).",
)
def puts_heads_after_the_words(self, memory):
    return remembered(self, self.W_k(memory), self.W_v(memory), "b t (h k) -> b t h k")


@misconception(
    "5.9",
    replaces="CrossAttention.remember",
    says="Keys and values were detached, so W_k and W_v learn nothing.",
)
def forgets_what_it_learns(self, memory):
    return remembered(self, self.W_k(memory).detach(), self.W_v(memory).detach())


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    says="Keys and values changed places: kv holds keys first.",
)
def swaps_keys_and_values(self, x, kv, mask=None):
    return crossed(self, x, kv[::-1], mask)


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    kind="idea",
    says="Values stand in for the keys: queries are compared with keys, the first of the pair.",
)
def answers_with_the_values_alone(self, x, kv, mask=None):
    return crossed(self, x, (kv[1], kv[1]), mask)


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    kind="idea",
    says="Words and heads are mixed in the answer, by a bare reshape: move the heads behind "
    "the words, then join them.",
)
def mixes_words_and_heads(self, x, kv, mask=None):
    return crossed(self, x, kv, mask, join="reshape")


@misconception(
    "5.9",
    replaces="CrossAttention.forward",
    kind="edge",
    says="A mask of (B, 1, S) was matched with the heads: it needs an axis of length 1 for them.",
)
def matches_sentences_with_heads(self, x, kv, mask=None):
    q = rearrange(self.W_q(x), CUT, h=self.H)
    y, weights = self.look(q, *kv, mask)
    return self.W_o(rearrange(y, JOIN)), weights
