"""Tests of tasks 6.9 to 6.11: generating, masked words, translating."""

import math

import pytest
import torch

from nextword.suite import close, gradients, student_module
from tests.suites.transformers import machines, oracles
from tests.suites.transformers.oracles import sizes, tensor

PAD, BOS, EOS, IGNORE = 0, 1, 2, -100
V = 8  # words of the toy models, PAD, BOS and EOS among them

transformers = student_module("transformers")


# ------------------------------------------------------------------ 6.9
def likeliest(w, prompts, most):
    """The likeliest words after each prompt, text by text. w None: the model that counts."""
    texts, model = [], machines.Counter() if w is None else machines.Toy(w)
    for prompt in prompts:
        row = [BOS, *prompt]
        while len(row) <= most and EOS not in row:
            scores = model(torch.tensor([row]))[0][0, -1]
            scores[[PAD, BOS]] = -math.inf
            row.append(int(scores.argmax()))
        texts.append([word for word in row[1:] if word != EOS])
    return texts


def told(transformers, w, prompts, most, heat=0, seed=0, cached=True, read=()):
    """The texts that continue prompts. read: how many tokens of each text the first calls get."""
    call = transformers.generate, w, prompts, most, heat, seed, cached
    texts, shapes, pasts, _ = machines.told(*call)
    assert [list(shape) for shape in shapes[: len(read)]] == [[len(prompts), n] for n in read]
    assert pasts[: len(read)] == [k > 0 for k in range(len(read))]
    return texts


@pytest.mark.task("6.9", weight=1, visible=True)
def test_counting_words(transformers):
    """A model that always says the next number continues 3 with 4 5 6 7, then ends; 6 with 7."""
    for cached, read in ((False, ()), (True, (2, 1, 1, 1))):
        found = told(transformers, None, [[3], [6]], 9, cached=cached, read=read)
        assert found == [[3, 4, 5, 6, 7], [6, 7]]


@pytest.mark.task("6.9", weight=1)
def test_how_long_a_text_becomes(transformers):
    """`most` counts the prompt, but not BOS."""
    for cached, read in ((True, (2, 1)), (False, ())):
        for most in (3, 4):
            found = told(transformers, None, [[3], [6]], most, cached=cached, read=read)
            assert found == [list(range(3, most + 3)), [6, 7]]


@pytest.mark.task("6.9", weight=0.5)
def test_when_all_have_ended(transformers):
    """All texts stop together when the last one ends, or is long enough: no call comes after."""
    assert told(transformers, None, [[3], [6]], 9) == [[3, 4, 5, 6, 7], [6, 7]]
    for prompts, most, n in (([[6], [6]], 9, 2), ([[5, 6], [6, 7]], 50, 2), ([[3], [6]], 3, 2)):
        found, shapes, *_ = machines.told(transformers.generate, None, prompts, most, 0, 0, True)
        assert found == likeliest(None, prompts, most)
        assert len(shapes) == n


@pytest.mark.task("6.9", weight=1.8)
def test_what_is_read(transformers):
    """With a cache each token is read once; without one, all of them each time."""
    prompts = [[3, 4], [5, 6], [4, 5]]
    for cached, widths in ((True, [3, 1, 1, 1]), (False, [3, 4, 5, 6])):
        call = transformers.generate, None, prompts, 7, 0, 0, cached
        texts, shapes, pasts, _ = machines.told(*call)
        assert [list(shape) for shape in shapes[:4]] == [[3, width] for width in widths]
        assert texts == [[3, 4, 5, 6, 7], [5, 6, 7], [4, 5, 6, 7]]
        assert pasts[:4] == [False, *3 * [cached]]


def weights(rng, pad=-20.0, bos=-20.0):
    """Weights of a toy model that finds PAD and BOS so likely."""
    w = machines.toy_weights(rng, V)
    w["word"][:, 0] = 9.0
    w["out"][0, [PAD, BOS]] = torch.tensor([pad, bos])
    w["out"][0, EOS] -= 2.0
    return w


@pytest.mark.task("6.9", weight=2.1)
def test_with_a_cache_and_without(transformers, rng):
    """With heat 0, both ways write the likeliest words."""
    w = weights(rng)
    for prompts in ([[6]], [[3, 5], [4, 4], [7, 6]]):
        n = len(prompts[0])
        for cached, read in ((True, (n + 1, 1)), (False, ())):
            found = told(transformers, w, prompts, 9, cached=cached, read=read)
            assert found == likeliest(w, prompts, 9)


@pytest.mark.task("6.9", weight=0.6)
def test_never_pad_or_bos(transformers, rng):
    """Neither PAD nor BOS is written, even if it is the likeliest, or drawn."""
    for pad, bos in ((-20.0, -20.0), (40.0, 40.0), (40.0, -20.0), (-20.0, 40.0)):
        w = weights(rng, pad, bos)
        prompts = [[3, 5], [4, 4], [7, 6]]
        assert told(transformers, w, prompts, 9) == likeliest(w, prompts, 9)
        drawn = told(transformers, w, 20 * prompts, 9, 1.0, 5)
        assert not {PAD, BOS} & {word for text in drawn for word in text}


@pytest.mark.task("6.9", weight=0.4)
def test_rare_prompts(transformers, rng):
    """A prompt may be empty, or as long as the text may become; texts are lists."""
    w = weights(rng)
    for prompts, most in (([[3, 5], [7, 6]], 9), ([[], []], 9), ([[3, 5], [7, 6]], 2)):
        found, _, _, lists = machines.told(transformers.generate, w, prompts, most, 0, 0, True)
        assert found == likeliest(w, prompts, most)
        assert lists


@pytest.mark.task("6.9", weight=2)
def test_how_often_words_are_drawn(transformers, rng):
    """Words come as often as softmax(logits / heat) says."""
    w, n = {name: value / 2 for name, value in weights(rng).items()}, 4000
    w["out"][0, [PAD, BOS]] = -20.0
    for heat in (0.5, 3.0):
        found = told(transformers, w, n // 2 * [[3], [6]], 2, heat, int(heat * 10))
        for k, word in enumerate((3, 6)):
            scores = machines.Toy(w)(torch.tensor([[BOS, word]]))[0][0, -1]
            drawn = [(text[1:] or [EOS])[0] for text in found[k::2]]
            counts = torch.tensor([drawn.count(other) for other in range(V)])
            chances = (scores / heat).softmax(0)
            assert close(2 * counts / n, chances, atol=0.05, rtol=0)
            assert bool((counts[chances > 0.01] > 0).all()), "each word has its chance"


@pytest.mark.task("6.9", weight=0.4)
def test_texts_drawn_again(transformers, rng):
    """A generator in the same state draws the same texts, another one others, word by word."""
    w, prompts = weights(rng), 30 * [[3]]
    first, shapes, *_ = machines.told(transformers.generate, w, prompts, 9, 2.0, 1, True)
    same, other = (told(transformers, w, prompts, 9, 2.0, seed) for seed in (1, 2))
    assert first == same
    assert first != other
    assert [list(shape) for shape in shapes] == [[30, 2], *(len(shapes) - 1) * [[30, 1]]]


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


@pytest.mark.task("6.10", weight=1)
def test_how_many_are_chosen(transformers, rng):
    """About the share that was asked for; only there is a target, the word that stood there."""
    for share in (0.15, 0.6):
        tokens, seed = many(rng, 200, 30)
        inputs, targets = machines.masked(transformers.mask_words, tokens, 31, seed, share)
        chosen = targets != IGNORE
        assert abs(float(chosen.float().mean()) - share) < 0.02
        assert close(targets[chosen], tokens[chosen])
        assert close(inputs[~chosen], tokens[~chosen])


@pytest.mark.task("6.10", weight=4.6)
def test_what_the_chosen_become(transformers, rng):
    """Of the chosen, 80 % become MASK, 10 % any other word, 10 % stay; they are the targets."""
    drawn = [many(rng, 8, 300) for _ in range(40)]
    mask = transformers.mask_words
    found = [(tokens, *machines.masked(mask, tokens, 301, seed, 0.5)) for tokens, seed in drawn]
    tokens, inputs, targets = map(torch.cat, zip(*found, strict=True))
    chosen = targets != IGNORE
    seen, said = inputs[chosen], tokens[chosen]
    assert close(targets[chosen], said)
    shares = [(seen == 300), (seen == said), (seen != 300) & (seen != said)]
    for share, expected in zip(shares, (0.8, 0.1, 0.1), strict=True):
        assert abs(float(share.float().mean()) - expected) < 0.02


@pytest.mark.task("6.10", weight=0.6)
def test_each_place_for_itself(transformers, rng):
    """Each place is chosen by chance for itself: not so many of each text, nor the same places."""
    tokens = torch.full((60, 10), 5)
    seed = int(rng.integers(10**6))
    _, targets = machines.masked(transformers.mask_words, tokens, 9, seed, 0.5)
    chosen = targets != IGNORE
    assert abs(float(chosen.float().mean()) - 0.5) < 0.2
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
    inputs = inputs[:, :100]
    assert abs(float((inputs == 7).float().mean()) - 0.8) < 0.01
    others = inputs[(inputs != 7) & (inputs != 3)]
    assert sorted(set(others.tolist())) == [4, 5, 6]
    counts = torch.bincount(others)[4:].float()
    assert float(counts.max() / counts.min()) < 1.3
    # a fourth of the drawn words are 3, which was there before: 10 % and 2.5 %
    assert abs(float((inputs == 3).float().mean()) - 0.125) < 0.015


@pytest.mark.task("6.10", weight=1)
def test_other_draws(transformers, rng):
    """A generator in the same state chooses the same words, another one others."""
    tokens, seed = many(rng, 2, 30)
    drawn = [machines.masked(transformers.mask_words, tokens, 31, s, 0.3) for s in (7, 7, seed + 8)]
    assert close(list(drawn[0]), list(drawn[1]))
    assert drawn[0][1].tolist() != drawn[2][1].tolist()


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
    machines.with_words_only(encoder)
    logits, x = encoder(torch.tensor([[3, 4, 5], [6, PAD, PAD]]))
    assert (tuple(logits.shape), tuple(x.shape)) == ((2, 3, 9), (2, 3, 6))
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
    for words, told in zip(source, inputs, strict=True):
        vectors = values["encoder.words.weight"][words[words != PAD]][None]
        memory = (vectors, torch.ones(vectors.shape[:2], dtype=torch.bool))
        x = oracles.encoded(values, told[None], causal=True, memory=memory)
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
    logits, _, slopes = gradients(net, SOURCE, inputs, output=0)
    assert close(logits, translation(values, SOURCE, inputs))
    assert slopes["encoder.words.weight"] is not None, "the encoder learns with the decoder"


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
