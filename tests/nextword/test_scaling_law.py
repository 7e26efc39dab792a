"""The law of loss, size and text: whether a fit finds it. Leaves out: trainings."""

import doctest
import math

import numpy as np
import pytest

from nextword.models import scaling_law
from nextword.models.scaling_law import Law

TRUE = Law(E=0.32, A=8.0, a=0.35, B=300.0, b=0.6)


def runs_of(law, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return [
        {
            "parameters": n,
            "tokens": d,
            "loss": float(law.loss(n, d)) * math.exp(rng.normal(0, noise)),
        }
        for n in (6e3, 2e4, 6e4, 2e5)
        for d in (1e5, 2e5, 4e5, 8e5, 1.6e6)
    ]


def test_doctests():
    found = doctest.testmod(scaling_law)
    assert found.attempted
    assert not found.failed


def test_without_noise_the_fit_is_the_law():
    found = scaling_law.fit(runs_of(TRUE))
    for name, value in vars(TRUE).items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-3)


def test_a_known_floor_is_kept_and_the_rest_found():
    found = scaling_law.fit(runs_of(TRUE), E=0.32)
    assert math.isclose(found.E, 0.32)
    assert (found.a, found.b) == pytest.approx((0.35, 0.6), rel=1e-3)


def test_a_wild_run_hardly_moves_the_robust_fit():
    runs = runs_of(TRUE)
    runs[7]["loss"] *= 1.3
    found = scaling_law.fit(runs)
    assert (found.a, found.b) == pytest.approx((0.35, 0.6), abs=0.1)


def test_resampled_fits_scatter_about_the_truth():
    _, *draws = scaling_law.resampled(runs_of(TRUE, 0.003), 60, np.random.default_rng(0))
    assert len(draws) == 60
    low, high = np.quantile([draw.E for draw in draws], (0.05, 0.95))
    assert low < 0.32 < high
    assert high - low < 0.1


def test_the_gradient_of_the_fit_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    p, n, d = rng.normal(size=(1, 1, 5)), rng.normal(size=7), rng.normal(size=7)
    _, jacobian = scaling_law._difference(p, n, d, np.zeros(7))
    for i in range(5):
        step = np.zeros(5)
        step[i] = 1e-6
        up, down = (scaling_law._difference(p + s * step, n, d, np.zeros(7))[0] for s in (1, -1))
        np.testing.assert_allclose(jacobian[..., i], (up - down) / 2e-6, atol=1e-6)


def test_no_other_size_is_better_than_the_best_for_the_same_work():
    work = 1e11
    best = TRUE.best_size(work)
    near = [float(TRUE.loss(n, work / 6 / n)) for n in (best, 0.99 * best, 1.01 * best)]
    assert near[0] < min(near[1:])
