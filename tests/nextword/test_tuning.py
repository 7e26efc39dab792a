"""Tuning by a reward and by pairs: writing, judging, learning. Leaves out: the chapter's functions.

A tiny network stands in for the village's: its language has five words.
"""

import math
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from nextword.given.batches import BOS, EOS, PAD
from nextword.models import preferring, tuning
from nextword.models.preferring import Preferring
from nextword.models.recipes.after_training_reinforced import ratios
from nextword.models.tuning import IGNORE, Tuning
from solutions import after_training, transformers

NAMES = ["<pad>", "<s>", "</s>", "a", "b", "c"]
A, B, C = 3, 4, 5


@pytest.fixture
def model() -> nn.Module:
    made = transformers.LanguageModel(transformers.Sizes(V=len(NAMES), D=8, L=2, H=2))
    return transformers.initialise(made, rng(), 0.3).eval()


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def likes_a(texts):
    """The share of a among the words."""
    return torch.tensor([text.count("a") / len(text) for text in texts])


# ------------------------------------------------------------------ writing
def test_what_is_written_has_the_probabilities_of_one_pass_over_it(model):
    written = tuning.write(model, [[]] * 40, rng(), most=12)
    assert len(set(map(len, written.texts))) > 3  # rows left the cache at different times
    log_p = tuning.log_probs(model, written.inputs, written.targets)
    assert torch.allclose(log_p, written.log_p, atol=1e-5)
    sums = after_training.text_log_probs(model(written.inputs)[0], written.targets)
    assert torch.allclose(sums, written.log_p.sum(1), atol=1e-5)


def test_rows_hold_begin_words_and_end(model):
    written = tuning.write(model, [[]] * 40, rng(), most=12)
    T = written.inputs.shape[1]
    for row, (text, ended) in enumerate(zip(written.texts, written.ended(), strict=True)):
        n = len(text)
        assert written.inputs[row].tolist() == [BOS, *text[:-1], *[PAD] * (T - n)]
        assert written.targets[row].tolist() == [*text, *[IGNORE] * (T - n)]
        assert ended == (EOS in text)
        assert EOS not in text[:-1]
        assert ended or n == 12
        assert {PAD, BOS}.isdisjoint(text)
    assert written.lengths().tolist() == [len(text) for text in written.texts]


def test_prompts_of_different_lengths_are_continued(model):
    prompts = [[A, B, C, A], [], [B], [C, EOS, B]]
    written = tuning.write(model, prompts * 8, rng(), most=10)
    for row, (text, prompt) in enumerate(zip(written.texts, prompts * 8, strict=True)):
        assert text[: len(prompt)] == prompt
        assert len(text) > len(prompt)
        assert (written.targets[row, : len(prompt)] == IGNORE).all()
        assert (written.log_p[row, : len(prompt)] == 0).all()
        assert written.inputs[row, : len(prompt) + 1].tolist() == [BOS, *prompt]
    log_p = tuning.log_probs(model, written.inputs, written.targets)
    assert torch.allclose(log_p, written.log_p, atol=1e-5)


@pytest.mark.slow
def test_words_are_drawn_as_often_as_they_are_likely(model):
    written = tuning.write(model, [[]] * 20_000, rng(), most=1)
    p = model(torch.tensor([[BOS]]))[0][0, -1].index_fill(0, torch.tensor([PAD, BOS]), -math.inf)
    found = torch.bincount(torch.tensor(written.texts).flatten(), minlength=len(NAMES)) / 20_000
    # five standard errors of a share are at most 0.018: a false alarm in a million
    assert (found - p.softmax(-1)).abs().max() < 0.018


def test_a_low_temperature_draws_the_likeliest_word(model):
    written = tuning.write(model, [[]] * 50, rng(), most=1, temperature=1e-3)
    likeliest = model(torch.tensor([[BOS]]))[0][0, -1, EOS:].argmax() + EOS
    assert written.texts == [[likeliest]] * 50


@pytest.mark.parametrize(
    ("prompts", "message"), [([], "no prompts"), ([[A] * 5], "a prompt has 5 words")]
)
def test_impossible_prompts_are_refused(model, prompts, message):
    with pytest.raises(ValueError, match=message):
        tuning.write(model, prompts, rng(), most=5)


def test_batches_can_be_joined(model):
    parts = [tuning.write(model, [[]] * 6, rng(seed), most) for seed, most in ((0, 4), (1, 9))]
    whole = tuning.together(parts)
    assert whole.texts == parts[0].texts + parts[1].texts
    log_p = tuning.log_probs(model, whole.inputs, whole.targets)
    assert torch.allclose(log_p, whole.log_p, atol=1e-5)
    assert whole.lengths().tolist() == [len(text) for text in whole.texts]


# ------------------------------------------------------------------ judging
def test_the_listener_accepts_whole_stories_only():
    from nextword.corpora import village

    story = village.split("test", 300).stories()[0]
    texts = [[*story, "</s>"], story, [*story[:20], "</s>"], [*story[:9], "xylophone", "</s>"]]
    assert tuning.accepted(texts).tolist() == [1, 0, 0, 0]


def test_distinct_counts_texts_or_runs():
    texts = [["a", "b", "c"], ["a", "b", "c"], ["a", "b"]]
    assert tuning.distinct(texts) == 2 / 3
    assert tuning.distinct(texts, 2) == 2 / 5  # a b, b c, a b, b c, a b


def test_the_measures_of_an_unchanged_model(model):
    found = tuning.measure(model, model, likes_a, NAMES, [[]] * 30, rng(), most=8, size=7)
    assert abs(found.kl) < 1e-5
    assert 0 < found.reward < 1
    assert 0 < found.words <= 8
    assert 0 < found.distinct <= 1


def test_the_measured_divergence_is_that_of_the_next_word(model):
    other = tuning.frozen(model)
    with torch.no_grad():
        other.embed.words.weight.mul_(1.5)
    p, q = (net(torch.tensor([[BOS]]))[0][0, -1].log_softmax(-1) for net in (other, model))
    exact = (p.exp() * (p - q))[EOS:].sum() / p[EOS:].exp().sum()
    found = tuning.measure(other, model, likes_a, NAMES, [[]] * 4000, rng(), most=1, size=4000)
    assert abs(found.kl - exact) < 6 * found.kl_error


def test_ratios_tell_how_far_a_model_has_moved(model):
    written = tuning.write(model, [[]] * 30, rng(), most=8)
    assert ratios(model, written) == pytest.approx([0, 0, 1], abs=1e-4)
    with torch.no_grad():
        model.embed.words.weight.mul_(2)
    kl, outside, largest = ratios(model, written)
    assert kl > 0.1
    assert 0 < outside < 1 < largest


# ------------------------------------------------------------------ learning
@pytest.mark.slow
@pytest.mark.parametrize(
    "plan",
    [
        Tuning(steps=25, size=32, rate=1e-2, most=8),
        Tuning(steps=25, size=32, rate=1e-2, most=8, clipped=True, updates=2),
        Tuning(steps=25, size=32, group=8, scaled=True, rate=1e-2, most=8, beta_loss=0.01),
    ],
    ids=["plain", "clipped", "groups"],
)
def test_a_model_learns_what_is_rewarded(model, plan):
    steps = tuning.reinforce(after_training, model, likes_a, NAMES, plan, 0, prompts=[[], [B]])
    assert len(steps) == 25
    assert steps[-1].reward > steps[0].reward + 0.3
    assert abs(steps[0].kl) < 1e-5 < steps[-1].kl


@pytest.mark.slow
def test_a_leash_keeps_the_model_near(model):
    far, near = tuning.frozen(model), tuning.frozen(model)
    ends = {}
    for net, beta in ((far, 0.0), (near, 1.0)):
        net.requires_grad_(True)
        plan = Tuning(steps=25, size=64, rate=1e-2, beta=beta, most=8)
        ends[beta] = tuning.reinforce(after_training, net, likes_a, NAMES, plan, 0)[-1]
    assert ends[1.0].kl < 0.5 * ends[0.0].kl
    leashed = ends[1.0]
    assert leashed.learned == pytest.approx(leashed.reward - 1.0 * leashed.kl, abs=1e-4)


def test_rewards_are_adjusted_before_the_leash(model):
    seen = []

    def adjust(rewards, lengths):
        seen.append((rewards, lengths))
        return rewards * 0 + 2

    plan = Tuning(steps=1, size=8, beta=0.5, most=8)
    (step,) = tuning.reinforce(
        after_training,
        model,
        likes_a,
        NAMES,
        plan,
        0,
        adjust=adjust,
        reference=tuning.frozen(model),
    )
    assert step.learned == pytest.approx(2, abs=1e-4)
    assert step.words == pytest.approx(seen[0][1].mean().item())


def test_texts_of_a_group_have_the_same_prompt(model):
    groups = []

    def after(step, log, written, rewards):
        groups.append([text[0] for text in written.texts])

    plan = Tuning(steps=2, size=12, group=4, most=6)
    prompts = [[A], [B], [C]]
    tuning.reinforce(after_training, model, likes_a, NAMES, plan, 0, prompts=prompts, after=after)
    for firsts in groups:
        assert all(len(set(firsts[k : k + 4])) == 1 for k in (0, 4, 8))


def test_small_batches_give_the_gradient_of_the_whole_batch(model, monkeypatch):
    plan, ends = Tuning(steps=1, size=30, rate=1e-2, most=8), []
    for size in (7, 30):
        monkeypatch.setattr(tuning.by_length, "__defaults__", (size,))
        net = tuning.frozen(model).requires_grad_(True)
        tuning.reinforce(after_training, net, likes_a, NAMES, plan, 0)
        ends.append(torch.cat([p.flatten() for p in net.parameters()]))
    assert torch.allclose(*ends, atol=1e-5)


def test_a_reward_that_is_not_finite_stops_the_training(model):
    with pytest.raises(FloatingPointError, match="step 1: a reward is not finite"):
        tuning.reinforce(
            after_training,
            model,
            lambda texts: torch.full((len(texts),), math.nan),
            NAMES,
            Tuning(steps=2, size=4, most=4),
            0,
        )


@pytest.mark.parametrize("plan", [{"size": 1}, {"steps": 0}, {"group": 3}, {"group": 1}])
def test_plans_that_make_no_sense_are_refused(plan):
    with pytest.raises(ValueError, match=r"need|must be"):
        Tuning(**plan)


# ------------------------------------------------------------------ pairs
def test_pairs_put_the_larger_reward_first():
    rewards = torch.tensor([0.0, 1.0, 0.0, 1.0, 2.0])
    pairs = preferring.by_reward(rewards, 50, rng())
    assert len(pairs) == 50
    assert all(rewards[c] > rewards[r] for c, r in pairs)
    with pytest.raises(ValueError, match="the same reward"):
        preferring.by_reward(torch.ones(4), 2, rng())


def test_dpo_makes_chosen_texts_likelier_than_rejected_ones(model):
    written = tuning.write(model, [[]] * 60, rng(), most=8)
    pairs = preferring.by_reward(likes_a(written.words(NAMES)), 100, rng())
    steps = preferring.prefer(
        after_training,
        model,
        written,
        written.log_p.sum(1),
        pairs,
        Preferring(steps=30, size=20, rate=1e-2),
        0,
    )
    assert steps[0].loss == pytest.approx(math.log(2), abs=1e-4)
    assert abs(steps[0].chosen) < 1e-4
    assert steps[-1].loss < 0.6
    assert steps[-1].chosen > steps[-1].rejected
    assert steps[-1].right > 0.8


def test_pairs_read_in_small_batches_give_the_loss_of_all(model):
    written = tuning.write(model, [[]] * 60, rng(), most=8)
    rewards = likes_a(written.words(NAMES))
    pairs = preferring.by_reward(rewards, 40, rng())
    log_q = written.log_p.sum(1) - torch.linspace(0, 1, 60)
    (step,) = preferring.prefer(
        after_training, model, written, log_q, pairs, Preferring(steps=1, size=40), 0
    )
    chosen, rejected = torch.tensor(pairs).T
    log_p = written.log_p.sum(1)
    whole = after_training.dpo_loss(
        log_p[chosen], log_p[rejected], log_q[chosen], log_q[rejected], 0.1
    )
    assert step.loss == pytest.approx(whole.item(), abs=1e-5)


def test_no_pairs_are_refused(model):
    written = tuning.write(model, [[]] * 2, rng(), most=4)
    with pytest.raises(ValueError, match="no pairs"):
        preferring.prefer(SimpleNamespace(), model, written, torch.zeros(2), [], Preferring(), 0)
