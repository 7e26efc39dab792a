"""More plausible mistakes in sections 3.7 and 3.8: softmax and negative sampling."""

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception


def parts(v, U, targets):
    """Log-probabilities, and the errors of a mean over the batch."""
    log_p = F.log_softmax(v @ U.T, dim=1)
    return log_p, (log_p.exp() - F.one_hot(targets, len(U))) / len(v)


def loss_of(log_p, targets):
    return F.nll_loss(log_p, targets)


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="The gradients are those of the sum: the loss is a mean, so they are divided by B, too.",
)
def divides_the_loss_alone(v, U, targets):
    log_p, errors = parts(v, U, targets)
    errors = errors * len(v)
    return loss_of(log_p, targets), errors @ U, errors.T @ v


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="The loss is the sum: the gradients are those of the mean, which is wanted.",
)
def divides_the_gradients_alone(v, U, targets):
    log_p, errors = parts(v, U, targets)
    return loss_of(log_p, targets) * len(v), errors @ U, errors.T @ v


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="The softmax went over the batch: it goes over the words, dim=1.",
)
def takes_the_softmax_over_the_batch(v, U, targets):
    log_p = F.log_softmax(v @ U.T, dim=0)
    errors = (log_p.exp() - F.one_hot(targets, len(U))) / len(v)
    return loss_of(log_p, targets), errors @ U, errors.T @ v


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="The loss has no minus: it is the mean of -ln P.",
)
def forgets_the_minus_of_the_loss(v, U, targets):
    log_p, errors = parts(v, U, targets)
    return -loss_of(log_p, targets), errors @ U, errors.T @ v


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="idea",
    says="The error is P less the truth: you took ln P.",
)
def takes_logarithms_for_probabilities(v, U, targets):
    log_p, _ = parts(v, U, targets)
    errors = (log_p - F.one_hot(targets, len(U))) / len(v)
    return loss_of(log_p, targets), errors @ U, errors.T @ v


@misconception(
    "3.7",
    replaces="softmax_loss",
    says="The loss was divided by the size of the vocabulary, too: it is the mean over the pairs.",
)
def divides_the_loss_by_the_vocabulary(v, U, targets):
    log_p, errors = parts(v, U, targets)
    return loss_of(log_p, targets) / len(U), errors @ U, errors.T @ v


@misconception(
    "3.7",
    replaces="softmax_loss",
    says="The gradients are exchanged: that in v comes first, then that in U.",
)
def exchanges_the_gradients(v, U, targets):
    log_p, errors = parts(v, U, targets)
    return loss_of(log_p, targets), errors.T @ v, errors @ U


@misconception(
    "3.7",
    replaces="softmax_loss",
    kind="edge",
    says="A neighbour of several words got one part of its gradient: adding to rows by ids "
    "adds once.",
)
def adds_frequent_targets_once(v, U, targets):
    log_p = F.log_softmax(v @ U.T, dim=1)
    p = log_p.exp() / len(v)
    dU = p.T @ v + torch.zeros_like(U).index_copy(0, targets, -v / len(v))
    return loss_of(log_p, targets), p @ U - U[targets] / len(v), dU


def sampled(v, u, noise, weight):
    """Scores of the pairs and of the noise, and the errors of each, with a weight for noise."""
    true, false = (v * u).sum(dim=1, keepdim=True), v @ noise.T
    pull = (torch.sigmoid(true) - 1) / len(v)
    push = torch.sigmoid(false) * (weight / len(v))
    return true, false, pull, push


def cost(true, false, weight):
    return -(F.logsigmoid(true).sum() + weight * F.logsigmoid(-false).sum()) / len(true)


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="In the loss each noise vector counts k times: all S together stand for k, as in "
    "the gradients.",
)
def counts_noise_k_times_in_the_loss(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    return cost(true, false, float(k)), pull * u + push @ noise, pull * v, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="Noise is treated like neighbours, in loss and gradients: its scores have a minus, "
    "ln s(-n . v).",
)
def attracts_the_noise(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    push = (torch.sigmoid(false) - 1) * (weight / len(v))
    return cost(true, -false, weight), pull * u + push @ noise, pull * v, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="In the loss the noise has no minus: ln s(-n . v). The gradients have it.",
)
def attracts_the_noise_in_the_loss(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    return cost(true, -false, weight), pull * u + push @ noise, pull * v, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="All three gradients are those of the sum: the loss is a mean, so they are divided by B.",
)
def divides_the_loss_alone_by_b(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    loss, B = cost(true, false, weight), len(v)
    return loss, B * (pull * u + push @ noise), B * pull * v, B * push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    says="The gradient in the noise is that of the sum: the loss is a mean, so divide by B.",
)
def adds_up_the_gradient_of_the_noise(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    return cost(true, false, weight), pull * u + push @ noise, pull * v, len(v) * push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    says="The gradients of word and neighbour are exchanged: that in v comes first.",
)
def exchanges_word_and_neighbour(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    return cost(true, false, weight), pull * v, pull * u + push @ noise, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="The gradient in u goes along v, the word's vector, not along u itself.",
)
def moves_the_neighbour_along_itself(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    return cost(true, false, weight), pull * u + push @ noise, pull * u, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="Each noise vector is judged by itself, with a sigmoid: you took a softmax of all.",
)
def takes_a_softmax_of_the_noise(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    push = torch.softmax(false, dim=1) * (weight / len(v))
    return cost(true, false, weight), pull * u + push @ noise, pull * v, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="k was not used: the mean over the noise counts k times.",
)
def averages_the_noise(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    push = push / k
    return cost(true, false, 1 / len(noise)), pull * u + push @ noise, pull * v, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="idea",
    says="The loss has the wrong sign: it is the sum of -ln s, which is never negative.",
)
def forgets_the_minus_of_the_cost(v, u, noise, k):
    weight = k / len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    return -cost(true, false, weight), pull * u + push @ noise, pull * v, push.T @ v


@misconception(
    "3.8",
    replaces="negative_sampling",
    kind="edge",
    says="k // S leaves out the fraction: each noise vector counts k/S times, also less than once.",
)
def divides_in_whole_numbers(v, u, noise, k):
    weight = k // len(noise)
    true, false, pull, push = sampled(v, u, noise, weight)
    return cost(true, false, weight), pull * u + push @ noise, pull * v, push.T @ v
