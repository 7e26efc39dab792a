"""Plausible mistakes in section 6.1: layer norm, its slopes, RMS norm."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from nextword.judge.misconceptions import misconception


def centred(x):
    return x - x.mean(-1, keepdim=True)


def norm(x, gain=1.0, bias=0.0, eps=1e-5):
    """Layer norm without torch's own, which the tests would notice."""
    return gain * centred(x) / torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + eps) + bias


def norm_over(axes, x, gain, bias, eps):
    """A layer norm over other axes than the last one."""
    c = x - x.mean(axes, keepdim=True)
    return gain * c / torch.sqrt((c**2).mean(axes, keepdim=True) + eps) + bias


def slopes_with(x, gain, slopes, eps, second=1, third=1, divide=True, D=None, many="sum", by=None):
    """The three slopes with one thing changed."""
    root = torch.sqrt((centred(x) ** 2).sum(-1, keepdim=True) / (D or x.shape[-1]) + eps)
    z, d = centred(x) / root, gain * slopes
    d_x = d - second * d.mean(-1, keepdim=True) - third * z * (d * z).mean(-1, keepdim=True)
    rows = (slopes * (x if by == "x" else z)).reshape(-1, x.shape[-1])
    others = slopes.reshape(-1, x.shape[-1])
    if many == "mean":
        return d_x / root, rows.mean(0), others.mean(0)
    return d_x / root if divide else d_x, rows.sum(0), others.sum(0)


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


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The third term is missing: the spread depends on x, too. Subtract z times the mean of "
    "the product of z and its slope.",
)
def forgets_the_spread(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, eps, third=0)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The second term is missing: the mean depends on x, too. Subtract the mean of the "
    "slopes of z.",
)
def forgets_the_mean(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, eps, second=0)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The slopes for x are not divided by the spread sqrt(v + eps).",
)
def forgets_to_divide(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, eps, divide=False)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The third term of (6.2) has the wrong sign: it is subtracted.",
)
def adds_the_third_term(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, eps, third=-1)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The slope of the gain is the sum of slopes times z, the normalised vector, not x itself.",
)
def multiplies_by_x(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, eps, by="x")


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The slopes of gain and bias are means over the vectors. The same gain serves all of "
    "them, so they are sums.",
)
def takes_means_of_slopes(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, eps, many="mean")


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The slopes of gain and bias are exchanged: first dL/dgain, then dL/dbias.",
)
def exchanges_gain_and_bias(x, gain, slopes, eps=1e-5):
    d_x, d_gain, d_bias = slopes_with(x, gain, slopes, eps)
    return d_x, d_bias, d_gain


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The slopes of gain and bias hold the gain as a factor. Only what flows on to x goes "
    "through the gain.",
)
def multiplies_its_own_slope(x, gain, slopes, eps=1e-5):
    d_x, d_gain, d_bias = slopes_with(x, gain, slopes, eps)
    return d_x, gain * d_gain, gain * d_bias


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The variance is divided by D - 1 here, unlike in the norm itself. Divide by D.",
)
def divides_slopes_by_one_less(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, eps, D=max(1, x.shape[-1] - 1))


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="edge",
    says="There is no epsilon in the slopes. It stands in the root, as in the norm.",
)
def drops_epsilon_on_the_way_back(x, gain, slopes, eps=1e-5):
    return slopes_with(x, gain, slopes, 0.0)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="Torch's autograd does the work. Equations 6.2 and 6.3 need none.",
)
def calls_autograd(x, gain, slopes, eps=1e-5):
    with torch.enable_grad():
        x, gain = x.detach().requires_grad_(), gain.detach().requires_grad_()
        bias = torch.zeros_like(gain).requires_grad_()
        y = F.layer_norm(x, gain.shape, gain, bias, eps)
        return torch.autograd.grad(y, (x, gain, bias), slopes)
