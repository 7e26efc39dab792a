"""The language whose texts can all be listed: its sums beside hand values, loops and autograd."""

import numpy as np
import pytest
import torch

from nextword.corpora.enumerable import Language, divergence, enumerable


@pytest.fixture
def language() -> Language:
    return enumerable(("a", "b"), longest=3)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def drawn(language: Language, rng: np.random.Generator):
    """Random logits and rewards of the language's shapes."""
    logits = rng.normal(size=language.choices.shape[1:])
    return logits, rng.normal(size=len(language.texts))


def test_every_text_is_listed_once(language):
    assert len(language.texts) == len(set(language.texts)) == 1 + 2 + 4 + 8
    assert len(language.prefixes) == 1 + 2 + 4


def test_equal_logits_give_the_value_by_hand(language):
    found = dict(zip(language.texts, language.log_probabilities(np.zeros((7, 3))), strict=True))
    assert np.exp(found[()]) == pytest.approx(1 / 3)
    assert np.exp(found["a", "b"]) == pytest.approx(1 / 27)
    assert np.exp(found["a", "b", "a"]) == pytest.approx(1 / 27)  # its end costs nothing


def test_probabilities_sum_to_one(language, rng):
    logits, _ = drawn(language, rng)
    assert np.exp(language.log_probabilities(1000 * logits)).sum() == pytest.approx(1)


def test_gradient_equals_autograd(language, rng):
    logits, rewards = drawn(language, rng)
    weights = torch.tensor(logits, requires_grad=True)
    log_p = (torch.tensor(language.choices) * weights.log_softmax(-1)).sum((1, 2))
    (log_p.exp() @ torch.tensor(rewards)).backward()
    assert language.gradient(logits, rewards) == pytest.approx(weights.grad.numpy(), abs=1e-12)


def test_a_constant_reward_has_no_gradient(language, rng):
    logits, rewards = drawn(language, rng)
    constant = np.full_like(rewards, 5.0)
    assert language.gradient(logits, constant) == pytest.approx(np.zeros((7, 3)), abs=1e-12)


def test_tilted_is_better_than_any_other_policy_by_beta_times_their_divergence(language, rng):
    logits, rewards = drawn(language, rng)
    start, beta = language.log_probabilities(logits), 0.3
    best = language.tilted(logits, rewards, beta)

    def objective(log_p):
        return np.exp(log_p) @ rewards - beta * divergence(log_p, start)

    for _ in range(20):
        other = language.log_probabilities(drawn(language, rng)[0])
        lost = objective(best) - objective(other)
        assert lost == pytest.approx(beta * divergence(other, best))


def test_a_weak_leash_does_not_overflow(language, rng):
    logits, rewards = drawn(language, rng)
    best = language.tilted(logits, rewards, 1e-6)
    assert np.isfinite(best).all()
    assert best.argmax() == rewards.argmax()


@pytest.mark.parametrize("beta", [0.0, -1.0, float("nan"), float("inf")])
def test_a_wrong_beta_is_refused(language, rng, beta):
    with pytest.raises(ValueError, match="beta"):
        language.tilted(*drawn(language, rng), beta)


def test_wrong_numbers_are_refused(language, rng):
    logits, rewards = drawn(language, rng)
    rewards[3] = np.nan
    with pytest.raises(ValueError, match="every reward must be finite"):
        language.gradient(logits, rewards)
    with pytest.raises(ValueError, match="one for each text"):
        language.tilted(logits, rewards[1:], 1.0)
    with pytest.raises(ValueError, match="this language needs"):
        language.log_probabilities(logits[1:])
    with pytest.raises(ValueError, match="every logit"):
        language.log_probabilities(logits * np.inf)
    with pytest.raises(ValueError, match="must be equal"):
        divergence(rewards, rewards[1:])


def test_wrong_languages_are_refused():
    with pytest.raises(ValueError, match="each given once"):
        enumerable(("a", "a"), longest=2)
    with pytest.raises(ValueError, match="at least 1"):
        enumerable(("a",), longest=0)
    with pytest.raises(ValueError, match="too many"):
        enumerable(("a", "b", "c"), longest=9)
