"""Plausible mistakes in section 6.4: waves, the shift, rotary positions, ALiBi."""

import math

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
    says="Every row is turned by the angle of `start`. Row t is turned by that of start + t.",
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
    says="All pairs turn by the same angle. Pair i has the frequency 10000^(-2 i / K).",
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
    says="The waves of (6.11) are added. Rotary positions turn pairs and add nothing.",
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
