"""Tests of task 6.8: training."""

import math

import pytest
import torch

from examiner.suite import close, student_module
from tests.transformers.suite import machines, oracles
from tests.transformers.suite.oracles import tensor

PAD, BOS, EOS, IGNORE = 0, 1, 2, -100
V = 8  # words of the toy models, PAD, BOS and EOS among them

transformers = student_module("transformers")


# ------------------------------------------------------------------ 6.8
@pytest.mark.task("6.8", weight=1, visible=True)
def test_the_first_step_of_adamw(transformers):
    """The first step is the rate in the gradient's direction, whatever its size, and the decay."""
    p, zero = torch.tensor([[2.0, -4.0], [1.0, 3.0]]), torch.zeros(2, 2)
    grad = torch.tensor([[0.5, 30.0], [-1.0, 2.0]])
    inputs = p, grad, zero, zero, 1, 0.1, (0.9, 0.95), 0.0, 0.1
    found = transformers.adamw(*inputs)
    assert close(found[0], 0.99 * p - 0.1 * grad.sign())
    assert close(list(found[1:]), [0.1 * grad, 0.05 * grad**2])
    assert oracles.library_calls(transformers.adamw, *inputs) == []


def assert_adamw(transformers, rng, shape, betas=(0.9, 0.95), eps=1e-8, decay=0.1, size=1.0):
    """Compare four steps with torch's."""
    grads = [size * tensor(rng, *shape) for _ in range(4)]
    p, rate = tensor(rng, *shape) + 1, 0.05
    m = v = torch.zeros(shape)
    decays = decay if len(shape) > 1 else 0.0
    expected = machines.adamw_steps(p, grads, rate, betas, eps, decays)
    for t, grad in enumerate(grads, 1):
        inputs = p, grad, m, v, t, rate, betas, eps, decay
        p, m, v = transformers.adamw(*inputs)
        assert close(p, expected[t - 1], rtol=1e-3, atol=1e-5)
    assert oracles.library_calls(transformers.adamw, *inputs) == []


@pytest.mark.task("6.8", weight=1.6)
def test_steps_of_adamw(transformers, rng):
    """Step after step, a matrix is where torch's AdamW takes it, by your own code."""
    assert_adamw(transformers, rng, (3, 4))


@pytest.mark.task("6.8", weight=0.7)
def test_what_does_not_decay(transformers, rng):
    """Gains and biases, which have one axis, do not decay."""
    for shape in ((3, 4), (5,)):
        assert_adamw(transformers, rng, shape)


@pytest.mark.task("6.8", weight=0.6)
def test_other_numbers_of_adamw(transformers, rng):
    """Betas, epsilon and decay are those that are given, and epsilon is added to the root."""
    assert_adamw(transformers, rng, (3, 4))
    assert_adamw(transformers, rng, (3, 4), size=0.0)
    assert_adamw(transformers, rng, (3, 4), betas=(0.8, 0.9))
    assert_adamw(transformers, rng, (3, 4), decay=0.3)
    assert_adamw(transformers, rng, (3, 4), eps=1e-3, size=1e-3)


@pytest.mark.task("6.8", weight=0.4)
def test_other_axes_of_adamw(transformers, rng):
    """Whatever has two axes or more decays, also one row or three axes; one number does not."""
    for shape in ((3, 4), (2, 3, 4), (1, 4), (4, 1), ()):
        assert_adamw(transformers, rng, shape)


@pytest.mark.task("6.8", weight=0.2)
def test_a_late_step_of_adamw(transformers, rng):
    """After many steps the means are hardly corrected, and otherwise a step is as the others."""
    assert_adamw(transformers, rng, (3, 4))
    p, grad, m = (tensor(rng, 3, 4, kind=torch.float64) for _ in range(3))
    v, t = m**2 + tensor(rng, 3, 4, kind=torch.float64) ** 2, int(rng.integers(30, 60))
    inputs = p, grad, m, v, t, 0.05, (0.9, 0.95), 1e-8, 0.1
    m, v = 0.9 * m + 0.1 * grad, 0.95 * v + 0.05 * grad**2
    step = m / (1 - 0.9**t) / ((v / (1 - 0.95**t)).sqrt() + 1e-8) + 0.1 * p
    assert close(list(transformers.adamw(*inputs)), [p - 0.05 * step, m, v])


@pytest.mark.task("6.8", weight=0.8, visible=True)
def test_rates_by_hand(transformers):
    """Two steps up to 1, then half a wave down to 0 at step 6."""
    found = [transformers.learning_rate(step, 1.0, 2, 6) for step in (0, 1, 2, 3, 4, 5, 6)]
    half = math.sqrt(0.5)
    assert close(found, [0.5, 1.0, 1.0, (1 + half) / 2, 0.5, (1 - half) / 2, 0.0])


@pytest.mark.task("6.8", weight=0.4, visible=True)
def test_rates_after_the_end(transformers):
    """After the last step the rate stays where it is."""
    assert close(
        [transformers.learning_rate(step, 1.0, 2, 6) for step in (3, 6)],
        [(1 + math.sqrt(0.5)) / 2, 0.0],
    )
    assert close([transformers.learning_rate(step, 1.0, 2, 6) for step in (7, 9)], [0.0, 0.0])
    assert close(transformers.learning_rate(40, 1.5, 3, 9, 0.25), 0.25)


def assert_rates(transformers, rng, warmup, steps, last):
    peak = float(rng.uniform(1, 2))
    for step in range(steps + 1):
        done = (step - warmup) / (steps - warmup)
        expected = (peak + last) / 2 + (peak - last) / 2 * math.cos(math.pi * done)
        expected = peak * (step + 1) / warmup if step < warmup else expected
        assert close(transformers.learning_rate(step, peak, warmup, steps, last), expected)


@pytest.mark.task("6.8", weight=0.6)
def test_rates_of_a_plan(transformers, rng):
    """The rate rises in a line to the peak, and falls to 0 as a cosine does."""
    warmup = int(rng.integers(5, 20))
    assert_rates(transformers, rng, warmup, 2 * warmup + 5, 0.0)


@pytest.mark.task("6.8", weight=0.6)
def test_rates_down_to_the_last(transformers, rng):
    """The last rate need not be 0."""
    warmup, last = int(rng.integers(5, 20)), float(rng.uniform(0.2, 0.5))
    for end in (0.0, last):
        assert_rates(transformers, rng, warmup, 2 * warmup + 5, end)


@pytest.mark.task("6.8", weight=0.4)
def test_rates_of_any_plan(transformers, rng):
    """A plan may have no warm-up, one step of it, or little else."""
    for warmup, steps in ((6, 20), (0, 9), (1, 9), (1, 2), (7, 8), (15, 20)):
        assert_rates(transformers, rng, warmup, steps, 0.0)


def batch(rng, *lengths):
    """A batch of random words; each row has its own number of targets."""
    T = max(lengths) + 1
    inputs = torch.tensor(rng.integers(3, V, size=(len(lengths), T)))
    targets = torch.tensor(rng.integers(3, V, size=(len(lengths), T)))
    targets[0, 0] = PAD  # a number like others: only IGNORE does not count
    for row, length in zip(targets, lengths, strict=True):
        row[length:] = IGNORE
    return inputs, targets


def assert_trains(transformers, rng, batches, clip, count=None, decay=0.0):
    w = machines.toy_weights(rng, V)
    loss, after = machines.one_step(w, batches, clip, count, decay)
    given = w, list(map(tuple, batches)), clip, count, decay
    found, weights, _ = machines.train_toy(transformers.train_step, *given)
    assert close(found, loss, rtol=1e-3, atol=1e-4)
    assert close(weights, after, rtol=1e-3, atol=1e-4)


@pytest.mark.task("6.8", weight=0.7, visible=True)
def test_the_loss_of_a_model_that_knows_nothing(transformers):
    """If all 8 words are equally likely, the loss is ln 8, whatever is no target."""
    w = {"word": torch.zeros(V, 3), "out": torch.zeros(3, V)}
    targets = torch.tensor([[3, 4, IGNORE], [5, IGNORE, IGNORE]])
    batches = [(torch.full((2, 3), 7), targets), (torch.tensor([[3]]), torch.tensor([[6]]))]
    found, *_ = machines.train_toy(transformers.train_step, w, batches, 1.0, None)
    assert close(found, math.log(8), rtol=1e-4)


@pytest.mark.task("6.8", weight=0.8)
def test_one_batch(transformers, rng):
    """One step, with the mean over all real targets; gradients of before are forgotten."""
    assert_trains(transformers, rng, [batch(rng, 5, 2)], 1e3)


@pytest.mark.task("6.8", weight=3.6)
def test_small_batches_as_one(transformers, rng):
    """Batches with few and with many targets make the same step as one large batch."""
    for lengths in (([6], [1]), ([2, 1], [7], [0, 3])):
        assert_trains(transformers, rng, [batch(rng, *each) for each in lengths], 1e3)


@pytest.mark.task("6.8", weight=0.4)
def test_a_batch_without_targets(transformers, rng):
    """Where all targets of a batch are IGNORE, it adds nothing."""
    for lengths in (([3], [2]), ([3], [0, 0], [2])):
        assert_trains(transformers, rng, [batch(rng, *each) for each in lengths], 1e3)


@pytest.mark.task("6.8", weight=1)
def test_long_gradients(transformers, rng):
    """The gradient of all batches together is clipped, once."""
    for clip in (1e3, 0.02):
        assert_trains(transformers, rng, [batch(rng, 5), batch(rng, 2)], clip)


@pytest.mark.task("6.8", weight=0.4)
def test_classes_and_topics(transformers, rng):
    """A model may answer once for each text, logits (B, V), and read two inputs."""
    assert_trains(transformers, rng, [batch(rng, 3, 1)], 1e3)
    assert_trains(transformers, rng, topics(rng), 1e3)


def topics(rng):
    return [[batch(rng, 3, 1)[0], torch.tensor(3 * [k]), torch.tensor([0, 4])] for k in (5, 6)]


@pytest.mark.task("6.8", weight=0.5)
def test_a_count_that_is_given(transformers, rng):
    """The sum of the losses is divided by `count`, where it is given."""
    for count in (None, 11):
        assert_trains(transformers, rng, [batch(rng, 3, 1), batch(rng, 2)], 1e3, count)


def assert_stops(transformers, rng, *broken):
    """Batches with a word whose vector is NaN, where `broken` says so, change no weight.

    Where nothing is NaN, the step is made: who stops at every batch has seen nothing.
    """
    assert_trains(transformers, rng, [batch(rng, 3, 2) for _ in broken], 1e3)
    w = machines.toy_weights(rng, V)
    w["word"][V - 1] = math.nan
    batches = [list(batch(rng, 3, 2)) for _ in broken]
    for (inputs, _), is_broken in zip(batches, broken, strict=True):
        inputs.clamp_(max=V - 2)
        inputs[:, 0] = V - 1 if is_broken else 3
    assert_untouched(transformers, w, batches)


def assert_untouched(transformers, w, batches):
    said, after = machines.train_broken(transformers.train_step, w, batches)
    assert said == "FloatingPointError"
    assert close(after, w)


@pytest.mark.task("6.8", weight=0.6)
def test_a_loss_of_nan(transformers, rng):
    """A loss of NaN raises FloatingPointError, and no weight has changed."""
    assert_stops(transformers, rng, True)


@pytest.mark.task("6.8", weight=0.4)
def test_other_losses_that_are_not_finite(transformers, rng):
    """The loss of any batch may be NaN, or infinite."""
    for broken in ((True,), (False, True), (True, False)):
        assert_stops(transformers, rng, *broken)
    # the logits of 3 and 4 are so far apart that no number holds their difference
    w = {"word": torch.ones(V, 1), "out": torch.zeros(1, V)}
    w["out"][0, 3:5] = torch.tensor([-3e38, 3e38])
    assert_untouched(transformers, w, [[torch.full((1, 3), 3), torch.full((1, 3), 3)]])


@pytest.mark.task("6.8", weight=0.2)
def test_an_optimizer_with_weight_decay(transformers, rng):
    """It is the optimizer that makes the step, whatever it does with the gradients."""
    assert_trains(transformers, rng, [batch(rng, 5), batch(rng, 2)], 1e3, decay=0.3)


@pytest.mark.task("6.8", weight=0.5)
def test_the_mode_of_a_step(transformers, rng):
    """The model stays in its mode: in training it drops numbers, in each step others."""
    batches, w = [batch(rng, 3, 2)], machines.toy_weights(rng, V)
    expected = machines.one_step(w, batches, 1e3, None)
    for training in (True, False):
        how = list(map(tuple, batches)), 1e3, None, 0.0, training
        *found, modes = machines.train_toy(transformers.train_step, w, *how)
        assert close(found, list(expected), rtol=1e-3, atol=1e-4)
        assert modes == [training]
    drawn = machines.drawn_in_steps(transformers.train_step, w, batches)
    assert len(set(drawn)) == len(drawn) == 2, "a step sets no seed"
