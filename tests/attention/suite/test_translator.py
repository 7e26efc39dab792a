"""Tests of tasks 5.1 and 5.2: additive attention, and the decoder that attends."""

import math

import pytest
import torch

from examiner.suite import close, gradients, set_parameters, student_module
from tests.attention.suite import oracles
from tests.attention.suite.oracles import BOS, EOS, PAD, tensor

attention = student_module("attention")


def additive(attention, W, v, U):
    """A student's additive attention with these weights."""
    net = attention.AdditiveAttention(W.shape[1], U.shape[1], len(W))
    set_parameters(net, {"W.weight": W, "v.weight": v[None], "U.weight": U})
    return net


@pytest.mark.task("5.1", weight=1, visible=True)
def test_two_words_by_hand(attention):
    """Scores of 0 and ln 3 give the weights 1/4 and 3/4, and the context 0.25 h1 + 0.75 h2."""
    U = torch.tensor([[0.0, 25.0]])
    net = additive(attention, torch.zeros(1, 2), torch.tensor([math.log(3)]), U)
    h = torch.tensor([[[8.0, 0.0], [0.0, 4.0]]])
    Uh = torch.tensor([[[0.0], [100.0]]])  # tanh makes 0 and 1 of it
    context, weights = net(torch.ones(1, 2), Uh, h, torch.ones(1, 2, dtype=torch.bool))
    assert close(weights, torch.tensor([[0.25, 0.75]]))
    assert close(context, torch.tensor([[2.0, 3.0]]))


@pytest.mark.task("5.1", weight=1, visible=True)
def test_a_word_that_is_not_allowed(attention):
    """The weight of a word that is not allowed is 0, and the other weights sum to 1."""
    v = torch.tensor([math.log(3)])  # the scores are 0, ln 3 and ln 3
    net = additive(attention, torch.zeros(1, 1), v, torch.ones(1, 1))
    h, Uh = torch.tensor([[[4.0], [8.0], [500.0]]]), torch.tensor([[[0.0], [100.0], [100.0]]])
    allowed = torch.tensor([[True, True, False]])
    context, weights = net(torch.ones(1, 1), Uh, h, allowed)
    assert close(weights, torch.tensor([[0.25, 0.75, 0.0]]))
    assert close(context, torch.tensor([[7.0]]))


def assert_attends(attention, rng, *sizes, shift=0.0, masks=1):
    """Contexts and weights are those of the equations; `shift` is added to U h by the caller.

    masks: how often the same net is asked, each time with another mask.
    """
    for B, S, D, E, A in sizes:
        W, v, U = tensor(rng, A, D), tensor(rng, A), tensor(rng, A, E)
        s, h = tensor(rng, B, D), tensor(rng, B, S, E)
        Uh = h @ U.T + shift * tensor(rng, B, S, A)
        net = additive(attention, W, v, U)
        for _ in range(masks):
            allowed = oracles.some_true(rng, B, S)
            found = net(s, Uh, h, allowed)
            assert close(found, oracles.additive(W, v, s, Uh, h, allowed))


@pytest.mark.task("5.1", weight=2.6)
def test_additive_attention_of_any_batch(attention, rng):
    """Contexts and weights of any batch are those of the three equations, row by row."""
    assert_attends(attention, rng, (4, 6, 3, 5, 2), (6, 3, 4, 4, 4))


@pytest.mark.task("5.1", weight=0.3)
def test_sentences_of_one_word(attention, rng):
    """Batches of one sentence, and sentences of one word, are no special case; nor a second one."""
    assert_attends(attention, rng, (1, 1, 1, 1, 1), (3, 1, 2, 3, 1), (1, 4, 2, 3, 3))
    assert_attends(attention, rng, (4, 5, 2, 3, 3), masks=2)


@pytest.mark.task("5.1", weight=0.4)
def test_what_the_caller_has_multiplied(attention, rng):
    """Uh is taken as it comes from the caller; nothing is multiplied by U again."""
    assert_attends(attention, rng, (3, 4, 2, 5, 3), shift=1.0)


@pytest.mark.task("5.1", weight=0.3)
def test_hidden_words_among_low_scores(attention, rng):
    """A hidden word has the weight 0, however low the scores of the other words are."""
    U = torch.tensor([[1.0, 0.0, 0.0]])
    net = additive(attention, torch.zeros(1, 2), torch.tensor([60.0]), U)
    h, Uh = tensor(rng, 1, 4, 3), torch.tensor([[[-100.0], [0.0], [-2.5], [-100.0]]])
    h[..., :1] = Uh  # U h, as it is given
    allowed = torch.tensor([[True, False, True, False]])  # scores of -60 and -59.2 are left
    context, weights = net(tensor(rng, 1, 2), Uh, h, allowed)
    share = 1 / (1 + math.exp(60 * (1 - math.tanh(2.5))))
    assert close(weights, torch.tensor([[share, 0.0, 1 - share, 0.0]]), rtol=1e-3)
    assert close(context, share * h[:, 0] + (1 - share) * h[:, 2], rtol=1e-3, atol=1e-4)


@pytest.mark.task("5.1", weight=1)
def test_what_additive_attention_learns(attention, rng):
    """Gradients reach the state, the words and the weights; a hidden word gets none."""
    W, v, U = tensor(rng, 3, 2), tensor(rng, 3), tensor(rng, 3, 5)
    s, Uh, h = tensor(rng, 2, 2), tensor(rng, 2, 4, 3), tensor(rng, 2, 4, 5)
    allowed = torch.tensor([[True, True, True, False]] * 2)
    pull = tensor(rng, 2, 5)
    leaves = [each.clone().requires_grad_() for each in (W, v, s, Uh, h)]
    w, u, state, words, values = leaves
    scores = torch.tanh(torch.einsum("ad,bd->ba", w, state)[:, None] + words) @ u
    shares = torch.softmax(scores[:, :3], dim=1)
    (torch.einsum("bs,bse->be", shares, values[:, :3]) * pull).sum().backward()
    found = gradients(additive(attention, W, v, U), s, Uh, h, allowed, weights=(pull, None))
    assert close(found[1][:3], [each.grad for each in (state, words, values)])
    assert close(found[2]["W.weight"], w.grad)
    assert close(found[2]["v.weight"], u.grad[None])


@pytest.mark.task("5.2", weight=1, visible=True)
def test_a_step_by_hand(attention):
    """With a cell of zeros the state is halved; the logits read state, context and word."""
    net = attention.Translator(3, 4, 1, 1, 1)
    oracles.use_gaze(net)
    set_parameters(net, {name: torch.zeros(p.shape) for name, p in net.named_parameters()})
    values = {"target.weight": torch.full((4, 1), 3.0), "out.weight": torch.eye(4)}
    set_parameters(net, values)
    words = torch.tensor([[[2.0, 4.0], [6.0, 8.0]]])
    source = (torch.zeros(1, 2, 1), words, torch.ones(1, 2, dtype=torch.bool))
    logits, s, weights = net.step(torch.tensor([1]), torch.ones(1, 1), source)
    assert close(weights, torch.tensor([[0.5, 0.5]]))
    assert close(s, torch.tensor([[0.5]]))
    assert close(logits, torch.tensor([[0.5, 4.0, 6.0, 3.0]]))


CHAIN = {BOS: 5, 5: 7, 7: EOS}  # each word's likely successor


def chain(attention):
    """A student's translator that writes 5 after BOS, 7 after 5, and EOS after 7.

    Its steps are given, so that a mistake in `step` costs nothing here; who writes all in one has
    weights that say the same.
    """
    net = attention.Translator(5, 8, 8, 1, 1)
    oracles.use_gaze(net)
    after, told = torch.zeros(8, dtype=torch.int64), torch.zeros(8, 11)
    for word, successor in CHAIN.items():
        after[word], told[successor, 3 + word] = successor, 9.0
    set_parameters(net, {"target.weight": torch.eye(8), "out.weight": told})
    set_parameters(net, {"out.bias": torch.zeros(8)})
    oracles.use_chain(net, after)
    return net


def rows(found):
    """Sentences as lists of Python's numbers."""
    return [list(map(int, row)) for row in found]


@pytest.mark.task("5.2", weight=1, visible=True)
def test_a_chain_of_words(attention):
    """Where each word has one likely successor, BOS 5 7 EOS becomes 5 7."""
    net, source = chain(attention), torch.tensor([[3, 4], [4, 0]])
    assert rows(net.translate(source)) == [[5, 7], [5, 7]]
    assert rows(net.translate(torch.tensor([[4]]))) == [[5, 7]]


@pytest.mark.task("5.2", weight=0.3, visible=True)
def test_a_chain_that_is_cut(attention):
    """At most `most` words are written."""
    assert rows(chain(attention).translate(torch.tensor([[3, 4], [4, 0]]), 1)) == [[5], [5]]


def random_step(attention, rng, rare=False):
    """A student's translator, the test's parts of it, and what a step of four sentences reads.

    rare: PAD, BOS and EOS are among the words that are read, and some words of the source hidden.
    """
    net, parts = oracles.translator(rng, attention.Translator)
    B, S, D = 4, 5, oracles.SIZES["D"]
    h, s = tensor(rng, B, S, 2 * D), tensor(rng, B, D)
    y, seen = torch.tensor(rng.integers(3, 8, size=B)), oracles.some_true(rng, B, S) | (not rare)
    if rare:
        y[:3] = torch.tensor(rng.permutation([PAD, BOS, EOS]))
    return net, parts, y, s, (h, h, seen)


def stepped(parts, y, s, source):
    """Logits, states and weights of a step, one sentence at a time, without what is hidden."""
    steps = []
    for word, state, words, seen in zip(y.tolist(), s, *source[1:], strict=True):
        logits, new, weights = oracles.step(parts, word, state[None], words[seen][None])
        steps.append((logits, new, torch.zeros(1, len(seen)).masked_scatter(seen, weights)))
    return [torch.cat(part) for part in zip(*steps, strict=True)]


@pytest.mark.task("5.2", weight=3.7)
def test_any_step(attention, rng):
    """The old state looks; the cell reads word and context; the new state goes into the logits."""
    net, parts, y, s, source = random_step(attention, rng)
    assert close(net.step(y, s, source), stepped(parts, y, s, source))


@pytest.mark.task("5.2", weight=0.2)
def test_steps_that_read_any_word(attention, rng):
    """PAD, BOS and EOS are words like any other; words of the source that are hidden do nothing."""
    net, parts, y, s, source = random_step(attention, rng, rare=True)
    assert close(net.step(y, s, source), stepped(parts, y, s, source))


@pytest.mark.task("5.2", weight=0.8)
def test_what_a_step_learns(attention, rng):
    """Gradients of the logits and of the new state reach the old state and all that a step uses."""
    net, parts, y, s, source = random_step(attention, rng)
    pulls, leaf = (tensor(rng, 4, 8), tensor(rng, 4, s.shape[1])), s.clone().requires_grad_()
    logits, state, _ = stepped(parts, y, leaf, source)
    ((logits * pulls[0]).sum() + (state * pulls[1]).sum()).backward()
    _, by_input, by_name = gradients(net.step, y, s, source, weights=(*pulls, None))
    assert close(by_input[1], leaf.grad)
    used = [name for name, p in parts.named_parameters() if p.grad is not None]
    expected = {name: parts.get_parameter(name).grad for name in used}
    assert close({name: by_name[name] for name in used}, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("5.2", weight=2)
def test_teacher_forcing(attention, rng):
    """Each row has the logits and weights that it has alone, without padding."""
    assert_forces(attention, rng, 1)


@pytest.mark.task("5.2", weight=0.2)
def test_teacher_forcing_of_a_second_batch(attention, rng):
    """Each batch begins anew, whatever was read before; PAD is a word of the inputs like any."""
    assert_forces(attention, rng, 2)


def assert_forces(attention, rng, n_batches):
    net, parts = oracles.translator(rng, attention.Translator)
    inputs = [torch.tensor(rng.integers(1, 8, size=(4, 6))) for _ in range(n_batches)]
    for padded in inputs[1:]:
        padded[0, 2:] = padded[:, 5:] = PAD
    batches = [(oracles.sentences(rng, 4), words) for words in inputs]
    # with other steps, so that a mistake in `step` costs nothing; who writes all in one has own
    oracles.use_strange_step(net)
    if not all(close(net(*each), oracles.forced(parts, *each, strange=True)) for each in batches):
        net, parts = oracles.translator(rng, attention.Translator)
        for each in batches:
            assert close(net(*each), oracles.forced(parts, *each))


@pytest.mark.task("5.2", weight=1)
def test_what_the_decoder_learns(attention, rng):
    """Gradients of the logits reach every part of the network, through all steps."""
    if not learns(attention, rng, strange=True):
        assert learns(attention, rng, strange=False)


def learns(attention, rng, strange):
    """Whether a student's translator has the gradients of the test's own, with which steps."""
    net, parts = oracles.translator(rng, attention.Translator)
    source, inputs = oracles.sentences(rng, 2), torch.tensor(rng.integers(1, 8, size=(2, 4)))
    pull = tensor(rng, 2, 4, 8)
    if strange:
        oracles.use_strange_step(net)
    (oracles.forced(parts, source, inputs, strange)[0] * pull).sum().backward()
    found = gradients(net, source, inputs, weights=(pull, None))[2]
    expected = {name: p.grad for name, p in parts.named_parameters()}
    return close({name: found[name] for name in expected}, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("5.2", weight=2, seconds=10)
def test_any_translation(attention, rng):
    """Each sentence gets the likeliest words up to EOS, as if it were alone."""
    assert_translates(attention, rng, 12, True)


@pytest.mark.task("5.2", weight=0.4, seconds=5)
def test_a_translation_that_is_cut(attention, rng):
    """Sentences that have not ended are cut after `most` words, the others are as they are."""
    for most in (3, 9):
        assert_translates(attention, rng, most)


@pytest.mark.task("5.2", weight=0.2, seconds=5)
def test_a_second_translation(attention, rng):
    """Each batch is translated by itself, whatever was translated before."""
    assert_translates(attention, rng, 12, True, again=True)


@pytest.mark.task("5.2", weight=0.2, seconds=5)
def test_translations_that_end_one_after_the_other(attention):
    """Once each sentence has had its EOS, no further step is taken; PAD is a word like any."""
    net = attention.Translator(*oracles.SIZES.values())
    found, taken = oracles.climbed(net, torch.tensor([[3, 0, 0, 0, 0], [3, 4, 3, 4, 3]]))
    if taken:
        assert rows(found) == [[3, 4, 5, 6, 7, PAD], [7, PAD]]
        assert taken <= 15  # 7 for both together, 10 for one after the other
    else:  # who writes all in one
        assert rows(chain(attention).translate(torch.tensor([[3, 4], [4, 0]]))) == [[5, 7], [5, 7]]


def assert_translates(attention, rng, most, ended=False, again=False):
    """Translate with other steps than the student's, or else with the student's own.

    again: then the same sentences the other way round.
    """

    def told(net, source):
        batches = [source, source.flip(0)] if again else [source]
        return [rows(net.translate(each, most)) for each in batches]

    values, source, expected = oracles.unequal_translations(rng, most, ended, strange=True)
    net = oracles.with_parts(attention.Translator, values)
    oracles.use_strange_step(net)
    if told(net, source) != [expected, expected[::-1]][: 1 + again]:
        values, source, expected = oracles.unequal_translations(rng, most, ended)
        net = oracles.with_parts(attention.Translator, values)
        assert told(net, source) == [expected, expected[::-1]][: 1 + again]
