"""Small inputs of chapter 1: temperatures, what is drawn, and beams."""

import math

import numpy as np

from examiner.counterexamples import Example, Small, example, small
from examiner.counterexamples.literals import Code
from tests.language_models.suite import oracles as plain
from tests.language_models.suite.small import LOGITS, later, model_of, shares

# ---------------------------------------------------------------- 1.11


@small("1.11", "with_temperature", tries=90)
def logits_and_temperatures(draw: Small) -> Example:
    values = draw.choice([LOGITS[:3], LOGITS[:3], (0.0, 1000.0), (1.0, 0.0, -math.inf)])
    logits = draw.array(draw.choice([2, 2, 3]), values=values)
    logits[draw.integer(0, len(logits) - 1)] = max(values)
    logits = later(logits, max(values) > 3 or min(values) < 0)
    temperature = draw.choice([0.5, 2.0, 1.0, 0.0])
    temperature = later(temperature, temperature in (0, 1))
    return example("with_temperature(logits, temperature)", logits=logits, temperature=temperature)


@small("1.11", "top_k")
def most_likely(draw: Small) -> Example:
    V = draw.choice([2, 3, 3, 4])
    return example("top_k(probs, k)", probs=shares(draw, V), k=draw.integer(1, V))


@small("1.11", "top_p")
def nuclei(draw: Small) -> Example:
    probs = shares(draw, draw.choice([2, 3, 3, 4]))
    p = draw.choice([0.5, 0.25, 0.6, 0.75, 0.9, 1.0])
    return example("top_p(probs, p)", probs=probs, p=p)


@small("1.11", "top_p", tries=1)
def sums_that_are_rounded(draw: Small) -> Example:
    return example("top_p(probs, p)", probs=Code("np.full(10, 0.1)", 8), p=1.0)


ROWS = [[0.9, 0.1], [0.1, 0.9], [0.0, 1.0], [0.1, 0.0, 0.9], [0.4, 0.3, 0.3]]


@small("1.11", "sample", tries=20)
def draws(draw: Small) -> Example:
    row = draw.choice(ROWS)
    code = "rng = np.random.default_rng(4)\nCounter([sample(probs, rng) for _ in range(400)])"
    probs = later(np.array(row), 0.0 in row)
    return example(code, chances=dict(enumerate(row)), probs=probs)


@small("1.11", "sample", tries=1)
def draws_that_are_repeated(draw: Small) -> Example:
    code = "len({sample(probs, np.random.default_rng(0)) for _ in range(20)}) == 1"
    return example(code, probs=np.array([0.5, 0.5]))


# ---------------------------------------------------------------- 1.12


def searched(
    table: dict[tuple[int, ...], list[float]], history: list[int], **how: float
) -> Example:
    """A search of a table, its options by name."""
    given = ", ".join(f"{name}={name}" for name in how)
    code = f"beam_search(model, history, {given})"
    return example(code, model=model_of(table), history=history, **how)


@small("1.12", "beam_search", tries=100)
def searches(draw: Small) -> Example:
    while True:
        V = draw.choice([3, 3, 4])
        some = [(2,), (2,), (0,), (0, 2), (2, 2), (3,), (3, 2), (2, 3)][: 5 if V == 3 else 8]
        endings = [draw.choice(some) for _ in range(draw.length(0, 2))]
        table = {u: [0, *draw.shares(V - 1, 10)] for u in [(), *endings]}
        history = draw.choice([[0], [0], [0, 2]])
        how = {"width": draw.integer(1, 3), "max_tokens": draw.length(1, 3)}
        how |= draw.choice([{}, {"alpha": 1}, {"alpha": 0.5}])
        if plain.beam(table, history, **{"alpha": 0, **how}):  # None where scores are equal
            return searched(table, history, **how)


# here it matters how many texts go on, and how many of each
MAZES = [
    ({(): [0, 0.6, 0.4], (2,): [0, 0.9, 0.1]}, {"width": 1, "max_tokens": 2, "alpha": 1}),
    ({(): [0, 0.1, 0.7, 0.2], (3,): [0, 0.5, 0.1, 0.4]}, {"width": 2, "max_tokens": 3}),
    (
        {(): [0, 0.1, 0.4, 0.5], (2,): [0, 0.1, 0.7, 0.2]},
        {"width": 2, "max_tokens": 3, "alpha": 1},
    ),
    (
        {(): [0, 0.4, 0.6], (2,): [0, 0.3, 0.7], (2, 2): [0, 0.9, 0.1]},
        {"width": 2, "max_tokens": 3, "alpha": 1},
    ),
]


@small("1.12", "beam_search", tries=20)
def mazes(draw: Small) -> Example:
    table, how = draw.choice(MAZES)
    return searched(table, [0], **how)
