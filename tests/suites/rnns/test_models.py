"""Tests of tasks 4.8 to 4.12: layers on layers, batches, training, generating, translating."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from nextword.suite import changes, close, set_parameters, student_module
from tests.suites.rnns import oracles
from tests.suites.rnns.oracles import tensor

PAD, BOS, EOS = 0, 1, 2
V = 8  # words of the toy models, PAD, BOS and EOS among them

rnns = student_module("rnns")


def stories_for(rng, n, longest=6):
    """Random stories, one of them empty."""
    lengths = [0, *rng.integers(1, longest + 1, size=n - 1).tolist()]
    return [rng.integers(3, V, size=length).tolist() for length in rng.permutation(lengths)]


def padded(rows):
    """Rows filled up with PAD."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def batch_of(stories):
    """Inputs and targets of stories."""
    return padded([[BOS, *s] for s in stories]), padded([[*s, EOS] for s in stories])


@pytest.mark.task("4.8", weight=1, visible=True)
def test_a_sum_of_sums(rnns):
    """Two cells that add up: 1, 1, 1 becomes 1, 2, 3 in the first layer and 1, 3, 6 in the next."""
    x = torch.ones(1, 3, 1)
    y, last = oracles.with_leaky(rnns.stack, [1.0, 1.0], x)
    assert close(y, torch.tensor([[[1.0], [3.0], [6.0]]]))
    assert close(last, torch.tensor([[[3.0], [6.0]]]))


@pytest.mark.task("4.8", weight=2)
def test_layers_with_states(rnns, rng):
    """Each layer begins in its own state, or in zeros, and its last state is returned."""
    ws = [oracles.gated_weights(rng, 2, 3), oracles.gated_weights(rng, 3, 3)]
    layer = oracles.torch_layer(nn.LSTM, ws[0], num_layers=2)
    oracles.copy_layer(layer, ws[1], "l1")
    x, s = tensor(rng, 4, 5, 2), tensor(rng, 4, 2, 6)
    for state in (None, s):
        begin = [part.transpose(0, 1).contiguous() for part in s.chunk(2, dim=-1)]
        y, ends = layer(x, None if state is None else tuple(begin))
        found = oracles.with_gated(rnns.stack, ws, True, x, state)
        assert close(found, (y, torch.cat(ends, dim=-1).transpose(0, 1)))


@pytest.mark.task("4.8", weight=1)
def test_dropout_between_layers(rnns, rng):
    """Dropout changes what goes from layer to layer, not the first inputs or the last outputs."""
    x = tensor(rng, 2, 4, 1)
    for n, sign in ((1, 1), (2, -1), (3, 1)):
        expected = x
        for _ in range(n):
            expected = expected.cumsum(1)
        found = oracles.with_leaky(rnns.stack, [1.0] * n, x, None, torch.neg)[0]
        assert close(found, sign * expected)


@pytest.mark.task("4.8", weight=1, visible=True)
def test_sums_from_both_ends(rnns):
    """Of 1, 2, 3 the sums from the left are 1, 3, 6, and from the right 6, 5, 3."""
    x = torch.tensor([[[1.0], [2.0], [3.0]]])
    found = oracles.two_leaky(rnns.bidirectional, 1.0, 1.0, x)
    assert close(found, torch.tensor([[[1.0, 6.0], [3.0, 5.0], [6.0, 3.0]]]))


@pytest.mark.task("4.8", weight=1)
def test_two_directions(rnns, rng):
    """With copied weights, the outputs are those of torch's bidirectional LSTM."""
    ws = [oracles.gated_weights(rng, 2, 3) for _ in range(2)]
    layer = oracles.torch_layer(nn.LSTM, ws[0], bidirectional=True)
    oracles.copy_layer(layer, ws[1], "l0_reverse")
    x = tensor(rng, 3, 5, 2)
    assert close(oracles.with_gated(rnns.bidirectional, ws, False, x), layer(x)[0])


@pytest.mark.task("4.9", weight=1, visible=True)
def test_two_stories_in_one_batch(rnns):
    """BOS opens the inputs, EOS closes the targets, and PAD fills up the shorter story."""
    inputs, targets = rnns.make_batch([[7, 8], [9]])
    assert inputs.tolist() == [[BOS, 7, 8], [BOS, 9, PAD]]
    assert targets.tolist() == [[7, 8, EOS], [9, EOS, PAD]]


@pytest.mark.task("4.9", weight=1)
def test_any_batch(rnns, rng):
    """Stories of any lengths, also of none, become rows of whole numbers; stories stay as given."""
    for n in (1, 5):
        stories = stories_for(rng, n)
        found = rnns.make_batch(stories)
        assert close(list(found), list(batch_of(stories)))
        assert all(rows.dtype == torch.int64 for rows in found)


def toy_logs(w, stories):
    """ln P of each word and EOS, story by story."""
    found = []
    for story in stories:
        logits = oracles.Toy(w)(torch.tensor([[BOS, *story]]))[0][0]
        told = logits.log_softmax(-1)
        found += [told[k, word].item() for k, word in enumerate([*story, EOS])]
    return found


@pytest.mark.task("4.9", weight=1, visible=True)
def test_logs_of_a_model_that_knows_nothing(rnns):
    """If all 8 words are equally likely, 3 words and 2 ends have ln 1/8 each, and PAD has none."""
    w = {"word": torch.zeros(V, 2), "out": torch.zeros(2, V)}
    found, _ = oracles.with_toy(rnns.log_probs, w, False, [[7, 3], [4]])
    assert close(list(found), [-math.log(8)] * 5, rtol=1e-4)


@pytest.mark.task("4.9", weight=2)
def test_logs_of_any_stories(rnns, rng):
    """Each story is read from its own beginning, in order, in batches of any size."""
    w, stories = oracles.toy_weights(rng, V), stories_for(rng, 7)
    expected = toy_logs(w, stories)
    for size in (1, 3, 7, 50):
        found, _ = oracles.with_toy(rnns.log_probs, w, False, stories, size)
        assert close([float(x) for x in found], expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.9", weight=1)
def test_nothing_is_dropped_while_scoring(rnns, rng):
    """What a model does in training only, such as dropout, is switched off."""
    w, stories = oracles.toy_weights(rng, V), stories_for(rng, 3)
    found, _ = oracles.with_toy(rnns.log_probs, w, True, stories)
    assert close([float(x) for x in found], toy_logs(w, stories), rtol=1e-3, atol=1e-4)


def plain_training(w, batch, chunk, clip, rate):
    """One pass over a batch: SGD, chunk by chunk, the state carried on and detached."""
    model, s, told = oracles.Toy(w), None, []
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
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
    return float(np.mean(told)), model.state_dict()


def assert_trains(rnns, rng, chunk, clip):
    w, batch = oracles.toy_weights(rng, V), batch_of([[3, 4, 5, 6, 7, 3], [4], [5, 5, 7]])
    loss, weights = plain_training(w, batch, chunk, clip, 0.5)
    (found,), after = oracles.train_toy(rnns.train_batch, w, changes(batch), chunk, clip, 0.5, 1)
    assert close(found, loss, rtol=1e-3)
    assert close(after, weights, rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.10", weight=1, visible=True)
def test_the_first_loss(rnns):
    """A model that knows nothing of 8 words has the loss ln 8, whatever is padding."""
    w = {"word": torch.zeros(V, 2), "out": torch.zeros(2, V)}
    batch = batch_of([[3, 4, 5], [6]])
    losses, _ = oracles.train_toy(rnns.train_batch, w, batch, 9, 1.0, 0.0, 1)
    assert close(losses, [math.log(8)], rtol=1e-4)


@pytest.mark.task("4.10", weight=1)
def test_a_batch_in_one_step(rnns, rng):
    """Where the batch is one chunk, one step is made with the mean loss of the real targets."""
    assert_trains(rnns, rng, chunk=50, clip=1e3)


@pytest.mark.task("4.10", weight=3)
def test_a_batch_in_chunks(rnns, rng):
    """Each chunk makes a step; the state goes on to the next, and gradients do not come back."""
    for chunk in (2, 3):
        assert_trains(rnns, rng, chunk, clip=1e3)


@pytest.mark.task("4.10", weight=1)
def test_long_gradients_are_clipped(rnns, rng):
    """All gradients together are shortened to the norm that was asked for."""
    assert_trains(rnns, rng, chunk=3, clip=0.05)


@pytest.mark.task("4.10", weight=1)
def test_training_learns(rnns, rng):
    """Thirty passes over three short stories halve the loss."""
    stories = [[3, 4, 5], [6, 7], [5, 3, 6, 4]]
    w = oracles.toy_weights(rng, V)
    losses, _ = oracles.train_toy(rnns.train_batch, w, batch_of(stories), 3, 1.0, 0.3, 30)
    assert losses[-1] < losses[0] / 2


@pytest.mark.task("4.10", weight=1)
def test_a_loss_that_is_no_number(rnns, rng):
    """A loss of NaN raises FloatingPointError, and the weights are as before."""
    w = oracles.toy_weights(rng, V)
    w["out"][0, 3] = math.nan
    stopped, after = oracles.train_broken(rnns.train_batch, w, batch_of([[3, 4], [5]]))
    assert stopped
    assert close(after, w)


@pytest.mark.task("4.10", weight=1, visible=True, seconds=3)
def test_stopping_by_hand(rnns):
    """After 3.0, 2.0 and 2.5 training stops, and the model is what it was after two epochs."""
    curve, weight, made = oracles.stopped(rnns.stop_early, [3.0, 2.0, 2.5, 1.0], 9, 1)
    assert close(curve, [[1.0, 3.0], [2.0, 2.0], [3.0, 2.5]])
    assert (weight, made) == (2.0, 3)


@pytest.mark.task("4.10", weight=2, seconds=3)
def test_patience(rnns, rng):
    """Training goes on for so many epochs that are no better, but never beyond the most."""
    noise = rng.uniform(0, 0.1, size=7)
    losses = (np.array([3.0, 2.0, 2.5, 2.2, 1.5, 1.8, 1.7]) + noise).tolist()
    for most, patience, made, best in ((9, 2, 4, 2), (9, 3, 8, 5), (5, 3, 5, 5), (1, 1, 1, 1)):
        curve, weight, epochs = oracles.stopped(rnns.stop_early, losses, most, patience)
        assert epochs == made
        assert close([point[1] for point in curve], [*losses, 1e9][:made])
        assert weight == best
    assert oracles.stopped(rnns.stop_early, [2.0, 2.0, 1.0], 9, 1)[1:] == (1.0, 2)


@pytest.mark.task("4.11", weight=1, visible=True)
def test_a_model_with_one_story(rnns):
    """A model that says 3, 4, 5 and then EOS tells that story each time, without EOS."""
    stories, n_calls = oracles.with_chain(rnns.generate, 3, 2, 1, 10)
    assert [list(story) for story in stories] == [[3, 4, 5], [3, 4, 5]]
    assert n_calls == 4
    assert [list(s) for s in oracles.with_chain(rnns.generate, 5, 2, 1, 2)[0]] == [[3, 4]] * 2


@pytest.mark.task("4.11", weight=1)
def test_nothing_is_read_twice(rnns, rng):
    """BOS and the prompt are read once, then each drawn word; no more than `most` are drawn."""
    w = oracles.toy_weights(rng, V)
    w["out"][:, EOS] = 0.0
    stories, shapes = oracles.drawn(rnns.generate, w, 4, int(rng.integers(2**31)), 5, [6, 3])
    assert shapes[0] == [4, 3]
    assert shapes[1:] == [[4, 1]] * (len(shapes) - 1)
    assert len(shapes) <= 5
    assert len(stories) == 4
    assert max(map(len, stories)) <= 5


@pytest.mark.task("4.11", weight=2)
def test_words_are_as_likely_as_the_model_says(rnns, rng):
    """First and second words of many stories have the model's chances, PAD and BOS set aside."""
    w, n = oracles.toy_weights(rng, V), 3000
    stories, _ = oracles.drawn(rnns.generate, w, n, int(rng.integers(2**31)), 2, [4])
    net = oracles.Toy(w).eval()

    def chances(tokens):
        logits = net(torch.tensor([tokens]))[0][0, -1].clone()
        logits[[PAD, BOS]] = -math.inf
        return logits.softmax(-1)

    first = chances([BOS, 4])
    pairs = {(EOS, EOS): first[EOS].item()}
    for word in range(3, V):
        second = first[word] * chances([BOS, 4, word])
        pairs |= {(word, other): second[other].item() for other in range(2, V)}
    counted = dict.fromkeys(pairs, 0)
    for story in stories:
        pair = tuple([*story, EOS, EOS][:2])
        assert pair in counted
        counted[pair] += 1
    for pair, p in pairs.items():
        room = 6 * math.sqrt(p * (1 - p) / n) + 2 / n
        assert abs(counted[pair] / n - p) < room


@pytest.mark.task("4.11", weight=1)
def test_stories_differ(rnns, rng):
    """Stories side by side are drawn each for itself, and a generator gives them again."""
    w, seed = oracles.toy_weights(rng, V), int(rng.integers(2**31))
    w["out"] /= 20
    one, two = (oracles.drawn(rnns.generate, w, 30, seed, 8, ())[0] for _ in range(2))
    assert one == two
    assert len({tuple(story) for story in one}) > 10


def translator_for(rnns, rng):
    """A student's translator and the oracle's parts, with the same random weights."""
    net = rnns.Seq2Seq(V, 7, 3, 4)
    w = {name: tensor(rng, *value.shape) for name, value in net.state_dict().items()}
    set_parameters(net, w)
    return net, oracles.Translator(w)


@pytest.fixture
def translator(rnns, rng):
    """A student's translator and the oracle's."""
    return translator_for(rnns, rng)


ROWS = [[3, 4, 5, 6], [7], [4, 4]]


@pytest.mark.task("4.12", weight=1, visible=True)
def test_padding_is_not_read(translator):
    """A sentence alone and in a batch with longer ones ends in the same state."""
    net, _ = translator
    together = net.encode(padded(ROWS))
    assert tuple(together.shape) == (1, 3, 4)
    for k, row in enumerate(ROWS):
        assert close(together[:, k : k + 1], net.encode(torch.tensor([row])))


@pytest.mark.task("4.12", weight=1)
def test_the_last_state(translator):
    """The encoder's state after the last word of each sentence is what the GRU computes."""
    net, oracle = translator
    expected = torch.cat([oracle.encode(torch.tensor([row])) for row in ROWS], dim=1)
    assert close(net.encode(padded(ROWS)), expected)


@pytest.mark.task("4.12", weight=2)
def test_teacher_forcing(translator, rng):
    """The logits of each step depend on the source and on the true words before."""
    net, oracle = translator
    inputs = torch.from_numpy(rng.integers(7, size=(3, 5)))
    expected = [oracle.logits(row, words) for row, words in zip(ROWS, inputs, strict=True)]
    assert close(net(padded(ROWS), inputs), torch.stack(expected), rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.12", weight=2)
def test_greedy_translation(rnns, rng):
    """Each word is the likeliest after the model's own words; a row ends at its own EOS."""
    rows = [rng.integers(3, V, size=size).tolist() for size in (1, 2, 3, 4, 5, 6)]
    for _ in range(100):  # until some rows end early, others later, and PAD would be heard
        net, oracle = translator_for(rnns, rng)
        expected = [oracle.translate(row, 7) for row in rows]
        misled = [oracle.translate(row, 7) for row in padded(rows).tolist()]
        if 0 < min(map(len, expected)) < max(map(len, expected)) and misled != expected:
            break
    for most in (1, 7):
        found = net.translate(padded(rows), most)
        assert [list(row) for row in found] == [row[:most] for row in expected]
