"""Plausible mistakes in sections 4.1 and 4.2: windows, and their gradients by hand."""

import torch
from torch import nn

from examiner.judge.misconceptions import misconception


def window(p, e):
    h = torch.tanh(e @ p["W"].T + p["b"])
    return e, h, h @ p["U"].T + p["c"]


@misconception(
    "4.1",
    replaces="feedforward",
    kind="idea",
    says="The hidden layer has no tanh: two linear layers after each other are only one.",
)
def forgets_the_tanh(p, contexts):
    e = p["E"][contexts].flatten(-2)
    h = e @ p["W"].T + p["b"]
    return e, h, h @ p["U"].T + p["c"]


@misconception(
    "4.1",
    replaces="feedforward",
    kind="idea",
    says="The hidden layer goes through the sigmoid; equation 4.2 has tanh.",
)
def squashes_with_the_sigmoid(p, contexts):
    e = p["E"][contexts].flatten(-2)
    h = torch.sigmoid(e @ p["W"].T + p["b"])
    return e, h, h @ p["U"].T + p["c"]


@misconception(
    "4.1",
    replaces="feedforward",
    kind="idea",
    says="z is a softmax here. Return the logits: the loss takes their softmax itself.",
)
def returns_probabilities(p, contexts):
    e, h, z = window(p, p["E"][contexts].flatten(-2))
    return e, h, z.softmax(-1)


@misconception(
    "4.1",
    replaces="feedforward",
    kind="idea",
    says="The numbers of the words are mixed: e must hold the first word's whole vector, then the "
    "second's. Join the last two axes as they are.",
)
def mixes_the_vectors(p, contexts):
    return window(p, p["E"][contexts].transpose(-1, -2).flatten(-2))


@misconception(
    "4.1",
    replaces="feedforward",
    kind="idea",
    says="The words stand in e from the last to the first; keep the order of the window.",
)
def turns_the_window_round(p, contexts):
    return window(p, p["E"][contexts.flip(-1)].flatten(-2))


@misconception("4.1", replaces="feedforward", says="A bias is missing: z needs c.")
def forgets_a_bias(p, contexts):
    e, h, z = window(p, p["E"][contexts].flatten(-2))
    return e, h, z - p["c"]


@misconception("4.1", replaces="feedforward", says="A bias is missing: h needs b.")
def forgets_the_first_bias(p, contexts):
    e = p["E"][contexts].flatten(-2)
    h = torch.tanh(e @ p["W"].T)
    return e, h, h @ p["U"].T + p["c"]


@misconception(
    "4.1",
    replaces="feedforward",
    says="The second answer is what tanh receives; return h itself, since task 4.2 needs it.",
)
def returns_what_tanh_receives(p, contexts):
    e, _, z = window(p, p["E"][contexts].flatten(-2))
    return e, e @ p["W"].T + p["b"], z


@misconception("4.1", replaces="feedforward", says="Return e, h and z, in this order.")
def returns_the_logits_first(p, contexts):
    return window(p, p["E"][contexts].flatten(-2))[::-1]


@misconception(
    "4.1",
    replaces="feedforward",
    kind="edge",
    says="Windows may stand in a table of any axes: join the last two only, flatten(-2).",
)
def flattens_all_but_the_first_axis(p, contexts):
    return window(p, p["E"][contexts].flatten(1))


def by_hand(
    p, contexts, targets, e, h, z, *, mean=True, sign=1, derivative=None, add=True, true=1.0
):
    """The gradients of task 4.2 with one thing changed."""
    B = len(targets)
    loss = (z.logsumexp(-1) - z.gather(-1, targets[:, None])[:, 0]).mean()
    d_z = sign * (z.softmax(-1) - true * nn.functional.one_hot(targets, z.shape[-1]))
    d_z = d_z / B if mean else d_z
    d_a = d_z @ p["U"] * ((1 - h**2) if derivative is None else derivative)
    d_e = (d_a @ p["W"]).reshape(contexts.numel(), -1)
    d_E = torch.zeros_like(p["E"])
    if add:
        d_E.index_add_(0, contexts.flatten(), d_e)
    else:
        for word, row in zip(contexts.flatten(), d_e, strict=True):
            d_E[word] = row
    return loss, {"E": d_E, "W": d_a.T @ e, "b": d_a.sum(0), "U": d_z.T @ h, "c": d_z.sum(0)}


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="The gradients are B times too large: the loss is a mean over the B windows.",
)
def sums_over_the_windows(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, mean=False)


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="All gradients have the wrong sign: that of the loss for z is softmax(z) minus the "
    "one-hot target. The step downhill comes later.",
)
def subtracts_the_other_way(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, sign=-1)


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="On the way back through the hidden layer the derivative of tanh, 1 - h², is missing.",
)
def forgets_the_derivative_of_tanh(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, derivative=torch.ones_like(h))


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="h (1 - h) is the derivative of the sigmoid; that of tanh is 1 - h².",
)
def takes_the_derivative_of_the_sigmoid(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, derivative=h * (1 - h))


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    says="Of a word that occurs several times only one gradient is left in E: add them up, for "
    "instance with index_add_.",
)
def keeps_one_gradient_of_a_word(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, add=False)


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="edge",
    says="exp of a large logit is infinite, and the loss is NaN: use logsumexp, or subtract the "
    "largest logit first.",
)
def overflows(p, contexts, targets, e, h, z):
    y = z.exp() / z.exp().sum(-1, keepdim=True)
    loss = -y.gather(-1, targets[:, None]).log().mean()
    return loss, by_hand(p, contexts, targets, e, h, z)[1]


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    says="The loss is the sum over the windows; it must be their mean.",
)
def sums_the_losses(p, contexts, targets, e, h, z):
    loss, gradients = by_hand(p, contexts, targets, e, h, z)
    return loss * len(targets), gradients


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="The target plays no part in the gradients: that of z is softmax(z) minus 1 at the "
    "target.",
)
def forgets_the_target(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, true=0.0)


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    says="The gradient of a bias is the sum over the windows: 1/B is in that of z already.",
)
def averages_the_biases(p, contexts, targets, e, h, z):
    loss, gradients = by_hand(p, contexts, targets, e, h, z)
    return loss, gradients | {name: gradients[name] / len(targets) for name in "bc"}


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    says="The gradients of W and U are transposed: rows belong to what the matrix puts out.",
)
def transposes_the_gradients(p, contexts, targets, e, h, z):
    loss, gradients = by_hand(p, contexts, targets, e, h, z)
    return loss, gradients | {name: gradients[name].T for name in "WU"}


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="Only one word of each window gets a gradient in E: all N words have a piece of d_e.",
)
def teaches_the_last_word_only(p, contexts, targets, e, h, z):
    loss, gradients = by_hand(p, contexts, targets, e, h, z)
    d_a = (z.softmax(-1) - nn.functional.one_hot(targets, z.shape[-1])) @ p["U"] * (1 - h**2)
    d_e = (d_a / len(targets) @ p["W"])[:, -p["E"].shape[1] :]
    return loss, gradients | {"E": torch.zeros_like(p["E"]).index_add_(0, contexts[:, -1], d_e)}


@misconception(
    "4.2",
    replaces="sgd_step",
    kind="idea",
    says="The learning rate plays no part: multiply each gradient by it.",
)
def steps_without_a_rate(p, gradients, rate):
    return {name: p[name] - gradients[name] for name in p}


@misconception(
    "4.2",
    replaces="sgd_step",
    says="The weights that were given have changed: `-=` works in place. Return new ones.",
)
def steps_in_place(p, gradients, rate):
    for name in p:
        p[name] -= rate * gradients[name]
    return p


@misconception(
    "4.2",
    replaces="sgd_step",
    kind="idea",
    says="The step goes uphill: subtract rate times the gradient, so that the loss falls.",
)
def steps_uphill(p, gradients, rate):
    return {name: p[name] + rate * gradients[name] for name in p}
