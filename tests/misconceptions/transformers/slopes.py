"""Plausible mistakes in section 6.1: the slopes of layer norm."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from nextword.judge.misconceptions import misconception


def centred(x):
    return x - x.mean(-1, keepdim=True)


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
