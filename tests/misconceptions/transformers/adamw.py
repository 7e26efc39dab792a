"""Plausible mistakes in section 6.8: AdamW."""

import torch
from torch import nn, optim

from examiner.judge.misconceptions import misconception


def adam(p, grad, m, v, t, rate, betas, eps, decay, **wrong):
    """One step with one thing changed."""
    betas, eps = wrong.get("my_betas", betas), wrong.get("my_eps", eps)
    held = wrong.get("my_decay", decay)
    held = held if wrong.get("decays", lambda p: p.ndim > 1)(p) else 0.0
    grad = grad + held * p if "coupled" in wrong else grad
    old, new = (0, 1) if "turned" not in wrong else (1, 0)
    shares = [(b, 1 - b) for b in (reversed(betas) if "exchanged" in wrong else betas)]
    square = grad.abs() if "size" in wrong else grad**2
    m = shares[0][old] * m + (1 if "whole" in wrong else shares[0][new]) * grad
    v = shares[1][old] * v + shares[1][new] * square
    t = 10**6 if "raw" in wrong else t + wrong.get("late", 0)
    b1, b2 = shares[0][0], shares[1][0]
    powers = (1 - b1 * t, 1 - b2 * t) if "times" in wrong else (1 - b1**t, 1 - b2**t)
    m_hat, v_hat = m / powers[0], v / (1 if "only_m" in wrong else powers[1])
    root = {
        "inside": (v_hat + eps).sqrt(),
        "raw_eps": (v.sqrt() + eps) / powers[1] ** 0.5,
        "none": v_hat + eps,
        "one": 1.0,
    }.get(wrong.get("root", ""), v_hat.sqrt() + eps)
    m_hat_used = grad if "no_m" in wrong else m_hat
    drift = 0.0 if "coupled" in wrong else wrong.get("sign", 1) * held * p
    drift = drift / rate if "rateless" in wrong else drift
    step = wrong.get("way", 1) * rate * (m_hat_used / root + drift)
    return (p - step, m_hat, v_hat) if "hats" in wrong else (p - step, m, v)


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="The decay is added to the gradient, as in Adam before AdamW. It acts on p itself, beside "
    "m and v.",
)
def decays_through_the_gradient(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, coupled=True)


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="m and v are not corrected: in the first steps they are too small. Divide by 1 - beta^t.",
)
def forgets_the_correction(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, raw=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="Gains and biases decay as well. Only what has two axes or more does.",
)
def decays_vectors(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, decays=lambda p: True)


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="Epsilon stands inside the root. In Adam it is added to the root.",
)
def puts_epsilon_inside(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, root="inside")


@misconception(
    "6.8",
    replaces="adamw",
    says="Only m is corrected. v is too small at first as well: divide it by 1 - beta_2^t.",
)
def corrects_m_only(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, only_m=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="Nothing decays. Matrices shrink by rate times decay at each step.",
)
def never_decays(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, my_decay=0.0)


@misconception(
    "6.8",
    replaces="adamw",
    says="The decay is not multiplied by the rate. Both terms in the bracket of (6.22) are.",
)
def decays_without_the_rate(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, rateless=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="The decay makes weights grow. It is subtracted, with the rest of the bracket.",
)
def grows_by_the_decay(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, sign=-1)


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="Epsilon is added to the root of v before that is corrected. Correct v first.",
)
def adds_epsilon_before_the_correction(
    p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1
):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, root="raw_eps")


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="There is no epsilon: add it to the root of the corrected v.",
)
def steps_without_epsilon(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, my_eps=0.0)


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="`eps` is not used: 1e-8 is written into the step.",
)
def fixes_the_epsilon_of_adam(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, my_eps=1e-8)


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="`betas` is not used: 0.9 and 0.95 are written into the step.",
)
def fixes_the_betas(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, my_betas=(0.9, 0.95))


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="`decay` is not used: 0.1 is written into the step.",
)
def fixes_the_decay(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, my_decay=0.1)


@misconception(
    "6.8",
    replaces="adamw",
    says="The steps are counted from 0, but t begins at 1: the powers are beta^t.",
)
def corrects_one_step_late(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, late=1)


@misconception(
    "6.8",
    replaces="adamw",
    says="The correction takes beta times t. It is a power: beta to the t.",
)
def multiplies_by_t(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, times=True)


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="v is a mean of sizes. It is a mean of squares.",
)
def averages_sizes(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, size=True)


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="The root is missing: divide by the root of the corrected v.",
)
def forgets_the_root_of_v(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, root="none")


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="The mean is not divided by the root of v: this is momentum alone.",
)
def divides_by_nothing(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, root="one")


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="The step follows the last gradient. It follows m, the running mean.",
)
def steps_without_momentum(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, no_m=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="The two betas are exchanged: the first one is for m, the second for v.",
)
def exchanges_the_betas(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, exchanged=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="The old mean gets the share 1 - beta. It keeps beta; what is new gets 1 - beta.",
)
def exchanges_old_and_new(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, turned=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="The gradient is added to m whole. It gets the share 1 - beta_1.",
)
def adds_the_gradient_whole(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, whole=True)


@misconception(
    "6.8",
    replaces="adamw",
    says="The corrected means are returned. Return m and v as they are; they are corrected for "
    "this step only.",
)
def returns_corrected_means(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, hats=True)


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="The step goes up the gradient. Subtract it.",
)
def climbs(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, way=-1)


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="A matrix of one row is taken for a vector. What counts is the number of axes.",
)
def takes_a_row_for_a_vector(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(
        p, grad, m, v, t, rate, betas, eps, decay, decays=lambda p: p.ndim > 1 and min(p.shape) > 1
    )


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="Only what has exactly two axes decays. More axes decay as well.",
)
def decays_two_axes_only(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, decays=lambda p: p.ndim == 2)


@misconception(
    "6.8",
    replaces="adamw",
    kind="edge",
    says="A single number, which has no axis, decays. Only what has two axes or more does.",
)
def decays_single_numbers(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    return adam(p, grad, m, v, t, rate, betas, eps, decay, decays=lambda p: p.ndim != 1)


@misconception(
    "6.8",
    replaces="adamw",
    kind="idea",
    says="Torch's own optimizer does the work. Write the three equations yourself.",
)
def calls_torchs_optimizer(p, grad, m, v, t, rate, betas=(0.9, 0.95), eps=1e-8, decay=0.1):
    q = nn.Parameter(p.clone())
    q.grad = grad
    optimizer = optim.AdamW([q], rate, betas, eps, decay if p.ndim > 1 else 0.0)
    state = {"step": torch.tensor(t - 1.0), "exp_avg": m.clone(), "exp_avg_sq": v.clone()}
    optimizer.state[q] = state
    optimizer.step()
    return q.detach(), state["exp_avg"], state["exp_avg_sq"]
