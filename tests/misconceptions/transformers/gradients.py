"""Plausible mistakes in section 6.1: the gradients of layer norm."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception


def centred(x):
    return x - x.mean(-1, keepdim=True)


def gradients_with(x, gain, grad, eps, second=1, third=1, divide=True, D=None, many="sum", by=None):
    """The three gradients with one thing changed."""
    root = torch.sqrt((centred(x) ** 2).sum(-1, keepdim=True) / (D or x.shape[-1]) + eps)
    z, d = centred(x) / root, gain * grad
    d_x = d - second * d.mean(-1, keepdim=True) - third * z * (d * z).mean(-1, keepdim=True)
    rows = (grad * (x if by == "x" else z)).reshape(-1, x.shape[-1])
    others = grad.reshape(-1, x.shape[-1])
    if many == "mean":
        return d_x / root, rows.mean(0), others.mean(0)
    return d_x / root if divide else d_x, rows.sum(0), others.sum(0)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The gradients were only divided by the spread. The mean and the spread depend on x, too: "
    "their two terms are missing.",
)
def forgets_mean_and_spread(x, gain, grad, eps=1e-5):
    root = torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + eps)
    z = centred(x) / root
    return (
        gain * grad / root,
        (grad * z).sum_to_size(gain.shape),
        grad.sum_to_size(gain.shape),
    )


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The gain is missing in the gradient for x: what flows back first goes through the gain.",
)
def forgets_the_gain(x, gain, grad, eps=1e-5):
    root = torch.sqrt((centred(x) ** 2).mean(-1, keepdim=True) + eps)
    z = centred(x) / root
    d_x = (centred(grad) - z * (grad * z).mean(-1, keepdim=True)) / root
    return d_x, (grad * z).sum_to_size(gain.shape), grad.sum_to_size(gain.shape)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The third term is missing: the spread depends on x, too. Subtract z times the mean of "
    "the product of z and its gradient.",
)
def forgets_the_spread(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, eps, third=0)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The second term is missing: the mean depends on x, too. Subtract the mean of the "
    "gradients of z.",
)
def forgets_the_mean(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, eps, second=0)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="The gradients for x are not divided by the spread sqrt(v + eps).",
)
def forgets_to_divide(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, eps, divide=False)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The third term of (6.2) has the wrong sign: it is subtracted.",
)
def adds_the_third_term(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, eps, third=-1)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The gradient of the gain is the sum of `grad` times z, the normalised vector, not x.",
)
def multiplies_by_x(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, eps, by="x")


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The gradients of gain and bias are means over the vectors. The same gain serves all of "
    "them, so they are sums.",
)
def takes_means_of_gradients(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, eps, many="mean")


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The gradients of gain and bias are exchanged: first dL/dgain, then dL/dbias.",
)
def exchanges_gain_and_bias(x, gain, grad, eps=1e-5):
    d_x, d_gain, d_bias = gradients_with(x, gain, grad, eps)
    return d_x, d_bias, d_gain


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The gradients of gain and bias hold the gain as a factor. Only what flows on to x goes "
    "through the gain.",
)
def multiplies_its_own_gradient(x, gain, grad, eps=1e-5):
    d_x, d_gain, d_bias = gradients_with(x, gain, grad, eps)
    return d_x, gain * d_gain, gain * d_bias


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    says="The variance is divided by D - 1 here, unlike in the norm itself. Divide by D.",
)
def divides_gradients_by_one_less(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, eps, D=max(1, x.shape[-1] - 1))


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="edge",
    says="There is no epsilon in the gradients. It stands in the root, as in the norm.",
)
def drops_epsilon_on_the_way_back(x, gain, grad, eps=1e-5):
    return gradients_with(x, gain, grad, 0.0)


@misconception(
    "6.1",
    replaces="layer_norm_gradients",
    kind="idea",
    says="Torch's autograd does the work. Equations 6.2 and 6.3 need none.",
)
def calls_autograd(x, gain, grad, eps=1e-5):
    with torch.enable_grad():
        x, gain = x.detach().requires_grad_(), gain.detach().requires_grad_()
        bias = torch.zeros_like(gain).requires_grad_()
        y = F.layer_norm(x, gain.shape, gain, bias, eps)
        return torch.autograd.grad(y, (x, gain, bias), grad)
