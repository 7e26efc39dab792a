"""Plausible mistakes in sections 4.1, 4.2, 4.4 and 4.5: windows, and gradients by hand."""

import torch
from torch import nn

from nextword.judge.misconceptions import misconception


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


@misconception("4.1", replaces="feedforward", says="A bias is missing: h needs b, and z needs c.")
def forgets_a_bias(p, contexts):
    e, h, z = window(p, p["E"][contexts].flatten(-2))
    return e, h, z - p["c"]


def by_hand(p, contexts, targets, e, h, z, *, mean=True, sign=1, slope=None, add=True):
    """The gradients of task 4.2 with one thing changed."""
    B = len(targets)
    loss = (z.logsumexp(-1) - z.gather(-1, targets[:, None])[:, 0]).mean()
    d_z = sign * (z.softmax(-1) - nn.functional.one_hot(targets, z.shape[-1]))
    d_z = d_z / B if mean else d_z
    d_a = d_z @ p["U"] * ((1 - h**2) if slope is None else slope)
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
    says="The slopes are B times too large: the loss is a mean over the B windows.",
)
def sums_over_the_windows(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, mean=False)


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="All slopes have the wrong sign: the slope of the loss for z is softmax(z) minus the "
    "one-hot target. The step downhill comes later.",
)
def subtracts_the_other_way(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, sign=-1)


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    kind="idea",
    says="On the way back through the hidden layer the slope of tanh, 1 - h², is missing.",
)
def forgets_the_slope_of_tanh(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, slope=torch.ones_like(h))


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    says="h (1 - h) is the slope of the sigmoid; that of tanh is 1 - h².",
)
def takes_the_slope_of_the_sigmoid(p, contexts, targets, e, h, z):
    return by_hand(p, contexts, targets, e, h, z, slope=h * (1 - h))


@misconception(
    "4.2",
    replaces="loss_and_gradients",
    says="Of a word that occurs several times only one slope is left in E: add them up, for "
    "instance with index_add_.",
)
def keeps_one_slope_of_a_word(p, contexts, targets, e, h, z):
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
    replaces="sgd_step",
    kind="idea",
    says="The step goes uphill: subtract rate times the slope, so that the loss falls.",
)
def steps_uphill(p, gradients, rate):
    return {name: p[name] + rate * gradients[name] for name in p}


def backwards(cell, x, h, slopes, chunk=0, *, carry=None, slope=None, before=None, cut=None):
    """Backpropagation through time with one thing changed."""
    U, T = cell.U.weight.detach(), x.shape[1]
    earlier = torch.cat([torch.zeros_like(h[:, :1]), h[:, :-1]], dim=1)
    earlier = earlier if before is None else before
    d_a, later = torch.zeros_like(h), 0.0
    for t in reversed(range(T)):
        steep = (1 - h[:, t] ** 2) if slope is None else slope
        d_a[:, t] = (slopes[:, t] + later) * steep
        ends = chunk and (t % chunk == 0 if cut is None else cut(t, chunk))
        later = 0.0 if ends else d_a[:, t] @ U if carry is None else carry(d_a[:, t], U)
    rows = d_a.flatten(0, 1)
    d_U = rows.T @ earlier.flatten(0, 1)
    return {"W": rows.T @ x.flatten(0, 1), "U": d_U, "b": rows.sum(0)}


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="Each step gets only its own slope. What a step does through the steps after it must be "
    "handed back to it: d_a of the next step, times U.",
)
def does_not_go_back(cell, x, h, slopes, chunk=0):
    return backwards(cell, x, h, slopes, chunk, carry=lambda d_a, U: 0.0)


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="On the way back you took the transpose of U. Rows are multiplied by U itself: d_a @ U.",
)
def goes_back_by_the_transpose(cell, x, h, slopes, chunk=0):
    return backwards(cell, x, h, slopes, chunk, carry=lambda d_a, U: d_a @ U.T)


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="The slope of tanh, 1 - h_t², is missing at every step.",
)
def forgets_the_tanh_of_each_step(cell, x, h, slopes, chunk=0):
    return backwards(cell, x, h, slopes, chunk, slope=1.0)


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="The slope of U multiplies d_a of step t by h of the step before it; you took h of step "
    "t itself.",
)
def multiplies_by_the_same_h(cell, x, h, slopes, chunk=0):
    return backwards(cell, x, h, slopes, chunk, before=h)


@misconception(
    "4.4",
    replaces="bptt",
    says="The chunk is ignored: where a new chunk begins, hand nothing back.",
)
def never_cuts(cell, x, h, slopes, chunk=0):
    return backwards(cell, x, h, slopes, 0)


@misconception(
    "4.4",
    replaces="bptt",
    says="The way back is cut one step off: step k is the first of the second chunk, so it is step "
    "k that hands nothing to step k - 1.",
)
def cuts_one_step_off(cell, x, h, slopes, chunk=0):
    return backwards(cell, x, h, slopes, chunk, cut=lambda t, chunk: (t + 1) % chunk == 0)


def slopes_from(cell, x, s, product=lambda slope, J: slope @ J):
    """The slopes dh_T/ds_t from t = T down to 0."""
    states, inputs = [s], cell.W(x)
    for a in inputs:
        states.append(cell.step(a, states[-1]))
    slopes = [torch.eye(len(s), dtype=s.dtype)[: cell.H]]
    for a, state in zip(inputs.flip(0), states[-2::-1], strict=True):
        slopes.append(product(slopes[-1], torch.func.jacrev(cell.step, argnums=1)(a, state)))
    return [slope.detach() for slope in slopes]


@misconception(
    "4.5",
    replaces="gradient_norms",
    says="That is the root of the sum of squares. Equation 4.16 takes the largest singular value: "
    "matrix_norm with 2.",
)
def takes_the_frobenius_norm(cell, x, s):
    return torch.stack([slope.norm() for slope in slopes_from(cell, x, s)[::-1]])


@misconception(
    "4.5",
    replaces="gradient_norms",
    says="The norms stand from the last step to the first: return them from t = 0 to T.",
)
def returns_them_backwards(cell, x, s):
    return torch.stack([torch.linalg.matrix_norm(each, 2) for each in slopes_from(cell, x, s)])


@misconception(
    "4.5",
    replaces="gradient_norms",
    says="Only the way through h is counted. All of the state is carried: for an LSTM, c as well.",
)
def looks_at_h_alone(cell, x, s):
    slopes = [slope[:, : cell.H] for slope in slopes_from(cell, x, s)[::-1]]
    return torch.stack([torch.linalg.matrix_norm(slope, 2) for slope in slopes])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="idea",
    says="The norms of single steps were multiplied. The norm of a product is smaller than that in "
    "general: multiply the Jacobians, then take the norm.",
)
def multiplies_the_norms(cell, x, s):
    norms = [torch.tensor(1.0)]
    for a in cell.W(x):
        norms.append(torch.linalg.matrix_norm(torch.func.jacrev(cell.step, argnums=1)(a, s), 2))
        s = cell.step(a, s)
    products = torch.stack([norms[0], *norms[:0:-1]]).cumprod(0)
    return products.flip(0).detach()


def norm_of(slopes):
    return sum(float((slope**2).sum()) for slope in slopes) ** 0.5


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="idea",
    says="Each parameter was clipped by its own norm. That changes the direction of the whole: "
    "take one norm and one factor for all.",
)
def clips_each_alone(parameters, most):
    slopes = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(slopes)
    for slope in slopes:
        slope *= min(1.0, most / max(norm_of([slope]), 1e-12))
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    says="Short gradients were made longer: where the norm is below the limit, change nothing.",
)
def stretches_short_ones(parameters, most):
    slopes = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(slopes)
    for slope in slopes:
        slope *= most / norm
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="idea",
    says="Every number was cut off at the limit. Multiply all by one factor instead, so that the "
    "direction stays.",
)
def cuts_off_numbers(parameters, most):
    slopes = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(slopes)
    for slope in slopes:
        slope.clamp_(-most, most)
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    says="The norm that is returned is that after clipping; return the one before.",
)
def returns_the_norm_after(parameters, most):
    slopes = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(slopes)
    for slope in slopes if norm > most else []:
        slope *= most / norm
    return min(norm, most)
