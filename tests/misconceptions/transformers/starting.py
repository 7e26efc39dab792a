"""Plausible mistakes in section 6.6: first weights."""

import math

import torch

from examiner.judge.misconceptions import misconception


def draw(model, rng, std, among, factor, zero=("bias",), **wrong):
    """First weights with one thing changed; factor: of the number of residual weights."""
    writes = wrong.get("writes", ("W_o.weight", "down.weight"))
    named = dict(model.named_parameters())
    n = sum(name.endswith(("W_o.weight", "down.weight")) for name in named)
    n = wrong["count"](model) if "count" in wrong else n
    least = std / math.sqrt(n) if "eager" in wrong else 0.0  # fails where there is none
    if "late" in wrong:
        named = dict(sorted(named.items(), key=lambda item: item[0].endswith(writes)))
    with torch.no_grad():
        for name, p in named.items():
            if name.endswith(zero):
                p.zero_()
            elif p.ndim > 1 and not name.startswith(wrong.get("skip", "-")):
                s = std * factor(n) if name.endswith(writes) else std
                old, s = p.clone(), max(s, least)
                if "uniform" in wrong:
                    p.uniform_(-s, s, generator=rng)
                else:
                    p.normal_(0, s, generator=rng)
                p += old if "adds" in wrong else 0
            elif among:
                p.normal_(0, std, generator=rng)
            elif p.ndim == 1 and "gains" in wrong:
                p.fill_(wrong["gains"])
    return None if "silent" in wrong else model


@misconception(
    "6.6",
    replaces="initialise",
    kind="idea",
    says="Weights that write into the stream are drawn as wide as all others. There are N of them, "
    "so theirs is std / sqrt(N).",
)
def draws_all_alike(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: 1.0)


@misconception(
    "6.6",
    replaces="initialise",
    says="The N writers get std / N. The sum of N independent answers is sqrt(N) times as "
    "large as one, so use std / sqrt(N).",
)
def divides_by_n(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: 1 / n)


@misconception(
    "6.6",
    replaces="initialise",
    says="The gains of the norms are drawn at random. Leave them: they begin at 1.",
)
def draws_the_gains(model, rng, std=0.02):
    return draw(model, rng, std, True, lambda n: n**-0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The biases keep what torch drew for them. Set them to 0.",
)
def keeps_the_biases(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, zero=("no such name",))


@misconception(
    "6.6",
    replaces="initialise",
    says="N is the number of all weights that write into the stream, not half of it: there are "
    "two in each block.",
)
def divides_by_the_root_of_half(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: (n / 2) ** -0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The writers get std times sqrt(N). Their answers add up, so each begins smaller: std / "
    "sqrt(N).",
)
def multiplies_by_the_root(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The variance is given for the spread: p.normal_ wants std, not its square.",
)
def takes_the_variance(model, rng, std=0.02):
    return draw(model, rng, std**2, False, lambda n: 1 / n)


@misconception(
    "6.6",
    replaces="initialise",
    says="The gains become 0, so that nothing passes a norm. Leave them.",
)
def sets_gains_to_zero(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, gains=0.0)


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="The gains become 1. Leave them as they are.",
)
def sets_gains_to_one(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, gains=1.0)


@misconception(
    "6.6",
    replaces="initialise",
    says="Nothing is returned: end with `return model`.",
)
def returns_no_model(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, silent=True)


@misconception(
    "6.6",
    replaces="initialise",
    kind="idea",
    says="The generator that was given is not used: generator=rng.",
)
def draws_by_the_global_generator(model, rng, std=0.02):
    return draw(model, None, std, False, lambda n: n**-0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="The spread is 0.02 whatever `std` says.",
)
def fixes_the_spread(model, rng, std=0.02):
    return draw(model, rng, 0.02, False, lambda n: n**-0.5)


@misconception(
    "6.6",
    replaces="initialise",
    says="Only W_o gets the smaller spread. The feed-forward layer's down writes into the "
    "stream, too.",
)
def makes_w_o_small_only(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, writes=("W_o.weight",))


@misconception(
    "6.6",
    replaces="initialise",
    says="The matrix of the words is left as torch drew it. Draw it, too: it has two axes.",
)
def leaves_the_words(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, skip="embed")


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="N is taken to be 2 L. Count the names: cross-attention writes into the stream, too.",
)
def counts_blocks_for_writers(model, rng, std=0.02):
    return draw(
        model, rng, std, False, lambda n: n**-0.5, count=lambda model: 2 * len(model.blocks)
    )


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="Where nothing writes into the stream, N is 0: divide only where there is a writer.",
)
def divides_by_no_writers(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, eager=True)


@misconception(
    "6.6",
    replaces="initialise",
    kind="edge",
    says="The writers are drawn after all others. Draw in the order of named_parameters().",
)
def draws_writers_last(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, late=True)


@misconception(
    "6.6",
    replaces="initialise",
    says="The numbers are uniform. Draw them from a normal distribution: p.normal_.",
)
def draws_uniform_numbers(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, uniform=True)


@misconception(
    "6.6",
    replaces="initialise",
    says="Noise is added to the numbers that were there. Replace them.",
)
def adds_to_old_weights(model, rng, std=0.02):
    return draw(model, rng, std, False, lambda n: n**-0.5, adds=True)
