"""Tests of task 4.12: encoder and decoder."""

import itertools
import math

import pytest
import torch
from torch import nn

from examiner.suite import (
    close,
    found_once,
    gradients,
    set_parameters,
    ship,
    student_module,
)
from tests.rnns.suite.oracles import tensor

PAD, BOS, EOS, MOST = 0, 1, 2, 9
V = 8  # words of the source, PAD, BOS and EOS among them
SIZES = V, 7, 3, 4  # words of the source and of the target, D, H
GRU = {"weight_ih_l0": (12, 3), "weight_hh_l0": (12, 4), "bias_ih_l0": (12,), "bias_hh_l0": (12,)}
SHAPES = {
    "source.weight": (V, 3),
    "target.weight": (7, 3),
    **{f"encoder.{name}": shape for name, shape in GRU.items()},
    **{f"decoder.{name}": shape for name, shape in GRU.items()},
    "out.weight": (7, 4),
    "out.bias": (7,),
}
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

    def translate(self, row, most, reads=lambda said: [1, *said]):
        """The likeliest word each time, after the first state and what is read of those before."""
        said = []
        while len(said) < most:
            word = int(self.logits(row, torch.tensor(reads(said)))[-1].argmax())
            if word == EOS:
                break
            said.append(word)
        return said

    def lead(self, row, said, most):
        """By how much the least certain word of a translation is ahead of the next likely one."""
        best = self.logits(row, torch.tensor([BOS, *said][:most])).topk(2).values
        return float((best[:, 0] - best[:, 1]).min())

    @torch.no_grad()
    def margins(self, rows, most):
        """By how much the likeliest word of each row is ahead of EOS, step by step; none ends."""
        s, words, found = encoded(self, rows), torch.full((len(rows), 1), BOS), []
        for _ in range(most):
            states, s = self.parts["decoder"](self.w["target.weight"][words], s)
            logits = states[:, 0] @ self.w["out.weight"].T + self.w["out.bias"]
            eos, logits[:, EOS] = logits[:, EOS].clone(), -math.inf
            words = logits.argmax(-1, keepdim=True)
            found.append(logits.amax(-1) - eos)
        return torch.stack(found, dim=1).tolist()

    def mistakes(self, row, most):
        """What comes out if the decoder forgets, hears BOS only, EOS first, or words again."""
        return [
            self.translate(row, most, lambda said: [EOS, *said]),
            self.translate(row, most, lambda said: [BOS, *said][-1:]),
            self.translate(row, most, lambda said: [BOS] * (1 + len(said))),
            self.translate(row, most, heard_again),
        ]


def heard_again(said):
    """All that a decoder hears that reads all words again at each step, though it has a state."""
    return [word for k in range(len(said) + 1) for word in [BOS, *said[:k]]]


@ship
def encode_as(net, source, states):
    """Let it be known how this source is encoded, so that a mistake in `encode` costs once.

    Only the states of this very source are known. Gradients reach all of the encoder.
    """
    own = net.encode
    weights = [*net.encoder.parameters(), *net.source.parameters()]

    def encode(given):
        if given.shape != source.shape or not bool((given == source).all()):
            return own(given)
        nothing = sum((w - w.detach()).sum() for w in weights)
        return states.clone() + nothing

    net.encode = encode


def random_weights(rng):
    """Random weights of a translator that listens to its own words."""
    w = {name: tensor(rng, *shape) for name, shape in SHAPES.items()}
    w["target.weight"] *= 3.0  # what was said last matters
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


def encoded(oracle, rows):
    """The states after the last words of rows without padding."""
    return torch.cat([oracle.encode(torch.tensor([row])) for row in rows], dim=1)


def assert_encodes(translator, rows):
    net, oracle = translator
    assert close(net.encode(padded(rows)), encoded(oracle, rows))


@pytest.mark.task("4.12", weight=0.8, visible=True)
def test_padding_is_not_read(translator):
    """A sentence alone and in a batch with longer ones ends in the same state."""
    net, oracle = translator
    together = net.encode(padded(ROWS))
    assert tuple(together.shape) == (1, 3, 4)
    for k, row in enumerate(ROWS):
        assert close(together[:, k : k + 1], net.encode(torch.tensor([row])))
    assert close(together, encoded(oracle, ROWS))


@pytest.mark.task("4.12", weight=1.2)
def test_the_last_state(translator):
    """The encoder's state after the last word of each sentence is what the GRU computes."""
    assert_encodes(translator, ROWS)


@pytest.mark.task("4.12", weight=0.5)
def test_sentences_in_any_order(translator):
    """Long and short sentences may stand in any order; each has its own state in its own row."""
    assert_encodes(translator, [[4], [3, 4, 5, 6], [5, 6], [7, 3, 3]])


@pytest.mark.task("4.12", weight=0.3)
def test_what_the_encoder_learns(translator, rng):
    """Gradients of the states reach all of the encoder, and the vectors of the words it reads."""
    assert_encodes(translator, ROWS)
    net, oracle = translator
    pull, vectors = tensor(rng, 1, 3, 4), oracle.w["source.weight"].clone().requires_grad_()
    states = [oracle.parts["encoder"](vectors[torch.tensor([row])])[1] for row in ROWS]
    (torch.cat(states, dim=1) * pull).sum().backward()
    expected = {f"encoder.{n}": p.grad for n, p in oracle.parts["encoder"].named_parameters()}
    expected["source.weight"] = vectors.grad
    found = gradients(net.encode, padded(ROWS), weights=pull)[2]
    assert close({name: found[name] for name in expected}, expected, rtol=1e-3, atol=1e-4)


def true_words(rng):
    """BOS and the true words of three sentences."""
    words = torch.from_numpy(rng.integers(3, 7, size=(3, 5)))
    words[:, 0] = BOS
    return words


def assert_forces(translator, rng):
    net, oracle = translator
    source, inputs = padded(ROWS), true_words(rng)
    encode_as(net, source, encoded(oracle, ROWS))
    expected = [oracle.logits(row, words) for row, words in zip(ROWS, inputs, strict=True)]
    assert close(net(source, inputs), torch.stack(expected), rtol=1e-3, atol=1e-4)


def set_in_its_ways(rnns, *likings):
    """A translator that likes its words by so much, whatever it reads."""
    values = {name: torch.zeros(shape) for name, shape in SHAPES.items()}
    values["out.bias"] = torch.tensor(likings)
    return with_weights(rnns, values)


@pytest.mark.task("4.12", weight=0.3, visible=True)
def test_logits_by_hand(rnns):
    """If all weights are 0 but the bias of `out`, that is the row of logits after each word."""
    likings = [0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.5]
    found = set_in_its_ways(rnns, *likings)(
        padded(ROWS), torch.tensor([[BOS, 3], [BOS, 4], [BOS, 5]])
    )
    assert close(found, torch.tensor([[likings] * 2] * 3))


@pytest.mark.task("4.12", weight=1.5)
def test_teacher_forcing(translator, rng):
    """The logits of each step depend on the source and on the true words before."""
    assert_forces(translator, rng)


@pytest.mark.task("4.12", weight=0.4)
def test_what_the_translator_learns(translator, rng):
    """Gradients of the logits reach every part, the encoder too."""
    assert_forces(translator, rng)
    net, oracle = translator
    encode_as(net, padded(ROWS), encoded(oracle, ROWS))
    pull = tensor(rng, 3, 5, 7)
    found = gradients(net, padded(ROWS), true_words(rng), weights=pull)[2]
    assert found.keys() == oracle.w.keys()
    assert all(each is not None and bool((each != 0).any()) for each in found.values())


def uneven(margins):
    """How likely EOS must be made so that rows end at different steps, far from any doubt; or None.

    Of each row: by how much, at each step, the likeliest word is ahead of EOS.
    """
    found, points = [], sorted(each for row in margins for each in row)
    for low, high in itertools.pairwise(points):
        bias = (low + high) / 2
        lengths = [next((k for k, each in enumerate(row) if each < bias), MOST) for row in margins]
        if 0 < min(lengths) <= max(lengths) - 2 < MOST - 2 and high - low > 0.01:
            found.append((high - low, bias))
    return max(found, default=(0.0, None))[1]


def would_be_heard(oracle, rows, found, most):
    """Tell whether each mistake, and reading PAD as well, changes what some row says.

    And no other order of sums does: each word is the likeliest by a thousandth or more.
    """
    if any(oracle.lead(row, said, most) < 1e-3 for row, said in zip(rows, found, strict=True)):
        return False
    heard = [oracle.mistakes(row, most) for row in rows]
    wrong = [list(each) for each in zip(*heard, strict=True)]
    misled = [oracle.translate(row, most) for row in padded(rows).tolist()]
    return found not in [misled, *wrong]


@found_once
def told_apart(rng, rows):
    """Weights under which rows end at different steps and mistakes would be heard; what they say.

    All rows end by themselves, some after more than two words. One says two words more than
    another, so that it is cut short where all stop with the first. Whatever the decoder should not
    hear or forget, and PAD as well, would change what some row says. One draw in eight is such.
    """
    for _ in range(1000):
        w = random_weights(rng)
        bias = uneven(Translator(w).margins(rows, MOST))
        if bias is None:
            continue
        w["out.bias"][EOS] += bias
        oracle = Translator(w)
        found = [oracle.translate(row, MOST) for row in rows]
        if would_be_heard(oracle, rows, found, MOST):
            return w, found
    raise AssertionError("no translator ends at different steps")


def reads_as_ours(rnns, w, rows):
    """A student's translator with these weights, which reads these rows as ours does."""
    net = with_weights(rnns, w)
    encode_as(net, padded(rows), encoded(Translator(w), rows))
    return net


def some_rows(rng, *sizes):
    return [rng.integers(3, V, size=size).tolist() for size in sizes]


def lists(rows):
    return [list(row) for row in rows]


@pytest.mark.task("4.12", weight=0.3, visible=True)
def test_translations_by_hand(rnns):
    """Who likes word 5 best writes it up to `most` times, and who likes EOS best writes nothing."""
    source = padded(ROWS)
    likes_5, likes_eos = [0.0, 1.0, 2.0, 2.5, 2.0, 3.0, 0.5], [0.0, 1.0, 4.0, 2.5, 2.0, 3.0, 0.5]
    assert lists(set_in_its_ways(rnns, *likes_5).translate(source, 4)) == [[5] * 4] * 3
    assert lists(set_in_its_ways(rnns, *likes_eos).translate(source, 4)) == [[]] * 3


@pytest.mark.task("4.12", weight=0.2)
def test_one_sentence_alone(rnns):
    """A batch of one sentence, and of one word, keeps all its axes."""
    likes_5 = [0.0, 1.0, 2.0, 2.5, 2.0, 3.0, 0.5]
    net = set_in_its_ways(rnns, *likes_5)
    assert lists(net.translate(padded(ROWS), 2)) == [[5] * 2] * 3
    assert lists(net.translate(torch.tensor([[7]]), 3)) == [[5] * 3]
    assert close(net(torch.tensor([[7]]), torch.tensor([[BOS]])), torch.tensor([[likes_5]]))


@pytest.mark.task("4.12", weight=1.4)
def test_greedy_translation(rnns, rng):
    """Each word is the likeliest after the model's own words; a row ends at its own EOS."""
    rows = some_rows(rng, 5, 3, 2, 1)
    w, expected = told_apart(rng, rows)
    net = reads_as_ours(rnns, w, rows)
    assert lists(net.translate(padded(rows), MOST)) == expected


@found_once
def endless(rng, rows, most):
    """Weights under which no row ever ends; what they say, in which mistakes are heard."""
    for _ in range(1000):
        w = random_weights(rng)
        w["out.bias"][EOS] = -99.0
        oracle = Translator(w)
        found = [oracle.translate(row, most) for row in rows]
        if would_be_heard(oracle, rows, found, most):
            return w, found
    raise AssertionError("no translator lets mistakes be heard")


@pytest.mark.task("4.12", weight=0.4)
def test_the_longest_translation(rnns, rng):
    """A row has at most `most` words, 60 if nothing is said."""
    rows = some_rows(rng, 5, 3, 2, 1)
    w, expected = endless(rng, rows, 5)
    net = reads_as_ours(rnns, w, rows)
    for most in (5, 1):
        assert lists(net.translate(padded(rows), most)) == [row[:most] for row in expected]
    found = lists(net.translate(padded(rows)))
    assert [len(row) for row in found] == [60] * 4
