"""Plausible mistakes in section 6.2: the feed-forward layer."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom

from examiner.judge.misconceptions import misconception


def exact(x):
    """GELU without torch's own, which the tests would notice."""
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def rough(x, root=(2 / math.pi) ** 0.5, power=3):
    """GPT-2's GELU, with one thing changed."""
    return 0.5 * x * (1 + torch.tanh(root * (x + 0.044715 * x**power)))


@misconception(
    "6.2",
    replaces="gelu",
    says="The square root of 2 is missing: P(z < x) is (1 + erf(x / sqrt(2))) / 2.",
)
def forgets_the_root_of_two(x, approximate=False):
    return rough(x) if approximate else 0.5 * x * (1 + torch.erf(x))


@misconception(
    "6.2",
    replaces="gelu",
    says="This is the exact function also where GPT-2's approximation was asked for.",
)
def never_approximates(x, approximate=False):
    return exact(x)


@misconception(
    "6.2",
    replaces="gelu",
    kind="idea",
    says="This is x times the sigmoid of 1.702 x, another approximation: see 6.6 and 6.7.",
)
def takes_a_sigmoid(x, approximate=False):
    return x * torch.sigmoid(1.702 * x)


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="In SwiGLU the function bends the wrong one of the two: it belongs to gate(x), and up(x) "
    "stays as it is.",
)
def bends_the_wrong_way(self, x):
    if self.kind == "swiglu":
        return self.down(self.gate(x) * self.f(self.up(x)))
    return self.down(self.f(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    kind="idea",
    says="The function is missing between up and down, so the layer is one linear map.",
)
def bends_nothing(self, x):
    h = self.up(x)
    return self.down(self.gate(x) * h if self.kind == "swiglu" else h)


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="The function is applied once more after down. It belongs between up and down only.",
)
def bends_twice(self, x):
    h = self.f(self.gate(x)) * self.up(x) if self.kind == "swiglu" else self.f(self.up(x))
    return self.f(self.down(h))


@misconception(
    "6.2",
    replaces="gelu",
    says="This is GPT-2's approximation also where the exact function was asked for.",
)
def always_approximates(x, approximate=False):
    return rough(x)


@misconception(
    "6.2",
    replaces="gelu",
    says="The exact function and the approximation are exchanged: `approximate=True` asks for "
    "GPT-2's formula.",
)
def exchanges_the_gelus(x, approximate=False):
    return exact(x) if approximate else rough(x)


@misconception(
    "6.2",
    replaces="gelu",
    says="The factor one half is missing: both formulas begin with x / 2.",
)
def forgets_the_half(x, approximate=False):
    return 2 * rough(x) if approximate else 2 * exact(x)


@misconception(
    "6.2",
    replaces="gelu",
    kind="idea",
    says="This is only the probability. GELU is x times the probability.",
)
def gives_the_probability(x, approximate=False):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return (1 + (torch.tanh(inner) if approximate else torch.erf(x / math.sqrt(2)))) / 2


@misconception(
    "6.2",
    replaces="gelu",
    kind="idea",
    says="Torch's own GELU does the work. Write the formula yourself.",
)
def calls_torchs_gelu(x, approximate=False):
    return F.gelu(x, approximate="tanh" if approximate else "none")


@misconception(
    "6.2",
    replaces="gelu",
    says="The approximation is x times the sigmoid of 1.702 x here, another one than GPT-2's: "
    "see 6.7.",
)
def approximates_by_a_sigmoid(x, approximate=False):
    return x * torch.sigmoid(1.702 * x) if approximate else exact(x)


@misconception(
    "6.2",
    replaces="gelu",
    says="In the approximation the factor is sqrt(2 / pi): the root is missing.",
)
def forgets_the_root_in_tanh(x, approximate=False):
    return rough(x, root=2 / math.pi) if approximate else exact(x)


@misconception(
    "6.2",
    replaces="gelu",
    says="In the approximation, 0.044715 belongs to the cube of x, and sqrt(2 / pi) multiplies "
    "the whole bracket.",
)
def closes_the_bracket_early(x, approximate=False):
    inner = math.sqrt(2 / math.pi) * x + 0.044715 * x**3
    return 0.5 * x * (1 + torch.tanh(inner)) if approximate else exact(x)


@misconception(
    "6.2",
    replaces="gelu",
    says="In the approximation the second term is the cube of x, not its square.",
)
def takes_the_square(x, approximate=False):
    return rough(x, power=2) if approximate else exact(x)


@misconception(
    "6.2",
    replaces="gelu",
    kind="idea",
    says="This is x times the density of the normal distribution. Take the probability P(z < x).",
)
def takes_the_density(x, approximate=False):
    if approximate:
        return rough(x)
    return x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="SwiGLU has no gate here: f(gate(x)) multiplies up(x).",
)
def leaves_the_gate_out(self, x):
    if self.kind == "swiglu":
        return self.down(self.f(self.up(x)))
    return self.down(self.f(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="SwiGLU adds its two ways up. Multiply them, number by number.",
)
def adds_the_gate(self, x):
    if self.kind == "swiglu":
        return self.down(self.f(self.gate(x)) + self.up(x))
    return self.down(self.f(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="In SwiGLU the function is applied to the product. It bends gate(x) alone, before the "
    "product.",
)
def bends_the_product(self, x):
    if self.kind == "swiglu":
        return self.down(self.f(self.gate(x) * self.up(x)))
    return self.down(self.f(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="In SwiGLU both ways up go through the function. Only gate(x) does.",
)
def bends_both_ways(self, x):
    if self.kind == "swiglu":
        return self.down(self.f(self.gate(x)) * self.f(self.up(x)))
    return self.down(self.f(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="The gate is a plain sigmoid. In SwiGLU it is self.f, the SiLU.",
)
def takes_a_sigmoid_gate(self, x):
    if self.kind == "swiglu":
        return self.down(torch.sigmoid(self.gate(x)) * self.up(x))
    return self.down(self.f(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    kind="idea",
    says="The function stands after down. It belongs between up and down.",
)
def bends_at_the_end(self, x):
    h = self.gate(x) * self.up(x) if self.kind == "swiglu" else self.up(x)
    return self.f(self.down(h))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="x is added to the answer. The block does that: see task 6.3.",
)
def adds_the_stream(self, x):
    h = self.f(self.gate(x)) * self.up(x) if self.kind == "swiglu" else self.f(self.up(x))
    return x + self.down(h)


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="This is GELU for every kind. self.f is the function that self.kind names.",
)
def always_takes_gelu(self, x):
    if self.kind == "swiglu":
        return self.down(F.silu(self.gate(x)) * self.up(x))
    return self.down(F.gelu(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    kind="edge",
    says='"gelu_tanh" is the approximation: use self.f, which knows it.',
)
def ignores_the_kind_of_gelu(self, x):
    if self.kind == "swiglu":
        return self.down(F.silu(self.gate(x)) * self.up(x))
    return self.down((F.relu if self.kind == "relu" else F.gelu)(self.up(x)))


@misconception(
    "6.2",
    replaces="FeedForward.forward",
    says="The biases of the layers are left out. Call the layers: self.up(x), not x times its "
    "weight.",
)
def leaves_biases_out(self, x):
    h = x @ self.up.weight.T
    h = self.f(x @ self.gate.weight.T) * h if self.kind == "swiglu" else self.f(h)
    return h @ self.down.weight.T
