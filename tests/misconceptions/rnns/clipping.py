"""Plausible mistakes in section 4.5: gradients that are clipped."""

from examiner.judge.misconceptions import misconception


def norm_of(gradients):
    return sum(float((g**2).sum()) for g in gradients) ** 0.5


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="idea",
    says="Each parameter was clipped by its own norm. That changes the direction of the whole: "
    "take one norm and one factor for all.",
)
def clips_each_alone(parameters, most):
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(gradients)
    for g in gradients:
        g *= min(1.0, most / max(norm_of([g]), 1e-12))
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    says="Short gradients were made longer: where the norm is below the limit, change nothing.",
)
def stretches_short_ones(parameters, most):
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(gradients)
    for g in gradients:
        g *= most / norm
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="idea",
    says="Every number was cut off at the limit. Multiply all by one factor instead, so that the "
    "direction stays.",
)
def cuts_off_numbers(parameters, most):
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(gradients)
    for g in gradients:
        g.clamp_(-most, most)
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="edge",
    says="The norm that is returned is that after clipping; return the one before.",
)
def returns_the_norm_after(parameters, most):
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = norm_of(gradients)
    for g in gradients if norm > most else []:
        g *= most / norm
    return min(norm, most)


def clipped_by(norm, parameters, most):
    """Scale all gradients of parameters by most / norm, if the norm is larger."""
    for p in parameters:
        if norm > most and p.grad is not None:
            p.grad *= most / norm
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="idea",
    says="That is the square of the norm: a root is missing.",
)
def forgets_the_square_root(parameters, most):
    parameters = list(parameters)
    return clipped_by(
        norm_of([p.grad for p in parameters if p.grad is not None]) ** 2, parameters, most
    )


@misconception(
    "4.5",
    replaces="clip_gradients",
    says="Norms were added up. The norm of all numbers is the root of the sum of all squares.",
)
def adds_up_the_norms(parameters, most):
    parameters = list(parameters)
    return clipped_by(
        sum(norm_of([p.grad]) for p in parameters if p.grad is not None), parameters, most
    )


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="edge",
    says="`parameters` may be a generator, such as model.parameters(), and that can be gone "
    "through only once: make a list first.",
)
def goes_through_parameters_twice(parameters, most):
    return clipped_by(norm_of([p.grad for p in parameters if p.grad is not None]), parameters, most)


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="edge",
    says="The gradients were replaced by new tensors; change them in place, with *= or mul_.",
)
def replaces_the_gradients(parameters, most):
    parameters = [p for p in parameters if p.grad is not None]
    norm = norm_of([p.grad for p in parameters])
    for p in parameters if norm > most else []:
        p.grad = p.grad * (most / norm)
    return norm


@misconception(
    "4.5",
    replaces="clip_gradients",
    kind="idea",
    says="The weights themselves were scaled: scale their gradients, p.grad.",
)
def clips_the_weights(parameters, most):
    parameters = [p for p in parameters if p.grad is not None]
    norm = norm_of([p.grad for p in parameters])
    for p in parameters if norm > most else []:
        p.data *= most / norm
    return norm
