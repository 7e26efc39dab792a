"""Plausible mistakes in section 6.5: scores and weights."""

import math

import torch
from einops import rearrange

from examiner.judge.misconceptions import misconception


def scored(self, x, past, mask, wrong):
    """Self-attention by hand, with one thing changed."""
    heads = rearrange(self.W_qkv(x), "b t (n k) -> b n t k", k=self.K)
    q, k, v = heads.split([self.H, self.G, self.G], dim=1)
    start = 0 if past is None else past[0].shape[2]
    if self.positions == "rotary":
        q, k = self.rotate(q, start), self.rotate(k, start)
    if past is not None:
        k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
    all_k, all_v = (each.repeat_interleave(self.H // self.G, 1) for each in (k, v))
    scale = {"none": 1.0, "K": self.K, "D": (self.H * self.K) ** 0.5}
    scores = q @ all_k.mT / scale.get(wrong, self.K**0.5)
    if self.positions == "alibi":
        scores = scores + self.alibi(self.H, x.shape[1], k.shape[2])
    hidden = ~self.visible(x.shape[1], k.shape[2], mask, x.device)
    if wrong == "late":
        weights = scores.softmax(-1).masked_fill(hidden, 0)
    else:
        scores = scores.masked_fill(hidden, 0 if wrong == "zero" else -math.inf)
        weights = scores.softmax({"queries": -2, "heads": 1}.get(wrong, -1)).nan_to_num()
    return self.W_o(rearrange(weights @ all_v, "b h t k -> b t (h k)")), (k, v)


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="The scores are not divided by the root of K.",
)
def forgets_the_scale(self, x, past=None, mask=None):
    return scored(self, x, past, mask, "none")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The scores are divided by K. Divide by its root.",
)
def divides_by_k(self, x, past=None, mask=None):
    return scored(self, x, past, mask, "K")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    says="The scores are divided by the root of D. Each head has K numbers: divide by the root "
    "of K.",
)
def divides_by_the_root_of_d(self, x, past=None, mask=None):
    return scored(self, x, past, mask, "D")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="The softmax goes over the queries. The weights of one query add up to 1 over the keys, "
    "the last axis.",
)
def softmax_over_queries(self, x, past=None, mask=None):
    return scored(self, x, past, mask, "queries")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="The softmax goes over the heads. The weights of one query add up to 1 over the keys, "
    "the last axis.",
)
def softmax_over_heads(self, x, past=None, mask=None):
    return scored(self, x, past, mask, "heads")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="Hidden keys get the score 0, which is a weight like others. Their score must be -inf.",
)
def hides_with_zero(self, x, past=None, mask=None):
    return scored(self, x, past, mask, "zero")


@misconception(
    "6.5",
    replaces="SelfAttention.forward",
    kind="idea",
    says="Hidden weights are set to 0 after the softmax, so the others do not add up to 1. Give "
    "hidden scores -inf before it.",
)
def masks_after_the_softmax(self, x, past=None, mask=None):
    return scored(self, x, past, mask, "late")
