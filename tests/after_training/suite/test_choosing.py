"""Tests of tasks 7.3, 7.9 and 7.10: samples to choose from, judges, answers to verify."""

import math
from fractions import Fraction

import pytest
import torch

from examiner.suite import close, student_module
from tests.after_training.suite import oracles
from tests.after_training.suite.oracles import tensor

after_training = student_module("after_training")


# ------------------------------------------------------------------ 7.3
@pytest.mark.task("7.3", weight=0.6, visible=True)
def test_who_has_most_votes(after_training):
    """Three of six samples say 4: that is the answer, though None occurs as often."""
    assert after_training.majority([7, None, 4, 4, None, 9, None, 4]) == 4


@pytest.mark.task("7.3", weight=0.4, visible=True)
def test_the_first_of_two(after_training):
    """Two answers with two votes each: the one that occurs first is chosen."""
    assert after_training.majority(["ten", "six", "two", "two", "six"]) == "six"
    assert after_training.majority(["ten", "two", "six", "two", "six"]) == "two"


def random_votes(rng, n, answers):
    """Votes, some of which are None, and the answer that has more of them than any other."""
    drawn = [answers[k] for k in rng.integers(len(answers), size=n)]
    votes = [None if rng.random() < 0.4 else each for each in drawn]
    right = answers[int(rng.integers(len(answers)))]
    votes += [right] * (1 + max(votes.count(each) for each in answers) - votes.count(right))
    order = rng.permutation(len(votes))
    return [votes[k] for k in order], right


@pytest.mark.task("7.3", weight=0.9, orders=2)
def test_any_votes(after_training, rng):
    """Answers may be texts, numbers or rows of words; the most frequent one is chosen."""
    for answers in ([("a", "hen"), ("two",), ("hen",)], ["x", "y"], [3.5, 2, 9, "two"]):
        for n in (5, 12, 30):
            votes, expected = random_votes(rng, n, answers)
            assert after_training.majority(votes) == expected


@pytest.mark.task("7.3", weight=0.5, orders=2)
def test_many_ties(after_training, rng):
    """Among equally frequent answers the first wins, wherever its last vote stands."""
    answers = [f"word{k}" for k in range(int(rng.integers(5, 9)))]
    first = [answers[k] for k in rng.permutation(len(answers))]
    votes = ["rare", *first, *(first[k] for k in rng.permutation(len(first)))]
    assert after_training.majority(votes) == first[0]
    assert after_training.majority([None, *first]) == first[0]


@pytest.mark.task("7.3", weight=0.3)
def test_answers_that_are_empty(after_training):
    """0 and the empty text are answers like others; only None is none."""
    assert after_training.majority([5, 0, None, 5, None, None]) == 5
    assert after_training.majority([5, 0, None, 0, None, None]) == 0
    assert after_training.majority(["", "hen", ""]) == ""
    assert after_training.majority([(), None, None]) == ()


@pytest.mark.task("7.3", weight=0.4)
def test_nobody_answers(after_training):
    """Without any answer the majority is None, and one answer is enough to have one."""
    assert after_training.majority([None, "hen", None, None]) == "hen"
    assert after_training.majority([None, None]) is None
    assert after_training.majority([]) is None


@pytest.mark.task("7.3", weight=0.9, visible=True)
def test_pairs_of_four_samples(after_training):
    """Two of four are right: one of six pairs holds none of them, so 5/6 and not 3/4."""
    assert close(float(after_training.pass_at_k(4, 2, 2)), 5 / 6)


def chance(n, c, k):
    """The chance of a right sample among k, drawn one after the other."""
    none = Fraction(1)
    for drawn in range(k):
        none *= Fraction(max(0, n - c - drawn), n - drawn)
    return float(1 - none)


def assert_chances(after_training, *cases):
    for n, c, k in cases:
        found = float(after_training.pass_at_k(n, c, k))
        assert close(found, chance(n, c, k), rtol=1e-5, atol=1e-9)


@pytest.mark.task("7.3", weight=0.9)
def test_any_numbers_of_samples(after_training, rng):
    """The chance is that of draws without replacement."""
    for _ in range(8):
        n = int(rng.integers(5, 40))
        c, k = int(rng.integers(1, n // 2)), int(rng.integers(2, n // 2 + 1))
        assert_chances(after_training, (n, c, k))


@pytest.mark.task("7.3", weight=0.4)
def test_chances_of_none_and_all(after_training, rng):
    """No right sample, only right ones, one drawn, all drawn: the chance is 0, 1 or c / n."""
    n = int(rng.integers(6, 30))
    assert_chances(after_training, (n, 3, 2), (n, 0, 3), (n, n, 1), (n, 3, 1), (n, 1, n))
    assert_chances(after_training, (n, n - 2, 3), (n, 4, n - 3), (1, 1, 1), (1, 0, 1))


@pytest.mark.task("7.3", weight=0.3, seconds=5)
def test_chances_of_many_samples(after_training, rng):
    """Ten thousand samples are no obstacle."""
    assert_chances(after_training, (60, 20, 3))
    for c, k in ((1, 1), (3, 2000), (int(rng.integers(20, 80)), 64), (5000, 4), (9, 5000)):
        assert_chances(after_training, (10**4, c, k))


@pytest.mark.task("7.3", weight=1, visible=True)
def test_the_best_of_two(after_training):
    """Half of the texts are bad: both of two are with 1/4. The rest is shared by 1 to 3."""
    p, rewards = torch.tensor([0.5, 0.125, 0.375]), torch.tensor([0.0, 1.0, 1.0])
    found = after_training.best_of_n(p.log(), rewards, 2)
    assert close(found.exp(), torch.tensor([0.25, 0.1875, 0.5625]))


def assert_best(after_training, log_p, rewards, n):
    expected = torch.tensor(oracles.best(log_p.double().exp().tolist(), rewards.tolist(), n))
    found = after_training.best_of_n(log_p, rewards, n)
    assert close(found, expected.log().to(log_p), rtol=1e-3, atol=1e-4)


@pytest.mark.task("7.3", weight=1.3)
def test_the_best_of_any_number(after_training, rng):
    """With rewards that all differ, the chances are those of all tuples of samples."""
    for N, n in ((4, 3), (3, 5), (6, 2)):
        rewards = torch.tensor(rng.permutation(N) - 1.5, dtype=torch.float32)
        assert_best(after_training, oracles.log_shares(rng, N), rewards, n)


@pytest.mark.task("7.3", weight=0.8)
def test_texts_of_one_reward(after_training, rng):
    """Equal rewards share what they have together, each by its own probability."""
    for rewards in ([1.0, 0.0, 1.0, 0.0, 1.0], [2.0, -1.0, 2.0, 2.0], [0.5, 0.5, 0.5]):
        N = len(rewards)
        mixed = torch.tensor(rewards)[rng.permutation(N)]
        assert_best(after_training, oracles.log_shares(rng, N), mixed, 3)


@pytest.mark.task("7.3", weight=0.4)
def test_the_best_of_one(after_training, rng):
    """With one sample nothing is chosen, and a language may have one text."""
    log_p = oracles.log_shares(rng, 5)
    rewards = torch.tensor([2.0, 0.0, 0.0, 1.0, 2.0])
    assert_best(after_training, log_p, rewards, 2)
    assert close(after_training.best_of_n(log_p, rewards, 1), log_p)
    assert close(after_training.best_of_n(torch.zeros(1), torch.ones(1), 4), torch.zeros(1))


@pytest.mark.task("7.3", weight=0.5)
def test_the_best_of_very_many(after_training, rng):
    """Rare texts survive: the worst of many samples, and one that hardly any sample is."""
    shares = torch.tensor([0.25, 0.75, 1e-30], dtype=torch.float64)
    log_p, rewards = shares.log().float(), torch.tensor([0.0, 1.0, 2.0])
    assert_best(after_training, oracles.log_shares(rng, 3), rewards, 3)
    n = int(rng.integers(200, 400))  # 4^-n, nearly 1, and n times the rare text's probability
    expected = [n * math.log(0.25), 0.0, math.log(n * 1e-30)]
    found = after_training.best_of_n(log_p, rewards, n)
    # n times the rounding of a sum that is nearly 1
    assert close(found, torch.tensor(expected), rtol=1e-3, atol=1e-3)


@pytest.mark.task("7.3", weight=0.5, visible=True)
def test_how_far_the_best_of_four_is(after_training):
    """From one of four to all of four: ln 4 - 3/4."""
    assert close(float(after_training.best_of_n_kl(4)), math.log(4) - 0.75, rtol=1e-5)


@pytest.mark.task("7.3", weight=0.5)
def test_how_far_the_best_of_any_number_is(after_training, rng):
    """With one sample there is no distance; with many texts it is that of the best of n."""
    for n in (1, 2, int(rng.integers(5, 20)), int(rng.integers(1000, 9000))):
        expected = math.log(n) - 1 + 1 / n
        assert close(float(after_training.best_of_n_kl(n)), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.task("7.3", weight=0.2)
def test_rewards_that_are_nearly_equal(after_training, rng):
    """A reward that is only a little better is better."""
    for little in (1e-4, 5e-6):  # torch.isclose takes the second for equal
        rewards = torch.tensor([1.0, 1 + little, 0.5, 1 + little / 2])
        assert_best(after_training, oracles.log_shares(rng, 4), rewards, 3)


# ------------------------------------------------------------------ 7.9
@pytest.mark.task("7.9", weight=1, visible=True)
def test_two_judges_by_hand(after_training):
    """Judges who say 1 and 3 have the mean 2 and the spread 1; those who agree have none."""
    scores = torch.tensor([[1.0, 2.0], [3.0, 2.0]])
    assert close(after_training.cautious(scores, 0.5), torch.tensor([1.5, 2.0]))


def assert_cautious(after_training, scores, caution):
    expected = []
    for text in scores.T.double().tolist():
        mean = sum(text) / len(text)
        spread = math.sqrt(sum((score - mean) ** 2 for score in text) / len(text))
        expected.append(mean - caution * spread)
    found = after_training.cautious(scores, caution)
    assert close(found, torch.tensor(expected).to(scores), rtol=1e-4, atol=1e-5)


@pytest.mark.task("7.9", weight=1.2)
def test_any_judges(after_training, rng):
    """Each text has the mean of its judges, less so many of their standard deviations."""
    for M, B in ((3, 5), (4, 2), (6, 6)):
        assert_cautious(after_training, 3 * tensor(rng, M, B), float(rng.uniform(0.3, 3)))


@pytest.mark.task("7.9", weight=0.3)
def test_one_judge_and_no_caution(after_training, rng):
    """One judge alone has no spread: the score itself. Without caution it is the mean."""
    assert_cautious(after_training, tensor(rng, 3, 4), 1.5)
    assert_cautious(after_training, tensor(rng, 1, 4), 1.5)
    assert_cautious(after_training, tensor(rng, 3, 1), 0.0)


@pytest.mark.task("7.9", weight=0.3)
def test_judges_that_nearly_agree(after_training, rng):
    """Judges who agree have the spread 0, and a small spread beside large scores keeps its digits.

    The mean of the squares less the square of the mean is neither: rounding makes it NaN or wrong.
    """
    assert_cautious(after_training, tensor(rng, 3, 4), 1.5)
    assert_cautious(after_training, tensor(rng, 1, 40).expand(3, 40), 1.5)
    assert_cautious(after_training, 1000 + tensor(rng, 3, 9), 20.0)


@pytest.mark.task("7.9", weight=1, visible=True)
def test_a_line_by_hand(after_training):
    """Lengths 1, 2, 3 and rewards 1, 2, 6: the line rises by 2.5, and 3.5, 2, 3.5 are left."""
    rewards, lengths = torch.tensor([1.0, 2.0, 6.0]), torch.tensor([1.0, 2.0, 3.0])
    assert close(after_training.without_length(rewards, lengths), torch.tensor([3.5, 2.0, 3.5]))


def assert_without(after_training, rewards, lengths):
    n, lengths64, r = len(rewards), lengths.double(), rewards.double()
    design = torch.stack([torch.ones(n, dtype=torch.float64), lengths64], dim=1)
    line = design @ torch.linalg.lstsq(design, r[:, None]).solution[:, 0]
    found = after_training.without_length(rewards, lengths)
    assert close(found, (r - line + r.mean()).to(rewards), rtol=1e-3, atol=1e-3)


def some_lengths(rng, n, slope, start=20):
    """Lengths, and rewards that follow them by so much for each word."""
    lengths = torch.tensor(start + 2 * rng.permutation(n), dtype=torch.float32)
    return tensor(rng, n) + slope * (lengths - start) + 4, lengths


@pytest.mark.task("7.9", weight=1.7)
def test_what_no_line_explains(after_training, rng):
    """What is left follows the length no more, and has the mean that it had."""
    for n in (5, 12, 30):
        slope = float(rng.uniform(0.8, 2))
        assert_without(after_training, *some_lengths(rng, n, slope))


@pytest.mark.task("7.9", weight=0.4)
def test_texts_that_are_better_where_they_are_short(after_training, rng):
    """The line may fall as well: what it explains is given back."""
    for slope in (1.0, -1.0):
        assert_without(after_training, *some_lengths(rng, 9, slope))


@pytest.mark.task("7.9", weight=0.4)
def test_long_texts_and_few(after_training, rng):
    """Lengths in the thousands are no obstacle; through two texts the line explains all."""
    for start in (0, 3000, 7000):
        assert_without(after_training, *some_lengths(rng, 11, 1.0, start))
    assert_without(after_training, torch.tensor([1.0, 4.0]), torch.tensor([5.0, 9.0]))


@pytest.mark.task("7.9", weight=0.4)
def test_texts_of_one_length(after_training, rng):
    """Where all lengths are equal, the rewards stay as they are, even if their mean is rounded."""
    rewards, lengths = some_lengths(rng, 7, 1.0)
    assert_without(after_training, rewards, lengths)
    for length in (7.0, 0.1, 10.1):  # the mean of seven times 10.1 is not quite 10.1
        found = after_training.without_length(rewards, torch.full((7,), length))
        assert close(found, rewards), "all lengths are equal, so nothing may change"


# ------------------------------------------------------------------ 7.10
@pytest.mark.task("7.10", weight=1, visible=True)
def test_words_after_the_last_mark(after_training):
    """A text may correct itself: what follows its last mark is its answer."""
    words = ["first", "answer", "3", "no", "wait", "answer", "4", "2"]
    assert after_training.final_answer(words) == ("4", "2")


def random_text(rng, n, mark):
    """Some words without the mark."""
    known = [each for each in ("hen", "two", "Answer", "answers", "result", "7") if each != mark]
    return [known[k] for k in rng.integers(len(known), size=n)]


@pytest.mark.task("7.10", weight=1, orders=2)
def test_answers_of_any_text(after_training, rng):
    """Any number of marks, and of words before and after them; a mark is a whole word."""
    for mark in ("answer", "so"):
        for n in range(1, 5):
            parts = [random_text(rng, int(k), mark) for k in rng.integers(1, 5, size=n + 1)]
            words = parts[0] + [word for part in parts[1:] for word in (mark, *part)]
            assert after_training.final_answer(words, mark) == tuple(parts[-1])


@pytest.mark.task("7.10", weight=0.4)
def test_texts_without_an_answer(after_training, rng):
    """Without a mark, or with nothing after the last one, there is no answer."""
    words = random_text(rng, 3, "answer")
    for end in ([], [".", "3,5", "so-so"]):  # a point is a word, too
        assert after_training.final_answer(["answer", *words, *end]) == (*words, *end)
    for text in (words, [], ["answer"], [*words, "answer"], ["answer", *words, "answer"]):
        assert after_training.final_answer(text) is None


@pytest.mark.task("7.10", weight=1, visible=True)
def test_three_texts_to_verify(after_training):
    """Only the text whose answer is the right one, word by word, has the reward 1."""
    texts = [["answer", "4", "2"], ["it", "is", "4", "2"], ["answer", "2", "4"]]
    found = after_training.verified(texts, [("4", "2"), ("4", "2"), ("4", "2")])
    assert oracles.is_array(found), "the result is a tensor"
    assert close(found, torch.tensor([1.0, 0.0, 0.0]))


@pytest.mark.task("7.10", weight=1.2, orders=2)
def test_any_texts_to_verify(after_training, rng):
    """Each text has its own right answer; more words, fewer, or those of another are wrong."""
    texts, answers, expected, other = [], [], [], ("9", "9")
    for kind in rng.permutation([0, 1, 2, 3, 4, 5] * 2):
        right = tuple(f"{k}" for k in rng.permutation(9)[:3])
        wrong = right[:2], (*right, "x"), right[::-1], ("x", *right), other
        said = (right, *wrong)[kind]
        texts.append([*random_text(rng, int(rng.integers(4)), "answer"), "answer", *said])
        answers.append(right)
        expected.append(float(said == right))
        other = right
    assert close(after_training.verified(texts, answers), torch.tensor(expected))


@pytest.mark.task("7.10", weight=0.3)
def test_words_that_are_not_cut_alike(after_training, rng):
    """Answers are compared word by word, not letter by letter."""
    first, second = (f"{k}" for k in rng.permutation(9)[:2])
    texts = [["answer", *said] for said in ([first, second], [first + second], [first])]
    found = after_training.verified(texts, [(first, second)] * 3)
    assert close(found, torch.tensor([1.0, 0.0, 0.0]))


@pytest.mark.task("7.10", weight=0.5)
def test_texts_with_another_mark(after_training, rng):
    """The mark may be another word; a text without it has the reward 0."""
    right = ("two", "hens")
    for mark in ("answer", "so"):
        other = "so" if mark == "answer" else "answer"
        texts = [["hen", mark, *right], ["hen", other, *right], [mark, "two", "eggs"], [*right]]
        order = rng.permutation(4).tolist()
        found = after_training.verified([texts[k] for k in order], [right] * 4, mark)
        assert close(found, torch.tensor([float(k == 0) for k in order]))


@pytest.mark.task("7.10", weight=0.3)
def test_rewards_to_reckon_with(after_training):
    """Rewards are floating-point numbers; a word with a capital letter is another word."""
    texts = [["answer", "Two"], ["Answer", "two"], ["answer", "two"]]
    found = after_training.verified(texts, [("two",)] * 3)
    assert close(found, torch.tensor([0.0, 0.0, 1.0]))
    assert found.dtype.is_floating_point
