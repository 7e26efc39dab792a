"""Plausible mistakes in section 6.1: layer norm and RMS norm."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception


def centred(x):
    return x - x.mean(-1, keepdim=True)


def norm(x, gain=1.0, bias=0.0, eps=1e-5):
    """Layer norm without torch's own, which the tests would notice."""
    return gain * centred(x) / torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + eps) + bias


def norm_over(axes, x, gain, bias, eps):
    """A layer norm over other axes than the last one."""
    c = x - x.mean(axes, keepdim=True)
    return gain * c / torch.sqrt((c**2).mean(axes, keepdim=True) + eps) + bias


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
    kind="edge",
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
    return gain * (norm(x, eps=eps) + bias)


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="idea",
    says="RMS norm subtracts no mean: it only divides by the root of the mean square.",
)
def subtracts_the_mean(x, gain, eps=1e-5):
    return gain * norm(x, eps=eps)


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="Mean and variance are taken over the first axis, as in batch norm. Each vector is "
    "normalised by itself, over its last axis.",
)
def norms_over_the_batch(x, gain, bias, eps=1e-5):
    return norm_over((0,), x, gain, bias, eps)


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="Mean and variance are taken over the tokens of a text. Each vector is normalised by "
    "itself, over its last axis.",
)
def norms_over_the_tokens(x, gain, bias, eps=1e-5):
    return norm_over((-2,) if x.ndim > 1 else (-1,), x, gain, bias, eps)


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="Mean and variance are taken over all numbers of a text. Each vector is normalised by "
    "itself, over its last axis.",
)
def norms_whole_texts(x, gain, bias, eps=1e-5):
    return norm_over((-2, -1) if x.ndim > 1 else (-1,), x, gain, bias, eps)


@misconception(
    "6.1",
    replaces="layer_norm",
    says="The bias is missing: it is added at the end.",
)
def forgets_the_bias(x, gain, bias, eps=1e-5):
    return gain * norm(x, eps=eps)


@misconception(
    "6.1",
    replaces="layer_norm",
    says="The gain is missing: the normalised numbers are multiplied by it.",
)
def forgets_the_stretch(x, gain, bias, eps=1e-5):
    return norm(x, eps=eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="The root is missing: divide by the spread, which is the root of the variance.",
)
def divides_by_the_variance(x, gain, bias, eps=1e-5):
    return gain * centred(x) / ((centred(x) ** 2).mean(-1, keepdim=True) + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="The mean is subtracted for the variance, but not from x itself.",
)
def leaves_the_mean_in(x, gain, bias, eps=1e-5):
    return gain * x / torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="The root mean square of x is below the line. The variance is the mean of (x - m)^2.",
)
def divides_by_the_root_mean_square(x, gain, bias, eps=1e-5):
    return gain * centred(x) / torch.sqrt((x**2).mean(-1, keepdim=True) + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="The variance is a sum here. It is the mean of (x - m)^2: divide by D.",
)
def sums_the_squares(x, gain, bias, eps=1e-5):
    return gain * centred(x) / torch.sqrt((centred(x) ** 2).sum(-1, keepdim=True) + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    says="The gain is taken for something that is added to 1. Multiply by the gain itself.",
)
def adds_one_to_the_gain(x, gain, bias, eps=1e-5):
    return norm(x, 1 + gain, bias, eps)


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="edge",
    says="The variance is computed as the mean of the squares minus the squared mean. Where "
    "numbers are far from 0, that loses all digits: take the mean of (x - m)^2.",
)
def subtracts_two_squares(x, gain, bias, eps=1e-5):
    v = (x * x).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2
    return gain * centred(x) / torch.sqrt(v.clamp(min=0) + eps) + bias


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="edge",
    says="`eps` is not used: 1e-5 is written into the formula.",
)
def fixes_epsilon(x, gain, bias, eps=1e-5):
    return norm(x, gain, bias)


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="edge",
    says="There is no epsilon: add it to the variance, or a vector of equal numbers is divided "
    "by 0.",
)
def forgets_epsilon(x, gain, bias, eps=1e-5):
    return norm(x, gain, bias, 0.0)


@misconception(
    "6.1",
    replaces="layer_norm",
    kind="idea",
    says="Torch's own norm does the work. Compute mean and variance yourself.",
)
def calls_torchs_layer_norm(x, gain, bias, eps=1e-5):
    return F.layer_norm(x, gain.shape, gain, bias, eps)


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="edge",
    says="Epsilon is added to the root. Equation 6.4 adds it to the mean square, inside the root.",
)
def adds_epsilon_to_the_root(x, gain, eps=1e-5):
    return gain * x / (torch.sqrt((x * x).mean(-1, keepdim=True)) + eps)


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="edge",
    says="There is no epsilon: add it to the mean square, or a vector of zeros is divided by 0.",
)
def leaves_epsilon_out(x, gain, eps=1e-5):
    return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True))


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="idea",
    says="The squares are added up. Take their mean: divide by D.",
)
def takes_the_length(x, gain, eps=1e-5):
    return gain * x / torch.sqrt((x * x).sum(-1, keepdim=True) + eps)


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="idea",
    says="The root is missing: divide by the root of the mean square.",
)
def divides_by_the_mean_square(x, gain, eps=1e-5):
    return gain * x / ((x * x).mean(-1, keepdim=True) + eps)


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="idea",
    says="The mean of the squares is taken over all vectors together. Each vector has its own.",
)
def takes_all_vectors_together(x, gain, eps=1e-5):
    return gain * x / torch.sqrt((x * x).mean() + eps)


@misconception(
    "6.1",
    replaces="rms_norm",
    says="The gain is missing: multiply by it.",
)
def leaves_the_gain_out(x, gain, eps=1e-5):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)


@misconception(
    "6.1",
    replaces="rms_norm",
    kind="idea",
    says="The mean is squared. Square the numbers first, then take their mean.",
)
def squares_the_mean(x, gain, eps=1e-5):
    return gain * x / torch.sqrt(x.mean(-1, keepdim=True) ** 2 + eps)
