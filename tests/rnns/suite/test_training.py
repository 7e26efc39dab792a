"""Tests of task 4.10: a batch in chunks, and when to stop."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from examiner.suite import close, found_once, student_module
from tests.rnns.suite import toys

PAD = 0
V = 8  # words of the toy models, PAD, BOS and EOS among them

rnns = student_module("rnns")


def plain_training(w, batch, chunk, clip, rate, momentum=0.0, velocity=None):
    """One pass over a batch: SGD, chunk by chunk, the state carried on and detached.

    velocity: what the optimizer remembers of its last step, by name; it changes.
    """
    model, s, told = toys.Toy(w), None, []
    velocity = {} if velocity is None else velocity
    for k in range(0, batch[0].shape[1], chunk):
        logits, s = model(batch[0][:, k : k + chunk], s)
        s, targets = s.detach(), batch[1][:, k : k + chunk]
        losses = -logits.log_softmax(-1).gather(-1, targets[:, :, None])[:, :, 0]
        real = losses[targets != PAD]
        told += real.tolist()
        model.zero_grad()
        real.mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                velocity[name] = momentum * velocity.get(name, 0.0) + parameter.grad
                parameter -= rate * velocity[name]
    return float(np.mean(told)), model.state_dict()


STORIES = [[3, 4, 5, 6, 7], [4], [5, 5, 7]]  # six columns


def trained_beside(rnns, rng, stories, chunk, clip, times=1):
    """Train the student's way and ours: the last losses of both, and the weights.

    The optimizer remembers its last step, so that only the optimizer can make the next one.
    """
    w, batch = toys.toy_weights(rng, V), toys.batch_of(stories)
    loss, weights, velocity = 0.0, w, {}
    for _ in range(times):
        how = batch, chunk, clip, 0.5, 0.5, velocity
        loss, weights = plain_training(weights, *how)
    how = batch, chunk, clip, 0.5, times, None, 0.5
    found, after = toys.train_toy(rnns.train_batch, w, *how)
    return (found[-1], loss), (after, weights)


def assert_trains(rnns, rng, chunk, *, clip=1e3, times=1):
    after, weights = trained_beside(rnns, rng, STORIES, chunk, clip, times)[1]
    assert close(after, weights, rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.10", weight=0.5, visible=True)
def test_the_first_loss(rnns):
    """A model that knows nothing of 8 words has the loss ln 8, whatever is padding."""
    w = {"word": torch.zeros(V, 2), "out": torch.zeros(2, V)}
    batch = toys.batch_of([[3, 4, 5], [6]])
    losses, _ = toys.train_toy(rnns.train_batch, w, batch, 4, 1.0, 0.0, 1)
    assert close(losses, [math.log(8)], rtol=1e-4)
    w["bias"] = torch.zeros(V)
    w["bias"][3] = math.log(7)  # now word 3 has the chance 1/2, and each other 1/14
    batch = toys.batch_of([[3, 3], [3]])
    losses, _ = toys.train_toy(rnns.train_batch, w, batch, 3, 1.0, 0.0, 1)
    assert close(losses, [(3 * math.log(2) + 2 * math.log(14)) / 5], rtol=1e-4)


@pytest.mark.task("4.10", weight=1)
def test_a_batch_in_one_step(rnns, rng):
    """Where the batch is one chunk, one step is made with the mean loss of the real targets."""
    assert_trains(rnns, rng, 6, times=2)


@pytest.mark.task("4.10", weight=4.5)
def test_a_batch_in_chunks(rnns, rng):
    """Each chunk makes a step; the state goes on to the next, and gradients do not come back."""
    for chunk in (3, 2):
        assert_trains(rnns, rng, chunk)


@pytest.mark.task("4.10", weight=0.7)
def test_chunks_of_any_length(rnns, rng):
    """The last chunk may be shorter, and a chunk longer than the batch."""
    for chunk in (4, 5, 50, 1):
        assert_trains(rnns, rng, chunk)


@pytest.mark.task("4.10", weight=1)
def test_the_mean_of_all_losses(rnns, rng):
    """The loss that is returned is the mean over all targets but PAD."""
    for stories, chunk in (([[3, 4, 5, 6, 7]], 4), (STORIES, 4), (STORIES, 6), (STORIES, 3)):
        found, loss = trained_beside(rnns, rng, stories, chunk, 1e3)[0]
        assert close(found, loss, rtol=1e-3)


@pytest.mark.task("4.10", weight=0.8)
def test_long_gradients_are_clipped(rnns, rng):
    """All gradients together are shortened to the norm that was asked for."""
    for chunk in (6, 2):
        assert_trains(rnns, rng, chunk, clip=0.05)


@pytest.mark.task("4.10", weight=0.3)
def test_training_on_a_word_that_is_next_to_impossible(rnns, rng):
    """A probability too small for single precision gives a large loss, which is a number."""
    assert_trains(rnns, rng, 6)
    w = {"word": torch.full((V, 1), 9.0), "out": torch.zeros(1, V)}
    w["out"][0, 5] = -300.0
    batch = toys.batch_of([[4, 5], [5]])
    losses, after = toys.train_toy(rnns.train_batch, w, batch, 3, 1.0, 0.5, 1)
    loss, weights = plain_training(w, batch, 3, 1.0, 0.5)
    assert close(losses, [loss], rtol=1e-3)
    assert close(after, weights, rtol=1e-3, atol=1e-4)


def loss_of(w, batch):
    """The mean loss of a toy model with these weights, on all targets but PAD."""
    with torch.no_grad():
        logits = toys.Toy(w)(batch[0])[0]
        found = nn.functional.cross_entropy(logits.mT, batch[1], ignore_index=PAD)
    return float(found)


@found_once
def weights_that_learn(rng, batch, passes, rate):
    """Weights whose loss a right training at least halves, as it does for 98 % of all draws."""
    for _ in range(100):
        begin = weights = toys.toy_weights(rng, V)
        for _ in range(passes):
            weights = plain_training(weights, batch, 3, 1.0, rate)[1]
        if loss_of(weights, batch) < loss_of(begin, batch) / 2:
            return begin, weights
    raise AssertionError("no weights can be trained")


@pytest.mark.task("4.10", weight=0.5)
def test_training_learns(rnns, rng):
    """Ten passes over three short stories bring the loss of this model down by half, or more."""
    batch = toys.batch_of([[3, 4, 5], [6, 7], [5, 3, 6, 4]])
    w, trained = weights_that_learn(rng, batch, 10, 0.9)
    _, after = toys.train_toy(rnns.train_batch, w, batch, 3, 1.0, 0.9, 10)
    # what the weights are worth is computed here; right code comes all the way down, not just 3/4
    before, best = loss_of(w, batch), loss_of(trained, batch)
    assert loss_of(after, batch) < best + (before - best) / 4


@pytest.mark.task("4.10", weight=0.7)
def test_a_loss_that_is_no_number(rnns, rng):
    """A loss of NaN raises FloatingPointError, and the weights are as before."""
    assert_trains(rnns, rng, 6)
    w = toys.toy_weights(rng, V)
    w["out"][0, 3] = math.nan
    assert_refuses(rnns, w)


@pytest.mark.task("4.10", weight=0.3)
def test_a_loss_that_is_infinite(rnns, rng):
    """An infinite loss raises FloatingPointError, and the weights are as before."""
    assert_trains(rnns, rng, 6)
    w = toys.toy_weights(rng, V)
    w["word"][:, 0], w["out"][0, 3] = 1.0, -math.inf
    assert_refuses(rnns, w)


def assert_refuses(rnns, w):
    batch = toys.batch_of([[3, 4], [5]])
    stopped, after = toys.train_broken(rnns.train_batch, w, batch)
    assert stopped
    assert close(after, w)


@pytest.mark.task("4.10", weight=1, visible=True, seconds=3)
def test_stopping_by_hand(rnns):
    """After 3.0, 2.0 and 2.5 training stops, and the model is what it was after two epochs."""
    curve, weight, made, _ = toys.stopped(rnns.stop_early, [3.0, 2.0, 2.5, 1.0], 9, 1)
    assert close(curve, [[1.0, 3.0], [2.0, 2.0], [3.0, 2.5]])
    assert (weight, made) == (2.0, 3)


def assert_stops(rnns, losses, *cases):
    for most, patience, made, best in cases:
        curve, weight, epochs, _ = toys.stopped(rnns.stop_early, losses, most, patience)
        assert epochs == made
        assert close([point[1] for point in curve], [*losses, 1e9][:made])
        assert weight == best


@pytest.mark.task("4.10", weight=1, seconds=3)
def test_patience(rnns, rng):
    """Training goes on for so many epochs in a row that are no better than the best."""
    noise = rng.uniform(0, 0.1, size=7)
    losses = (np.array([3.0, 2.0, 2.5, 2.2, 1.5, 1.8, 1.7]) + noise).tolist()
    assert_stops(rnns, losses, (9, 2, 4, 2), (9, 3, 8, 5))


@pytest.mark.task("4.10", weight=0.3, seconds=3)
def test_patience_begins_anew(rnns, rng):
    """Whoever waits begins to count again after an epoch that was better."""
    losses = (np.array([3.0, 3.5, 2.0, 2.5, 1.0, 1.5, 1.6]) + rng.uniform(0, 0.1)).tolist()
    assert_stops(rnns, losses, (9, 2, 7, 5))


@pytest.mark.task("4.10", weight=0.4, seconds=3)
def test_the_most_epochs(rnns, rng):
    """There are never more epochs than the most, whatever the patience."""
    losses = (np.array([3.0, 2.0, 2.5, 2.2, 1.5, 1.4]) + rng.uniform(0, 0.1)).tolist()
    assert_stops(rnns, losses, (5, 3, 5, 5), (1, 1, 1, 1), (3, 4, 3, 2))


@pytest.mark.task("4.10", weight=0.2, seconds=3)
def test_an_epoch_as_good_as_the_best(rnns):
    """An epoch that is only as good as the best is no better; one that is hardly better is."""
    assert_stops(rnns, [2.0, 2.0, 1.0], (9, 1, 2, 1))
    assert_stops(rnns, [2.0, 2.0 - 1e-9, 3.0], (9, 1, 3, 2))


@pytest.mark.task("4.10", weight=0.2, seconds=3)
def test_losses_of_any_size(rnns):
    """The first epoch is the best so far, however large its loss is."""
    assert_stops(rnns, [3e6, 2e6, 2.5e6], (9, 1, 3, 2))


@pytest.mark.task("4.10", weight=0.3, seconds=3)
def test_validation_follows_training(rnns):
    """Each epoch is validated after it was made."""
    curve, _, _, when = toys.stopped(rnns.stop_early, [3.0, 2.0, 2.5], 9, 1)
    assert close(curve, [[1.0, 3.0], [2.0, 2.0], [3.0, 2.5]])
    assert when == [1, 2, 3]


@pytest.mark.task("4.10", weight=0.5)
def test_old_gradients_and_modes(rnns, rng):
    """Gradients of before are forgotten; the model stays in its mode, and its luck is its own."""
    w, batch = toys.toy_weights(rng, V), toys.batch_of(STORIES)
    once = plain_training(w, batch, 3, 1e3, 0.5)[1]
    loss, weights = plain_training(once, batch, 3, 1e3, 0.5)
    for training in (True, False):
        losses, after, modes, repeated = toys.train_in_mode(rnns.train_batch, w, batch, 3, training)
        assert close(losses[1], loss, rtol=1e-3)
        assert close(after, weights, rtol=1e-3, atol=1e-4)
        assert modes == [training]
        assert not repeated, "a step sets no seed: dropout drops other numbers each time"


@pytest.mark.task("4.10", weight=0.5)
def test_a_later_loss_that_is_no_number(rnns, rng):
    """Where a later chunk's loss is NaN, that chunk changes no weight; those before it did."""
    assert_trains(rnns, rng, 2)
    w = toys.toy_weights(rng, V)
    w["word"][7] = math.nan
    inputs, targets = toys.batch_of([[3, 4, 7, 5], [5, 6, 4, 4]])  # read in the second chunk
    stopped, after = toys.train_broken(rnns.train_batch, w, (inputs, targets))
    first = inputs[:, :2], targets[:, :2]
    assert stopped
    assert close(after, plain_training(w, first, 2, 1.0, 0.1)[1], rtol=1e-3, atol=1e-4)
