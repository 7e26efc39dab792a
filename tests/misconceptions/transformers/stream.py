"""Plausible mistakes in section 6.3: the residual stream."""

import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception


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


# ------------------------------------------------------------------ the whole block
def block(self, x, past, mask, memory, layers="mcf", **wrong):
    """A block with one thing changed. layers: mixer, cross-attention, feed-forward, in order."""
    states = []

    def mix(x):
        y, state = self.mixer(x, past, mask)
        states.append(state)
        return y

    def look(x):
        return self.cross(x, memory[0], None if "unmasked" in wrong else memory[1])

    found = {"m": (self.norm1, mix), "f": (self.norm2, self.feed)}
    if memory is not None:
        found["c"] = (self.norm3, look)
    for name in layers:
        if name in found:
            norm, layer = found[name]
            norm = wrong.get("norms", {}).get(name, norm)
            x = layer(x) if name in wrong.get("bare", "") else self.around(x, norm, layer)
    return x, states[0] if states else None


@misconception(
    "6.3",
    replaces="Block.forward",
    kind="idea",
    says="The feed-forward layer comes first. It comes last: tokens look at each other before each "
    "is worked on.",
)
def feeds_first(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, layers="fmc")


@misconception(
    "6.3",
    replaces="Block.forward",
    kind="idea",
    says="The feed-forward layer is missing: it follows the mixer, with norm2.",
)
def never_feeds(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, layers="mc")


@misconception(
    "6.3",
    replaces="Block.forward",
    kind="idea",
    says="The mixer's answer replaces x. Join it to the stream by `around`.",
)
def replaces_by_the_mixer(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, bare="m")


@misconception(
    "6.3",
    replaces="Block.forward",
    says="The feed-forward layer has the norm of the mixer, norm1. Its own is norm2.",
)
def shares_a_norm(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, norms={"f": self.norm1})


@misconception(
    "6.3",
    replaces="Block.forward",
    says="The norms are exchanged: norm1 is the mixer's, norm2 that of the feed-forward layer.",
)
def exchanges_norm1_and_norm2(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, norms={"m": self.norm2, "f": self.norm1})


@misconception(
    "6.3",
    replaces="Block.forward",
    says="The mixer is not given the past, so it forgets what was read before.",
)
def gives_the_mixer_no_past(self, x, past=None, mask=None, memory=None):
    return block(self, x, None, mask, memory)


@misconception(
    "6.3",
    replaces="Block.forward",
    says="The mixer is not given the mask, so it sees what nobody may see.",
)
def gives_the_mixer_no_mask(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, None, memory)


@misconception(
    "6.3",
    replaces="Block.forward",
    says="The cross-attention is missing: where there is a memory, it follows the mixer.",
)
def never_looks_across(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, None)


@misconception(
    "6.3",
    replaces="Block.forward",
    kind="edge",
    says="The cross-attention comes last. It stands between the mixer and the feed-forward layer.",
)
def looks_across_last(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, layers="mfc")


@misconception(
    "6.3",
    replaces="Block.forward",
    kind="edge",
    says="The cross-attention comes first. The mixer stands before it.",
)
def looks_across_first(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, layers="cmf")


@misconception(
    "6.3",
    replaces="Block.forward",
    kind="edge",
    says="The cross-attention is not given the memory's mask, so it looks at padding.",
)
def looks_at_padding_across(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, unmasked=True)


@misconception(
    "6.3",
    replaces="Block.forward",
    kind="edge",
    says="The cross-attention has the norm of another layer. Its own is norm3.",
)
def shares_a_norm_across(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory, norms={"c": self.norm2})


@misconception(
    "6.3",
    replaces="Block.forward",
    says="The past is returned as it was given. Return the state that the mixer returned.",
)
def returns_the_old_state(self, x, past=None, mask=None, memory=None):
    return block(self, x, past, mask, memory)[0], past
