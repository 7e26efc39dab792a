"""Tests of tasks 6.10 and 6.11: masked words, fine-tuning, translating."""

import math

import pytest
import torch

from examiner.suite import close, frequencies, gradients, set_parameters, student_module
from tests.transformers.suite import machines, oracles
from tests.transformers.suite.oracles import sizes, tensor

PAD, BOS, EOS, IGNORE = 0, 1, 2, -100

transformers = student_module("transformers")


# ------------------------------------------------------------------ 6.10
@pytest.mark.task("6.10", weight=1, visible=True)
def test_who_is_chosen(transformers):
    """With share 1 every word is a target, but PAD, BOS and EOS are not, and stay as they are."""
    tokens = torch.tensor([[BOS, 3, 4, EOS, PAD, PAD]])
    inputs, targets = machines.masked(transformers.mask_words, tokens, 9, 0, 1.0)
    assert targets.tolist() == [[IGNORE, 3, 4, IGNORE, IGNORE, IGNORE]]
    assert inputs[0, [0, 3, 4, 5]].tolist() == [BOS, EOS, PAD, PAD]


def many(rng, n, words):
    """Many random words, and a generator's seed."""
    return torch.tensor(rng.integers(3, words, size=(n, 100))), int(rng.integers(10**6))


def as_often(found, shares):
    """Whether each outcome stands in a tensor as often as it should, but for chance."""
    found = found.flatten().tolist()
    return frequencies({outcome: found.count(outcome) for outcome in set(found)}, shares)


def assert_drawn_by_rng(transformers, rng):
    """A generator in the same state hides the same words, another one others."""
    tokens, seed = many(rng, 2, 30)
    mask = transformers.mask_words
    first, same, other = (machines.masked(mask, tokens, 31, s, 0.3) for s in (seed, seed, seed + 1))
    chosen = first[1] != IGNORE
    assert close(first[1][chosen], tokens[chosen])
    assert close(first[0][~chosen], tokens[~chosen])
    assert close(list(first), list(same))
    assert first[1].tolist() != other[1].tolist()


@pytest.mark.task("6.10", weight=1)
def test_how_many_are_chosen(transformers, rng):
    """About the share that was asked for; only there is a target, the word that stood there."""
    for share in (0.15, 0.6):
        tokens, seed = many(rng, 200, 30)
        inputs, targets = machines.masked(transformers.mask_words, tokens, 31, seed, share)
        chosen = targets != IGNORE
        assert as_often(chosen, {True: share, False: 1 - share})
        assert close(targets[chosen], tokens[chosen])
        assert close(inputs[~chosen], tokens[~chosen])


@pytest.mark.task("6.10", weight=5.2)
def test_what_the_chosen_become(transformers, rng):
    """Of the chosen, 80 % become MASK, 10 % any other word, 10 % stay, as the generator says; they
    are the targets."""
    drawn = [many(rng, 8, 300) for _ in range(40)]
    mask = transformers.mask_words
    found = [(tokens, *machines.masked(mask, tokens, 301, seed, 0.5)) for tokens, seed in drawn]
    tokens, inputs, targets = map(torch.cat, zip(*found, strict=True))
    chosen = targets != IGNORE
    seen, said = inputs[chosen], tokens[chosen]
    assert close(targets[chosen], said)
    became = torch.where(seen == 300, 2, torch.where(seen == said, 1, 0))
    again = 0.1 / 297  # a word from 3 to 299 may be that which was there
    assert as_often(became, {2: 0.8, 1: 0.1 + again, 0: 0.1 - again})
    assert_drawn_by_rng(transformers, rng)


@pytest.mark.task("6.10", weight=0.6)
def test_each_place_for_itself(transformers, rng):
    """Each place is chosen by chance for itself: not so many of each text, nor the same places."""
    tokens = torch.full((60, 10), 5)
    seed = int(rng.integers(10**6))
    _, targets = machines.masked(transformers.mask_words, tokens, 9, seed, 0.5)
    chosen = targets != IGNORE
    assert as_often(chosen, {True: 0.5, False: 0.5})
    assert len(set(map(tuple, chosen.tolist()))) > 1
    rows = [machines.masked(transformers.mask_words, tokens[:2], 9, s, 0.5)[1] for s in range(30)]
    numbers = {int((row != IGNORE).sum()) for row in rows}
    assert len(numbers) > 1


@pytest.mark.task("6.10", weight=1)
def test_which_words_take_a_place(transformers, rng):
    """The other words are all words alike: neither PAD, BOS, EOS nor MASK, and none left out."""
    tokens, seed = torch.full((600, 101), 3), int(rng.integers(10**6))
    tokens[:, 100] = 4  # words of the text itself are no fair choice
    inputs, _ = machines.masked(transformers.mask_words, tokens, 8, seed, 1.0)
    # a fourth of the drawn words are 3, which was there before: 10 % and 2.5 %
    shares = {7: 0.8, 3: 0.125, 4: 0.025, 5: 0.025, 6: 0.025}
    assert as_often(inputs[:, :100], shares)


@pytest.mark.task("6.10", weight=1)
def test_other_draws(transformers, rng):
    """A generator in the same state chooses the same words, another one others."""
    assert_drawn_by_rng(transformers, rng)


@pytest.mark.task("6.10", weight=0.2)
def test_nobody_is_chosen(transformers, rng):
    """With a share of 0 no word is chosen, in no text: chance may leave a text without targets."""
    tokens, seed = many(rng, 3, 30)
    inputs, targets = machines.masked(transformers.mask_words, tokens, 31, seed, 1.0)
    assert close(targets, tokens)
    inputs, targets = machines.masked(transformers.mask_words, tokens, 31, seed, 0.0)
    assert close(inputs, tokens)
    assert close(targets, torch.full_like(tokens, IGNORE)), "nothing is chosen by force"


@pytest.mark.task("6.10", weight=0.2)
def test_another_word_for_each_place(transformers, rng):
    """Random words are drawn for each place: those of a text differ, and those of a column."""
    tokens, seed = torch.full((60, 60), 5), int(rng.integers(10**6))
    inputs, targets = machines.masked(transformers.mask_words, tokens, 300, seed, 1.0)
    assert close(targets, tokens)
    for line in (*inputs, *inputs.T):
        other = line[(line != 299) & (line != 5)].tolist()
        assert len(other) < 6 or len(set(other)) > 1, "one random word for all places of a line"


def new_encoder(transformers, rng, n_blocks=2):
    """A student's encoder that reads by the test's own means, and what it says of tokens."""
    encoder = transformers.Encoder(sizes(transformers, L=n_blocks))
    all_W = [tensor(rng, 6, 6) for _ in range(n_blocks)]
    oracles.with_reading(encoder, all_W, False)
    values = oracles.fill(encoder, rng)
    return encoder, values


@pytest.mark.task("6.10", weight=1, visible=True)
def test_what_an_encoder_returns(transformers):
    """Logits of the V words at each place, and vectors of D numbers, which made the logits."""
    encoder = transformers.Encoder(sizes(transformers))
    words, tokens = torch.arange(54.0).reshape(9, 6), torch.tensor([[3, 4, 5], [6, PAD, PAD]])
    set_parameters(encoder, {"embed.words.weight": words})
    machines.with_words_only(encoder)
    logits, x = encoder(tokens)
    assert (tuple(logits.shape), tuple(x.shape)) == ((2, 3, 9), (2, 3, 6))
    assert close(x[0], words[tokens[0]])
    assert close(logits[..., 0], x.sum(-1))


@pytest.mark.task("6.10", weight=2)
def test_padding_changes_nothing(transformers, rng):
    """A text has the same vectors and logits alone and beside a longer one."""
    encoder, values = new_encoder(transformers, rng)
    tokens = torch.tensor([[BOS, 4, 5, EOS], [BOS, EOS, PAD, PAD]])
    logits, x = encoder(tokens)
    for row, length in ((0, 4), (1, 2)):
        alone = oracles.encoded(values, tokens[row : row + 1, :length])
        assert close(x[row, :length], alone[0])
        assert close(logits[row, :length], alone[0] @ values["embed.words.weight"].T - 1)


@pytest.mark.task("6.10", weight=0.3)
def test_padding_inside_a_text(transformers, rng):
    """It is PAD that nobody sees, wherever it stands, and not the end of a row."""
    encoder, values = new_encoder(transformers, rng)
    tokens = torch.tensor([[BOS, 4, 5, EOS], [BOS, PAD, 6, EOS], [PAD, PAD, BOS, 3]])
    tokens = torch.cat([tokens, torch.full((3, 1), PAD)], dim=1)  # in all rows the last one
    logits, x = encoder(tokens)
    seen = tokens != PAD
    assert logits.shape[:2] == x.shape[:2] == tokens.shape
    expected = oracles.encoded(values, tokens, mask=seen)
    assert close(x[seen], expected[seen])
    assert close(logits[seen], expected[seen] @ values["embed.words.weight"].T - 1)


@pytest.mark.task("6.10", weight=0.5)
def test_what_an_encoder_learns(transformers, rng):
    """Gradients of the logits reach the words, as what is compared and as what is read."""
    encoder, values = new_encoder(transformers, rng)
    tokens = torch.tensor([[BOS, 4, 5, EOS], [BOS, EOS, PAD, PAD]])
    words = values["embed.words.weight"].requires_grad_()
    x = oracles.encoded(values, tokens, mask=tokens != PAD)
    (x @ words.T - 1).sum().backward()
    _, _, found = gradients(encoder, tokens, output=0)
    assert close(found["embed.words.weight"], words.grad, rtol=1e-3, atol=1e-4)


@pytest.mark.task("6.10", weight=0.6, visible=True)
def test_a_text_is_judged_by_its_first_token(transformers):
    """The logits and the vectors are those of the first token, whatever follows it."""
    words, head = torch.arange(12.0).reshape(6, 2), torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    tokens = torch.tensor([[BOS, 3, 4], [BOS, 5, PAD], [3, 4, EOS]])
    bias = torch.tensor([0.0, 10.0])
    logits, vectors = machines.judged(transformers.Classifier, words, head, bias, tokens)
    assert close(vectors, torch.tensor([[2.0, 3.0], [2.0, 3.0], [6.0, 7.0]]))
    assert close(logits, torch.tensor([[2.0, 13.0], [2.0, 13.0], [6.0, 17.0]]))


@pytest.mark.task("6.10", weight=1.3)
def test_logits_of_texts(transformers, rng):
    """The new layer reads the vectors, not the encoder's logits; texts of any length."""
    for n, T in ((3, 4), (2, 1)):
        words, head, bias = tensor(rng, 9, 5), tensor(rng, n, 5), tensor(rng, n)
        tokens = torch.tensor(rng.integers(0, 9, size=(4, T)))
        logits, vectors = machines.judged(transformers.Classifier, words, head, bias, tokens)
        assert close(vectors, words[tokens[:, 0]])
        assert close(logits, words[tokens[:, 0]] @ head.T + bias)


@pytest.mark.task("6.10", weight=0.3)
def test_logits_of_one_text(transformers, rng):
    """One text keeps the axis of texts, and one class that of classes."""
    for B, n in ((4, 3), (1, 3), (2, 1), (1, 1)):
        words, head, bias = tensor(rng, 9, 5), tensor(rng, n, 5), tensor(rng, n)
        tokens = torch.tensor(rng.integers(0, 9, size=(B, 3)))
        logits, vectors = machines.judged(transformers.Classifier, words, head, bias, tokens)
        assert logits.shape == (B, n)
        assert vectors.shape == (B, 5)
        assert close(logits, words[tokens[:, 0]] @ head.T + bias)


@pytest.mark.task("6.10", weight=0.6, visible=True)
def test_the_loss_of_who_knows_nothing(transformers):
    """If all four classes are equally likely, the loss of a batch is ln 4, before its step."""
    w = {"words": torch.ones(5, 2), "head": torch.zeros(4, 2)}
    batches = [(torch.tensor([[BOS, 3], [BOS, 4]]), torch.tensor([0, 2]))]
    losses, _, given = machines.tune_judge(transformers.fine_tune, w, batches, 0.0, 0.1)
    assert close(losses, [math.log(4)], rtol=1e-4)
    assert close(given, batches), "the batches are as they were"


def labelled(rng, n_batches):
    """Random weights of a judge, and batches of texts with labels."""
    w = {"words": tensor(rng, 9, 4), "head": tensor(rng, 3, 4)}
    sizes = rng.integers(1, 5, size=n_batches)
    return w, [
        (torch.tensor(rng.integers(0, 9, size=(B, 3))), torch.tensor(rng.integers(0, 3, size=B)))
        for B in map(int, sizes)
    ]


def assert_tunes(transformers, w, batches, rate, head_rate):
    losses, weights = machines.tuned(w, batches, rate, head_rate)
    found = machines.tune_judge(transformers.fine_tune, w, batches, rate, head_rate)
    assert close(found[0], losses, rtol=1e-3, atol=1e-4)
    assert close(found[1], weights, rtol=1e-3, atol=1e-4)


@pytest.mark.task("6.10", weight=2)
def test_two_rates(transformers, rng):
    """Encoder and new layer learn each with its own rate; gradients of before are forgotten."""
    assert_tunes(transformers, *labelled(rng, 4), 0.01, 0.1)
    assert_tunes(transformers, *labelled(rng, 3), 0.1, 0.02)


@pytest.mark.task("6.10", weight=0.8)
def test_a_linear_probe(transformers, rng):
    """With rate 0 the encoder stays as it is, and the new layer learns."""
    w, batches = labelled(rng, 3)
    assert_tunes(transformers, w, batches, 0.0, 0.1)
    _, weights, _ = machines.tune_judge(transformers.fine_tune, w, batches, 0.0, 0.1)
    assert close(weights["words"], w["words"])
    assert not close(weights["head"], w["head"])


@pytest.mark.task("6.10", weight=0.4)
def test_what_a_classifier_learns(transformers, rng):
    """Gradients reach the encoder through the first token, and through no other."""
    words, head, pull = tensor(rng, 9, 5), tensor(rng, 3, 5), tensor(rng, 4, 3)
    tokens = torch.tensor(rng.integers(0, 9, size=(4, 3)))
    expected = torch.zeros(9, 5).index_add_(0, tokens[:, 0], pull @ head)
    found = machines.reader_learns(transformers.Classifier, words, head, tokens, pull)
    assert close(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("6.10", weight=0.2)
def test_batches_that_can_be_gone_through_once(transformers, rng):
    """The batches may come from a generator."""
    w, batches = labelled(rng, 3)
    losses, *_ = machines.tune_judge(transformers.fine_tune, w, batches, 0.01, 0.1, True)
    assert close(losses, machines.tuned(w, batches, 0.01, 0.1)[0], rtol=1e-3, atol=1e-4)


@pytest.mark.task("6.10", weight=0.2)
def test_tuning_after_a_probe(transformers, rng):
    """A probe leaves the encoder able to learn; both calls leave the mode, and dropout its luck."""
    w, batches = labelled(rng, 3)
    assert_tunes(transformers, w, batches, 0.0, 0.1)
    for trains in (True, False):
        found = machines.tuned_twice(transformers.fine_tune, w, batches, trains)
        weights, modes, repeated = found
        assert not close(weights, w["words"]), "the encoder learns in the second call"
        assert modes == [trains] * 3, "whoever calls the function chooses the mode"
        assert not repeated, "no seed is set: dropout drops other numbers each time"


# ------------------------------------------------------------------ 6.11
def new_translator(transformers, rng):
    """A student's encoder-decoder between the test's own encoder and blocks; weights, calls."""
    made = sizes(transformers)
    net = machines.with_encoder(transformers.EncoderDecoder, made)
    oracles.with_reading(net, [tensor(rng, 6, 6) for _ in range(2)], True)
    return net, oracles.fill(net, rng)


def translation(values, source, inputs):
    """The logits of an encoder-decoder, sentence by sentence, without padding."""
    rows = []
    for words, row in zip(source, inputs, strict=True):
        vectors = values["encoder.words.weight"][words[words != PAD]][None]
        memory = (vectors, torch.ones(vectors.shape[:2], dtype=torch.bool))
        x = oracles.encoded(values, row[None], causal=True, memory=memory)
        rows.append(x[0] @ values["embed.words.weight"].T - 1)
    return torch.stack(rows)


SOURCE = torch.tensor([[3, 4, EOS], [EOS, PAD, PAD], [BOS, 8, PAD]])


@pytest.mark.task("6.11", weight=1, visible=True)
def test_one_sentence(transformers):
    """Each input gets logits of all words; the source is read once, and kept in the past."""
    net = machines.with_encoder(transformers.EncoderDecoder, sizes(transformers))
    machines.with_words_only(net)
    parts, calls = machines.translated(net, SOURCE[:1], torch.tensor([[BOS, 3, 4]]), [2, 1])
    assert [tuple(logits.shape) for logits in parts] == [(1, 2, 9), (1, 1, 9)]
    assert calls == 1


@pytest.mark.task("6.11", weight=1.2)
def test_all_words_at_once(transformers, rng):
    """Every word is predicted from the whole source, without its padding, and the words before."""
    net, values = new_translator(transformers, rng)
    inputs = torch.tensor(rng.integers(1, 9, size=(3, 4)))
    logits, _, grads = gradients(net, SOURCE, inputs, output=0)
    assert close(logits, translation(values, SOURCE, inputs))
    assert grads["encoder.words.weight"] is not None, "the encoder learns with the decoder"


@pytest.mark.task("6.11", weight=4.2)
def test_word_by_word(transformers, rng):
    """Read word by word, the inputs get the same logits, and the encoder runs once."""
    net, values = new_translator(transformers, rng)
    inputs = torch.tensor(rng.integers(1, 9, size=(3, 4)))
    expected, n = translation(values, SOURCE, inputs), 0
    parts, calls = machines.translated(net, SOURCE, inputs, [1, 2, 1])
    for logits in parts:
        n += logits.shape[1]
        assert close(logits, expected[:, n - logits.shape[1] : n])
    assert (n, calls) == (4, 1)


@pytest.mark.task("6.11", weight=0.5)
def test_other_sources_and_padding(transformers, rng):
    """Another source gets other answers; padding among the inputs is read like a word."""
    net, values = new_translator(transformers, rng)
    inputs = torch.tensor(rng.integers(1, 9, size=(3, 4)))
    for source in (SOURCE, SOURCE.flip(0)):
        assert close(net(source, inputs)[0], translation(values, source, inputs))
    inputs[:, 2] = PAD
    assert close(net(SOURCE, inputs)[0], translation(values, SOURCE, inputs))


@pytest.mark.task("6.11", weight=0.3)
def test_two_sources_in_turn(transformers, rng):
    """What the model knows of a source stands in the past: another one may be read in between."""
    net, values = new_translator(transformers, rng)
    inputs, sources = torch.tensor(rng.integers(1, 9, size=(3, 4))), [SOURCE, SOURCE.flip(0)]
    found = machines.translated_in_turn(net, sources, inputs)
    assert close(found, [translation(values, source, inputs) for source in sources])
