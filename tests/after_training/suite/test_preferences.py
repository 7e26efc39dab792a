"""Tests of task 7.8: the rewards that a model implies, and DPO."""

import math

import pytest
import torch

from examiner.suite import close, gradients, student_module
from tests.after_training.suite import oracles
from tests.after_training.suite.oracles import tensor

after_training = student_module("after_training")


# ------------------------------------------------------------------ 7.8
@pytest.mark.task("7.8", weight=1, visible=True)
def test_rewards_that_a_model_implies(after_training):
    """Where p is e^3 times the reference, the reward is 3 beta; where it is 1/e, -beta."""
    log_p, log_reference = torch.tensor([-2.0, -5.0]), torch.tensor([-5.0, -4.0])
    found = after_training.implicit_rewards(log_p, log_reference, 0.5)
    assert close(found, torch.tensor([1.5, -0.5]))


@pytest.mark.task("7.8", weight=1)
def test_any_implied_rewards(after_training, rng):
    """For the best model on a leash they are the rewards themselves, up to a constant."""
    N, beta = 6, float(rng.uniform(0.2, 2))
    log_reference, rewards = oracles.log_shares(rng, N, torch.float64), tensor(rng, N).double()
    best = log_reference + rewards / beta
    best = best - best.logsumexp(0)
    found = after_training.implicit_rewards(best, log_reference, beta)
    assert close(found - found.mean(), rewards - rewards.mean())
    assert close(found, beta * (best - log_reference))


@pytest.mark.task("7.8", weight=0.4)
def test_what_implied_rewards_learn(after_training, rng):
    """Gradients flow to log p: beta for each text."""
    inputs, beta, pull = (
        (tensor(rng, 5), tensor(rng, 5)),
        float(rng.uniform(0.2, 2)),
        tensor(rng, 5),
    )
    value, found, _ = gradients(after_training.implicit_rewards, *inputs, beta, weights=pull)
    assert close(value, beta * (inputs[0] - inputs[1]))
    assert close(found[0], beta * pull)


@pytest.mark.task("7.8", weight=1, visible=True)
def test_a_pair_by_hand(after_training):
    """Both models find the rejected text likelier, but ours less so: the judge's chance is 3/4."""
    logs = [torch.tensor([number]) for number in (-6.0, -5.0, -7.0, -4.0)]
    loss = after_training.dpo_loss(*logs, math.log(3) / 2)
    assert close(loss, torch.tensor(-math.log(3 / 4)))


def assert_dpo(after_training, logs, beta):
    leaves = [each.double().requires_grad_() for each in logs]
    chosen, rejected, reference_chosen, reference_rejected = leaves
    margins = beta * ((chosen - reference_chosen) - (rejected - reference_rejected))
    loss = sum((1 + (-margin).exp()).log() for margin in margins) / len(margins)
    loss.backward()
    value, found, _ = gradients(after_training.dpo_loss, *logs, beta)
    assert close(value, loss.detach().float())
    assert close(found[:2], [leaf.grad.float() for leaf in leaves[:2]])


@pytest.mark.task("7.8", weight=2)
def test_any_pairs_of_texts(after_training, rng):
    """The loss and its gradients, for any number of pairs and any beta."""
    for B in (1, 4, 7):
        beta = float(rng.uniform(0.1, 1))
        assert_dpo(after_training, [3 * tensor(rng, B) - 9 for _ in range(4)], beta)


@pytest.mark.task("7.8", weight=0.5)
def test_pairs_that_are_far_apart(after_training, rng):
    """Log-probabilities may differ by thousands: the loss is finite, and right."""
    assert_dpo(after_training, [tensor(rng, 3) for _ in range(4)], 0.5)
    far, beta = float(rng.uniform(3000, 9000)), float(rng.uniform(0.5, 1))
    low, zero = torch.tensor([-far]), torch.zeros(1)
    for logs, loss, pull in (((low, zero), beta * far, beta), ((zero, low), 0.0, 0.0)):
        value, found, _ = gradients(after_training.dpo_loss, *logs, zero, zero, beta)
        assert close(value, torch.tensor(loss), rtol=1e-4, atol=1e-5)
        assert close(found[:2], [torch.tensor([-pull]), torch.tensor([pull])])
