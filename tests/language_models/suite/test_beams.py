"""Tests of task 1.12: beam search."""

import math

import pytest

from examiner.suite import near
from tests.language_models.suite import oracles as plain

BOS, EOS = 0, 1


@pytest.fixture
def lm(coursework):
    return coursework.language_models


def assert_same_beam(found, expected):
    """Compare texts and scores; texts with equal scores may stand in any order."""
    found = [(tuple(map(int, text)), float(score)) for text, score in found]
    assert [score for _, score in found] == near([score for _, score in expected])
    assert len(found) == len(dict(found))
    assert dict(found) == near({tuple(text): score for text, score in expected})


GARDEN = {(): [0, 0, 0.6, 0.4], (2,): [0, 0.4, 0.3, 0.3], (3,): [0, 0.9, 0.05, 0.05]}


@pytest.mark.task("1.12", weight=0.8, visible=True)
def test_greedy_search_by_hand(lm):
    """With a beam of one, the most likely token is taken at each step: 2, EOS with 0.6 x 0.4."""
    [(text, score)] = list(lm.beam_search(lm.TableModel(GARDEN), [BOS], 1, 5))
    assert (list(text), float(score)) == ([2, EOS], near(math.log(0.24)))


@pytest.mark.task("1.12", weight=0.8, visible=True)
def test_a_beam_of_two_beats_greedy_search(lm):
    """A beam of two finds 3, EOS with 0.4 x 0.9, which begins with the less likely token."""
    found = list(lm.beam_search(lm.TableModel(GARDEN), [BOS], 2, 5))
    assert_same_beam(found, [([3, EOS], math.log(0.36)), ([2, EOS], math.log(0.24))])


@pytest.mark.task("1.12", weight=1.5, seconds=15)
def test_a_wide_beam_is_an_exhaustive_search(lm, rng):
    """A beam wider than all texts returns them all in the order of their scores, for any alpha."""
    for alpha, zeros in ((0.7, 0), (0.0, 0), (1.0, 1)):
        table = plain.random_table(rng, zeros=zeros)
        expected = plain.all_texts(table, [BOS], 4, alpha)
        found = list(lm.beam_search(lm.TableModel(table), [BOS], 200, 4, alpha))
        assert_same_beam(found, expected)


# here it matters which texts go on, which are set aside, and when the search ends
MAZE = {
    (): [0, 0.13, 0.16, 0.71],
    (2,): [0, 0.06, 0.89, 0.05],
    (3,): [0, 0.18, 0.3, 0.52],
    (2, 2): [0, 0.36, 0.08, 0.56],
    (2, 3): [0, 0.85, 0.09, 0.06],
    (3, 2): [0, 0.19, 0.45, 0.36],
    (3, 3): [0, 0.73, 0.19, 0.08],
}


def assert_searches_the_maze(lm, maze):
    """All that a beam can do wrong with texts that end shows in one of these four searches."""
    for alpha in (0.0, 0.5):
        for width in (2, 3):
            expected = plain.beam(maze, [BOS], width, 4, alpha)
            found = lm.beam_search(lm.TableModel(maze), [BOS], width, 4, alpha)
            assert_same_beam(list(found), expected)


@pytest.mark.task("1.12", weight=1, orders=2)
def test_places_in_the_beam(lm):
    """There are as many places as the beam is wide, for all texts together, at each step."""
    assert_searches_the_maze(lm, MAZE)


@pytest.mark.task("1.12", weight=5.5)
def test_a_narrow_beam_of_any_model(lm, rng):
    """At each step the most likely open texts go on, and finished ones are set aside."""
    names = [0, 1, *rng.permutation([2, 3]).tolist()]
    maze = {tuple(names[w] for w in u): [row[w] for w in names] for u, row in MAZE.items()}
    assert_searches_the_maze(lm, maze)
    for width, max_tokens, alpha in ((3, 7, 0.6), (2, 5, 1.0), (1, 6, 0.0), (3, 1, 0.0)):
        expected = None
        while expected is None:  # almost always once
            table = plain.random_table(rng, V=5)
            expected = plain.beam(table, [BOS, 2], width, max_tokens, alpha)
        found = lm.beam_search(lm.TableModel(table), [BOS, 2], width, max_tokens, alpha)
        assert_same_beam(list(found), expected)


@pytest.mark.task("1.12", weight=0.8)
def test_length_normalisation(lm):
    """With alpha = 1 the mean per token decides, so that a longer text can win over a short one."""
    table = {(): [0, 0.55, 0.45], (2,): [0, 0.9, 0.1]}
    model = lm.TableModel(table)
    by_sum, by_mean = (list(lm.beam_search(model, [BOS], 9, 4, alpha)) for alpha in (0.0, 1.0))
    assert_same_beam(by_sum[:1], [([EOS], math.log(0.55))])
    assert_same_beam(by_mean[:1], [([2, EOS], math.log(0.405) / 2)])
    narrow = list(lm.beam_search(model, [BOS], 1, 4, 1.0))  # EOS takes the only place at once
    assert_same_beam(narrow, [([EOS], math.log(0.55))])


@pytest.mark.task("1.12", weight=0.6)
def test_a_search_goes_on_to_its_last_step(lm):
    """However many texts have ended, open ones go on, and all that end are scored."""
    late = {(): [0, 0.05, 0.95], (2,): [0, 0.05, 0.95], (2, 2): [0, 0.9, 0.1]}
    early = {(): [0, 0.3, 0.7], (2,): [0, 0.4, 0.6], (2, 2): [0, 0.6, 0.4]}
    for table, alpha in ((late, 0.0), (early, 1.0)):  # two have ended after two steps of four
        found = list(lm.beam_search(lm.TableModel(table), [BOS], 2, 4, alpha))
        assert_same_beam(found, plain.beam(table, [BOS], 2, 4, alpha))


@pytest.mark.task("1.12", weight=0.2)
def test_texts_that_are_next_to_impossible(lm):
    """Logarithms are added: the probability of a text may be too small for any float."""
    table = {(): [0, 0, 1e-200, 1], (2,): [0, 0, 1e-150, 1], (3,): [0, 0, 1e-100, 1]}
    found = list(lm.beam_search(lm.TableModel(table), [BOS], 9, 2))
    assert_same_beam(found, plain.beam(table, [BOS], 9, 2, 0.0))


@pytest.mark.task("1.12", weight=0.2)
def test_a_beam_after_any_history(lm):
    """The history may be a tuple, and it may be empty."""
    model = lm.TableModel(GARDEN | {(BOS,): [0, 0, 0.5, 0.5]})
    for history, chance in (([BOS], 0.45), ((BOS,), 0.45), ((), 0.36)):
        found = list(lm.beam_search(model, history, 2, 5))
        assert_same_beam(found[:1], [([3, EOS], math.log(chance))])


@pytest.mark.task("1.12", weight=0.4)
def test_a_beam_of_a_model_that_is_no_table(lm):
    """Whatever has `log_probs` will do; it gets the whole history; what is rare is possible."""
    found = plain.searched_by_counting(lm.beam_search, lm.TableModel, [BOS, *[2] * 5], 9, 2)
    six, seven = ({1: n / (n + 2), 2: 2 / (n + 2), 3: 1e-12 / (n + 2)} for n in (6, 7))
    expected = {(1,): six[1]} | {(w, v): six[w] * seven[v] for w in (2, 3) for v in seven}
    expected = sorted(([*t], math.log(p)) for t, p in expected.items())
    assert_same_beam(found, sorted(expected, key=lambda pair: -pair[1]))
