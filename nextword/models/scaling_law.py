"""The law of loss, size and text: fitted robustly, resampled over whole trainings, and its optimum.

log L = log(E + A / N^a + B / D^b), after Hoffmann et al. (2022): the Huber loss of the differences
of logarithms, from a grid of starts. Leaves out: the trainings (recipes.transformers_scaling).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Runs = Sequence[Mapping[str, float]]
HUBER = 0.05  # from this difference of logarithms on, a miss counts by its size, not its square
STARTS = tuple(product((0.1, 0.3, 1.0), (0.25, 0.5, 1.0), (0.25, 0.5, 1.0)))  # of E, a, b
ROUNDS = 100  # Gauss-Newton steps
LOGS = (-12.0, 5.0)  # between which the logarithms of the three parts stay


@dataclass(frozen=True)
class Law:
    """L(N, D) = E + A / N^a + B / D^b, in nats."""

    E: float
    A: float
    a: float
    B: float
    b: float

    def loss(self, N: float | Array, D: float | Array) -> Array:
        """The loss of N weights after D words."""
        return np.asarray(self.E + self.A * N**-self.a + self.B * D**-self.b)

    def best_size(self, work: float) -> float:
        """The weights that make the loss least for work = 6 N D operations.

        There a A / N^a = b B / D^b (Hoffmann et al. 2022, equation 4).

        >>> round(Law(E=0.3, A=10.0, a=0.5, B=10.0, b=0.5).best_size(6 * 100.0**2), 6)
        100.0
        """
        shape = (self.a * self.A / (self.b * self.B)) ** (1 / (self.a + self.b))
        return float(shape * (work / 6) ** (self.b / (self.a + self.b)))


def columns(runs: Runs) -> tuple[Array, Array, Array]:
    """Weights, words and losses of runs."""
    N, D, loss = (np.array([run[k] for run in runs]) for k in ("parameters", "tokens", "loss"))
    return N, D, loss


def fit(runs: Runs, E: float | None = None) -> Law:
    """The law that is nearest to the runs; E: the floor, where it is known."""
    return resampled(runs, 0, np.random.default_rng(0), E)[0]


def resampled(
    runs: Runs, times: int, rng: np.random.Generator, E: float | None = None
) -> list[Law]:
    """The fit to all runs, then those to `times` draws of as many whole runs, with replacement.

    The fits to draws start from the first one, with its own floor, half of it and twice as much.
    """
    N, D, loss = columns(runs)
    logs, n_runs = (np.log(N), np.log(D), np.log(loss)), len(runs)
    middle = math.log(0.4 * loss.mean())
    grid = [[math.log(e if E is None else E), middle, a, middle, b] for e, a, b in STARTS]
    best = _solve(logs, np.ones((1, n_runs)), np.array(grid), E is None)
    if times:
        draws = rng.integers(n_runs, size=(times, n_runs))
        counts = np.array([np.bincount(draw, minlength=n_runs) for draw in draws])
        moved = np.outer([0.0, -0.7, 0.7] if E is None else [0.0], [1, 0, 0, 0, 0])
        best = np.concatenate([best, _solve(logs, counts, best + moved, E is None)])
    n, d = logs[0].mean(), logs[1].mean()
    return [
        Law(math.exp(e), math.exp(p + a * n), a, math.exp(q + b * d), b)
        for e, p, a, q, b in best.tolist()
    ]


def _solve(
    logs: tuple[Array, Array, Array], weights: Array, starts: Array, with_floor: bool
) -> Array:
    """For each row of weights (R, K) the best parameters, (R, 5), that any start (S, 5) leads to.

    Parameters are log E, log A', a, log B', b; A' and B' are the parts at the middle of the runs,
    which depend less on the exponents than A and B. Gauss-Newton steps, damped until they help.
    """
    n, d, target = logs[0] - logs[0].mean(), logs[1] - logs[1].mean(), logs[2]
    p = np.broadcast_to(starts, (len(weights), *starts.shape)).copy()
    w = weights[:, None, :]
    free = np.array([with_floor, True, True, True, True])
    damping = np.full(p.shape[:2], 1e-2)
    missed = _huber(w, _difference(p, n, d, target)[0])
    for _ in range(ROUNDS):
        r, jacobian = _difference(p, n, d, target)
        jacobian = jacobian * free
        weighted = (w * np.minimum(1.0, HUBER / np.maximum(np.abs(r), HUBER)))[..., None] * jacobian
        square = np.swapaxes(weighted, -1, -2) @ jacobian
        slope = np.swapaxes(weighted, -1, -2) @ r[..., None]
        scale = np.einsum("rsii->rsi", square) + 1e-9
        square += (damping[..., None] * scale)[..., None] * np.eye(5)
        tried = p - np.linalg.solve(square, slope)[..., 0]
        tried[..., [0, 1, 3]] = np.clip(tried[..., [0, 1, 3]], *LOGS)
        tried[..., [2, 4]] = np.clip(tried[..., [2, 4]], 0.01, 3.0)
        of_tried = _huber(w, _difference(tried, n, d, target)[0])
        better = of_tried < missed
        gain = (missed - of_tried)[better].max(initial=0.0)
        p[better], missed[better] = tried[better], of_tried[better]
        damping = np.clip(np.where(better, damping / 3, damping * 4), 1e-9, 1e6)
        if gain < 1e-12 and (damping[~better] > 1e3).all():
            break
    return np.asarray(p[np.arange(len(p)), missed.argmin(axis=1)])


def _difference(p: Array, n: Array, d: Array, target: Array) -> tuple[Array, Array]:
    """log of the law less log of the loss, (R, S, K), and its derivatives, (R, S, K, 5)."""
    e, A, a, B, b = (p[..., i, None] for i in range(5))
    parts = np.exp(np.stack(np.broadcast_arrays(e + 0 * n, A - a * n, B - b * d), axis=-1))
    total = parts.sum(axis=-1)
    of_e, of_n, of_d = np.moveaxis(parts / total[..., None], -1, 0)
    jacobian = np.stack([of_e, of_n, -of_n * n, of_d, -of_d * d], axis=-1)
    return np.log(total) - target, jacobian


def _huber(w: Array, r: Array) -> Array:
    """The Huber losses of differences, weighted and summed over the runs."""
    size = np.abs(r)
    loss = np.where(size <= HUBER, r**2 / 2, HUBER * (size - HUBER / 2))
    return np.asarray((w * loss).sum(axis=-1))
