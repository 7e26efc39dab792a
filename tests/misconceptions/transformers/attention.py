"""Plausible mistakes in section 6.5: self-attention with a cache."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from einops import rearrange

from examiner.judge.misconceptions import misconception


def attend(self, x, past, mask, **wrong):
    """Self-attention with one thing changed."""
    heads = rearrange(self.W_qkv(x), wrong.get("order", "b t (n k) -> b n t k"), k=self.K)
    if "unmoved" in wrong:
        heads = self.W_qkv(x).reshape(heads.shape)
    parts = heads.split([self.H, self.G, self.G], dim=1)
    q, k, v = (parts[n] for n in wrong.get("parts", (0, 1, 2)))
    start = 0 if past is None or "restarts" in wrong else past[0].shape[2]
    q, k, v = rotated(self, q, k, v, start + x.shape[1] * ("late" in wrong), wrong)
    new = k, v
    if past is not None and "alone" not in wrong:
        pairs = zip(new, past, strict=True) if "new_first" in wrong else zip(past, new, strict=True)
        k, v = (torch.cat(pair, dim=2) for pair in pairs)
    if self.positions == "rotary" and "turns_all" in wrong:
        k = self.rotate(k, start if "turns_all_late" in wrong else 0)
    all_k = self.rotate(k) if self.positions == "rotary" and "keeps_raw" in wrong else k
    y = looked(self, q, all_k, v, seen_by(self, x, k, mask, wrong), wrong)
    y = rearrange(y, "b h t k -> b t (h k)") if "unmerged" not in wrong else y.reshape(x.shape)
    y = y if "no_output" in wrong else self.W_o(y)
    return y, new if "forgets" in wrong else ((k, k) if "twice" in wrong else (k, v))


def rotated(self, q, k, v, start, wrong):
    """Queries, keys and values after their rotation."""
    if (self.positions == "rotary" or "turns_any" in wrong) and "never_turns" not in wrong:
        q = q if "keeps_q" in wrong else self.rotate(q, start)
        raw = {"keeps_k", "turns_all", "keeps_raw"} & wrong.keys()
        k = k if raw else self.rotate(k, start)
        v = self.rotate(v, start) if "turns_v" in wrong else v
    return q, k, v


def seen_by(self, x, k, mask, wrong):
    """What is seen, as True and False or as numbers."""
    T, S = x.shape[1], k.shape[2]
    if mask is not None:
        mask = {"no_mask": None, "other_mask": ~mask}.get(wrong.get("padding", ""), mask)
    seen = self.visible(T, S, mask, x.device)
    if "top_left" in wrong:
        seen = torch.ones(T, S, dtype=torch.bool).tril() if self.causal else seen
    if "top_left_too" in wrong:
        seen = seen & torch.ones(T, S, dtype=torch.bool).tril() if self.causal else seen
    if "all" in wrong or ("mask_only" in wrong and mask is not None):
        seen = torch.ones(x.shape[0], 1, T, S, dtype=torch.bool)
        seen = seen if mask is None else seen & mask[:, None, None]
    if "not_itself" in wrong and self.causal and S > 1:
        seen = seen & ~torch.eye(S, dtype=torch.bool)[-T:]
    if self.positions == "alibi" and "no_alibi" not in wrong:
        bias = self.alibi(self.H, T, S).to(x)
        bias = self.alibi(self.H, S, S)[:, :T] if "alibi_first" in wrong else bias
        bias = bias / self.K**0.5 if "alibi_scaled" in wrong else bias
        seen = bias if "alibi_only" in wrong else bias.masked_fill(~seen, -math.inf)
    return seen


def looked(self, q, k, v, seen, wrong):
    """What the heads answer."""
    n = self.H // self.G
    if "tiles" in wrong:
        k, v = (each.repeat(1, n, 1, 1) for each in (k, v))
    elif n > 1:
        k, v = (each.repeat_interleave(n, 1) for each in (k, v))
    return F.scaled_dot_product_attention(q, k, v, seen)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="A piece of text is rotated as if it began at place 0. Its first token stands where the "
    "past ends.",
)
def turns_from_zero(self, x, past=None, mask=None):
    return attend(self, x, past, mask, restarts=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The values are rotated, too. Rotary positions change queries and keys only.",
)
def turns_the_values(self, x, past=None, mask=None):
    return attend(self, x, past, mask, turns_v=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The new keys are put before the old ones, so the causal mask hides the wrong ones.",
)
def puts_new_keys_first(self, x, past=None, mask=None):
    return attend(self, x, past, mask, new_first=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="With a past, the causal mask begins at the first key: a new token sees too little. The "
    "queries are the last T of the S tokens, as self.visible(T, S, ...) knows.",
)
def masks_from_the_top_left(self, x, past=None, mask=None):
    return attend(self, x, past, mask, top_left=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Only the new keys and values are returned, so what was read before is soon forgotten.",
)
def returns_the_new_only(self, x, past=None, mask=None):
    return attend(self, x, past, mask, forgets=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="With ALiBi, hidden keys get only their penalty, so later words are seen. Where a key is "
    "hidden, the score must be -inf.",
)
def penalty_without_a_mask(self, x, past=None, mask=None):
    return attend(self, x, past, mask, alibi_only=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="ALiBi's penalties never reach the scores.",
)
def forgets_the_penalty(self, x, past=None, mask=None):
    return attend(self, x, past, mask, no_alibi=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The mask of the padding is not used.",
)
def looks_at_padding(self, x, past=None, mask=None):
    return attend(self, x, past, mask, padding="no_mask")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="With fewer heads of keys, head h uses keys h modulo G. Neighbours share: the first H / G "
    "heads use the keys of head 0.",
)
def shares_keys_in_turn(self, x, past=None, mask=None):
    return attend(self, x, past, mask, tiles=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The rows of W_qkv are cut as (K, heads). All rows of head 0 are first, then all of "
    "head 1, and so on: (n k).",
)
def cuts_heads_crosswise(self, x, past=None, mask=None):
    return attend(self, x, past, mask, order="b t (k n) -> b n t k")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Nothing is rotated: with rotary positions, rotate queries and new keys by self.rotate.",
)
def never_turns(self, x, past=None, mask=None):
    return attend(self, x, past, mask, never_turns=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Only the keys are rotated. With rotary positions, queries are rotated as well.",
)
def turns_keys_only(self, x, past=None, mask=None):
    return attend(self, x, past, mask, keeps_q=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Only the queries are rotated. With rotary positions, new keys are rotated as well.",
)
def turns_queries_only(self, x, past=None, mask=None):
    return attend(self, x, past, mask, keeps_k=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Queries and keys are rotated for all kinds of positions. Only rotary ones rotate them.",
)
def turns_for_all_positions(self, x, past=None, mask=None):
    return attend(self, x, past, mask, turns_any=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Old keys are rotated again with the new ones. They were rotated when they were new: "
    "rotate first, then put old and new together.",
)
def turns_old_keys_again(self, x, past=None, mask=None):
    return attend(self, x, past, mask, turns_all=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Old keys are rotated again, and as if they began at `start`. They were rotated when they "
    "were new: rotate first, then put old and new together.",
)
def turns_old_keys_from_start(self, x, past=None, mask=None):
    return attend(self, x, past, mask, turns_all=True, turns_all_late=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The new tokens are rotated as if they stood one piece further on. The first of them "
    "stands at `start`, the number of old keys.",
)
def turns_one_piece_late(self, x, past=None, mask=None):
    return attend(self, x, past, mask, late=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="edge",
    says="The keys that are returned are not rotated. Keep them as they were rotated when they "
    "were new.",
)
def returns_keys_unturned(self, x, past=None, mask=None):
    return attend(self, x, past, mask, keeps_raw=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="The past is not used: new tokens look at themselves only. Put the old keys and values "
    "before the new ones.",
)
def ignores_the_past(self, x, past=None, mask=None):
    return attend(self, x, past, mask, alone=True, restarts=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="New tokens see too little: a second causal mask begins at the first key. "
    "self.visible(T, S, ...) is all that is needed.",
)
def masks_twice(self, x, past=None, mask=None):
    return attend(self, x, past, mask, top_left_too=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="The heads are merged without moving their axis back behind the tokens: b h t k -> b t "
    "(h k).",
)
def merges_heads_unmoved(self, x, past=None, mask=None):
    return attend(self, x, past, mask, unmerged=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="The heads are cut by a view that mixes tokens. First cut (B, T, n K) into (B, T, n, "
    "K), then move the axis n before T.",
)
def cuts_heads_across_tokens(self, x, past=None, mask=None):
    return attend(self, x, past, mask, unmoved=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Queries and keys are exchanged: the rows of W_qkv make queries first, then keys, then "
    "values.",
)
def takes_keys_for_queries(self, x, past=None, mask=None):
    return attend(self, x, past, mask, parts=(1, 0, 2))


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Keys and values are exchanged: the rows of W_qkv make queries first, then keys, then "
    "values.",
)
def takes_values_for_keys(self, x, past=None, mask=None):
    return attend(self, x, past, mask, parts=(0, 2, 1))


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="Keys are returned twice. The state is keys and values.",
)
def returns_keys_twice(self, x, past=None, mask=None):
    return attend(self, x, past, mask, twice=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The mask is the wrong way round: it is False for keys that nobody sees.",
)
def turns_the_mask_around(self, x, past=None, mask=None):
    return attend(self, x, past, mask, padding="other_mask")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="edge",
    says="Where there is a mask for padding, the causal one is forgotten. self.visible joins the "
    "two.",
)
def forgets_causality_with_a_mask(self, x, past=None, mask=None):
    return attend(self, x, past, mask, mask_only=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="Every token sees all others, later ones, too. Use self.visible.",
)
def sees_everything(self, x, past=None, mask=None):
    return attend(self, x, past, mask, all=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="No token sees itself. It does: j <= i.",
)
def hides_each_from_itself(self, x, past=None, mask=None):
    return attend(self, x, past, mask, not_itself=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="ALiBi's penalties are those of the first T tokens. The queries are the last T of S: "
    "self.alibi(H, T, S).",
)
def slants_for_the_first_tokens(self, x, past=None, mask=None):
    return attend(self, x, past, mask, alibi_first=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="ALiBi's penalties are divided by the root of K. Only the products are.",
)
def scales_the_penalty(self, x, past=None, mask=None):
    return attend(self, x, past, mask, alibi_scaled=True)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="W_o is missing: the answers of all heads, side by side, go through it.",
)
def forgets_the_last_matrix(self, x, past=None, mask=None):
    return attend(self, x, past, mask, no_output=True)
