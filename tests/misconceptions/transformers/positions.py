"""Plausible mistakes in section 6.4: rotary positions and ALiBi."""

import math

import torch

from examiner.judge.misconceptions import misconception


def angles_of(places, n, base=10000.0):
    return places[:, None] * base ** (-torch.arange(0, n, 2) / n)


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
    says="The pairs rotate the other way round: the minus belongs to b sin in the first number.",
)
def turns_backwards(x, start=0):
    return turn(x, -torch.arange(start, start + x.shape[-2]))


def turn(x, places, exponent=1.0):
    angles = angles_of(places, x.shape[-1], 10000.0**exponent)
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


@misconception(
    "6.4",
    replaces="rotate",
    says="Places are counted from 1. The first row stands at place `start`.",
)
def turns_from_place_one(x, start=0):
    return turn(x, torch.arange(start + 1, start + 1 + x.shape[-2]))


@misconception(
    "6.4",
    replaces="rotate",
    says="`start` is subtracted. The rows stand at the places start, start + 1 and so on.",
)
def subtracts_the_start(x, start=0):
    return turn(x, torch.arange(x.shape[-2]) - start)


@misconception(
    "6.4",
    replaces="rotate",
    kind="idea",
    says="Every row is rotated by the angle of `start`. Row t is rotated by that of start + t.",
)
def turns_all_rows_alike(x, start=0):
    return turn(x, torch.full((x.shape[-2],), start))


@misconception(
    "6.4",
    replaces="rotate",
    kind="idea",
    says="The angle grows along the wrong axis. Places are the axis before the last one.",
)
def turns_along_the_heads(x, start=0):
    if x.ndim < 3:
        return turn(x, torch.arange(start, start + x.shape[0]))
    return turn(x.transpose(-3, -2), torch.arange(start, start + x.shape[-3])).transpose(-3, -2)


@misconception(
    "6.4",
    replaces="rotate",
    says="The exponent is -i / K. It is -2 i / K: the frequencies fall twice as fast.",
)
def turns_by_half_the_exponent(x, start=0):
    return turn(x, torch.arange(start, start + x.shape[-2]), exponent=0.5)


@misconception(
    "6.4",
    replaces="rotate",
    kind="idea",
    says="All pairs rotate by the same angle. Pair i has the frequency 10000^(-2 i / K).",
)
def turns_all_pairs_alike(x, start=0):
    return turn(x, torch.arange(start, start + x.shape[-2]), exponent=0.0)


@misconception(
    "6.4",
    replaces="rotate",
    says="The answer holds all first numbers of the pairs, then all second ones. Put the two "
    "numbers of a pair side by side again.",
)
def leaves_the_pairs_apart(x, start=0):
    y = turn(x, torch.arange(start, start + x.shape[-2]))
    return torch.cat([y[..., ::2], y[..., 1::2]], dim=-1)


@misconception(
    "6.4",
    replaces="rotate",
    says="The second number of a pair is computed from the new first one. Both come from the old "
    "pair (a, b).",
)
def turns_with_the_new_number(x, start=0):
    angles = angles_of(torch.arange(start, start + x.shape[-2]), x.shape[-1])
    c, s, a, b = angles.cos(), angles.sin(), x[..., ::2], x[..., 1::2]
    new = a * c - b * s
    return torch.stack([new, new * s + b * c], dim=-1).flatten(-2)


@misconception(
    "6.4",
    replaces="rotate",
    kind="idea",
    says="The waves of (6.11) are added. Rotary positions rotate pairs and add nothing.",
)
def adds_waves_to_queries(x, start=0):
    angles = angles_of(torch.arange(start, start + x.shape[-2]), x.shape[-1])
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


@misconception(
    "6.4",
    replaces="alibi",
    says="All heads have the same slope. Head h has 2^(-8 h / H).",
)
def gives_all_heads_one_slope(H, T, S):
    return slanted(torch.ones(H), torch.arange(S - T, S), S, H)


@misconception(
    "6.4",
    replaces="alibi",
    says="The slopes are 2^-h, which is right for 8 heads only. With H heads they are 2^(-8 h / "
    "H).",
)
def assumes_eight_heads(H, T, S):
    return slanted(torch.arange(1, H + 1), torch.arange(S - T, S), S, 8)


@misconception(
    "6.4",
    replaces="alibi",
    says="The heads are in the wrong order: head 1 has the steepest slope, 2^(-8 / H).",
)
def turns_the_heads_around(H, T, S):
    return slanted(torch.arange(H, 0, -1), torch.arange(S - T, S), S, H)


@misconception(
    "6.4",
    replaces="alibi",
    says="The distance is squared. The penalty grows in proportion to it.",
)
def squares_the_distance(H, T, S):
    return -slanted(torch.arange(1, H + 1), torch.arange(S - T, S), S, H) * slanted(
        torch.zeros(H), torch.arange(S - T, S), S, H
    )


@misconception(
    "6.4",
    replaces="alibi",
    says="The slope is a power of e here. It is a power of 2.",
)
def takes_powers_of_e(H, T, S):
    return slanted(torch.arange(1, H + 1) / math.log(2), torch.arange(S - T, S), S, H)


@misconception(
    "6.4",
    replaces="alibi",
    kind="edge",
    says="Later keys get a reward: take the absolute value of i - j.",
)
def rewards_later_keys(H, T, S):
    later = torch.arange(S) > torch.arange(S - T, S)[:, None]
    found = slanted(torch.arange(1, H + 1), torch.arange(S - T, S), S, H)
    return torch.where(later, -found, found)


@misconception(
    "6.4",
    replaces="alibi",
    kind="edge",
    says="Later keys get -inf. The mask hides them where it must; ALiBi gives the penalty of the "
    "distance to both sides.",
)
def hides_later_keys(H, T, S):
    later = torch.arange(S) > torch.arange(S - T, S)[:, None]
    return slanted(torch.arange(1, H + 1), torch.arange(S - T, S), S, H).masked_fill(
        later, -math.inf
    )


@misconception(
    "6.4",
    replaces="alibi",
    kind="idea",
    says="The slope is 8 h / H. It is 2 to the power of minus that.",
)
def forgets_the_power(H, T, S):
    distance = slanted(torch.zeros(H), torch.arange(S - T, S), S, H)
    return distance * (8 * torch.arange(1, H + 1) / H)[:, None, None]
