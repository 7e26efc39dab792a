"""Plausible mistakes in section 6.4: waves, the shift, rotary positions, ALiBi."""

import torch

from nextword.judge.misconceptions import misconception


# ------------------------------------------------------------------ 6.4
def angles_of(places, n, base=10000.0):
    return places[:, None] * base ** (-torch.arange(0, n, 2) / n)


@misconception(
    "6.4",
    replaces="sinusoidal",
    kind="idea",
    says="All sines are before all cosines. Put sine and cosine of one frequency side by side.",
)
def sines_first(T, D):
    angles = angles_of(torch.arange(T), D)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    says="The base of the frequencies is 100,000 here. In the paper and in (6.11) it is 10,000.",
)
def takes_a_larger_base(T, D):
    angles = angles_of(torch.arange(T), D, 100000.0)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    says="Places are counted from 1. The first place is 0: all its sines are 0, all its cosines 1.",
)
def counts_from_one(T, D):
    angles = angles_of(torch.arange(1, T + 1), D)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@misconception(
    "6.4",
    replaces="shift_matrix",
    kind="idea",
    says="This matrix shifts back: it is the transpose of what is asked for. Each block is "
    "[[cos, sin], [-sin, cos]].",
)
def shifts_back(k, D):
    angles = -k * 10000 ** (-torch.arange(0, D, 2) / D)
    c, s = angles.cos(), angles.sin()
    return torch.block_diag(*torch.stack([c, s, -s, c], dim=-1).view(-1, 2, 2))


@misconception(
    "6.4",
    replaces="rotate",
    says="`start` is not used: the first row stands at place `start`, not at 0.",
)
def always_starts_at_zero(x, start=0):
    return turn(x, torch.arange(x.shape[-2]))


@misconception(
    "6.4",
    replaces="rotate",
    kind="idea",
    says="Number i is paired with number i + K / 2, as Llama's files want it. Here neighbours make "
    "a pair: 2 i and 2 i + 1.",
)
def pairs_the_halves(x, start=0):
    angles = angles_of(torch.arange(start, start + x.shape[-2]), x.shape[-1])
    c, s, (a, b) = angles.cos(), angles.sin(), x.chunk(2, dim=-1)
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


@misconception(
    "6.4",
    replaces="rotate",
    kind="idea",
    says="The pairs turn the other way round: the minus belongs to b sin in the first number.",
)
def turns_backwards(x, start=0):
    return turn(x, -torch.arange(start, start + x.shape[-2]))


def turn(x, places):
    angles = angles_of(places, x.shape[-1])
    c, s, a, b = angles.cos(), angles.sin(), x[..., ::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


@misconception(
    "6.4",
    replaces="alibi",
    says="The queries stand at places 0 to T - 1. They are the last T of S tokens: S - T to S - 1.",
)
def puts_queries_first(H, T, S):
    return slanted(torch.arange(1, H + 1), torch.arange(T), S, H)


@misconception(
    "6.4",
    replaces="alibi",
    says="Heads are counted from 0, so the first one has the slope 1. Its slope is 2^(-8 / H).",
)
def counts_heads_from_zero(H, T, S):
    return slanted(torch.arange(H), torch.arange(S - T, S), S, H)


@misconception(
    "6.4",
    replaces="alibi",
    kind="idea",
    says="The penalty is added instead of subtracted, so distant words gain. Subtract it.",
)
def rewards_distance(H, T, S):
    return -slanted(torch.arange(1, H + 1), torch.arange(S - T, S), S, H)


def slanted(heads, places, S, H):
    distance = (places[:, None] - torch.arange(S)).abs()
    return -distance * (2.0 ** (-8 * heads / H))[:, None, None]
