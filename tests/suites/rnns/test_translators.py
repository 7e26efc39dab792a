"""Tests of task 4.12: encoder and decoder."""

import pytest
import torch
from torch import nn

from nextword.corpora.recurrent import TwoNetworks
from nextword.suite import close, gradients, set_parameters, ship, student_module
from tests.suites.rnns.oracles import tensor

PAD, EOS, MOST = 0, 2, 9
V = 8  # words of the source, PAD, BOS and EOS among them
SIZES = V, 7, 3, 4
ROWS = [[3, 4, 5, 6], [4, 4], [7]]

rnns = student_module("rnns")


class Translator:
    """A translator of one sentence at a time, with the weights of a student's."""

    def __init__(self, w):
        D, H = w["source.weight"].shape[1], w["encoder.weight_hh_l0"].shape[1]
        self.w, self.parts = w, {}
        for part in ("encoder", "decoder"):
            self.parts[part] = nn.GRU(D, H, batch_first=True)
            values = {name.partition(".")[2]: v for name, v in w.items() if name.startswith(part)}
            set_parameters(self.parts[part], values)

    @torch.no_grad()
    def encode(self, source):
        """The state after the last word of one sentence without padding."""
        return self.parts["encoder"](self.w["source.weight"][source])[1]

    @torch.no_grad()
    def logits(self, row, words):
        """The logits after each of these target words."""
        s, x = self.encode(torch.tensor([row])), self.w["target.weight"][words][None]
        return self.parts["decoder"](x, s)[0][0] @ self.w["out.weight"].T + self.w["out.bias"]

    def translate(self, row, most):
        """The likeliest word each time, all words before it read again."""
        said = []
        while len(said) < most:
            word = int(self.logits(row, torch.tensor([1, *said]))[-1].argmax())
            if word == 2:
                break
            said.append(word)
        return said

    @torch.no_grad()
    def translate_reading_again(self, row, most):
        """A mistake: each step reads all words again, though the state has heard them."""
        state, said = self.encode(torch.tensor([row])), []
        while len(said) < most:
            x = self.w["target.weight"][torch.tensor([1, *said])][None]
            states, state = self.parts["decoder"](x, state)
            word = int((states[0, -1] @ self.w["out.weight"].T + self.w["out.bias"]).argmax())
            if word == 2:
                break
            said.append(word)
        return said


@ship
def encode_rightly(net):
    """Let a right `encode` stand in for the student's own, so that a mistake in it costs once."""

    def encode(source):
        ends = [net.encoder(net.source(row[row != 0])[None])[1] for row in source]
        return torch.cat(ends, dim=1)

    net.encode = encode


def random_weights(rng):
    """Random weights of a translator that listens to its own words and ends most rows."""
    shapes = {name: value.shape for name, value in TwoNetworks(*SIZES).state_dict().items()}
    w = {name: tensor(rng, *shape) for name, shape in shapes.items()}
    w["target.weight"] *= 3.0  # what was said last matters
    w["out.bias"][EOS] += 1.0
    return w


def with_weights(rnns, w):
    """A student's translator with these weights."""
    net = rnns.Seq2Seq(*SIZES)
    set_parameters(net, w)
    return net


@pytest.fixture
def translator(rnns, rng):
    """A student's translator and the oracle's, with the same random weights."""
    w = random_weights(rng)
    return with_weights(rnns, w), Translator(w)


def padded(rows):
    """Rows filled up with PAD."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def assert_encodes(translator, rows):
    net, oracle = translator
    expected = torch.cat([oracle.encode(torch.tensor([row])) for row in rows], dim=1)
    assert close(net.encode(padded(rows)), expected)


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
    assert_encodes(translator, ROWS)


@pytest.mark.task("4.12", weight=0.5)
def test_sentences_in_any_order(translator):
    """Long and short sentences may stand in any order; each has its own state in its own row."""
    assert_encodes(translator, [[4], [3, 4, 5, 6], [5, 6], [7, 3, 3]])


@pytest.mark.task("4.12", weight=1.8)
def test_teacher_forcing(translator, rng):
    """The logits of each step depend on the source and on the true words before."""
    net, oracle = translator
    encode_rightly(net)
    inputs = torch.from_numpy(rng.integers(7, size=(3, 5)))
    expected = [oracle.logits(row, words) for row, words in zip(ROWS, inputs, strict=True)]
    assert close(net(padded(ROWS), inputs), torch.stack(expected), rtol=1e-3, atol=1e-4)


@pytest.mark.task("4.12", weight=0.4)
def test_what_the_translator_learns(translator, rng):
    """Slopes of the logits reach every part, the encoder too."""
    net, _ = translator
    encode_rightly(net)
    inputs, pull = torch.from_numpy(rng.integers(1, 7, size=(3, 5))), tensor(rng, 3, 5, 7)
    slopes = gradients(net, padded(ROWS), inputs, weights=pull)[2]
    assert all(slope is not None and bool((slope != 0).any()) for slope in slopes.values())


def told_apart(rnns, rng, rows):
    """A translator whose rows end at different steps, where PAD would be heard; and what it says.

    All rows end by themselves, some after more than two words. One says two words more than
    another, so that it is cut short where all stop with the first; one differs if words are read
    again.
    """
    for _ in range(1000):
        w = random_weights(rng)
        oracle = Translator(w)
        longest = oracle.translate(rows[0], MOST)
        if not 2 < len(longest) < MOST:
            continue
        found = [longest, *(oracle.translate(row, MOST) for row in rows[1:])]
        misled = [oracle.translate(row, MOST) for row in padded(rows).tolist()]
        again = [oracle.translate_reading_again(row, MOST) for row in rows]
        lengths = [len(row) for row in found]
        apart = 0 < min(lengths) <= max(lengths) - 2 < MOST - 2
        if apart and misled != found and again != found:
            net = with_weights(rnns, w)
            encode_rightly(net)
            return net, found
    raise AssertionError("no translator ends at different steps")


def some_rows(rng, *sizes):
    return [rng.integers(3, V, size=size).tolist() for size in sizes]


def lists(rows):
    return [list(row) for row in rows]


@pytest.mark.task("4.12", weight=1.5)
def test_greedy_translation(rnns, rng):
    """Each word is the likeliest after the model's own words; a row ends at its own EOS."""
    rows = some_rows(rng, 5, 3, 2, 1)
    net, expected = told_apart(rnns, rng, rows)
    assert lists(net.translate(padded(rows), MOST)) == expected


@pytest.mark.task("4.12", weight=0.4)
def test_the_longest_translation(rnns, rng):
    """A row has at most `most` words, 60 if nothing is said."""
    rows, w = some_rows(rng, 5, 3, 2, 1), random_weights(rng)
    w["out.bias"][EOS] = -99.0  # no row ends by itself
    net, oracle = with_weights(rnns, w), Translator(w)
    encode_rightly(net)
    for most in (1, 5):
        expected = [oracle.translate(row, most) for row in rows]
        assert lists(net.translate(padded(rows), most)) == expected
    assert [len(row) for row in net.translate(padded(rows[:1]))] == [60]
