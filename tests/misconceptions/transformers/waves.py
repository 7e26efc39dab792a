"""Plausible mistakes in section 6.4: waves, and the shift of their rows."""

import math

import torch

from examiner.judge.misconceptions import misconception


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
    replaces="sinusoidal",
    says="The exponent is -i / D. It is -2 i / D: the frequencies fall twice as fast.",
)
def halves_the_exponent(T, D):
    angles = torch.arange(T)[:, None] * 10000 ** (-torch.arange(D // 2) / D)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    says="The first frequency is 10000^(-2 / D) here. i begins at 0, so the first hand turns by "
    "one radian per word.",
)
def skips_the_first_frequency(T, D):
    angles = torch.arange(T)[:, None] * 10000 ** (-torch.arange(2, D + 2, 2) / D)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    says="Sine and cosine are exchanged: the sine is the number 2 i, the cosine the number 2 i + "
    "1.",
)
def puts_cosine_first(T, D):
    angles = angles_of(torch.arange(T), D)
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    says="Each cosine has a frequency of its own here. Sine and cosine 2 i and 2 i + 1 share one.",
)
def gives_cosines_their_own(T, D):
    angles = torch.arange(T)[:, None] * 10000 ** (-torch.arange(D) / D)
    table = angles.sin()
    table[:, 1::2] = angles[:, 1::2].cos()
    return table


@misconception(
    "6.4",
    replaces="sinusoidal",
    kind="idea",
    says="There are sines only. Each frequency has a sine and a cosine.",
)
def waves_by_sines_only(T, D):
    angles = angles_of(torch.arange(T), D)
    return angles.sin().repeat_interleave(2, dim=1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    kind="idea",
    says="The frequencies grow with i. The exponent is negative: each hand turns more slowly "
    "than the one before.",
)
def turns_ever_faster(T, D):
    angles = torch.arange(T)[:, None] * 10000 ** (torch.arange(0, D, 2) / D)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    kind="idea",
    says="All waves have the same frequency. Wave i has 10000^(-2 i / D).",
)
def has_one_frequency(T, D):
    angles = torch.arange(T)[:, None] * torch.ones(D // 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@misconception(
    "6.4",
    replaces="sinusoidal",
    says="The frequencies fall to exactly 1/10000 at the last wave. The exponent is divided by D.",
)
def ends_at_the_base(T, D):
    angles = torch.arange(T)[:, None] * 10000 ** (-torch.arange(0, D, 2) / max(1, D - 2))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def diagonal(block, D, k, exponent=2):
    """Blocks along the diagonal, made from cosine and sine of each angle."""
    angles = [k * 10000 ** (-exponent * i / D) for i in range(D // 2)]
    return torch.block_diag(*[torch.tensor(block(math.cos(a), math.sin(a))) for a in angles])


@misconception(
    "6.4",
    replaces="shift_matrix",
    says="This fits numbers whose sines come first and cosines last. In a row of `sinusoidal` "
    "they take turns, so the blocks stand along the diagonal.",
)
def shifts_halves(k, D):
    c, s = (torch.diag(f(angles_of(torch.tensor([k]), D)[0])) for f in (torch.cos, torch.sin))
    return torch.cat([torch.cat([c, s], dim=1), torch.cat([-s, c], dim=1)])


@misconception(
    "6.4",
    replaces="shift_matrix",
    kind="idea",
    says="All hands turn by the same angle. Hand i turns by k times its own frequency.",
)
def turns_all_hands_alike(k, D):
    return diagonal(lambda c, s: [[c, s], [-s, c]], D, k, exponent=0)


@misconception(
    "6.4",
    replaces="shift_matrix",
    kind="edge",
    says="A shift back is made like one forwards. The sine of a negative angle is negative.",
)
def never_shifts_back(k, D):
    return diagonal(lambda c, s: [[c, s], [-s, c]], D, abs(k))


@misconception(
    "6.4",
    replaces="shift_matrix",
    kind="edge",
    says="Where k is below 0, nothing is shifted: a loop over range(k) does not run.",
)
def shifts_forwards_only(k, D):
    return diagonal(lambda c, s: [[c, s], [-s, c]], D, max(0, k))


@misconception(
    "6.4",
    replaces="shift_matrix",
    says="Sine and cosine are exchanged in the blocks. Each is [[cos, sin], [-sin, cos]].",
)
def exchanges_sine_and_cosine(k, D):
    return diagonal(lambda c, s: [[s, c], [-c, s]], D, k)


@misconception(
    "6.4",
    replaces="shift_matrix",
    says="The minus is missing: each block is [[cos, sin], [-sin, cos]].",
)
def forgets_the_minus(k, D):
    return diagonal(lambda c, s: [[c, s], [s, c]], D, k)


@misconception(
    "6.4",
    replaces="shift_matrix",
    says="The exponent is -i / D. The frequencies are those of `sinusoidal`: -2 i / D.",
)
def shifts_by_half_the_exponent(k, D):
    return diagonal(lambda c, s: [[c, s], [-s, c]], D, k, exponent=1)


@misconception(
    "6.4",
    replaces="shift_matrix",
    kind="idea",
    says="This moves the numbers of a row to other columns. Turn each pair of numbers instead.",
)
def rolls_the_numbers(k, D):
    return torch.roll(torch.eye(D), k, 0)
