"""The reference of chapter 7 from 7.5 on against loops and autograd, and what it refuses."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from examiner.suite import close
from tests.after_training.test_reference import (
    IGNORE,
    KINDS,
    SIZES,
    after,
    gradients,
    some_targets,
    tensor,
    unchecked,
)
from tests.transformer_models import ours as transformers

# ---------------------------------------------------------------- 7.5


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_log_probabilities_are_those_of_loops(sizes: tuple, kind: Any) -> None:
    rng = np.random.default_rng(11)
    logits, targets = tensor(rng, *sizes, kind=kind), some_targets(rng, *sizes)
    if sizes[0] > 1:
        targets[0] = IGNORE  # a text without a word of its own is certain

    def loops(logits: Tensor) -> Tensor:
        found = torch.zeros(targets.shape, dtype=kind)
        for b, t in (targets != IGNORE).nonzero().tolist():
            p = logits[b, t].exp() / logits[b, t].exp().sum()
            found[b, t] = p[targets[b, t]].log()
        return found

    assert close(after.token_log_probs(logits, targets), loops(logits))
    assert close(after.text_log_probs(logits, targets), loops(logits).sum(1))
    pull = tensor(rng, sizes[0], kind=kind)
    found = gradients(lambda logits: pull * after.text_log_probs(logits, targets), logits)
    assert close(found, gradients(lambda logits: pull * loops(logits).sum(1), logits))


@pytest.mark.parametrize("B", [2, 3, 8])
def test_the_baseline_of_a_text_is_the_mean_of_the_others(B: int) -> None:
    for kind in KINDS:
        rewards = tensor(np.random.default_rng(12), B, kind=kind)
        others = [torch.cat([rewards[:b], rewards[b + 1 :]]).mean() for b in range(B)]
        assert close(after.leave_one_out(rewards), torch.stack(others))


@pytest.mark.parametrize("B", [1, 5])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_loss_of_a_policy_sends_gradients_to_log_p_alone(B: int, kind: Any) -> None:
    rng = np.random.default_rng(13)
    log_p, rewards, baseline = (tensor(rng, B, kind=kind) for _ in range(3))
    expected = -sum((rewards - baseline) * log_p) / B
    assert close(after.policy_loss(log_p, rewards, baseline), expected)
    found = gradients(after.policy_loss, log_p, rewards, baseline)
    assert close(found[0], -(rewards - baseline) / B)
    assert found[1:] == [None, None]


# ---------------------------------------------------------------- 7.6


def test_three_estimates_of_a_distance_near_and_far() -> None:
    u = torch.tensor([1e-6, -1e-6, 0.0, 1.0, -30.0], dtype=torch.float64)
    log_p = torch.full((5,), -3.0, dtype=torch.float64)
    k1, k2, k3 = after.kl_estimates(log_p, log_p + u)
    u = log_p + u - log_p  # what is left of u after rounding
    assert close(k1, -u)
    assert close(k2, u * u / 2)
    assert close(k3[:2], u[:2] ** 2 / 2 + u[:2] ** 3 / 6, rtol=1e-6, atol=0.0)
    assert close(k3[2:], u[2:].exp() - 1 - u[2:])
    assert (k3 >= 0).all()
    for shape in ((), (1,), (2, 3)):
        parts = after.kl_estimates(torch.zeros(shape), torch.ones(shape))
        assert close(parts, [torch.full(shape, k) for k in (-1.0, 0.5, math.e - 2)])


def test_a_leash_takes_its_price_and_no_gradient() -> None:
    rng = np.random.default_rng(14)
    for kind in KINDS:
        rewards, log_p, log_reference = (
            tensor(rng, 4, kind=kind).requires_grad_() for _ in range(3)
        )
        for beta in (0, 0.3):
            found = after.leashed(rewards, log_p, log_reference, beta)
            assert close(found, rewards - beta * log_p + beta * log_reference)
            assert not found.requires_grad


# ---------------------------------------------------------------- 7.7


@pytest.mark.parametrize("shape", [(1, 2), (3, 5), (4, 2)], ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_advantages_are_those_of_loops(shape: tuple, kind: Any) -> None:
    rewards = tensor(np.random.default_rng(15), *shape, kind=kind)
    for b, group in enumerate(rewards.tolist()):
        mean = sum(group) / len(group)
        s = math.sqrt(sum((r - mean) ** 2 for r in group) / (len(group) - 1))
        plain = torch.tensor([r - mean for r in group], dtype=kind)
        assert close(after.group_advantages(rewards, scaled=False)[b], plain)
        assert close(after.group_advantages(rewards)[b], plain / (s + 1e-6))
        assert close(after.group_advantages(rewards, eps=0.5)[b], plain / (s + 0.5))


def test_a_group_of_equal_rewards_teaches_nothing_at_all() -> None:
    for kind in KINDS:
        for value in (0.1, 1000.1, -7e7, 0.0):
            for G in (2, 3, 7):
                rewards = torch.full((2, G), value, dtype=kind)
                assert not after.group_advantages(rewards).any()
                assert not after.group_advantages(rewards, scaled=False).any()


def clipped_by_loops(
    new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, eps: float
) -> Tensor:
    of_texts = []
    for b, A in enumerate(advantages):
        of_tokens = []
        for t in mask[b].nonzero()[:, 0]:
            rho = (new[b, t] - old[b, t]).exp()
            bound = 1 + eps if A > 0 else 1 - eps
            beyond = rho > bound if A > 0 else rho < bound
            of_tokens.append(-A * (bound if beyond else rho))
        of_texts.append(sum(of_tokens) / len(of_tokens))
    return sum(of_texts) / len(of_texts)


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (4, 7)], ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_clipped_loss_is_that_of_loops(shape: tuple, kind: Any) -> None:
    rng = np.random.default_rng(16)
    new, old = (0.4 * tensor(rng, *shape, kind=kind) for _ in range(2))
    advantages = tensor(rng, shape[0], kind=kind)
    mask = some_targets(rng, shape[0], shape[1], 3) != IGNORE
    for eps in (0.2, 0.05, 3.0):
        ours = lambda new, old: after.clipped_loss(new, old, advantages, mask, eps)  # noqa: B023, E731
        loops = lambda new: clipped_by_loops(new, old, advantages, mask, eps)  # noqa: B023, E731
        assert close(ours(new, old), loops(new))
        d_new, d_old = gradients(ours, new, old)
        assert close(d_new, gradients(loops, new)[0])
        assert d_old is None


def test_on_its_own_texts_the_clipped_loss_has_the_gradient_of_the_policy() -> None:
    """Where new is old, nothing is clipped: the gradient is that of mean(A log p) of the tokens."""
    old = tensor(np.random.default_rng(17), 2, 3)
    advantages, mask = torch.tensor([2.0, -1.0]), torch.ones(2, 3, dtype=torch.bool)
    found = gradients(lambda new: after.clipped_loss(new, old, advantages, mask), old)
    assert close(found, [-advantages[:, None].expand(2, 3) / 6])


@pytest.mark.parametrize("worst", [math.inf, -math.inf, math.nan])
def test_what_is_masked_out_has_no_influence(worst: float) -> None:
    new, old = torch.zeros(2, 3), torch.zeros(2, 3)
    mask = torch.tensor([[True, True, False], [False, True, True]])
    new[0, 2], old[1, 0] = worst, worst
    loss = lambda new: after.clipped_loss(new, old, torch.ones(2), mask)  # noqa: E731
    assert close(loss(new), torch.tensor(-1.0))
    assert close(gradients(loss, new), [mask / -4])


class Table(nn.Module):
    """A model that sees one token back, with a dropout-free table of logits; B T of V words."""

    def __init__(self, V: int, seed: int) -> None:
        super().__init__()
        self.table = nn.Parameter(tensor(np.random.default_rng(seed), V, V, kind=torch.float64))

    def forward(self, rows: Tensor) -> tuple[Tensor, None]:
        return self.table[rows], None


def a_batch() -> tuple[Tensor, ...]:
    rng = np.random.default_rng(18)
    inputs, targets = torch.tensor(rng.integers(5, size=(3, 4))), some_targets(rng, 3, 4, 5)
    old = tensor(rng, 3, 4, kind=torch.float64) - 2
    return inputs, targets, old, torch.tensor([1.0, -0.5, 2.0], dtype=torch.float64)


@pytest.mark.parametrize("beta", [0.0, 0.7])
@pytest.mark.parametrize("clip", [1e-3, 1e3])
def test_a_step_of_tuning_is_that_of_loops(beta: float, clip: float) -> None:
    model, reference, (inputs, targets, old, advantages) = Table(5, 1), Table(5, 2), a_batch()
    mask = targets != IGNORE

    def terms(table: Tensor) -> tuple[Tensor, Tensor]:
        chosen = targets.clamp(min=0)[..., None]
        new = table[inputs].log_softmax(-1).gather(-1, chosen)[..., 0]
        base = reference.table.detach()[inputs].log_softmax(-1).gather(-1, chosen)[..., 0]
        k3 = (base - new).exp() - 1 - (base - new)
        k = torch.stack([k3[b][mask[b]].mean() for b in range(3)]).mean()
        return clipped_by_loops(new, old, advantages, mask, 0.1), k

    table = model.table.detach().clone().requires_grad_()
    clipped, k = terms(table)
    (clipped + beta * k).backward()
    assert table.grad is not None
    norm = table.grad.norm().item()
    step = 0.5 * min(1.0, clip / norm) * table.grad
    before, its = table.detach().clone(), reference.table.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model.table.grad = torch.full_like(before, 9.0)  # of an earlier step: to be forgotten
    found = after.tune_step(
        model, reference, optimizer, inputs, targets, old, advantages, beta, eps=0.1, clip=clip
    )
    assert close(found, ((clipped + beta * k).item(), k.item()))
    assert close(model.table.detach(), before - step, rtol=1e-5, atol=1e-8)
    assert reference.table.grad is None
    assert reference.table.equal(its)
    assert not old.requires_grad


def test_a_step_with_an_endless_distance_and_no_leash_is_finite() -> None:
    model, (inputs, targets, old, advantages) = Table(5, 1), a_batch()
    reference = copy.deepcopy(model)
    model.table.data[:, :4] += 2000.0  # word 4 is all but impossible
    targets[:, -1] = 4
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss, k = after.tune_step(model, reference, optimizer, inputs, targets, old, advantages)
    assert math.isinf(k)
    assert math.isfinite(loss)
    assert model.table.isfinite().all()


# ---------------------------------------------------------------- 7.8


@pytest.mark.parametrize("B", [1, 6])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_loss_of_dpo_is_that_of_loops_and_its_gradient_that_by_hand(B: int, kind: Any) -> None:
    rng = np.random.default_rng(19)
    four = [tensor(rng, B, kind=kind) for _ in range(4)]
    chosen, rejected, reference_chosen, reference_rejected = four
    margin = 0.3 * (chosen - reference_chosen - rejected + reference_rejected)
    losses = [math.log(1 + math.exp(-each)) for each in margin.tolist()]
    assert close(after.dpo_loss(*four, 0.3), torch.tensor(sum(losses) / B, dtype=kind))
    d_chosen = -0.3 * torch.sigmoid(-margin) / B
    found = gradients(lambda *four: after.dpo_loss(*four, 0.3), *four)
    assert close(found[:2], [d_chosen, -d_chosen])
    implicit = after.implicit_rewards(chosen, reference_chosen, 0.3)
    assert close(implicit, 0.3 * chosen - 0.3 * reference_chosen)


def test_dpo_of_texts_that_are_far_apart_is_finite() -> None:
    far, near = torch.tensor([-1e4]), torch.tensor([0.0])
    assert close(after.dpo_loss(far, near, near, near, 0.5), torch.tensor(5e3))


# ---------------------------------------------------------------- 7.9 and 7.10


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 5), (4, 1)], ids=str)
def test_a_cautious_reward_is_that_of_numpy(shape: tuple) -> None:
    for kind in KINDS:
        scores = tensor(np.random.default_rng(20), *shape, kind=kind)
        for caution in (0, 1.5):
            expected = scores.numpy().mean(0) - caution * scores.numpy().std(0)
            assert close(after.cautious(scores, caution), torch.tensor(expected))


@pytest.mark.parametrize("B", [2, 3, 9])
def test_what_length_explains_is_taken_away(B: int) -> None:
    rng = np.random.default_rng(21)
    for kind in KINDS:
        lengths = torch.tensor(100 + rng.permutation(B), dtype=kind)
        rewards = 0.2 * lengths + tensor(rng, B, kind=kind)
        line = np.polyval(np.polyfit(lengths.double(), rewards.double(), 1), lengths.double())
        expected = rewards - torch.tensor(line).to(kind) + rewards.mean()
        found = after.without_length(rewards, lengths)
        assert close(found, expected, rtol=1e-4, atol=1e-4)
        equal = torch.full((B,), 159.1, dtype=kind)
        assert after.without_length(rewards, equal).equal(rewards)


def test_final_answers_are_those_of_a_search() -> None:
    rng = np.random.default_rng(22)
    for _ in range(300):
        words = [("answer", "so", "two", "eggs")[k] for k in rng.integers(4, size=rng.integers(7))]
        *steps, last = " ".join(words).split("answer")
        expected = tuple(last.split()) if steps and last.split() else None
        assert after.final_answer(words) == expected
        renamed = [word.replace("answer", "=") for word in words]
        assert after.final_answer(renamed, "=") == expected
        for answer in (("two",), ("two", "eggs")):
            assert after.verified([words], [answer]).tolist() == [float(expected == answer)]


# ---------------------------------------------------------------- what makes no sense

two, three = torch.zeros(2), torch.zeros(3)
column = two[:, None]
bad, endless = torch.tensor([0.0, math.nan]), torch.tensor([0.0, math.inf])
rows = torch.ones(1, 2, dtype=torch.long)
nothing = torch.full((1, 2), IGNORE)
marks = {"user": 3, "assistant": 4}
half = torch.full((2,), 0.5).log()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda c: c.render_chat([], marks), "roles"),
        (lambda c: c.render_chat([("user", [5])], marks), "roles"),
        (lambda c: c.render_chat([("assistant", [5]), ("cook", [5])], marks), "roles"),
        (lambda c: c.answer_batch([]), "rows"),
        (lambda c: c.answer_batch([([1, 5, 2], [False, True])]), "answer"),
        (lambda c: c.answer_batch([([1, 5, 2], [True, False, False])]), "answer"),
        (lambda c: c.answer_batch([([], [])]), "answer"),
        (lambda c: c.answer_loss(torch.zeros(1, 2, 3), nothing), "targets"),
        (lambda c: c.LoRA(nn.Linear(2, 2), 0, 1.0), "R"),
        (lambda c: c.pass_at_k(4, 5, 1), "c"),
        (lambda c: c.pass_at_k(4, -1, 1), "c"),
        (lambda c: c.pass_at_k(4, 2, 5), "k"),
        (lambda c: c.pass_at_k(4, 2, 0), "k"),
        (lambda c: c.best_of_n(half, bad, 2), "rewards"),
        (lambda c: c.best_of_n(half, three, 2), "rewards"),
        (lambda c: c.best_of_n(half, two, 0), "n"),
        (lambda c: c.best_of_n(two, two, 2), "probabilities"),
        (lambda c: c.best_of_n_kl(0), "n"),
        (lambda c: c.RewardModel(lambda x: x, 1)(torch.tensor([[1, 2], [0, 0]])), "rows"),
        (lambda c: c.preference_loss(three, three[:1]), "rejected"),
        (lambda c: c.preference_loss(three, three[:0]), "rejected"),
        (lambda c: c.preference_loss(three[:0], three[:0]), "chosen"),
        (lambda c: c.preference_loss(two, endless), "rejected"),
        (lambda c: c.leave_one_out(two[:1]), "B"),
        (lambda c: c.leave_one_out(bad), "rewards"),
        (lambda c: c.policy_loss(two, endless, two), "rewards"),
        (lambda c: c.policy_loss(two, two, two[:1]), "baseline"),
        (lambda c: c.policy_loss(bad, two, two), "log_p"),
        (lambda c: c.tilted(half, two, 0.0), "beta"),
        (lambda c: c.tilted(half, two, -1.0), "beta"),
        (lambda c: c.tilted(half, two, math.inf), "beta"),
        (lambda c: c.tilted(half, two, math.nan), "beta"),
        (lambda c: c.tilted(half, endless, 1.0), "rewards"),
        (lambda c: c.leashed(bad, two, two, 1.0), "rewards"),
        (lambda c: c.leashed(two, two, three, 1.0), "log_reference"),
        (lambda c: c.leashed(two, two, two, -0.1), "beta"),
        (lambda c: c.group_advantages(torch.zeros(3, 1)), "G"),
        (lambda c: c.group_advantages(bad[None]), "rewards"),
        (lambda c: c.clipped_loss(two[None], two[None], two[:1], nothing > 0), "mask"),
        (lambda c: c.clipped_loss(two[None], three[None], two[:1], two[None] == 0), "old"),
        (lambda c: c.clipped_loss(two[None], two[None, :1], two[:1], two[None] == 0), "old"),
        (lambda c: c.clipped_loss(column, column, two[:1], column == 0), "advantages"),
        (lambda c: c.clipped_loss(column, column, bad, column == 0), "advantages"),
        (lambda c: c.implicit_rewards(two, three, 0.1), "log_reference"),
        (lambda c: c.dpo_loss(two, two, two, two, 0.0), "beta"),
        (lambda c: c.dpo_loss(two, two[:1], two, two, 0.1), "rejected"),
        (lambda c: c.dpo_loss(two, two, two, bad, 0.1), "reference_rejected"),
        (lambda c: c.cautious(endless[None], 1.0), "scores"),
        (lambda c: c.cautious(two[None], -1.0), "caution"),
        (lambda c: c.without_length(two[:1], two[:1]), "B"),
        (lambda c: c.without_length(two, endless), "lengths"),
        (lambda c: c.verified([["answer", "x"]], []), "answers"),
        (lambda c: c.verified([["answer", "x"]], [()]), "answers"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(call: Callable[[Any], Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be "):
        call(unchecked)


def test_a_step_on_texts_longer_than_learned_positions_says_so() -> None:
    torch.manual_seed(3)
    sizes = transformers.Sizes(V=5, D=4, L=1, H=1, T=4, positions="learned")
    model = transformers.LanguageModel(sizes)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets, old, advantages = a_batch()
    step = (inputs, targets, old.float(), advantages.float())
    loss, k = after.tune_step(model, copy.deepcopy(model), optimizer, *step, beta=0.1)
    assert math.isfinite(loss)
    assert k == 0
    longer = [torch.cat([each, each], dim=1) for each in step[:3]]
    with pytest.raises(ValueError, match="at most 4"):
        after.tune_step(model, model, optimizer, *longer, step[3])


def test_a_step_refuses_a_reference_of_another_size_and_texts_without_words() -> None:
    model, (inputs, targets, old, advantages) = Table(5, 1), a_batch()
    before = model.table.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    with pytest.raises(ValueError, match="the reference's logits must be of the model's shape"):
        unchecked.tune_step(model, Table(6, 2), optimizer, inputs, targets, old, advantages)
    targets[1] = IGNORE
    with pytest.raises(ValueError, match="mask"):
        unchecked.tune_step(model, model, optimizer, inputs, targets, old, advantages)
    assert model.table.equal(before)
