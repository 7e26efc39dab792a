"""Plausible mistakes in section 6.13: a recurrence, all at once."""

import torch

from examiner.judge.misconceptions import misconception


def tables(log_a):
    """What is left of each step at each later one, as a logarithm."""
    total = log_a.cumsum(-1)
    return total[..., :, None] - total[..., None, :]


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="Later steps are seen: the table must be 0 above its diagonal.",
)
def sees_later_steps(q, k, v, log_a):
    left = tables(log_a).exp()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="The last state is the plain sum of all k v^T. Each must decay until the end.",
)
def sums_without_decay(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left) @ v, k.mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="A step's own decay is applied to what it takes in. From j to t only the decays of j + 1 "
    "to t count.",
)
def counts_one_decay_too_many(q, k, v, log_a):
    left = (tables(log_a) + log_a[..., None, :]).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="edge",
    says="A number overflows: exp(-sum) is too large after a long decay. Subtract the sums first, "
    "then take the exponential.",
)
def divides_exponentials(q, k, v, log_a):
    total = log_a.cumsum(-1)
    left = (total.exp()[..., :, None] * (-total).exp()[..., None, :]).tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="Nothing is forgotten: each product is multiplied by what is left, a_(s+1) ... a_t.",
)
def forgets_nothing_at_once(q, k, v, log_a):
    left = torch.ones_like(tables(log_a)).tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="No word sees itself: for s = t the product of no decays is 1.",
)
def leaves_the_diagonal_out(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left.tril(-1)) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="edge",
    says="The gradients are NaN where decays are strong: the exponential of what is above the "
    "diagonal is infinite. Hide it before the exponential, not after.",
)
def hides_after_the_exponential(q, k, v, log_a):
    left = tables(log_a).exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="edge",
    says="Where decays are strong, infinity times 0 is NaN: hide what is above the diagonal "
    "before the exponential.",
)
def multiplies_by_the_mask(q, k, v, log_a):
    T = q.shape[2]
    left = tables(log_a).exp() * torch.ones(T, T).tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="edge",
    says="Running products are divided, which is 0 / 0 after a long decay. Subtract sums of "
    "logarithms first.",
)
def divides_running_products(q, k, v, log_a):
    a = log_a.cumsum(-1).exp()
    left = (a[..., :, None] / a[..., None, :]).tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="In the last state, step s is decayed from the beginning. Only the decays after s count.",
)
def decays_from_the_beginning(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * log_a.cumsum(-1)[..., -1:, None].exp()).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="The last state holds the last step only. It is the sum over all steps of what is left "
    "of each.",
)
def keeps_the_last_step(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left) @ v, k[:, :, -1:].mT @ v[:, :, -1:]


@misconception(
    "6.13",
    replaces="parallel",
    says="The last state is 0. It is the sum over all steps of what is left of each.",
)
def returns_zeros(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left) @ v, torch.zeros_like(k.mT @ v)


@misconception(
    "6.13",
    replaces="parallel",
    says="The last state is v k^T. It is k v^T: K rows, one for each number of a key.",
)
def turns_the_last_state(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left) @ v, ((k * left[..., -1, :, None]).mT @ v).mT


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="There is a softmax. This layer has none: that is what makes it a recurrence.",
)
def takes_a_softmax(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    scores = (q @ k.mT * left).masked_fill(left == 0, -torch.inf)
    return scores.softmax(-1) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="The logarithms are summed over the heads. Sum over the steps, the last axis.",
)
def sums_over_heads(q, k, v, log_a):
    total = log_a.cumsum(1)
    left = (total[..., :, None] - total[..., None, :]).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="Steps grow instead of fading: what is left of step s at t is exp(total_t - total_s).",
)
def turns_decay_around(q, k, v, log_a):
    left = (-tables(log_a)).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="Only the decay of one step counts. Sum the logarithms first: cumsum.",
)
def forgets_the_running_sum(q, k, v, log_a):
    left = (log_a[..., :, None] - log_a[..., None, :]).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="Each word sees later ones and not those before: the table must be 0 above its diagonal.",
)
def masks_what_came_before(q, k, v, log_a):
    left = tables(log_a).triu().exp().triu()
    last = (log_a.sum(-1, keepdim=True) - log_a.cumsum(-1)).exp()
    return (q @ k.mT * left) @ v, (k * last[..., None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="The answers are divided by the root of K. Equation 6.34 does not divide.",
)
def divides_by_the_root_at_once(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left) @ v / q.shape[3] ** 0.5, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="The logarithms are multiplied. The product of decays is the exponential of their sum.",
)
def multiplies_logarithms(q, k, v, log_a):
    total = log_a.cumprod(-1)
    left = (total[..., :, None] - total[..., None, :]).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="Each row is divided by its sum. Equation 6.34 does not divide.",
)
def divides_by_sums(q, k, v, log_a):
    left = tables(log_a).tril().exp().tril()
    return (q @ k.mT * left) @ v / left.sum(-1, keepdim=True), (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    says="The running sum begins at the end. It begins at the first step.",
)
def sums_from_the_end(q, k, v, log_a):
    total = log_a.flip(-1).cumsum(-1).flip(-1)
    left = (total[..., :, None] - total[..., None, :]).tril().exp().tril()
    return (q @ k.mT * left) @ v, (k * left[..., -1, :, None]).mT @ v


@misconception(
    "6.13",
    replaces="parallel",
    kind="idea",
    says="The steps are made one by one. Compute all of them at once, as (6.34) does.",
)
def goes_step_by_step(q, k, v, log_a):
    S, told, a = 0.0, [], log_a.exp()[..., None, None]
    for t in range(q.shape[2]):
        S = a[:, :, t] * S + k[:, :, t, :, None] * v[:, :, t, None]
        told.append((q[:, :, t, None] @ S)[:, :, 0])
    return torch.stack(told, dim=2), S
