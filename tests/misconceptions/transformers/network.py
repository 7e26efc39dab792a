"""Plausible mistakes in sections 6.1 to 6.4: norms, feed-forward layer, residuals, positions."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from nextword.judge.misconceptions import misconception


def centred(x):
    return x - x.mean(-1, keepdim=True)


# ------------------------------------------------------------------ 6.1
@misconception(
    "6.1",
    replaces="layer_norm",
    says="The variance is divided by D - 1, which is torch.var's default. Divide by D.",
)
def divides_by_one_less(x, gain, bias, eps=1e-5):
    n = max(1, x.shape[-1] - 1)
    variance = (centred(x) ** 2).sum(-1, keepdim=True) / n
    return gain * centred(x) / torch.sqrt(variance + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    says="Epsilon is added to the standard deviation. Equation 6.1 adds it to the variance, inside "
    "the root.",
)
def adds_epsilon_outside(x, gain, bias, eps=1e-5):
    spread = torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True))
    return gain * centred(x) / (spread + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="Mean and variance are taken over all vectors together. Each vector is normalised by "
    "itself, over its last axis.",
)
def norms_all_vectors_together(x, gain, bias, eps=1e-5):
    c = x - x.mean()
    return gain * c / torch.sqrt((c**2).mean() + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    says="The bias is added before the gain is applied. It comes last.",
)
def adds_the_bias_first(x, gain, bias, eps=1e-5):
    return gain * (F.layer_norm(x, gain.shape, eps=eps) + bias)


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="idea",
    says="RMS norm subtracts no mean: it only divides by the root of the mean square.",
)
def subtracts_the_mean(x, gain, eps=1e-5):
    return gain * F.layer_norm(x, gain.shape, eps=eps)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The slopes were only divided by the spread. The mean and the spread depend on x, too: "
    "their two terms are missing.",
)
def forgets_mean_and_spread(x, gain, slopes, eps=1e-5):
    root = torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + eps)
    z = centred(x) / root
    return (
        gain * slopes / root,
        (slopes * z).sum_to_size(gain.shape),
        slopes.sum_to_size(gain.shape),
    )


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The gain is missing in the slope for x: what flows back first goes through the gain.",
)
def forgets_the_gain(x, gain, slopes, eps=1e-5):
    root = torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + eps)
    z = centred(x) / root
    d_x = (centred(slopes) - z * (slopes * z).mean(-1, keepdim=True)) / root
    return d_x, (slopes * z).sum_to_size(gain.shape), slopes.sum_to_size(gain.shape)


# ------------------------------------------------------------------ 6.2
@misconception(
    "6.2",
    replaces="gelu",
    says="The square root of 2 is missing: P(z < x) is (1 + erf(x / sqrt(2))) / 2.",
)
def forgets_the_root_of_two(x, approximate=False):
    return F.gelu(x, approximate="tanh") if approximate else 0.5 * x * (1 + torch.erf(x))


@misconception(
    "6.2",
    replaces="gelu",
    says="This is the exact function also where GPT-2's approximation was asked for.",
)
def never_approximates(x, approximate=False):
    return F.gelu(x)


@misconception(
    "6.2",
    replaces="gelu",
    kind="idea",
    says="This is x times the sigmoid of 1.702 x, another approximation: see 6.6 and 6.7.",
)
def takes_a_sigmoid(x, approximate=False):
    return x * torch.sigmoid(1.702 * x)


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    kind="idea",
    says="In SwiGLU the function bends the wrong one of the two: it belongs to gate(x), and up(x) "
    "stays as it is.",
)
def bends_the_wrong_way(self, x):
    if self.kind == "swiglu":
        return self.down(self.gate(x) * self.f(self.up(x)))
    return self.down(self.f(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    kind="idea",
    says="The function is missing between up and down, so the layer is one linear map.",
)
def bends_nothing(self, x):
    h = self.up(x)
    return self.down(self.gate(x) * h if self.kind == "swiglu" else h)


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="The function is applied once more after down. It belongs between up and down only.",
)
def bends_twice(self, x):
    h = self.f(self.gate(x)) * self.up(x) if self.kind == "swiglu" else self.f(self.up(x))
    return self.f(self.down(h))


# ------------------------------------------------------------------ 6.3
@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="Nothing is added: x itself must stay in the stream, and the layer's answer joins it.",
)
def leaves_the_stream(self, x, norm, layer):
    return self.dropout(layer(norm(x))) if self.pre else norm(self.dropout(layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="In a pre-norm block the answer is added to norm(x). Add it to x itself, which no norm "
    "has changed.",
)
def adds_to_the_normed(self, x, norm, layer):
    if self.pre:
        x = norm(x)
        return x + self.dropout(layer(x))
    return norm(x + self.dropout(layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="In a post-norm block only the layer's answer is normalised. Normalise the sum.",
)
def norms_the_answer(self, x, norm, layer):
    if self.pre:
        return x + self.dropout(layer(norm(x)))
    return x + norm(self.dropout(layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="Pre-norm and post-norm are exchanged: self.pre means that the norm comes first.",
)
def exchanges_pre_and_post(self, x, norm, layer):
    if self.pre:
        return norm(x + self.dropout(layer(x)))
    return x + self.dropout(layer(norm(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    says="Dropout is applied to the whole sum. Apply it to the layer's answer only, so that no "
    "number of the stream itself is set to 0.",
)
def drops_the_stream(self, x, norm, layer):
    if self.pre:
        return self.dropout(x + layer(norm(x)))
    return norm(self.dropout(x + layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    says="Dropout is missing: apply self.dropout to the layer's answer.",
)
def never_drops(self, x, norm, layer):
    return x + layer(norm(x)) if self.pre else norm(x + layer(x))


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
