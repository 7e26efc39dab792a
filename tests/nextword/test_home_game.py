"""The stories of the first page's game: told by the village, with bets that are right.

Leaves out: playing (tests/book/test_front_door.py).
"""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from nextword.corpora import names, village
from nextword.models import home_game, store
from nextword.models.home_game import Place
from solutions import ngrams, transformers
from tests.browser import THOROUGH

ROOT = Path(__file__).parents[2]
FACTS = store.facts_of(ROOT / "checkpoints" / f"{home_game.NAME}.safetensors")
STORIES = FACTS["stories"]


@pytest.fixture(scope="module")
def texts():
    return names.load("village", 20_000, home_game.ASKED)


@pytest.mark.slow
def test_the_stories_are_of_the_test_text_which_no_model_has_read(texts):
    told = {tuple(story) for story in texts.test}
    assert len(STORIES) >= 8
    assert all(tuple(story["words"]) in told for story in STORIES)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story["words"][3])
def test_the_truth_is_what_the_listener_says_and_nothing_possible_is_left_out(story):
    listener, asked = village.Listener(), {each["place"]: each for each in story["questions"]}
    assert len(asked) == home_game.FACTS + home_game.OPEN
    for place, word in enumerate(story["words"]):
        if question := asked.get(place):
            possible = listener.possible()
            assert set(possible) <= set(question["choices"])
            assert question["answer"] == word
            truth = dict(zip(question["choices"], question["bets"]["village"], strict=True))
            assert {w: p for w, p in truth.items() if p} == pytest.approx(possible)
            assert village.KINDS[listener.kind].startswith(question["kind"])
        listener.hear(word)


def test_every_bet_is_a_distribution_over_five_words_that_can_be_told_apart():
    for question in (each for story in STORIES for each in story["questions"]):
        assert len(set(question["choices"])) == home_game.CHOICES
        assert all(map(str.isalpha, question["choices"]))
        for row in question["bets"].values():
            assert sum(row) == pytest.approx(1)
            assert min(row) >= 0
        k = question["choices"].index(question["answer"])
        assert all(row[k] > 0 for row in question["bets"].values())


def test_the_transformer_s_bets_are_those_of_the_shipped_network(texts):
    net = home_game.transformers.shipped_transformer(transformers, texts)
    for story in STORIES[:: 1 if THOROUGH else 4]:
        for question in story["questions"]:
            row = home_game.next_row(net, story["words"][: question["place"]])
            expected = home_game.shares([row[word] for word in question["choices"]])
            assert question["bets"]["transformer"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.thorough
def test_the_n_gram_s_bets_are_those_of_the_ladder_s_model():
    texts = names.load("village", home_game.TOKENS, 1000)
    tables = ngrams.count_ngrams(texts.train, 5)
    model = ngrams.KneserNey(tables, texts.vocabulary)
    question = STORIES[0]["questions"][3]
    row = model.distribution(STORIES[0]["words"][: question["place"]])
    expected = home_game.shares([row[word] for word in question["choices"]])
    assert question["bets"]["5-gram"] == pytest.approx(expected, abs=1e-9)


def test_the_mean_of_bits_is_that_of_the_questions_and_the_truth_has_least():
    for name, bits in FACTS["bits"].items():
        asked = [q for story in STORIES for q in story["questions"]]
        lost = [-math.log2(q["bets"][name][q["choices"].index(q["answer"])]) for q in asked]
        assert bits == pytest.approx(np.mean(lost))
    assert FACTS["bits"]["village"] < FACTS["bits"]["transformer"] < FACTS["bits"]["5-gram"]


# ---------------------------------------------------------------- choosing the questions


def place(at, kind="name", n_possible=1):
    possible = {f"{kind}{k}": 1 / n_possible for k in range(n_possible)}
    return Place(at, kind, f"{kind}0", possible, {})


def test_a_fact_is_asked_first_and_questions_stand_apart():
    found = [place(10, "choice", 2), *(place(k) for k in range(12, 60)), place(70, "choice", 2),
             place(90, "choice", 3)]  # fmt: skip
    chosen = home_game.chosen(found)
    assert [each.is_fact for each in chosen] == [True] * 6 + [False] * 2
    places = [each.place for each in chosen]
    assert min(b - a for a, b in itertools.pairwise(places)) > home_game.APART


def test_kinds_that_were_not_asked_yet_are_preferred():
    found = [*(place(20 + 5 * k) for k in range(6)), place(80, "choice", 2),
             *(place(60 + 5 * k, "count") for k in range(3)), place(90, "choice", 2)]  # fmt: skip
    kinds = [each.kind for each in home_game.chosen(found) if each.is_fact]
    assert kinds.count("count") == kinds.count("name") == 3


def test_a_story_with_too_few_places_is_not_asked():
    assert home_game.chosen([place(10), place(20)]) == []


def test_choices_hold_all_that_is_possible_then_what_the_models_prefer_by_turns():
    guesses = {
        "5-gram": {"a": 0.5, ".": 0.3, "b": 0.2},
        "transformer": {"c": 0.6, "d": 0.4, "e": 0},
    }
    asked = Place(9, "name", "z", {"z": 0.5, "y": 0.5}, guesses)
    assert asked.choices() == ["a", "c", "d", "y", "z"]
