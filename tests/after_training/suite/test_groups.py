"""Tests of task 7.7: groups, the clip, one step of tuning."""

import math

import pytest
import torch

from examiner.suite import close, gradients, student_module
from tests.after_training.suite import machines, oracles
from tests.after_training.suite.oracles import BOS, IGNORE, PAD, tensor

after_training = student_module("after_training")


# ------------------------------------------------------------------ 7.7
@pytest.mark.task("7.7", weight=0.9, visible=True)
def test_two_groups_by_hand(after_training):
    """Each group has its own mean, 2, and its own standard deviation, 1 and root 12."""
    rewards = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 6.0]])
    third = 1 / math.sqrt(3)
    expected = torch.tensor([[-1.0, 0.0, 1.0], [-third, -third, 2 * third]])
    assert close(after_training.group_advantages(rewards), expected)


@pytest.mark.task("7.7", weight=0.3, visible=True)
def test_a_group_that_teaches_nothing(after_training):
    """Beside 0 and 2, which make -1 and 1 over root 2, a group of 4 and 4 makes 0 and 0."""
    found = after_training.group_advantages(torch.tensor([[0.0, 2.0], [4.0, 4.0]]))
    assert close(found, torch.tensor([[-1.0, 1.0], [0.0, 0.0]]) / math.sqrt(2))


def assert_groups(after_training, rewards, *scaled, **eps):
    expected = []
    for group in rewards.double().tolist():
        mean = sum(group) / len(group)
        spread = math.sqrt(sum((r - mean) ** 2 for r in group) / (len(group) - 1))
        size = 1.0 if False in scaled else spread + eps.get("eps", 1e-6)
        expected.append([(r - mean) / size for r in group])
    found = after_training.group_advantages(rewards, *scaled, **eps)
    assert close(found, torch.tensor(expected), rtol=1e-3, atol=1e-4)


@pytest.mark.task("7.7", weight=1.4)
def test_any_groups(after_training, rng):
    """Groups of any size, each around another mean and with another spread."""
    for B, G in ((3, 4), (2, 8), (4, 3)):
        spreads = 0.5 + tensor(rng, B, 1).abs()
        assert_groups(after_training, tensor(rng, B, 1) + spreads * tensor(rng, B, G))


@pytest.mark.task("7.7", weight=0.6)
def test_groups_that_are_not_scaled(after_training, rng):
    """With `scaled` False, only the mean is taken away."""
    rewards = 3 * tensor(rng, 3, 4) + tensor(rng, 3, 1)
    assert_groups(after_training, rewards, False)
    assert_groups(after_training, rewards, True)


@pytest.mark.task("7.7", weight=0.4)
def test_small_groups_and_another_eps(after_training, rng):
    """A group may hold two answers; eps is added to the standard deviation, however small."""
    assert_groups(after_training, tensor(rng, 2, 5))
    pairs = tensor(rng, 4, 1) + (0.1 + tensor(rng, 4, 1).abs()) * torch.tensor([[1.0, -1.0]])
    assert_groups(after_training, torch.cat([pairs, pairs.flip(1)]))  # as far apart as floats tell
    assert_groups(after_training, tensor(rng, 1, 4), eps=float(rng.uniform(0.3, 2)))
    assert_groups(after_training, 1e-6 * tensor(rng, 2, 5), eps=1e-9)  # a small spread is one, too


def beside_others(size, G):
    """A group of equal rewards between two others of which that is not true."""
    return torch.stack([torch.arange(1.0, 1 + G), torch.full((G,), size), torch.arange(G) / 7])


@pytest.mark.task("7.7", weight=0.4)
def test_groups_of_equal_rewards(after_training, rng):
    """Where all rewards of a group are equal, its advantages are 0, without a trace of rounding."""
    rewards = tensor(rng, 3, 7)
    assert_groups(after_training, rewards)
    for size in (0.1, 5.1, float(rng.uniform(0.5, 50))):
        for G in (3, 6, 7, 11):
            for scaled in (True, False):
                found = after_training.group_advantages(beside_others(size, G), scaled)
                assert close(found[1], torch.zeros(G), atol=1e-6 if scaled else 1e-4)


def one_token(after_training, ratio, advantage):
    """The loss of one text of one token, by a student's function."""
    new, old = torch.tensor([[ratio / 4]]).log(), torch.tensor([[1 / 4]]).log()
    inputs = new, old, torch.tensor([advantage]), torch.tensor([[True]])
    return after_training.clipped_loss(*inputs)


@pytest.mark.task("7.7", weight=1, visible=True)
def test_four_tokens_that_are_clipped_or_not(after_training):
    """What is good is not pushed beyond 1.2, nor what is bad below 0.8; the way back is open."""
    assert close(one_token(after_training, 1.5, 2.0), torch.tensor(-2.4))
    assert close(one_token(after_training, 0.5, 2.0), torch.tensor(-1.0))
    assert close(one_token(after_training, 1.5, -2.0), torch.tensor(3.0))
    assert close(one_token(after_training, 0.5, -2.0), torch.tensor(1.6))


@pytest.mark.task("7.7", weight=0.8, visible=True)
def test_short_and_long_texts_count_alike(after_training):
    """One token with ratio 1 and advantage 1; three with 1/2, 1 and 9/10 times 5, which make 4.

    So the mean over texts is -2.5, and no gradient flows into the old log-probabilities.
    """
    ratios = torch.tensor([[1.0, 1.0, 1.0], [1 / 2, 1.0, 9 / 10]])
    old, advantages = torch.full((2, 3), -2.0), torch.tensor([1.0, 5.0])
    mask = torch.tensor([[False, True, False], [True, True, True]])
    inputs = old + ratios.log(), old, advantages, mask
    value, found, _ = gradients(after_training.clipped_loss, *inputs)
    assert close(value, torch.tensor(-2.5))
    assert oracles.nothing_or_zero(found[1]), "no gradient flows through old"


def some_tokens(rng, *lengths, T=6, far=0.9):
    """Log-probabilities, old and new, advantages of both signs, and a mask with so many tokens.

    Every text has ratios below, between and above the bounds: about exp(-far), 1 and exp(far).
    """
    B = len(lengths)
    old, mask = -2 * tensor(rng, B, T).abs() - 1, torch.zeros(B, T, dtype=torch.bool)
    apart = torch.tensor(rng.uniform(-0.1, 0.1, size=(B, T)), dtype=torch.float32)
    for b, length in enumerate(lengths):
        places = rng.permutation(T)
        mask[b, places[:length]] = True
        apart[b, places[::3]] += far
        apart[b, places[1::3]] -= far
    signs = torch.tensor([1.0 if b % 2 else -1.0 for b in range(B)])
    return old + apart, old, signs * (0.5 + tensor(rng, B).abs()), mask


def assert_clips(after_training, new, old, advantages, mask, *eps):
    loss = oracles.clipped(new.double(), old.double(), advantages.double(), mask, *eps)
    found = after_training.clipped_loss(new, old, advantages, mask, *eps)
    assert close(found, loss.float())


def pulls(after_training, new, old, advantages, mask):
    """The gradients of a student's loss for new and for old, and the right one for new."""
    leaf = new.double().requires_grad_()
    oracles.clipped(leaf, old.double(), advantages.double(), mask).backward()
    inputs = new, old, advantages, mask
    found = gradients(after_training.clipped_loss, *inputs)[1]
    return found[0], found[1], leaf.grad.float()


@pytest.mark.task("7.7", weight=0.6)
def test_what_is_clipped_teaches_nothing(after_training, rng):
    """Gradients reach new tokens unless they are clipped, and never the old ones."""
    by_new, by_old, right = pulls(after_training, *some_tokens(rng, 6, 3, 4))
    assert close(by_new, right)
    assert oracles.nothing_or_zero(by_old), "no gradient flows through old"


@pytest.mark.task("7.7", weight=2.6)
def test_the_loss_of_any_texts(after_training, rng):
    """Ratios within and beyond the bounds, good texts and bad ones, short ones and long ones."""
    for lengths in ((6, 3, 2, 4), (2, 5), (4, 6, 2)):
        assert_clips(after_training, *some_tokens(rng, *lengths))


@pytest.mark.task("7.7", weight=0.4)
def test_other_bounds(after_training, rng):
    """eps says how far the ratio may go; a text may have one token."""
    tokens = some_tokens(rng, 5, 3, 4)
    for eps in ((), (0.05,), (0.5,)):
        assert_clips(after_training, *tokens, *eps)
    assert_clips(after_training, *some_tokens(rng, 1, 1))


@pytest.mark.task("7.7", weight=0.3)
def test_ratios_that_are_far_from_one(after_training, rng):
    """A bad text that became much likelier costs as much as that; one without advantage nothing."""
    new, old, advantages, mask = some_tokens(rng, 5, 3, 4)
    assert_clips(after_training, new, old, advantages, mask)
    new, old, advantages, mask = some_tokens(rng, 5, 3, 4, far=float(rng.uniform(2, 4)))
    assert_clips(after_training, new, old, advantages, mask)
    advantages[1] = 0.0
    assert_clips(after_training, new, old, advantages, mask)
    assert_clips(after_training, *some_tokens(rng, 5, 3, 4, far=float(rng.uniform(24, 30))))


@pytest.mark.task("7.7", weight=0.4)
def test_tokens_that_are_masked_out(after_training, rng):
    """Where the mask is False anything may stand, even what is infinite."""
    new, old, advantages, mask = some_tokens(rng, 4, 2, 3)
    assert_clips(after_training, new, old, advantages, mask)
    for high, low in ((new, old), (old, new)):
        high[~mask], low[~mask] = 100.0, -900.0
        assert_clips(after_training, new, old, advantages, mask)
    new[~mask], old[~mask] = 0.0, -math.inf
    assert_clips(after_training, new, old, advantages, mask)
    by_new, _, right = pulls(after_training, new, old, advantages, mask)
    assert close(by_new, right)


def some_texts(rng, *lengths):
    """A batch for a toy model: inputs, targets, old log-probabilities, advantages.

    The advantages are small, so that gradients are rarely as long as 1, at which they are cut.
    """
    T = max(lengths) + 2
    inputs = torch.tensor(rng.integers(3, machines.V, size=(len(lengths), T)))
    targets = torch.full(inputs.shape, IGNORE)
    for row, length in zip(targets, lengths, strict=True):
        start = int(rng.integers(0, T - length + 1))
        row[start : start + length] = torch.tensor(rng.integers(2, machines.V, size=length))
    inputs[0, -1] = PAD
    old = (-2 + 0.5 * tensor(rng, *inputs.shape)).masked_fill(targets == IGNORE, 0.0)
    return inputs, targets, old, 0.3 * tensor(rng, len(lengths))


def steps(after_training, w, w_reference, *how):
    """What a student's step makes of a toy model, and what it should make of it."""
    given = w, w_reference, *how
    loss, apart, weights, reference = machines.tune(after_training.tune_step, *given)[:4]
    assert close(reference, w_reference), "the reference is as it was"
    return [loss, apart, weights], list(machines.tuned(*given))


def assert_tunes(after_training, rng, batch, rate=0.3, decay=0.0, frozen=(), **options):
    """Compare a step that uses another clipped loss than the student's; or else their own.

    So a mistake in `clipped_loss` costs nothing here. Who writes all in one never notices.
    """
    w = machines.toy_weights(rng)
    w_reference = {name: w[name] + other / 3 for name, other in machines.toy_weights(rng).items()}
    given, near = (w, w_reference, batch, rate, options), {"rtol": 1e-3, "atol": 1e-4}
    found, expected = steps(after_training, *given, machines.STAND_INS, decay, frozen)
    if not close(found, expected, **near):
        found, expected = steps(after_training, *given, {}, decay, frozen)
    assert close(found, expected, **near)


@pytest.mark.task("7.7", weight=1, visible=True)
def test_a_step_by_hand(after_training):
    """For the model all 7 words are equally likely, as they were; the reference says 1/2 to one.

    The loss is minus the mean advantage, 2, and 0.1 k: k3 is 2.5 - ln 3.5 in the first of two
    tokens, and 0 in the second.
    """
    w = {"word": torch.zeros(7, 1), "out": torch.zeros(1, 7)}
    shares = torch.tensor([[1.0, 1.0, 1.0, 7.0, 1.0, 1.0, 2.0]]) / 14
    w_reference = {"word": torch.full((7, 1), 99.0), "out": shares.log()}
    inputs, targets = torch.tensor([[BOS, 3, 6], [BOS, 6, PAD]]), torch.full((2, 3), IGNORE)
    targets[0, 0], targets[0, 1], targets[1, 0] = 3, 6, 6
    old = torch.full((2, 3), -math.log(7)).masked_fill(targets == IGNORE, 0.0)
    k = (2.5 - math.log(3.5)) / 4
    for beta in (0.0, 0.1):
        batch = inputs, targets, old, torch.tensor([1.0, 3.0])
        step, options = after_training.tune_step, {"beta": beta}
        found = machines.tune(step, w, w_reference, batch, 0.1, options, {})
        assert close(list(found[:2]), [-2.0 + beta * k, k], rtol=1e-4, atol=1e-5)


@pytest.mark.task("7.7", weight=1.4)
def test_a_step_on_the_clipped_loss(after_training, rng):
    """One step of the optimizer on the clipped loss; gradients of before are forgotten."""
    for lengths in ((5, 2, 3), (1, 4)):
        assert_tunes(after_training, rng, some_texts(rng, *lengths), clip=1e3)


@pytest.mark.task("7.7", weight=2.4)
def test_a_step_on_a_leash(after_training, rng):
    """beta times the divergence joins the loss: the mean over tokens, and then over texts."""
    for lengths in ((5, 1, 3), (2, 6)):
        beta = float(rng.uniform(0.2, 0.3))
        assert_tunes(after_training, rng, some_texts(rng, *lengths), beta=beta, clip=1e3)


@pytest.mark.task("7.7", weight=0.6)
def test_a_step_that_is_cut_short(after_training, rng):
    """The norm of the gradient is brought down to `clip`, which is 1 if nobody says otherwise."""
    batch = some_texts(rng, 4, 2, 3)
    assert_tunes(after_training, rng, batch, clip=1e3)
    assert_tunes(after_training, rng, batch, beta=2.0, clip=0.02)
    batch = (*batch[:3], 1000 * batch[3])
    assert_tunes(after_training, rng, batch)


@pytest.mark.task("7.7", weight=0.4)
def test_a_step_with_other_bounds(after_training, rng):
    """The bounds of the ratio are those that are asked for."""
    batch = some_texts(rng, 4, 2, 3)
    for eps in (0.2, float(rng.uniform(0.4, 0.8))):
        assert_tunes(after_training, rng, batch, eps=eps, clip=1e3)


@pytest.mark.task("7.7", weight=0.4)
def test_a_reference_that_knows_no_such_word(after_training, rng):
    """Where the reference gives a word hardly a chance, k is enormous or infinite.

    Without beta, no harm is done. Its logits are as low as floats can be, but finite: 0 times these
    is 0, as in a one-hot sum.
    """
    batch = some_texts(rng, 4, 2, 3)
    assert_tunes(after_training, rng, batch, clip=1e3)
    w, w_reference = machines.toy_weights(rng), machines.toy_weights(rng)
    targets = batch[1][0]
    word = int(targets[targets != IGNORE][0])
    targets[targets != IGNORE] = word
    w_reference["word"], w_reference["out"][:, word] = torch.full((7, 4), 1.0), 0.0
    w_reference["out"][0, word] = -3e38
    given, near = (w, w_reference, batch, 0.3, {}), {"rtol": 1e-3, "atol": 1e-4}
    (loss, k, weights), expected = steps(after_training, *given, machines.STAND_INS)
    if not close([loss, weights], expected[::2], **near):
        (loss, k, weights), expected = steps(after_training, *given, {})
    assert close([loss, weights], expected[::2], **near)
    assert float(k) > 1e30


@pytest.mark.task("7.7", weight=0.3)
def test_a_reference_of_another_vocabulary(after_training, rng):
    """A ValueError says so, before any weight has changed; so it does for a text without tokens."""
    batch = some_texts(rng, 4, 2, 3)
    assert_tunes(after_training, rng, batch, clip=1e3)
    w, w_reference = machines.toy_weights(rng), machines.toy_weights(rng)
    larger = w_reference | {"out": torch.cat([w_reference["out"], tensor(rng, 4, 2)], dim=1)}
    empty = batch[0], batch[1].clone(), *batch[2:]
    empty[1][1] = IGNORE
    for reference, texts in ((larger, batch), (w_reference, empty)):
        said, after = machines.refused(after_training.tune_step, w, reference, texts)
        assert said == "ValueError"
        assert close(after, w), "the weights are as they were"


@pytest.mark.task("7.7", weight=0.3)
def test_equal_rewards_give_exactly_zero(after_training):
    """A group of equal rewards gives 0, not nearly 0; other groups do not."""
    found = after_training.group_advantages(torch.tensor([[0.1, 0.1, 0.4]]), False)
    assert close(found, torch.tensor([[-0.1, -0.1, 0.2]]))
    for size in (0.1, 5.1, 33.3):
        for G in (3, 6, 7, 11):
            for scaled in (True, False):
                found = after_training.group_advantages(beside_others(size, G), scaled)
                assert close(found[1], torch.zeros(G), rtol=0.0, atol=0.0)


@pytest.mark.task("7.7", weight=0.2)
def test_an_optimizer_with_weight_decay(after_training, rng):
    """It is the optimizer that makes the step, whatever it does with the gradients."""
    assert_tunes(after_training, rng, some_texts(rng, 4, 2, 3), decay=0.3, clip=1e3)


@pytest.mark.task("7.7", weight=0.3)
def test_a_model_of_which_a_part_is_frozen(after_training, rng):
    """What does not learn has no gradient at all, as W beside a LoRA; the rest learns."""
    batch = some_texts(rng, 4, 2, 3)
    assert_tunes(after_training, rng, batch, clip=1e3)
    for frozen in ("word",), ("out",):
        assert_tunes(after_training, rng, batch, frozen=frozen, beta=1.0, clip=0.05)


@pytest.mark.task("7.7", weight=0.3)
def test_a_step_leaves_the_modes(after_training, rng):
    """Model and reference stay in their modes, while and after; dropout's luck is their own."""
    batch, w = some_texts(rng, 4, 2, 3), machines.toy_weights(rng)
    assert_tunes(after_training, rng, batch, clip=1e3)
    for trains in (True, False):
        modes, repeated = machines.modes_seen(after_training.tune_step, w, batch, trains)
        assert modes == [[trains], [not trains]], "whoever calls the function chooses the modes"
        assert not repeated, "a step sets no seed: dropout drops other numbers each time"


@pytest.mark.task("7.7", weight=0.5)
def test_a_step_leaves_the_reference(after_training, rng):
    """No gradient flows into the reference, whose weights might be the model's own."""
    batch = some_texts(rng, 4, 2, 3)
    assert_tunes(after_training, rng, batch, beta=0.3, clip=1e3)
    w, other = machines.toy_weights(rng), machines.toy_weights(rng)
    given = w, other, batch, 0.3, {"beta": 0.5}, {}
    assert not machines.tune(after_training.tune_step, *given)[4]


@pytest.mark.task("7.7", weight=0.3)
def test_a_target_that_is_pad(after_training, rng):
    """Only IGNORE is no target: the token PAD is one like others, where it stands."""
    batch = some_texts(rng, 4, 2, 3)
    assert_tunes(after_training, rng, batch, beta=0.3, clip=1e3)
    for row in batch[1][:2]:
        row[int((row != IGNORE).nonzero()[0])] = PAD
    assert_tunes(after_training, rng, batch, beta=0.3, clip=1e3)
