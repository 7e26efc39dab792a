"""Tests of tasks 7.4 to 7.6: a reward model, the policy gradient, the leash."""

import math

import pytest
import torch
from torch import nn

from examiner.suite import close, gradients, student_module
from tests.after_training.suite import oracles
from tests.after_training.suite.oracles import BOS, IGNORE, PAD, tensor

after_training = student_module("after_training")


# ------------------------------------------------------------------ 7.4
@pytest.mark.task("7.4", weight=0.8, visible=True)
def test_the_last_word_is_judged(after_training):
    """The words 5 and 4 are the last; as third and as second, they make 3 * 5 and 2 * 4."""
    words = torch.arange(6.0)[:, None]
    model = oracles.judge(after_training.RewardModel, words, torch.ones(1), torch.tensor(0.5))
    rows = torch.tensor([[BOS, 3, 5], [BOS, 4, PAD]])
    assert close(model(rows), torch.tensor([15.5, 8.5]))


def assert_judges(after_training, rng, rows):
    words, head, bias = tensor(rng, 9, 4), tensor(rng, 4), tensor(rng)
    model = oracles.judge(after_training.RewardModel, words, head, bias)
    assert close(model(rows), oracles.judged(rows, words, head, bias), rtol=1e-3, atol=1e-4)


def padded(rng, *lengths, T=6):
    """Rows of words, filled up on the right."""
    rows = torch.zeros(len(lengths), T, dtype=torch.int64)
    for row, length in zip(rows, lengths, strict=True):
        row[:length] = torch.tensor(rng.integers(1, 9, size=length))
    return rows


@pytest.mark.task("7.4", weight=1.6)
def test_rewards_of_any_texts(after_training, rng):
    """Each row has the reward of its own last word, whatever the other rows are."""
    for lengths in ((6, 1, 4), (2, 6), (3, 5, 1, 6)):
        assert_judges(after_training, rng, padded(rng, *lengths))


@pytest.mark.task("7.4", weight=0.4)
def test_rows_that_are_full_and_one_row(after_training, rng):
    """Without padding it is the last place; one row, or one word, is no special case."""
    assert_judges(after_training, rng, padded(rng, 2, 6))
    for rows in (padded(rng, 6, 6), padded(rng, 3), padded(rng, 1, 1, T=1), padded(rng, 6)):
        assert_judges(after_training, rng, rows)


@pytest.mark.task("7.4", weight=0.3)
def test_padding_at_other_places(after_training, rng):
    """PAD may stand on the left, or between words: what counts is the last that is not PAD."""
    rows = padded(rng, 3, 5, 6, 2)
    assert_judges(after_training, rng, rows)
    rows[0] = rows[0].flip(0)
    rows[1, 2] = rows[2, 3] = PAD
    assert_judges(after_training, rng, rows)


@pytest.mark.task("7.4", weight=0.6)
def test_what_a_reward_model_learns(after_training, rng):
    """Gradients reach the head and, through the last words alone, the reader."""
    rows, pull = padded(rng, 2, 6, 4), tensor(rng, 3)
    leaves = [tensor(rng, *shape).requires_grad_() for shape in ((9, 4), (4,), ())]
    (oracles.judged(rows, *leaves) * pull).sum().backward()
    inputs = [leaf.detach() for leaf in leaves]
    model = oracles.judge(after_training.RewardModel, *inputs)
    by_name = gradients(model, rows, weights=pull)[2]
    found = [by_name["reader.words"], by_name["head.weight"][0], by_name["head.bias"][0]]
    assert close(found, [leaf.grad for leaf in leaves], rtol=1e-3, atol=1e-4)


@pytest.mark.task("7.4", weight=0.8, visible=True)
def test_two_pairs_by_hand(after_training):
    """With scale 2, differences of 0 and of half ln 3 are won with chances of 1/2 and 3/4."""
    chosen, rejected = torch.tensor([2.0, 1 + math.log(3) / 2]), torch.tensor([2.0, 1.0])
    expected = -(math.log(1 / 2) + math.log(3 / 4)) / 2
    assert close(after_training.preference_loss(chosen, rejected, 2.0), torch.tensor(expected))


def assert_prefers(after_training, chosen, rejected, *scale):
    leaves = [each.double().requires_grad_() for each in (chosen, rejected)]
    differences = (scale[0] if scale else 1.0) * (leaves[0] - leaves[1])
    loss = -(1 / (1 + (-differences).exp())).log().mean()
    loss.backward()
    value, found, _ = gradients(after_training.preference_loss, chosen, rejected, *scale)
    assert close(value, loss.detach().to(chosen))
    assert close(found[:2], [leaf.grad.to(chosen) for leaf in leaves])


@pytest.mark.task("7.4", weight=1.2)
def test_any_pairs(after_training, rng):
    """The loss and its gradients are those of Bradley and Terry, with any scale."""
    for B in (1, 4, 7):
        assert_prefers(after_training, 2 * tensor(rng, B), 2 * tensor(rng, B))
        scale = float(rng.uniform(0.3, 3))
        assert_prefers(after_training, 2 * tensor(rng, B), 2 * tensor(rng, B), scale)


@pytest.mark.task("7.4", weight=0.5)
def test_pairs_that_differ_much(after_training, rng):
    """Where rewards differ by ten thousand, the loss is finite, and right, for any scale."""
    assert_prefers(after_training, tensor(rng, 3), tensor(rng, 3))
    far = float(rng.uniform(9e3, 1e4))
    one, other = torch.tensor([0.0, 1.0]), torch.tensor([far, 1.0])
    for chosen, rejected, expected in ((one, other, far), (other, one, 0.0)):
        value, (grad, *_), _ = gradients(after_training.preference_loss, chosen, rejected)
        assert close(value, torch.tensor((expected + math.log(2)) / 2))
        assert close(grad, torch.tensor([-0.5 if expected else 0.0, -0.25]))
    found = after_training.preference_loss(one, other, 2.5)
    assert close(found, torch.tensor((2.5 * far + math.log(2)) / 2))


# ------------------------------------------------------------------ 7.5
@pytest.mark.task("7.5", weight=0.8, visible=True)
def test_texts_of_two_tokens_and_one(after_training):
    """1/2 times 3/4 for the first text, 1/8 for the second, whose first token does not count."""
    p = torch.tensor([[1 / 4, 1 / 2, 1 / 4], [1 / 8, 1 / 8, 3 / 4]]).repeat(2, 1, 1)
    targets = torch.tensor([[1, 2], [IGNORE, 1]])
    found = after_training.text_log_probs(p.log() + 5, targets)
    assert close(found, torch.tensor([3 / 8, 1 / 8]).log())


def summed(logits, targets):
    """The log-probabilities of texts, token by token."""
    texts = oracles.token_logs(logits, targets)
    return torch.stack([sum(logs, logits.new_zeros(())) for logs in texts])


def assert_log_probs(after_training, logits, targets, atol=1e-5):
    expected = summed(logits.double(), targets).float()
    assert close(after_training.text_log_probs(logits, targets), expected, atol=atol)


@pytest.mark.task("7.5", weight=1.6)
def test_any_texts(after_training, rng):
    """The sum of the log-probabilities of all targets, text by text."""
    for lengths in ((5, 2, 3), (1, 6)):
        assert_log_probs(after_training, *oracles.some_targets(rng, *lengths))


@pytest.mark.task("7.5", weight=0.4)
def test_what_log_probabilities_teach(after_training, rng):
    """Gradients reach the logits of all targets, and no others."""
    (logits, targets), pull = oracles.some_targets(rng, 5, 2, 3), tensor(rng, 3)
    leaf = logits.double().requires_grad_()
    (summed(leaf, targets) * pull).sum().backward()
    _, (grad, _), _ = gradients(after_training.text_log_probs, logits, targets, weights=pull)
    assert close(grad, leaf.grad.float())


@pytest.mark.task("7.5", weight=0.5)
def test_texts_without_targets_and_tokens_that_are_rare(after_training, rng):
    """A text without targets has 0; one may be far below what exp can hold; PAD is a word."""
    logits, targets = oracles.some_targets(rng, 4, 2)
    assert_log_probs(after_training, logits, targets)
    assert_log_probs(after_training, 100 * logits, targets, atol=1e-3)  # differences of floats
    assert_log_probs(after_training, *oracles.some_targets(rng, 0, 3))
    targets = targets.masked_fill(targets == int(targets.max()), PAD)
    assert_log_probs(after_training, logits, targets)


@pytest.mark.task("7.5", weight=0.2)
def test_what_stands_where_no_target_is(after_training, rng):
    """Where there is no target nothing counts, also where a token is impossible there."""
    logits, targets = oracles.some_targets(rng, 4, 2)
    logits[..., 0] = -math.inf  # PAD, which is no target
    assert_log_probs(after_training, logits, targets)


@pytest.mark.task("7.5", weight=0.8, visible=True)
def test_the_mean_of_the_others(after_training):
    """Beside 1, 0, 0 and 5: the others' means are 5/3, 2, 2 and 1/3."""
    found = after_training.leave_one_out(torch.tensor([1.0, 0.0, 0.0, 5.0]))
    assert close(found, torch.tensor([5 / 3, 2.0, 2.0, 1 / 3]))


def assert_others(after_training, rewards):
    numbers = rewards.tolist()
    others = [numbers[:k] + numbers[k + 1 :] for k in range(len(numbers))]
    expected = torch.tensor([sum(each) / len(each) for each in others])
    assert close(after_training.leave_one_out(rewards), expected.to(rewards), atol=1e-4)


@pytest.mark.task("7.5", weight=1.2)
def test_any_others(after_training, rng):
    """No reward is a part of its own baseline, in batches of any size."""
    for B in (3, 7, 20):
        assert_others(after_training, 3 * tensor(rng, B) + 1)


@pytest.mark.task("7.5", weight=0.3)
def test_two_texts_are_each_others_baseline(after_training, rng):
    """With two texts, each has the reward of the other."""
    assert_others(after_training, tensor(rng, 5))
    assert_others(after_training, tensor(rng, 2))


@pytest.mark.task("7.5", weight=0.8, visible=True)
def test_a_policy_loss_by_hand(after_training):
    """Advantages of 2 and -1 pull log p up and down, each by half of it: nothing else is pulled."""
    inputs = torch.tensor([-1.0, -4.0]), torch.tensor([3.0, 0.0]), torch.tensor([1.0, 1.0])
    assert close(after_training.policy_loss(*inputs), torch.tensor(-1.0))
    value, found, _ = gradients(after_training.policy_loss, *inputs)
    assert close(value, torch.tensor(-1.0))
    assert close(found[0], torch.tensor([-1.0, 0.5]))
    assert oracles.nothing_or_zero(found[1]), "no gradient flows through the rewards"
    assert oracles.nothing_or_zero(found[2]), "no gradient flows through the baseline"


@pytest.mark.task("7.5", weight=1.2)
def test_any_policy_loss(after_training, rng):
    """The mean of all products, and its gradient, with rewards of any size."""
    for B in (1, 4, 9):
        log_p, rewards, baseline = -5 * tensor(rng, B).abs(), 3 * tensor(rng, B), tensor(rng, B)
        value, found, _ = gradients(after_training.policy_loss, log_p, rewards, baseline)
        pairs = zip(log_p.tolist(), (rewards - baseline).tolist(), strict=True)
        assert close(value, torch.tensor(-sum(a * b for a, b in pairs) / B))
        assert close(found[0], (baseline - rewards) / B)


@pytest.mark.task("7.5", weight=0.4)
def test_what_a_policy_loss_leaves_alone(after_training, rng):
    """Gradients reach log p, others for each text, and none rewards and baseline."""
    for B in (1, 6):
        inputs = -5 * tensor(rng, B).abs(), 3 * tensor(rng, B), tensor(rng, B)
        _, found, _ = gradients(after_training.policy_loss, *inputs)
        assert not oracles.nothing_or_zero(found[0])
        assert B == 1 or not close(found[0], found[0].mean().expand(B))
        assert oracles.nothing_or_zero(found[1])
        assert oracles.nothing_or_zero(found[2])


@pytest.mark.task("7.5", weight=0.8)
def test_the_gradient_of_the_expected_reward(after_training, rng):
    """Over a batch that holds each text as often as it is likely, the gradient is the exact one."""
    times = torch.tensor(rng.permutation([1, 2, 5, 8]))
    p, rewards = times / 16, tensor(rng, 4)
    texts = torch.arange(4).repeat_interleave(times)
    baseline = torch.full((16,), float(rng.normal()))  # any constant: it adds no bias
    inputs = p.log()[texts], rewards[texts], baseline
    by_log_p = gradients(after_training.policy_loss, *inputs)[1][0]
    scores = nn.functional.one_hot(texts, 4) - p  # of log p, with respect to the logits
    exact = p * (rewards - (p * rewards).sum())
    assert close(-by_log_p @ scores, exact)


# ------------------------------------------------------------------ 7.6
@pytest.mark.task("7.6", weight=1, visible=True)
def test_a_leash_by_hand(after_training):
    """On a leash of strength 2, a reward of 2 ln 6 makes a text 6 times as likely, before Z."""
    log_p, rewards = torch.tensor([0.75, 0.25]).log(), torch.tensor([0.0, 2 * math.log(6)])
    found = after_training.tilted(log_p, rewards, 2.0)
    assert close(found.exp(), torch.tensor([1 / 3, 2 / 3]))


def assert_tilts(after_training, log_p, rewards, beta, atol=1e-4):
    weights = log_p.double() + rewards.double() / beta
    largest = float(weights.max())
    total = sum(math.exp(each - largest) for each in weights.tolist())
    expected = (weights - largest - math.log(total)).to(log_p)
    assert close(after_training.tilted(log_p, rewards, beta), expected, rtol=1e-4, atol=atol)


@pytest.mark.task("7.6", weight=1.2)
def test_any_leash(after_training, rng):
    """Likely texts and good ones are likely, and the probabilities sum to 1, for any beta."""
    for N in (3, 8):
        for beta in (0.5, float(rng.uniform(1.5, 4))):
            assert_tilts(after_training, oracles.log_shares(rng, N), 2 * tensor(rng, N), beta)


@pytest.mark.task("7.6", weight=0.4)
def test_leashes_that_hardly_hold(after_training, rng):
    """A tiny beta, or rewards in the thousands, overflow nothing."""
    log_p, rewards = oracles.log_shares(rng, 5), tensor(rng, 5)
    assert_tilts(after_training, log_p, rewards, 0.7)
    large = {"atol": 2e-3}  # floats of numbers in the thousands
    assert_tilts(after_training, log_p, rewards, 1e-3, **large)
    assert_tilts(after_training, log_p, 5000 + 100 * rewards, 2.0, **large)
    assert_tilts(after_training, log_p, -5000 + 100 * rewards, 2.0, **large)


@pytest.mark.task("7.6", weight=1, visible=True)
def test_three_estimates_by_hand(after_training):
    """A sample with p = 1/2 and q = 1/4, and one with 1/4 and 1/2: u is -ln 2 and ln 2."""
    halves = torch.tensor([0.5, 0.25]).log()
    k1, k2, k3 = after_training.kl_estimates(halves, halves.flip(0))
    log2 = math.log(2)
    assert close(k1, torch.tensor([log2, -log2]))
    assert close(k2, torch.tensor([log2**2 / 2, log2**2 / 2]))
    assert close(k3, torch.tensor([1 / 2 - 1 + log2, 2 - 1 - log2]))


@pytest.mark.task("7.6", weight=1.4)
def test_estimates_of_any_samples(after_training, rng):
    """Over all texts, each as likely as it is, k1 and k3 have exactly the mean KL(p || q)."""
    log_p, log_q = (oracles.log_shares(rng, 7, torch.float64) for _ in range(2))
    k1, k2, k3 = after_training.kl_estimates(log_p, log_q)
    p, q = log_p.exp(), log_q.exp()
    for k in (k1, k3):
        assert close((p * k).sum(), (p * (p / q).log()).sum())
    pairs = zip(log_p.tolist(), log_q.tolist(), strict=True)
    assert close(k2, torch.tensor([(a - b) ** 2 / 2 for a, b in pairs], dtype=torch.float64))
    assert k3.min() > -1e-12


@pytest.mark.task("7.6", weight=0.4)
def test_estimates_of_tokens(after_training, rng):
    """Estimates have the axes of what is given, such as (B, T), and gradients flow to log p."""
    log_p, log_q = -tensor(rng, 3, 4).abs(), -tensor(rng, 3, 4).abs()
    for shape in ((12,), (3, 4), (2, 3, 2)):
        inputs, pulls = (log_p.view(shape), log_q.view(shape)), [tensor(rng, *shape) for _ in "123"]
        values, (grad, _), _ = gradients(after_training.kl_estimates, *inputs, weights=pulls)
        u = inputs[1] - inputs[0]
        assert close(values, [-u, u * u / 2, u.exp() - 1 - u])
        assert close(grad, pulls[0] - pulls[1] * u + pulls[2] * (1 - u.exp()))


@pytest.mark.task("7.6", weight=0.3)
def test_estimates_of_samples_that_are_far_apart(after_training, rng):
    """However far q is above p or below it, all three are what they are."""
    log_p, u = -3 * tensor(rng, 6).abs(), torch.tensor(rng.uniform(0.1, 1, size=6)).float()
    for size in (1, 7, 40):
        for sign in (1, -1):
            values = after_training.kl_estimates(log_p, log_p + sign * size * u)
            k = sign * size * u
            assert close(list(values), [-k, k * k / 2, k.exp() - 1 - k], rtol=1e-3, atol=1e-4)


@pytest.mark.task("7.6", weight=0.7, visible=True)
def test_rewards_on_a_leash(after_training):
    """Where p is e times the reference, half a point is taken; where it is 1/e^2, one is given."""
    inputs = torch.ones(2), torch.tensor([-1.0, -3.0]), torch.tensor([-2.0, -1.0])
    assert close(after_training.leashed(*inputs, 0.5), torch.tensor([0.5, 2.0]))
    value, learns = oracles.told(after_training.leashed, *inputs, 0.5)
    assert close(value, torch.tensor([0.5, 2.0]))
    assert learns is False, "no gradient flows through the result"


def assert_leashed(rewards, log_p, log_reference, beta, value):
    rows = zip(rewards.tolist(), log_p.tolist(), log_reference.tolist(), strict=True)
    assert close(value, torch.tensor([r - beta * (p - q) for r, p, q in rows]))


@pytest.mark.task("7.6", weight=1.6)
def test_any_rewards_on_a_leash(after_training, rng):
    """The price is beta times the difference of the log-probabilities; it may be 0."""
    for B in (1, 5):
        for beta in (float(rng.uniform(0.1, 3)), 0.0):
            inputs = [3 * tensor(rng, B) for _ in range(3)]
            assert_leashed(*inputs, beta, after_training.leashed(*inputs, beta))


@pytest.mark.task("7.6", weight=0.3)
def test_what_a_price_leaves_alone(after_training, rng):
    """What is left of a reward is a number like any other: no gradient flows through it."""
    inputs = [3 * tensor(rng, 4) for _ in range(3)]
    for beta in (0.5, 0.0):
        value, learns = oracles.told(after_training.leashed, *inputs, beta)
        assert_leashed(*inputs, beta, value)
        assert learns is False


@pytest.mark.task("7.6", weight=0.3)
def test_the_digits_of_small_distances(after_training):
    """Where u is small, k3 keeps its digits: it is nearly u^2 / 2."""
    u = torch.tensor([1e-3, -1e-3, 3e-4])
    k3 = after_training.kl_estimates(-u, torch.zeros(3))[2]
    assert close(1e6 * k3, 1e6 * (u**2 / 2 + u**3 / 6), rtol=0.01, atol=0.0)
