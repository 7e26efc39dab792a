"""Tests of task 6.9: generating with a cache."""

import collections
import math

import pytest
import torch

from examiner.suite import found_once, frequencies, student_module
from tests.transformers.suite import machines

PAD, BOS, EOS = 0, 1, 2
V = 8  # words of the toy models, PAD, BOS and EOS among them

transformers = student_module("transformers")


# ------------------------------------------------------------------ 6.9
@torch.no_grad()
def likeliest(w, prompts, most, past="kept"):
    """The likeliest words after each prompt, text by text, and the least lead of one of them.

    w None: the model that counts. past: what becomes of it, "lost", "first" and "twice" are wrong.
    """
    texts, least, model = [], math.inf, machines.Counter() if w is None else machines.Toy(w)
    for prompt in prompts:
        row, kept = [BOS, *prompt], None
        new = row
        while len(row) <= most and EOS not in row:
            logits, after = model(torch.tensor([row if past == "twice" else new]), kept)
            kept = {"lost": None, "first": after if kept is None else kept}.get(past, after)
            logits[:, -1, [PAD, BOS]] = -math.inf
            best, word = logits[0, -1].topk(2)
            least, new = min(least, float(best[0] - best[1])), [int(word[0])]
            row = row + new
        texts.append([word for word in row[1:] if word != EOS])
    return texts, least


def continued(transformers, w, prompts, most, temperature=0, seed=0, cached=True, read=()):
    """The texts that continue prompts. read: how many tokens of each text the first calls get."""
    call = transformers.generate, w, prompts, most, temperature, seed, cached
    texts, shapes, pasts, _ = machines.continued(*call)
    assert_read(shapes, pasts, len(prompts), read)
    return texts


def assert_read(shapes, pasts, B, read):
    """The first calls get so many tokens of each of B texts, and all but the first one a past."""
    assert [list(shape) for shape in shapes[: len(read)]] == [[B, n] for n in read]
    assert pasts[: len(read)] == [k > 0 for k in range(len(read))]


@pytest.mark.task("6.9", weight=1, visible=True)
def test_counting_words(transformers):
    """A model that always says the next number continues 3 with 4 5 6 7, then ends; 6 with 7."""
    for cached, read in ((False, ()), (True, (2, 1, 1, 1))):
        found = continued(transformers, None, [[3], [6]], 9, cached=cached, read=read)
        assert found == [[3, 4, 5, 6, 7], [6, 7]]


@pytest.mark.task("6.9", weight=0.6)
def test_how_long_a_text_becomes(transformers):
    """`most` counts the prompt, but not BOS."""
    for cached, read in ((True, (2, 1)), (False, ())):
        for most in (3, 4):
            found = continued(transformers, None, [[3], [6]], most, cached=cached, read=read)
            assert found == [list(range(3, most + 3)), [6, 7]]


@pytest.mark.task("6.9", weight=0.4)
def test_when_all_have_ended(transformers):
    """All texts stop together when the last one ends, or is long enough: no call comes after."""
    assert continued(transformers, None, [[3], [6]], 9) == [[3, 4, 5, 6, 7], [6, 7]]
    for prompts, most, n in (([[6], [6]], 9, 2), ([[5, 6], [6, 7]], 50, 2), ([[3], [6]], 3, 2)):
        found, shapes, *_ = machines.continued(
            transformers.generate, None, prompts, most, 0, 0, True
        )
        assert found == likeliest(None, prompts, most)[0]
        assert len(shapes) == n


@pytest.mark.task("6.9", weight=0.9)
def test_what_is_read(transformers):
    """With a cache each token is read once; without one, all of them each time."""
    prompts = [[3, 4], [5, 6], [4, 5]]
    for cached, widths in ((True, [3, 1, 1, 1]), (False, [3, 4, 5, 6])):
        call = transformers.generate, None, prompts, 7, 0, 0, cached
        texts, shapes, pasts, _ = machines.continued(*call)
        assert [list(shape) for shape in shapes[:4]] == [[3, width] for width in widths]
        assert texts == [[3, 4, 5, 6, 7], [5, 6, 7], [4, 5, 6, 7]]
        assert pasts[:4] == [False, *3 * [cached]]


def weights(rng):
    """Weights of a toy model that finds PAD and BOS improbable, and EOS at times likely."""
    w = machines.toy_weights(rng, V, 8)
    w["word"] *= 0.6  # shorter words leave the past more weight
    w["word"][:, 0] = 9.0
    w["out"][0] /= 2
    w["out"][0, [PAD, BOS, EOS]] = torch.tensor([-20.0, -20.0, 0.0])
    return w


@found_once
def telling_weights(rng, prompts, most=9, *others):
    """Weights under which texts say what became of the past: the weights, and the texts.

    The first text gets two words or more, so that there is a second call. Of several texts, one
    ends before another. Where the past is lost, kept or read twice, other texts come out. Nowhere
    are two words nearly as likely, whatever rounds. others: prompts and lengths, for that alone.
    """
    while True:
        w = weights(rng)
        texts, least = likeliest(w, prompts, most)
        new = [len(text) - len(prompt) for text, prompt in zip(texts, prompts, strict=True)]
        tells = new[0] > 1 and (min(new) < max(new) or len(new) == 1)
        if not tells or min(least, *(likeliest(w, *each)[1] for each in others), 9) < 0.01:
            continue
        wrong = (likeliest(w, prompts, most, past)[0] for past in ("lost", "first", "twice"))
        if texts not in wrong:
            return w, texts


PROMPTS = [[3, 5], [4, 4], [7, 6]]


@pytest.mark.task("6.9", weight=0.9)
def test_with_a_cache_and_without(transformers, rng):
    """At temperature 0, both ways write the likeliest words."""
    for prompts in ([[6]], PROMPTS):
        w, texts = telling_weights(rng, prompts)
        for cached, read in ((True, (len(prompts[0]) + 1, 1)), (False, ())):
            assert continued(transformers, w, prompts, 9, cached=cached, read=read) == texts


@pytest.mark.task("6.9", weight=0.6)
def test_never_pad_or_bos(transformers, rng):
    """Neither PAD nor BOS is written, even if it is the likeliest, or drawn."""
    w, texts = telling_weights(rng, PROMPTS)
    for pad, bos in ((-20.0, -20.0), (40.0, 40.0), (40.0, -20.0), (-20.0, 40.0)):
        w["out"][0, [PAD, BOS]] = torch.tensor([pad, bos])
        assert continued(transformers, w, PROMPTS, 9) == texts
        drawn = continued(transformers, w, 20 * PROMPTS, 9, 1.0, 5)
        assert not {PAD, BOS} & {word for text in drawn for word in text}
    w["out"][0] -= 300.0  # which changes no probability: the first number of the state is always 1
    assert continued(transformers, w, PROMPTS, 9) == texts


@pytest.mark.task("6.9", weight=0.4)
def test_rare_prompts(transformers, rng):
    """A prompt may be empty, or as long as the text may become; texts are lists."""
    cases = (PROMPTS, 9), ([[], []], 9), (PROMPTS, 2)
    w, _ = telling_weights(rng, *cases[0], *cases[1:])
    for prompts, most in cases:
        found, _, _, lists = machines.continued(transformers.generate, w, prompts, most, 0, 0, True)
        assert found == likeliest(w, prompts, most)[0]
        assert lists
    # after BOS the model that counts says EOS at once
    assert continued(transformers, None, [[], []], 4) == [[], []]


def drawn_twice(transformers, w, prompts, copies, temperature, seed, read=(), others=True):
    """What texts a generator draws for each prompt, and how often.

    In the same state it draws the same ones, in another one others. They become one word longer
    than the prompts, or as many as are read. others: False where nearly all texts are one text, so
    that those of two states may be equal.
    """
    most = len(prompts[0]) + max(1, len(read))

    def drawn(n, seed):
        return continued(transformers, w, n * prompts, most, temperature, seed, read=read)

    few = 200 // len(prompts)
    first, same, other = (drawn(few, s) for s in (seed, seed, seed + 1))
    assert first == same
    assert first != other or not others
    call = transformers.generate, w, prompts, copies, most, temperature, seed
    found, *calls = machines.continued_often(*call)
    assert_read(*calls, copies * len(prompts), read)
    return found


def words(texts, k, ended=()):
    """How often each word came at place k of texts that came so often; `ended` of shorter ones."""
    counts = collections.Counter()
    for text, n in texts:
        counts[(text[k:] or ended)[0]] += n
    return counts


@pytest.mark.task("6.9", weight=1.2, visible=True)
def test_drawn_words(transformers):
    """With logits ln 3 and 0 three of four words are the first; at temperature 1/2, nine of ten."""
    w = {"word": torch.full((V, 1), 9.0), "out": torch.full((1, V), -1000.0)}
    w["out"][0, 3:5] = torch.tensor([math.log(3), 0.0])
    for temperature, share in ((1.0, 3 / 4), (0.5, 9 / 10)):
        (texts,) = drawn_twice(transformers, w, [[5]], 1000, temperature, 7)
        counts = words(texts, 1)
        assert frequencies(counts, {3: share, 4: 1 - share})


def remembering(rng):
    """Weights of a toy model that still knows, after the next word, which of two prompts it read.

    Its words are unequally likely by construction, and all of them, EOS too, are drawn at times.
    """
    first, second, *_ = words = rng.permutation(range(3, V)).tolist()
    w = {"word": torch.zeros(V, 2), "out": torch.full((2, V), -1000.0)}
    w["word"][:, 0] = 9.0  # the first number of the state is always 1
    w["word"][[first, second], 1] = torch.tensor([9.0, -9.0])
    w["out"][0, rng.permutation(words).tolist()] = torch.tensor([2.0, 1.0, 0.0, -1.0, -2.0])
    w["out"][0, EOS], w["out"][1] = 0.5, 0.0
    w["out"][1, rng.permutation(words)[:2].tolist()] = torch.tensor([3.0, -3.0])
    return w, [[first], [second]]


def assert_likely(w, tokens, texts, temperature):
    """Compare what texts say after these tokens with what softmax(logits / temperature) says."""
    scores = machines.Toy(w)(torch.tensor([tokens]))[0][0, -1].double()
    chances = dict(enumerate((scores / temperature).softmax(0).tolist()))
    assert frequencies(words(texts, len(tokens) - 1, [EOS]), chances)  # texts lack BOS


def assert_drawn(transformers, rng, *temperatures):
    """At temperature 1/2, 1 and 3, mistakes are more than ten spreads from what is expected.

    All of 200 texts are equal with a chance of 3e-15 at temperature 1, of 1/2 at temperature 1/2.
    """
    for temperature in temperatures:
        w, prompts = remembering(rng)
        seed = int(rng.integers(10**6))
        how = temperature, seed, (2, 1), temperature >= 1
        found = drawn_twice(transformers, w, prompts, 2000, *how)
        for prompt, texts in zip(prompts, found, strict=True):
            assert_likely(w, [BOS, *prompt], texts, temperature)
            for word in {text[1] for text, _ in texts if len(text) > 1}:
                those = [each for each in texts if each[0][1:2] == [word]]
                assert_likely(w, [BOS, *prompt, word], those, temperature)


@pytest.mark.task("6.9", weight=3.2)
def test_texts_that_are_drawn(transformers, rng):
    """Each word is drawn by softmax(logits) of all words before it, by the generator given."""
    assert_drawn(transformers, rng, 1.0)


@pytest.mark.task("6.9", weight=3)
def test_how_often_words_are_drawn(transformers, rng):
    """Words come as often as softmax(logits / temperature) says."""
    assert_drawn(transformers, rng, 0.5, 3.0)


@pytest.mark.task("6.9", weight=0.3)
def test_a_low_temperature(transformers):
    """Only at temperature 0 it is the likeliest: at 1/100, 3 ln 100-ths decide."""
    w = {"word": torch.full((V, 1), 9.0), "out": torch.full((1, V), -1000.0)}
    w["out"][0, 3:5] = torch.tensor([math.log(3) / 100, 0.0])
    (texts,) = drawn_twice(transformers, w, [[5]], 1000, 0.01, 7)
    counts = words(texts, 1)
    assert frequencies(counts, {3: 3 / 4, 4: 1 / 4})


@pytest.mark.task("6.9", weight=0.3)
def test_the_mode_while_telling(transformers, rng):
    """The model stays in its mode, training or evaluation, whichever it is."""
    w, texts = telling_weights(rng, PROMPTS)
    for training in (True, False):
        found = machines.continued_in(training, transformers.generate, w, PROMPTS, 9)
        assert list(found) == [texts, [training]]
