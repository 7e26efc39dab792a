"""Tests of tasks 4.8 and 4.9: layers on layers, batches of stories."""

import math

import pytest
import torch

from examiner.suite import close, student_module
from tests.rnns.suite import oracles, toys
from tests.rnns.suite.oracles import tensor

PAD, BOS, EOS = 0, 1, 2
V = 8  # words of the toy models, PAD, BOS and EOS among them

rnns = student_module("rnns")


def stories_for(rng, n, longest=6):
    """Random stories of different lengths."""
    lengths = [longest, *rng.integers(1, longest, size=n - 1).tolist()]
    return [rng.integers(3, V, size=length).tolist() for length in rng.permutation(lengths)]


@pytest.mark.task("4.8", weight=1, visible=True)
def test_a_sum_of_sums(rnns):
    """Two cells that add up: 1, 1, 1 becomes 1, 2, 3 in the first layer and 1, 3, 6 in the next."""
    x = torch.ones(1, 3, 1)
    y, last = oracles.with_leaky(rnns.stack, [1.0, 1.0], x)
    assert close(y, torch.tensor([[[1.0], [3.0], [6.0]]]))
    assert close(last, torch.tensor([[[3.0], [6.0]]]))


def layers(cells, x, s=None, share=1.0):
    """Cells on each other: the highest outputs, and the last states of all.

    share: what is left of the outputs on their way to the next cell.
    """
    ends = []
    for k, cell in enumerate(cells):
        x = x * share if k else x
        x, end = oracles.walk(cell, x, None if s is None else s[:, k])
        ends.append(end)
    return x, torch.stack(ends, dim=1)


@pytest.mark.task("4.8", weight=2)
def test_layers_with_states(rnns, rng):
    """Each layer begins in its own state, or in zeros, and its last state is returned."""
    ws = [oracles.twofold_weights(rng, 2, 3), oracles.twofold_weights(rng, 3, 3)]
    x, s = tensor(rng, 4, 5, 2), tensor(rng, 4, 2, 6)
    found = oracles.with_twofold(rnns.stack, ws, True, x)
    assert close(found, layers(map(oracles.twofold, ws), x))
    found = oracles.with_twofold(rnns.stack, ws, True, x, s)
    assert close(found, layers(map(oracles.twofold, ws), x, s))


@pytest.mark.task("4.8", weight=1)
def test_dropout_between_layers(rnns, rng):
    """Dropout changes what goes from layer to layer, not the first inputs or the last outputs."""
    x = tensor(rng, 2, 4, 1)
    for n, sign in ((1, 1), (2, -1), (3, 1)):
        expected = x
        for _ in range(n):
            expected = expected.cumsum(1)
        found = oracles.with_negative(rnns.stack, [1.0] * n, x)[0]
        assert close(found, sign * expected)


@pytest.mark.task("4.8", weight=0.3)
def test_dropout_between_layers_with_states(rnns, rng):
    """With states as without, dropout is used once between two layers, and changes no state."""
    ws = [oracles.twofold_weights(rng, size, 3) for size in (2, 3, 3)]
    x, s = tensor(rng, 4, 5, 2), tensor(rng, 4, 3, 6)
    for states in (None, s):
        found = oracles.with_halved(rnns.stack, ws, x, states)
        assert close(found, layers(map(oracles.twofold, ws), x, states, share=0.5))


@pytest.mark.task("4.8", weight=0.2)
def test_one_layer_alone(rnns, rng):
    """A stack of one layer has an axis for it, too."""
    x = tensor(rng, 2, 3, 1)
    found = oracles.with_leaky(rnns.stack, [1.0], x)
    assert close(found, (x.cumsum(1), x.sum(1, keepdim=True)))


@pytest.mark.task("4.8", weight=0.2)
def test_cells_that_can_be_gone_through_once(rnns, rng):
    """The cells may come from a generator, which has no length."""
    x = tensor(rng, 2, 3, 1)
    found = oracles.with_cells_once(rnns.stack, [1.0, 1.0], x)[0]
    assert close(found, x.cumsum(1).cumsum(1))


@pytest.mark.task("4.8", weight=0.7, visible=True)
def test_sums_from_both_ends(rnns):
    """Of 1, 2, 3 the sums from the left are 1, 3, 6, and from the right 6, 5, 3."""
    x = torch.tensor([[[1.0], [2.0], [3.0]]])
    found = oracles.two_leaky(rnns.bidirectional, 1.0, 1.0, x)
    assert close(found, torch.tensor([[[1.0, 6.0], [3.0, 5.0], [6.0, 3.0]]]))


def directions(ahead, back, x):
    """What one cell says up to each step, and what the other says from the end to it."""
    outputs = oracles.walk(ahead, x)[0], oracles.walk(back, x.flip(1))[0].flip(1)
    return torch.cat(outputs, dim=-1)


@pytest.mark.task("4.8", weight=1.3)
def test_two_directions(rnns, rng):
    """Each step holds what one cell read up to it, and what the other read from the end to it."""
    ws, x = [oracles.twofold_weights(rng, 2, 3) for _ in range(2)], tensor(rng, 3, 5, 2)
    found = oracles.with_twofold(rnns.bidirectional, ws, False, x)
    assert close(found, directions(*map(oracles.twofold, ws), x))


@pytest.mark.task("4.8", weight=1.2)
def test_what_layers_learn(rnns, rng):
    """Gradients reach all layers and states; B may be T."""
    ws = [oracles.twofold_weights(rng, 2, 3), oracles.twofold_weights(rng, 3, 3)]
    x, s = tensor(rng, 4, 4, 2), tensor(rng, 4, 2, 6)
    pulls = tensor(rng, 4, 4, 3), tensor(rng, 4, 2, 6)
    found = oracles.learned(rnns.stack, ws, True, x, s, pulls)
    assert close(found, oracles.learned(layers, ws, True, x, s, pulls), rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.8", weight=0.5)
def test_what_two_directions_learn(rnns, rng):
    """Gradients reach the inputs and both cells; B may be T."""
    ws, x = [oracles.twofold_weights(rng, 2, 3) for _ in range(2)], tensor(rng, 4, 4, 2)
    pulls = [tensor(rng, 4, 4, 6)]
    found = oracles.learned(rnns.bidirectional, ws, False, x, None, pulls)
    expected = oracles.learned(directions, ws, False, x, None, pulls)
    assert close(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.9", weight=0.8, visible=True)
def test_two_stories_in_one_batch(rnns):
    """BOS opens the inputs, EOS closes the targets, and PAD fills up the shorter story."""
    inputs, targets = rnns.make_batch([[7, 8], [9]])
    assert inputs.tolist() == [[BOS, 7, 8], [BOS, 9, PAD]]
    assert targets.tolist() == [[7, 8, EOS], [9, EOS, PAD]]


@pytest.mark.task("4.9", weight=1)
def test_any_batch(rnns, rng):
    """Stories of any lengths become rows of whole numbers."""
    for n in (2, 5):
        assert_makes_a_batch(rnns, stories_for(rng, n))


@pytest.mark.task("4.9", weight=0.2)
def test_a_batch_of_one_story(rnns, rng):
    """One story is a batch with one row."""
    for n in (2, 1):
        assert_makes_a_batch(rnns, stories_for(rng, n))


@pytest.mark.task("4.9", weight=0.5)
def test_empty_stories(rnns, rng):
    """A story without a word has a row as well: BOS, and EOS as its target."""
    stories = [*stories_for(rng, 2), [], []]
    for some in (stories[1:3], stories, [[]]):
        assert_makes_a_batch(rnns, some)


def assert_makes_a_batch(rnns, stories):
    found = rnns.make_batch(stories)
    assert close(list(found), list(toys.batch_of(stories)))
    assert not any(rows.dtype.is_floating_point for rows in found)


def toy_logs(w, stories):
    """ln P of each word and EOS, story by story."""
    found = []
    for story in stories:
        logits = toys.Toy(w)(torch.tensor([[BOS, *story]]))[0][0]
        told = logits.log_softmax(-1)
        found += [told[k, word].item() for k, word in enumerate([*story, EOS])]
    return found


@pytest.mark.task("4.9", weight=1, visible=True)
def test_logs_of_a_model_that_knows_nothing(rnns):
    """If all 8 words are equally likely, 3 words and 2 ends have ln 1/8 each, and PAD has none."""
    w = {"word": torch.zeros(V, 2), "out": torch.zeros(2, V)}
    found, _ = toys.with_toy(rnns.log_probs, w, False, [[7, 3], [4]], 2)
    assert close(list(found), [-math.log(8)] * 5, rtol=1e-4)


@pytest.mark.task("4.9", weight=2.2)
def test_logs_of_any_stories(rnns, rng):
    """Each story is read from its own beginning, in order, in batches of any size."""
    assert_tells(rnns, rng, stories_for(rng, 6), (1, 3, 6))


@pytest.mark.task("4.9", weight=0.6)
def test_logs_where_the_last_batch_is_smaller(rnns, rng):
    """The size need not divide the number of stories; a story may be empty."""
    assert_tells(rnns, rng, [*stories_for(rng, 6), []], (4, 5, 50))


def assert_tells(rnns, rng, stories, sizes):
    w = toys.toy_weights(rng, V)
    expected = toy_logs(w, stories)
    for size in sizes:
        found, _ = toys.with_toy(rnns.log_probs, w, False, stories, size)
        assert close([float(x) for x in found], expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.9", weight=0.2)
def test_so_many_stories_at_a_time(rnns, rng):
    """The model never reads more stories than `size` at once."""
    w, stories = toys.toy_weights(rng, V), stories_for(rng, 6)
    found, shapes = toys.with_toy(rnns.log_probs, w, False, stories, 2)
    assert close([float(x) for x in found], toy_logs(w, stories), rtol=1e-3, atol=1e-4)
    assert max(shape[0] for shape in shapes) <= 2


@pytest.mark.task("4.9", weight=0.2)
def test_words_that_are_next_to_impossible(rnns, rng):
    """A word whose probability is too small for single precision has a logarithm all the same."""
    w = {"word": torch.full((V, 1), 9.0), "out": torch.zeros(1, V)}
    w["out"][0, 5] = -300.0
    stories = [[4, 5], [5]]
    found, _ = toys.with_toy(rnns.log_probs, w, False, stories)
    assert close([float(x) for x in found], toy_logs(w, stories), rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.9", weight=0.2)
def test_words_that_are_certain(rnns, rng):
    """A word with the probability 1 has the logarithm 0, which belongs in the list as well."""
    w = {"word": torch.full((V, 1), 9.0), "out": torch.zeros(1, V)}
    w["out"][0, 5] = 300.0
    stories = [[4, 5], [5], [5, 5, 3]]
    found, _ = toys.with_toy(rnns.log_probs, w, False, stories)
    assert close([float(x) for x in found], toy_logs(w, stories), rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.9", weight=0.1)
def test_scoring_never_trains(rnns, rng):
    """A model in evaluation mode is still in it after scoring: the caller turns dropout on."""
    w, stories = toys.toy_weights(rng, V), stories_for(rng, 3)
    found, _ = toys.with_toy(rnns.log_probs, w, False, stories)
    assert close([float(x) for x in found], toy_logs(w, stories), rtol=1e-3, atol=1e-4)
    known = toys.batches_of(stories, 32)
    assert toys.mode_after_scoring(known, rnns.log_probs, w, stories) is False


@pytest.mark.task("4.9", weight=0.8)
def test_nothing_is_dropped_while_scoring(rnns, rng):
    """What a model does in training only, such as dropout, is switched off."""
    w, stories = toys.toy_weights(rng, V), stories_for(rng, 3)
    found, _ = toys.with_toy(rnns.log_probs, w, True, stories)
    assert close([float(x) for x in found], toy_logs(w, stories), rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.9", weight=0.3)
def test_how_many_stories_are_read_at_a_time(rnns, rng):
    """Thirty-two, where nobody says otherwise. No story, no number."""
    w, stories = toys.toy_weights(rng, V), stories_for(rng, 34, longest=3)
    found, shapes = toys.scored(rnns.log_probs, w, stories)
    assert close([float(x) for x in found], toy_logs(w, stories), rtol=1e-3, atol=1e-4)
    assert max(shape[0] for shape in shapes) <= 32  # the default
    assert list(toys.with_toy(rnns.log_probs, w, False, [])[0]) == []
