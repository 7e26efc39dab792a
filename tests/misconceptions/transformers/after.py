"""Plausible mistakes in sections 6.12 and 6.13: counting, and what came after the transformer."""

import torch

from nextword.judge.misconceptions import misconception


# ------------------------------------------------------------------ 6.12
def count(s, **wrong):
    """Count with one thing changed."""
    G = s.H if "all_heads" in wrong else s.G
    qkv, up = (s.H + 2 * G) * s.K, 2 if s.feed == "swiglu" and "two" not in wrong else 1
    norms = (2 * s.L + (0 if "no_last" in wrong else 1)) * s.D
    rest = norms * (1 if s.norm == "rms" and "all_shift" not in wrong else 2)
    rest += s.T * s.D if s.positions == "learned" else 0
    rest += s.L * (qkv + up * s.F + 2 * s.D) if s.bias or "all_bias" in wrong else 0
    out = s.D if "no_out" not in wrong else 0
    found = {"embed": s.V * s.D, "attention": s.L * (qkv + out) * s.D}
    found["unembed"] = 0 if s.tied and "twice" not in wrong else s.V * s.D
    return found | {"feed": s.L * (up + 1) * s.F * s.D, "rest": rest}


@misconception(
    "6.12",
    replaces="count_parameters",
    says="Keys and values are counted for all H heads. There are only G of them.",
)
def counts_all_heads(s):
    return count(s, all_heads=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="SwiGLU has three matrices: gate is missing.",
)
def forgets_the_gate(s):
    return count(s, two=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="There are 2 L + 1 norms: the model's own is missing.",
)
def forgets_the_models_norm(s):
    return count(s, no_last=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says='A tied matrix is counted twice. It is the same one: "unembed" is 0.',
)
def counts_tied_twice(s):
    return count(s, twice=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    says="RMS norms have a gain only, no bias.",
)
def gives_rms_a_bias(s):
    return count(s, all_shift=True)


@misconception(
    "6.12",
    replaces="count_parameters",
    kind="idea",
    says="W_o is missing: after the heads have answered, a matrix of D x D merges them.",
)
def forgets_the_output_matrix(s):
    return count(s, no_out=True)


@misconception(
    "6.12",
    replaces="count_costs",
    kind="idea",
    says="The scores and the weighted sums are missing: 4 T^2 D operations in each block.",
)
def forgets_the_scores(s, T, n_bytes=2):
    n = count(s)
    weights = n["attention"] + n["feed"] + s.V * s.D
    return 2 * T * weights, 2 * s.L * s.G * s.K * T * n_bytes


@misconception(
    "6.12",
    replaces="count_costs",
    says="Looking a word up is counted as a product with the whole matrix. It costs nothing; only "
    "the logits do.",
)
def charges_the_lookup(s, T, n_bytes=2):
    n = count(s)
    weights = n["attention"] + n["feed"] + 2 * s.V * s.D
    return 2 * T * weights + 4 * s.L * T**2 * s.D, 2 * s.L * s.G * s.K * T * n_bytes


@misconception(
    "6.12",
    replaces="count_costs",
    says="The cache holds keys only. It holds as many values.",
)
def caches_keys_only(s, T, n_bytes=2):
    n = count(s)
    weights = n["attention"] + n["feed"] + s.V * s.D
    return 2 * T * weights + 4 * s.L * T**2 * s.D, s.L * s.G * s.K * T * n_bytes


# ------------------------------------------------------------------ 6.13
def steps(q, k, v, log_a, S=None, a=torch.exp, order="decay first"):
    """The recurrence with one thing changed."""
    S = torch.zeros(*q.shape[:2], q.shape[3], v.shape[3]) if S is None else S
    told = []
    for t in range(q.shape[2]):
        decay = a(log_a[:, :, t])[..., None, None]
        new = k[:, :, t, :, None] * v[:, :, t, None]
        before = S
        S = decay * (S + new) if order == "all decays" else decay * S + new
        told.append((q[:, :, t, None] @ (before if order == "late" else S))[:, :, 0])
    return torch.stack(told, dim=2), S


@misconception(
    "6.13",
    replaces="recurrent",
    kind="idea",
    says="What a step takes in is decayed at once. Only the old state decays: a_t S + k_t v_t^T.",
)
def decays_the_new(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, order="all decays")


@misconception(
    "6.13",
    replaces="recurrent",
    kind="idea",
    says="The query is answered from the state before this step. First take in k_t and v_t.",
)
def answers_too_early(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, order="late")


@misconception(
    "6.13",
    replaces="recurrent",
    kind="idea",
    says="The given state is ignored: a text that is read in pieces begins anew each time.",
)
def begins_anew(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a)


@misconception(
    "6.13",
    replaces="recurrent",
    says="log_a is used as if it were a. Take its exponential.",
)
def takes_the_logarithm(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, a=lambda log: log)


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
    left = tables(log_a).clamp(max=0).exp()
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
