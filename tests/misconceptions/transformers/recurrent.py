"""Plausible mistakes in section 6.13: a recurrence, step by step."""

import torch

from examiner.judge.misconceptions import misconception


def steps(q, k, v, log_a, S=None, a=torch.exp, order="decay first", **wrong):
    """The recurrence with one thing changed."""
    first = S is None
    S = torch.zeros(*q.shape[:2], q.shape[3], v.shape[3]) if first else S
    told = []
    for t in range(q.shape[2]):
        when = {"before": t - 1, "first": 0}.get(wrong.get("when", ""), t)
        decay = a(log_a[:, : wrong.get("heads"), when])[..., None, None]
        decay = torch.ones_like(decay) if "spared" in wrong and t == 0 else decay
        new = k[:, :, t, :, None] * v[:, :, t, None]
        new = (1 - decay) * new if "mixed" in wrong else new
        new = new.mT if "turned" in wrong else new
        before = S
        S = decay * (S + new) if order == "all decays" else decay * S + new
        S = new if "alone" in wrong else S
        asked = S.mT if "asked_turned" in wrong else S
        y = (q[:, :, t, None] @ (before if order == "late" else asked))[:, :, 0]
        told.append(y / wrong.get("by", lambda q, t: 1)(q, t))
    return wrong.get("join", lambda told: torch.stack(told, dim=2))(told), S


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


@misconception(
    "6.13",
    replaces="recurrent",
    says="Nothing is forgotten: the old state is multiplied by a_t.",
)
def never_forgets(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, a=torch.ones_like)


@misconception(
    "6.13",
    replaces="recurrent",
    says="The state grows instead of fading: a_t is the exponential of log_a, not of -log_a.",
)
def grows_instead(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, a=lambda log: (-log).exp())


@misconception(
    "6.13",
    replaces="recurrent",
    says="What is new gets the share 1 - a_t. In (6.33) it is added whole.",
)
def mixes_old_and_new(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, mixed=True)


@misconception(
    "6.13",
    replaces="recurrent",
    says="The state holds v k^T. It is k v^T: K rows, one for each number of a key.",
)
def turns_the_outer_product(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, turned=True)


@misconception(
    "6.13",
    replaces="recurrent",
    says="The answer is S q. It is S^T q: the query meets the rows, which are made by keys.",
)
def asks_the_wrong_side(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, asked_turned=True)


@misconception(
    "6.13",
    replaces="recurrent",
    says="The answers are divided by the root of K. Equation 6.33 does not divide.",
)
def divides_answers_by_the_root(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, by=lambda q, t: q.shape[3] ** 0.5)


@misconception(
    "6.13",
    replaces="recurrent",
    says="The answers are divided by the number of words read. Equation 6.33 does not divide.",
)
def takes_a_mean_of_what_was_read(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, by=lambda q, t: t + 1)


@misconception(
    "6.13",
    replaces="recurrent",
    says="Only the last answer is returned. Every step has one.",
)
def returns_the_last_answer(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, join=lambda told: told[-1][:, :, None])


@misconception(
    "6.13",
    replaces="recurrent",
    kind="edge",
    says="The given state does not decay at the first step. It does, by a_1.",
)
def spares_the_given_state(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, spared=True)


@misconception(
    "6.13",
    replaces="recurrent",
    says="The state decays by the a of the step before.",
)
def decays_one_step_late(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, when="before")


@misconception(
    "6.13",
    replaces="recurrent",
    says="The state always decays by the first a. Step t has its own.",
)
def decays_by_the_first(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, when="first")


@misconception(
    "6.13",
    replaces="recurrent",
    says="All heads decay as the first one does. Each has its own a_t.",
)
def decays_all_heads_alike(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, heads=1)


@misconception(
    "6.13",
    replaces="recurrent",
    says="The answers stand on the wrong axis: B, H, T, V.",
)
def stacks_on_the_wrong_axis(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, join=lambda told: torch.stack(told, dim=1))


@misconception(
    "6.13",
    replaces="recurrent",
    kind="idea",
    says="The state is replaced by k v^T. That is added to what is left of the old one.",
)
def replaces_the_state(q, k, v, log_a, S=None):
    return steps(q, k, v, log_a, S, alone=True)
