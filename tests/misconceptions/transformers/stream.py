"""Plausible mistakes in section 6.3: the residual stream."""

import torch.nn.functional as F  # noqa: N812 - torch's own custom

from nextword.judge.misconceptions import misconception


@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="Nothing is added: x itself must stay in the stream, and the layer's answer joins it.",
)
def leaves_the_stream(self, x, norm, layer):
    return self.dropout(layer(norm(x))) if self.pre else norm(self.dropout(layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="In a pre-norm block the answer is added to norm(x). Add it to x itself, which no norm "
    "has changed.",
)
def adds_to_the_normed(self, x, norm, layer):
    if self.pre:
        x = norm(x)
        return x + self.dropout(layer(x))
    return norm(x + self.dropout(layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="In a post-norm block only the layer's answer is normalised. Normalise the sum.",
)
def norms_the_answer(self, x, norm, layer):
    if self.pre:
        return x + self.dropout(layer(norm(x)))
    return x + norm(self.dropout(layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="idea",
    says="Pre-norm and post-norm are exchanged: self.pre means that the norm comes first.",
)
def exchanges_pre_and_post(self, x, norm, layer):
    if self.pre:
        return norm(x + self.dropout(layer(x)))
    return x + self.dropout(layer(norm(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    says="Dropout is applied to the whole sum. Apply it to the layer's answer only, so that no "
    "number of the stream itself is set to 0.",
)
def drops_the_stream(self, x, norm, layer):
    if self.pre:
        return self.dropout(x + layer(norm(x)))
    return norm(self.dropout(x + layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    says="Dropout is missing: apply self.dropout to the layer's answer.",
)
def never_drops(self, x, norm, layer):
    return x + layer(norm(x)) if self.pre else norm(x + layer(x))


@misconception(
    "6.3",
    replaces="Block.around",
    says="This is a pre-norm block, whatever self.pre says. If it is False, the norm follows the "
    "sum.",
)
def is_always_pre_norm(self, x, norm, layer):
    return x + self.dropout(layer(norm(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    says="This is a post-norm block, whatever self.pre says. If it is True, the layer reads "
    "norm(x), and the sum is not normalised.",
)
def is_always_post_norm(self, x, norm, layer):
    return norm(x + self.dropout(layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    says="Dropout is applied to what the layer reads. Apply it to the layer's answer.",
)
def drops_the_input(self, x, norm, layer):
    if self.pre:
        return x + layer(self.dropout(norm(x)))
    return norm(x + layer(self.dropout(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="edge",
    says="In a post-norm block dropout comes after the norm, so the stream itself loses numbers. "
    "Apply it to the layer's answer, before the sum.",
)
def drops_after_the_norm(self, x, norm, layer):
    if self.pre:
        return x + self.dropout(layer(norm(x)))
    return self.dropout(norm(x + layer(x)))


@misconception(
    "6.3",
    replaces="Block.around",
    kind="edge",
    says="In a post-norm block dropout is missing: apply self.dropout to the layer's answer.",
)
def drops_in_pre_norm_only(self, x, norm, layer):
    if self.pre:
        return x + self.dropout(layer(norm(x)))
    return norm(x + layer(x))


@misconception(
    "6.3",
    replaces="Block.around",
    says="Numbers are dropped also when the model is used. self.dropout knows whether it is in "
    "training.",
)
def drops_in_use(self, x, norm, layer):
    y = F.dropout(layer(norm(x) if self.pre else x), self.dropout.p)
    return x + y if self.pre else norm(x + y)


@misconception(
    "6.3",
    replaces="Block.around",
    says="In a post-norm block the layer reads norm(x). It reads x itself; only the sum is "
    "normalised.",
)
def norms_twice(self, x, norm, layer):
    if self.pre:
        return x + self.dropout(layer(norm(x)))
    return norm(x + self.dropout(layer(norm(x))))


@misconception(
    "6.3",
    replaces="Block.around",
    says="The norm is always self.norm1. Use the norm that `around` was given.",
)
def takes_norm1(self, x, norm, layer):
    if self.pre:
        return x + self.dropout(layer(self.norm1(x)))
    return self.norm1(x + self.dropout(layer(x)))
