"""Plausible mistakes in sections 4.4 and 4.5: gradients through time and over distance."""

import torch

from examiner.judge.misconceptions import misconception


def backwards(
    cell, x, h, grad, chunk=0, *, carry=None, derivative=None, before=None, cut=None, anew=False
):
    """Backpropagation through time with one thing changed."""
    U, T = cell.U.weight.detach(), x.shape[1]
    earlier = torch.cat([torch.zeros_like(h[:, :1]), h[:, :-1]], dim=1)
    earlier = earlier if before is None else before
    d_a, later = torch.zeros_like(h), 0.0
    for t in reversed(range(T)):
        steep = (1 - h[:, t] ** 2) if derivative is None else derivative
        d_a[:, t] = (grad[:, t] + later) * steep
        ends = chunk and (t % chunk == 0 if cut is None else cut(t, chunk))
        later = 0.0 if ends else d_a[:, t] @ U if carry is None else carry(d_a[:, t], U)
        if ends and anew:
            earlier[:, t] = 0.0
    rows = d_a.flatten(0, 1)
    d_U = rows.T @ earlier.flatten(0, 1)
    return {"W": rows.T @ x.flatten(0, 1), "U": d_U, "b": rows.sum(0)}


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="Each step gets only its own gradient. What a step does through the steps after it must "
    "be handed back to it: d_a of the next step, times U.",
)
def does_not_go_back(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, chunk, carry=lambda d_a, U: 0.0)


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="On the way back you took the transpose of U. Rows are multiplied by U itself: d_a @ U.",
)
def goes_back_by_the_transpose(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, chunk, carry=lambda d_a, U: d_a @ U.T)


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="The derivative of tanh, 1 - h_t², is missing at every step.",
)
def forgets_the_tanh_of_each_step(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, chunk, derivative=1.0)


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="The gradient of U multiplies d_a of step t by h of the step before it; you took h of "
    "step t itself.",
)
def multiplies_by_the_same_h(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, chunk, before=h)


@misconception(
    "4.4",
    replaces="bptt",
    says="The chunk is ignored: where a new chunk begins, hand nothing back.",
)
def never_cuts(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, 0)


@misconception(
    "4.4",
    replaces="bptt",
    kind="edge",
    says="The way back is cut one step off: step k is the first of the second chunk, so it is step "
    "k that hands nothing to step k - 1.",
)
def cuts_one_step_off(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, chunk, cut=lambda t, chunk: (t + 1) % chunk == 0)


@misconception(
    "4.4",
    replaces="bptt",
    kind="edge",
    says="Chunks are counted from the end. The first chunk begins at the first step; the last one "
    "may be shorter.",
)
def counts_chunks_from_the_end(cell, x, h, grad, chunk=0):
    cut = lambda t, chunk: (x.shape[1] - t) % chunk == 0  # noqa: E731
    return backwards(cell, x, h, grad, chunk, cut=cut)


@misconception(
    "4.4",
    replaces="bptt",
    kind="edge",
    says="Each chunk begins with a state of zeros here. Only the way back is cut: in the gradient "
    "of U, the first step of a chunk still meets h of the step before.",
)
def begins_chunks_with_zeros(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, chunk, anew=True)


@misconception(
    "4.4",
    replaces="bptt",
    kind="edge",
    says="The first step of a chunk has no gradient here. It keeps its own, and what later steps "
    "hand back to it; only what it would hand back itself vanishes.",
)
def silences_the_first_step_of_a_chunk(cell, x, h, grad, chunk=0):
    U, d_a, later = cell.U.weight.detach(), torch.zeros_like(h), 0.0
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (grad[:, t] + later) * (1 - h[:, t] ** 2)
        if chunk and t and t % chunk == 0:
            d_a[:, t] = 0.0
        later = d_a[:, t] @ U
    return backwards(cell, x, h, d_a, 1, derivative=1.0)


@misconception(
    "4.4",
    replaces="bptt",
    says="The first step meets the last h as its old state: before the first step it was zeros.",
)
def rolls_the_states(cell, x, h, grad, chunk=0):
    return backwards(cell, x, h, grad, chunk, before=h.roll(1, 1))


@misconception(
    "4.4",
    replaces="bptt",
    says="The gradients are divided by the number of sequences; they are sums over all of them.",
)
def averages_over_the_sequences(cell, x, h, grad, chunk=0):
    return {name: each / len(x) for name, each in backwards(cell, x, h, grad, chunk).items()}


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="What later steps hand back goes through the tanh of step t as well: add it to grad[:, "
    "t] first, then multiply the sum by 1 - h_t².",
)
def hands_back_past_the_tanh(cell, x, h, grad, chunk=0):
    bend = 1 - h**2
    d_a, later = torch.zeros_like(h), 0.0
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = grad[:, t] * bend[:, t] + later
        later = 0.0 if chunk and t % chunk == 0 else d_a[:, t] @ cell.U.weight.detach()
    return backwards(cell, x, h, d_a, 1, derivative=1.0)


@misconception(
    "4.4",
    replaces="bptt",
    kind="idea",
    says="A gradient goes back one step and no further: what step t hands back must hold all that "
    "later steps have handed to it.",
)
def goes_back_one_step(cell, x, h, grad, chunk=0):
    direct = grad * (1 - h**2)
    back = torch.zeros_like(h)
    for t in range(x.shape[1] - 1):
        if not (chunk and (t + 1) % chunk == 0):
            back[:, t] = direct[:, t + 1] @ cell.U.weight.detach()
    return backwards(cell, x, h, grad + back, 1)


def jacobians_from(cell, x, s, product=lambda later, J: later @ J):
    """The Jacobians dh_T/ds_t from t = T down to 0."""
    states, inputs = [s], cell.W(x)
    for a in inputs:
        states.append(cell.step(a, states[-1]))
    jacobians = [torch.eye(len(s), dtype=s.dtype)[: cell.H]]
    for a, state in zip(inputs.flip(0), states[-2::-1], strict=True):
        jacobians.append(product(jacobians[-1], torch.func.jacrev(cell.step, argnums=1)(a, state)))
    return [J.detach() for J in jacobians]


@misconception(
    "4.5",
    replaces="gradient_norms",
    says="That is the root of the sum of squares. Equation 4.16 takes the largest singular value: "
    "matrix_norm with 2.",
)
def takes_the_frobenius_norm(cell, x, s):
    return torch.stack([J.norm() for J in jacobians_from(cell, x, s)[::-1]])


@misconception(
    "4.5",
    replaces="gradient_norms",
    says="The norms stand from the last step to the first: return them from t = 0 to T.",
)
def returns_them_backwards(cell, x, s):
    return torch.stack([torch.linalg.matrix_norm(each, 2) for each in jacobians_from(cell, x, s)])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="edge",
    says="Only the way through h is counted. All of the state is carried: for an LSTM, c as well.",
)
def looks_at_h_alone(cell, x, s):
    jacobians = [J[:, : cell.H] for J in jacobians_from(cell, x, s)[::-1]]
    return torch.stack([torch.linalg.matrix_norm(J, 2) for J in jacobians])


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


def norms(jacobians):
    return torch.stack([torch.linalg.matrix_norm(J, 2) for J in jacobians])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="idea",
    says="These are the norms of single steps: multiply the Jacobians of all steps from t to T.",
)
def takes_each_step_alone(cell, x, s):
    return norms(jacobians_from(cell, x, s, lambda later, J: J[: cell.H])[::-1])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="idea",
    says="These are the norms of dh_t/ds_0, from the beginning on. Asked for are those of dh_T "
    "for every earlier state.",
)
def goes_forward_from_the_first_state(cell, x, s):
    J, found = torch.eye(len(s), dtype=s.dtype), []
    for a in [*cell.W(x), None]:
        found.append(J[: cell.H])
        if a is not None:
            J = torch.func.jacrev(cell.step, argnums=1)(a, s).detach() @ J
            s = cell.step(a, s)
    return norms(found)


@misconception(
    "4.5",
    replaces="gradient_norms",
    says="A norm is missing: from t = 0 to T there are T + 1, and the last one is 1.",
)
def leaves_out_the_last_norm(cell, x, s):
    return norms(jacobians_from(cell, x, s)[:0:-1])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="edge",
    says="The whole last state is differentiated; h_T is only its first H numbers.",
)
def takes_the_whole_last_state(cell, x, s):
    states, inputs = [s], cell.W(x)
    for a in inputs:
        states.append(cell.step(a, states[-1]))
    found = [torch.eye(len(s), dtype=s.dtype)]
    for a, state in zip(inputs.flip(0), states[-2::-1], strict=True):
        found.append((found[-1] @ torch.func.jacrev(cell.step, argnums=1)(a, state)).detach())
    return norms(found[::-1])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="edge",
    says="The sequence begins in the state s that is given, not in zeros.",
)
def begins_with_no_state(cell, x, s):
    return norms(jacobians_from(cell, x, torch.zeros_like(s))[::-1])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="idea",
    says="A step was differentiated for a, its input; the way back leads through its state, the "
    "second argument.",
)
def differentiates_for_the_input(cell, x, s):
    states, inputs = [s], cell.W(x)
    for a in inputs:
        states.append(cell.step(a, states[-1]))
    found = [torch.eye(len(s), dtype=s.dtype)[: cell.H]]
    for a, state in zip(inputs.flip(0), states[-2::-1], strict=True):
        found.append((found[-1] @ torch.func.jacrev(cell.step, argnums=0)(a, state)).detach())
    return norms(found[::-1])


@misconception(
    "4.5",
    replaces="gradient_norms",
    kind="idea",
    says="Each Jacobian was taken at the state after its step; take it at the state before.",
)
def takes_jacobians_one_step_late(cell, x, s):
    states, inputs = [s], cell.W(x)
    for a in inputs:
        states.append(cell.step(a, states[-1]))
    found = [torch.eye(len(s), dtype=s.dtype)[: cell.H]]
    for a, state in zip(inputs.flip(0), states[:0:-1], strict=True):
        found.append((found[-1] @ torch.func.jacrev(cell.step, argnums=1)(a, state)).detach())
    return norms(found[::-1])
