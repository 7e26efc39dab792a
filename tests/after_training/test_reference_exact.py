"""The reference of chapter 7 on a language whose texts are all listed: expectations are sums."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from examiner.suite import close
from nextword.corpora.enumerable import divergence, enumerable
from tests.after_training.test_reference import KINDS, after

LANGUAGE = enumerable(("yes", "no"), longest=2)  # 7 texts
CHOICES = torch.tensor(LANGUAGE.choices)  # (N, P, C)
N = len(LANGUAGE.texts)
rng = np.random.default_rng(7)
LOGITS = rng.normal(size=LANGUAGE.choices.shape[1:])
REWARDS = rng.normal(size=N)
r = torch.tensor(REWARDS)


def log_probs(logits: Tensor) -> Tensor:
    """The log-probability of each text, (N,), by a table of logits, (P, C)."""
    return torch.einsum("npc,pc->n", CHOICES, logits.log_softmax(-1))


log_p = log_probs(torch.tensor(LOGITS))


def gradient(loss: Callable[[Tensor], Tensor]) -> Tensor:
    logits = torch.tensor(LOGITS, requires_grad=True)
    loss(log_probs(logits)).backward()
    assert logits.grad is not None
    return logits.grad


def expected_gradient(B: int, loss: Callable[[Tensor, list[int]], Tensor]) -> Tensor:
    """The mean of a loss's gradient over all batches of B sampled texts."""
    total = torch.zeros(LOGITS.shape, dtype=torch.float64)
    for batch in product(range(N), repeat=B):
        chance = log_p[list(batch)].sum().exp()
        total += chance * gradient(lambda log_p: loss(log_p, list(batch)))  # noqa: B023
    return total


EXACT = torch.tensor(LANGUAGE.gradient(LOGITS, REWARDS))


# ---------------------------------------------------------------- 7.3
def brute_force(p: list[float], rewards: list[float], n: int) -> Tensor:
    """All n-tuples of texts; of the places with the best reward, each is chosen alike."""
    chosen = torch.zeros(len(p), dtype=torch.float64)
    for tried in product(range(len(p)), repeat=n):
        best = max(rewards[x] for x in tried)
        ties = [x for x in tried if rewards[x] == best]
        for x in ties:
            chosen[x] += math.prod(p[y] for y in tried) / len(ties)
    return chosen


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize(
    "rewards", [[3, 1, 2, 0, -1], [1, 1, 0, 0, 1], [2, 2, 2, 2, 2], [7]], ids=str
)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_best_of_n_is_that_of_all_tuples(n: int, rewards: list[float], kind: Any) -> None:
    shares = np.random.default_rng(n).uniform(0.1, 1, len(rewards))
    p = torch.tensor(shares / shares.sum(), dtype=kind)
    found = after.best_of_n(p.log(), torch.tensor(rewards, dtype=kind), n)
    assert close(found.exp(), brute_force(p.tolist(), rewards, n).to(kind))
    if n == 1:
        assert close(found, p.log())


def test_the_best_of_many_keeps_the_digits_of_rare_texts() -> None:
    rare = 1e-30
    log_p = torch.tensor([1 - rare, rare], dtype=torch.float64).log()
    for n in (2, 1000):
        rarely_best, nearly = after.best_of_n(log_p, torch.tensor([0.0, 1.0]).double(), n)
        assert close(nearly, math.log(n * rare))
        assert close(rarely_best, 0.0, atol=1e-12)
        best, worst = after.best_of_n(log_p, torch.tensor([1.0, 0.0]).double(), n)
        assert close(worst, n * math.log(rare))
        assert close(best, 0.0, atol=1e-12)


def test_the_distance_of_the_best_of_n_stays_below_its_bound() -> None:
    for N in (1, 3, 500):
        log_p = torch.full((N,), -math.log(N), dtype=torch.float64)
        for n in (1, 2, 4, 16):
            best = after.best_of_n(log_p, torch.arange(N).double(), n)
            distance = divergence(best.numpy(), log_p.numpy())
            bound = after.best_of_n_kl(n)
            assert -1e-12 <= distance <= bound + 1e-12
            if N == 500:
                assert bound - distance < 0.05  # close, since no text is likely
    assert after.best_of_n_kl(1) == 0


# ---------------------------------------------------------------- 7.5
def test_the_policys_loss_has_the_exact_gradient_on_average() -> None:
    baseline = torch.full((1,), 0.7, dtype=torch.float64)
    found = expected_gradient(1, lambda log_p, b: after.policy_loss(log_p[b], r[b], baseline))
    assert close(found, -EXACT)


def test_leaving_one_out_has_no_bias_and_the_mean_of_all_has_one() -> None:
    def loss(log_p: Tensor, b: list[int]) -> Tensor:
        return after.policy_loss(log_p[b], r[b], after.leave_one_out(r[b]))

    def with_own(log_p: Tensor, b: list[int]) -> Tensor:
        return after.policy_loss(log_p[b], r[b], r[b].mean().expand(len(b)))

    assert close(expected_gradient(2, loss), -EXACT)
    assert close(expected_gradient(2, with_own), -EXACT / 2)  # 1 - 1/B of it


# ---------------------------------------------------------------- 7.6
def objective(log_q: Tensor, log_p: Tensor, beta: float) -> Tensor:
    return (log_q.exp() * (r - beta * (log_q - log_p))).sum()


@pytest.mark.parametrize("beta", [0.05, 1.0, 30.0])
def test_the_tilted_distribution_is_the_best_on_its_leash(beta: float) -> None:
    best = after.tilted(log_p, r, beta)
    assert close(best, torch.tensor(LANGUAGE.tilted(LOGITS, REWARDS, beta)))
    most = objective(best, log_p, beta)
    assert close(most, beta * (log_p + r / beta).logsumexp(0))  # beta log Z
    for _ in range(50):
        other = (best + 0.3 * torch.tensor(rng.normal(size=N))).log_softmax(0)
        assert objective(other, log_p, beta) < most


def test_the_tilted_distribution_of_large_rewards_and_of_single_precision() -> None:
    for kind in KINDS:
        rewards = torch.tensor([0.0, 5000.0, 4999.0], dtype=kind)
        third = torch.full((3,), 1 / 3, dtype=kind).log()
        found = after.tilted(third, rewards, 1.0)
        two = torch.tensor([1.0, 0.0], dtype=kind).log_softmax(0)
        assert close(found[1:], two)
        assert close(found[0], two[0] - 5000)
        alone = torch.zeros(1, dtype=kind)
        assert close(after.tilted(alone, rewards[1:2], 0.1), alone)


def test_two_of_the_three_estimates_have_no_bias() -> None:
    log_q = after.tilted(log_p, r, 0.8)
    distance = divergence(log_p.numpy(), log_q.numpy())
    k1, k2, k3 = (log_p.exp() @ k for k in after.kl_estimates(log_p, log_q))
    assert close([k1, k3], [distance, distance])
    assert abs(k2 - distance) > 0.01 * distance


def test_a_leashed_reward_has_the_gradient_of_the_objective() -> None:
    log_reference = log_probs(torch.tensor(LOGITS) + torch.tensor(rng.normal(size=LOGITS.shape)))
    zero = torch.zeros(1, dtype=torch.float64)

    def loss(log_p: Tensor, b: list[int]) -> Tensor:
        return after.policy_loss(
            log_p[b], after.leashed(r[b], log_p[b], log_reference[b], 0.4), zero
        )

    exact = gradient(lambda log_p: objective(log_p, log_reference, 0.4))
    assert close(expected_gradient(1, loss), -exact)


@pytest.mark.slow
def test_sampled_steps_approach_the_best_on_the_leash() -> None:
    """The policy gradient of leashed rewards, from 64 texts a step, against the exact optimum.

    There all leashed rewards are equal, beta log Z, so that the noise of the samples dies away.
    """
    beta = 0.5
    best = after.tilted(log_p, r, beta)
    torch.manual_seed(0)
    logits = torch.tensor(LOGITS, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.1)
    for _ in range(200):
        now = log_probs(logits)
        b = torch.multinomial(now.detach().exp(), 64, replacement=True)
        rewards = after.leashed(r[b], now[b], log_p[b], beta)
        loss = after.policy_loss(now[b], rewards, after.leave_one_out(rewards))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        left = divergence(log_probs(logits).numpy(), best.numpy())
    way = divergence(best.numpy(), log_p.numpy())
    assert left < 1e-3 * way


def test_the_gradient_of_k3_is_that_of_the_other_direction() -> None:
    """In a loss, k3 pulls as KL(reference || p) does, not as the KL that its value estimates."""
    log_reference = log_probs(torch.tensor(LOGITS) + torch.tensor(rng.normal(size=LOGITS.shape)))

    def loss(log_p: Tensor, b: list[int]) -> Tensor:
        return after.kl_estimates(log_p[b], log_reference[b])[2].mean()

    found = expected_gradient(1, loss)
    other = gradient(lambda log_p: (log_reference.exp() * (log_reference - log_p)).sum())
    same = gradient(lambda log_p: (log_p.exp() * (log_p - log_reference)).sum())
    assert close(found, other)
    assert (found - same).norm() > 0.1 * same.norm()


# ---------------------------------------------------------------- 7.8
@pytest.mark.parametrize("beta", [0.3, 1.0])
def test_dpo_on_all_pairs_reaches_the_best_on_the_leash(beta: float) -> None:
    """A judge chooses by Bradley and Terry; each choice counts as often as it is made."""
    first, second = torch.triu_indices(N, N, 1)
    chance = torch.sigmoid(r[first] - r[second])
    logits = torch.tensor(LOGITS, requires_grad=True)
    optimizer = torch.optim.LBFGS([logits], max_iter=500, line_search_fn="strong_wolfe")
    ones = lambda x: x.unsqueeze(0)  # noqa: E731

    def loss() -> Tensor:
        optimizer.zero_grad()
        new = log_probs(logits)
        total = torch.zeros((), dtype=torch.float64)
        for a, b, chosen in zip(first, second, chance, strict=True):
            pair = after.dpo_loss(*map(ones, (new[a], new[b], log_p[a], log_p[b])), beta)
            other = after.dpo_loss(*map(ones, (new[b], new[a], log_p[b], log_p[a])), beta)
            total = total + chosen * pair + (1 - chosen) * other
        total.backward()
        return total

    optimizer.step(loss)
    best = after.tilted(log_p, r, beta)
    with torch.no_grad():
        found = log_probs(logits)
    assert (found.exp() - best.exp()).abs().max() < 1e-3
    assert divergence(found.numpy(), best.numpy()) < 1e-3
    assert divergence(best.numpy(), log_p.numpy()) > 0.02  # the way there was not short
    implicit = after.implicit_rewards(found, log_p, beta)
    assert (implicit - implicit.mean() - (r - r.mean())).abs().max() < 0.01
