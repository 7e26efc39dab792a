"""Tests of task 4.11: telling stories."""

import math

import pytest
import torch

from examiner.suite import found_once, frequencies, leave_doubt, student_module
from tests.rnns.suite import toys

PAD, BOS, EOS = 0, 1, 2
V = 8  # words of the toy models, PAD, BOS and EOS among them

rnns = student_module("rnns")


@pytest.mark.task("4.11", weight=1, visible=True)
def test_a_model_with_one_story(rnns):
    """A model that says 3, 4, 5 and then EOS tells that story each time, without EOS."""
    stories, n_calls = toys.with_chain(rnns.generate, 3, 2, 1, 10)
    assert [list(story) for story in stories] == [[3, 4, 5], [3, 4, 5]]
    assert n_calls == 4
    assert [list(s) for s in toys.with_chain(rnns.generate, 5, 2, 1, 2)[0]] == [[3, 4]] * 2
    stories, n_calls = toys.with_chain(rnns.generate, 5, 2, 1, 10, [3, 4])  # a prompt
    assert [list(story) for story in stories] == [[5, 6, 7], [5, 6, 7]]


@pytest.mark.task("4.11", weight=0.3)
def test_one_story_alone(rnns):
    """One story is a list with one story; a prompt may be any sequence, a tuple as well."""
    for n, prompt, story in ((2, [3, 4], [5, 6]), (1, [3, 4], [5, 6]), (1, (3, 4), [5, 6])):
        stories, _ = toys.with_chain(rnns.generate, 4, n, 1, 10, prompt)
        assert [list(each) for each in stories] == [story] * n


@pytest.mark.task("4.11", weight=0.1)
def test_telling_never_trains(rnns, rng):
    """A model in evaluation mode is still in it after telling: the caller turns dropout on."""
    stories, _ = toys.with_chain(rnns.generate, 3, 2, 1, 10)
    assert [list(story) for story in stories] == [[3, 4, 5], [3, 4, 5]]
    assert toys.mode_after_telling(rnns.generate, toys.toy_weights(rng, V)) is False


@pytest.mark.task("4.11", weight=1)
def test_nothing_is_read_twice(rnns, rng):
    """BOS and the prompt are read once, then each drawn word; no more than `most` are drawn."""
    w = toys.speaker_weights(rng, V, (PAD, BOS, EOS))
    how = 4, int(rng.integers(2**31)), 5, [6, 3]
    stories, shapes = toys.drawn(rnns.generate, w, *how)
    assert shapes[0][0] in (1, 4)  # the same prompt may be read once for all
    assert {shape[0] for shape in shapes[1:]} == {4}
    # BOS, two words, and the drawn ones, of which the last need not be read
    assert 3 <= sum(shape[1] for shape in shapes) <= 3 + 5
    assert len(stories) == 4
    assert max(map(len, stories)) <= 5
    assert {word for story in stories for word in story} <= {*range(3, V)}


@pytest.mark.task("4.11", weight=6.5)
def test_words_are_as_likely_as_the_model_says(rnns, rng):
    """First and second words of many stories have the model's chances."""
    assert_as_likely(rnns, rng, [])


@pytest.mark.task("4.11", weight=0.6)
def test_neither_padding_nor_beginnings(rnns, rng):
    """PAD and BOS are never drawn, however likely the model finds them."""
    assert_as_likely(rnns, rng, [], liking=3.0)


@pytest.mark.task("4.11", weight=0.7)
def test_words_after_a_prompt(rnns, rng):
    """Stories go on where the prompt ends, of which all words are read; it is not told again."""
    assert_as_likely(rnns, rng, [4, 6])


@pytest.mark.task("4.11", weight=0.5)
def test_nothing_is_dropped_while_telling(rnns, rng):
    """What a model does in training only, such as dropout, is switched off."""
    assert_as_likely(rnns, rng, [], noisy=True)


def speaker(rng, prompt, liking):
    """Random weights of a model that likes PAD and BOS so much, and hears all of this prompt."""
    w = toys.speaker_weights(rng, V)
    w["bias"][[PAD, BOS]] = liking
    if prompt:  # its last word changes little, so that BOS and the first one are still heard
        words = [BOS, *prompt]
        w["word"][words] = torch.tensor([[2.0], [0.3], [0.0]]) * w["word"][words].sign()
    return w


def one_in_five_ends(w, prompt):
    """Return weights with which EOS has the chance 1/5 after the prompt."""
    logits = toys.Toy(w).eval()(torch.tensor([[BOS, *prompt]]))[0][0, -1].detach()
    others = [word for word in range(V) if word not in (PAD, BOS, EOS)]
    bias = w["bias"].clone()
    bias[EOS] += logits[others].logsumexp(-1) - logits[EOS] - math.log(4)
    return w | {"bias": bias}


def pair_chances(w, begin, before):
    """The chances of the first two words: the second is heard after `before` and the first."""
    net = toys.Toy(w).eval()

    def chances(rows):
        logits = net(torch.tensor(rows))[0][:, -1].detach().double()
        logits[:, [PAD, BOS]] = -math.inf
        return logits.softmax(-1).tolist()

    first, after = chances([begin])[0], chances([[*before, word] for word in range(3, V)])
    pairs = {(EOS, EOS): first[EOS]}
    for word, row in enumerate(after, 3):
        pairs |= {(word, other): first[word] * row[other] for other in range(2, V)}
    return pairs


def mistaken_chances(w, prompt):
    """The chances where words are read again or forgotten, or not all of the prompt is read."""
    begin = [BOS, *prompt]
    yield pair_chances(w, begin, [])
    if not prompt:  # else it hardly matters
        yield pair_chances(w, begin, [*begin, *begin])
    for some in ([BOS], prompt[-1:], prompt) if prompt else ():
        yield pair_chances(w, some, some)
    if prompt:
        yield pair_chances(w, [BOS], begin)


FEW, MANY = 4_000, 16_000  # stories
CHANCE = 0.5e-9  # that right code is refused by the few, or by the many


@found_once
def telling(rng, prompt, liking):
    """Weights with which a few stories show each of these mistakes, however the dice fall."""
    for _ in range(100):
        w = one_in_five_ends(speaker(rng, prompt, liking), prompt)
        right = pair_chances(w, [BOS, *prompt], [BOS, *prompt])
        wrong = [
            {pair: round(FEW * p) for pair, p in each.items()}
            for each in mistaken_chances(w, prompt)
        ]
        # subtle: a mistake's mean is so far beyond what the test allows that it misses one in 10^4
        if not any(frequencies(counts, right, chance=1e-25) for counts in wrong):
            return w, right
    raise AssertionError("no weights tell the mistakes apart")


def assert_as_likely(rnns, rng, prompt, *, liking=-50.0, noisy=False):
    """Count the first two words of stories of three, and compare with the model's chances.

    A few stories show what is far off and nearly always clear what is right, of which one in 20
    leaves a doubt. Then many more are told, and these decide.
    """
    w, chances = telling(rng, prompt, liking)

    def counted(n):
        how = n, int(rng.integers(2**31)), 3, prompt, noisy
        counts = toys.pairs_drawn(rnns.generate, w, *how)
        assert sum(counts.values()) == n
        return counts

    few = counted(FEW)
    assert frequencies(few, chances, chance=CHANCE)
    if leave_doubt(few, chances):
        assert frequencies(counted(MANY), chances, chance=CHANCE)


@pytest.mark.task("4.11", weight=0.8)
def test_stories_differ(rnns, rng):
    """Stories side by side are drawn each for itself."""
    assert_differ(told_by_chance(rnns, rng, 1)[0])


def told_by_chance(rnns, rng, times, seed=None):
    """Stories of a model that finds each word nearly as likely as any other, again and again."""
    w = toys.toy_weights(rng, V)
    w["out"] /= 20
    seed = int(rng.integers(2**31)) if seed is None else seed
    return toys.drawn_in_turn(rnns.generate, w, 60, seed, 3, times)


def assert_differ(stories):
    # many of 60 are equal, short ones above all; that only 6 differ has a chance below 1e-11
    assert len({tuple(story) for story in stories}) > 6


def assert_draws_from(rnns, rng):
    """The same seed gives the same stories, and another seed gives others."""
    stories, _ = toys.with_chain(rnns.generate, 3, 2, 1, 10)  # nothing is left to chance here
    assert [list(story) for story in stories] == [[3, 4, 5], [3, 4, 5]]
    w, seeds = toys.toy_weights(rng, V), rng.choice(2**20, 3, replace=False).tolist()
    w["out"] /= 20
    seeds = [seeds[0], seeds[0], seeds[1], seeds[2]]
    told = [toys.drawn_in_turn(rnns.generate, w, 60, seed, 3, 1)[0] for seed in seeds]
    assert_differ(told[0])
    assert told[0] == told[1], "one seed tells two kinds of stories"
    assert told[1] != told[2] != told[3] != told[1], "two seeds tell the same stories"


@pytest.mark.task("4.11", weight=1, visible=True)
def test_who_throws_the_dice(rnns, rng):
    """All luck comes from `rng`: its seed gives the same stories again, another seed others."""
    assert_draws_from(rnns, rng)


@pytest.mark.task("4.11", weight=0.5)
def test_all_luck_comes_from_the_generator(rnns, rng):
    """All luck comes from `rng`: its seed gives the same stories again, another seed others."""
    assert_draws_from(rnns, rng)


@pytest.mark.task("4.11", weight=0.3)
def test_a_generator_that_goes_on(rnns, rng):
    """Whoever asks again with the same generator, which has moved on, gets other stories."""
    one, two = told_by_chance(rnns, rng, 2)
    assert_differ(one)
    assert one != two
