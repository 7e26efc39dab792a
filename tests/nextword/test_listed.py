"""A policy on listed texts: scores, draws and estimates beside autograd and exact sums."""

import numpy as np
import pytest
import torch

from nextword.corpora.enumerable import enumerable
from nextword.models.listed import Policy, estimates

LANGUAGE = enumerable(("yes", "no"), longest=2)


@pytest.fixture
def policy():
    return Policy(LANGUAGE, np.random.default_rng(3).normal(size=(3, 3)))


def test_its_probabilities_are_those_of_the_language(policy):
    expected = LANGUAGE.log_probabilities(policy.logits.detach().numpy())
    assert np.allclose(policy.log_p().detach(), expected, atol=1e-12)
    assert policy.log_p().exp().sum().item() == pytest.approx(1, abs=1e-12)


def test_scores_are_what_autograd_gives(policy):
    for n, score in enumerate(policy.scores()):
        (expected,) = torch.autograd.grad(policy.log_p()[n], policy.logits)
        assert torch.allclose(score, expected, atol=1e-12)


def test_draws_have_the_probabilities_of_the_texts(policy):
    texts = policy.draw(100, 500, rng=torch.Generator().manual_seed(0))
    assert texts.shape == (100, 500)
    shares = torch.bincount(texts.flatten(), minlength=7) / texts.numel()
    assert (shares - policy.log_p().exp()).abs().max() < 0.015  # six standard deviations


def test_an_estimate_is_the_mean_of_weighted_scores(policy):
    scores, texts = policy.scores(), torch.tensor([[1, 1, 4], [0, 6, 2]])
    advantages = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
    expected = [
        sum(a * scores[n] for n, a in zip(row.tolist(), weights.tolist(), strict=True)) / 3
        for row, weights in zip(texts, advantages, strict=True)
    ]
    assert torch.allclose(estimates(scores, texts, advantages), torch.stack(expected), atol=1e-6)


def test_many_batches_have_the_exact_gradient_as_their_mean(policy):
    rewards = np.arange(7.0)
    exact = LANGUAGE.gradient(policy.logits.detach().numpy(), rewards)
    texts = policy.draw(20_000, 4, rng=torch.Generator().manual_seed(1))
    found = estimates(policy.scores(), texts, torch.from_numpy(rewards)[texts]).mean(0)
    assert np.abs(found.numpy() - exact).max() < 0.1


def test_logits_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"logits have shape \(2, 3\)"):
        Policy(LANGUAGE, np.zeros((2, 3)))
