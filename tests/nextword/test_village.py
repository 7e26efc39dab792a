"""The teller and the listener: exact probabilities, splits, the floor two ways, bad input."""

import hashlib
from collections import Counter
from math import exp, log

import numpy as np
import pytest

from examiner.errors import UserError
from nextword.corpora import village
from nextword.corpora.halves import halves
from nextword.corpora.village.floor import all_stories
from nextword.corpora.village.likeness import contexts
from nextword.corpora.village.options import Options, parse
from nextword.corpora.village.scenes import SCENES
from nextword.corpora.village.seeds import uniforms
from nextword.corpora.village.wishes import WISHES


def tiny(*scenes: str, **more: int) -> village.World:
    """A village so small that every story it can tell can be told."""
    sizes = {
        "names": 5, "jobs": 2, "herds": 1, "snacks": 2, "dishes": 1, "ingredients": 2,
        "countries": 2, "colours": 1, "numbers": 1, "landmarks": 1, "characters": 1, "kin": 1,
        "groups": 1, "hiding_places": 3, "weather": 1, "most_scenes": 3, "longest_list": 2,
        "deepest_clause": 1, "limit": 1, "wishes": ("hoped to win the race to the",),
    }  # fmt: skip
    return village.World(village.VillageSizes(scenes=scenes, **(sizes | more)))


@pytest.fixture(scope="module")
def told() -> village.Corpus:
    return village.sample(60_000, rng=5)


# --- the teller and the listener ------------------------------------------------------------


def test_the_listener_gives_every_told_word_the_probability_that_the_teller_gave_it(told):
    heard = village.score(told.tokens)
    assert heard.left_at is None
    assert heard.complete
    np.testing.assert_allclose(heard.log_probs, told.log_probs, rtol=1e-12, atol=1e-12)
    assert heard.kinds == told.kinds


def test_every_story_ends_with_the_end_token_and_is_of_the_promised_length(told):
    assert told.tokens[-1] == village.EOS
    lengths = np.array([len(story) for story in told.stories()])
    assert sum(lengths) + len(lengths) == len(told.tokens) >= 60_000
    assert lengths.min() >= 55
    assert np.mean(lengths <= 200) > 0.85


def test_a_story_cut_short_is_in_the_language_but_not_complete(told):
    heard = village.score(told.tokens[:-1])
    assert (heard.left_at, heard.complete) == (None, False)
    assert heard.possible[village.EOS] > 0.2


def test_what_can_come_next_is_a_distribution_that_holds_the_word_that_came(told):
    rng = np.random.default_rng(0)
    story = told.stories()[3]
    for t in rng.choice(len(story), 30, replace=False):
        words = village.next_words(story[:t])
        assert sum(words.values()) == pytest.approx(1, abs=1e-12)
        assert list(words.values()) == sorted(words.values(), reverse=True)
        start = len(told.stories()[0]) + len(told.stories()[1]) + len(told.stories()[2]) + 3
        assert log(words[story[t]]) == pytest.approx(told.log_probs[start + t], abs=1e-12)


def test_sampled_frequencies_agree_with_the_probabilities(told):
    """Every choice in 60,000 tokens: the expected log-probability is near the one that came."""
    listener = village.Listener()
    surplus = variance = 0.0
    for word in told.tokens:
        possible = listener.possible()
        mean = sum(p * log(p) for p in possible.values())
        variance += sum(p * (log(p) - mean) ** 2 for p in possible.values())
        heard = listener.hear(word)
        assert heard is not None
        surplus += heard - mean
    assert abs(surplus) < 4 * variance**0.5


@pytest.mark.slow
def test_first_words_come_as_often_as_they_should():
    stories = village.sample(400_000, rng=11).stories()
    for prefix in ([], ["once"], ["by", "the"], ["everybody", "knew"]):
        seen = Counter(s[len(prefix)] for s in stories if s[: len(prefix)] == prefix)
        n = sum(seen.values())
        for word, p in village.next_words(prefix).items():
            assert abs(seen[word] - n * p) < 5 * (n * p * (1 - p)) ** 0.5 + 1, (prefix, word)


@pytest.mark.slow
def test_a_corrupted_story_is_left_at_the_corrupted_word(told):
    """10,000 stories, each with one word that cannot stand where it stands."""
    rng = np.random.default_rng(1)
    words = np.array(village.VOCABULARY)
    n_tried = 0
    for story in told.stories():
        text, listener, possible = [*story, village.EOS], village.Listener(), []
        for word in text:
            possible.append(listener.possible())
            listener.hear(word)
        for t in rng.integers(len(text), size=30):
            wrong = next(word for word in rng.permutation(words) if word not in possible[t])
            heard = village.score([*text[:t], str(wrong), *text[t + 1 :]])
            assert heard.left_at == t == len(heard.log_probs)
            assert heard.possible == possible[t]
            n_tried += 1
    assert n_tried >= 10_000


def test_a_word_that_is_missing_or_doubled_is_noticed(told):
    for story in told.stories()[:40]:
        for t in (3, 20, 50):
            assert village.score([*story[:t], story[t], *story[t:]]).left_at in range(t, t + 9)
            assert village.score(story[:t] + story[t + 1 :]).left_at in range(t, t + 9)


# --- the same on every machine ----------------------------------------------------------------


def test_the_same_seed_tells_the_same_stories():
    same = village.sample(5_000, rng=3).tokens
    assert village.sample(5_000, rng=3).tokens == same
    assert village.sample(5_000, rng=4).tokens != same
    rng = np.random.default_rng(3)
    assert village.sample(5_000, rng).tokens != village.sample(5_000, rng).tokens


def test_the_random_numbers_are_those_of_splitmix64():
    """The first outputs for seed 1234567, as published with the algorithm's reference code."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    drawn = uniforms(np.array([1234567], dtype=np.uint64), 0, 3)[0]
    assert drawn.tolist() == [(x >> 11) / 2**53 for x in published]


def test_a_longer_piece_of_a_split_begins_with_the_shorter_one():
    short, long = village.split("train", 3_000), village.split("train", 9_000)
    assert long.tokens[: len(short)] == short.tokens


@pytest.mark.slow
def test_no_two_splits_share_a_story():
    texts = {name: village.split(name, 200_000) for name in ("train", "validation", "test")}
    texts["sample"] = village.sample(200_000, rng=0)
    stories = [" ".join(story) for corpus in texts.values() for story in corpus.stories()]
    assert len(set(stories)) == len(stories)


# --- the floor --------------------------------------------------------------------------------


MANY_CHOICES = ("people say that the", "at school the children learned that")


@pytest.mark.slow
@pytest.mark.turns("scene")
@pytest.mark.parametrize(
    "scene",
    [pytest.param(s, marks=pytest.mark.thorough if s in MANY_CHOICES else ()) for s in SCENES],
)
def test_the_floor_computed_two_ways_agrees(scene, monkeypatch):
    """Every story with one scene and what it leads to, against a sample's mean log-probability."""
    n_names = 3 if scene in MANY_CHOICES else 5
    world = tiny(scene, names=n_names, most_scenes=1 + SCENES[scene].length)
    stories = list(all_stories(world))
    assert len(stories) > 100
    assert sum(p for p, _ in stories) == pytest.approx(1, abs=1e-9)
    monkeypatch.setitem(village.exact_floor.__globals__, "all_stories", lambda world: stories)
    exact = village.exact_floor(world)  # which would tell them all again
    corpus = village.sample(150_000, 2, world)
    standard_error = float(np.std(corpus.log_probs)) / len(corpus) ** 0.5
    assert abs(log(corpus.perplexity / exact)) < 4 * standard_error < 0.005


@pytest.mark.slow
@pytest.mark.turns("wish")
@pytest.mark.parametrize("wish", WISHES)
def test_the_floor_of_each_wish_computed_two_ways_agrees(wish):
    """Every story with one scene and one of the wishes."""
    world = tiny("before sunrise", wishes=(wish,), names=3, most_scenes=3, hiding_places=1)
    exact = village.exact_floor(world)
    corpus = village.sample(150_000, 2, world)
    standard_error = float(np.std(corpus.log_probs)) / len(corpus) ** 0.5
    assert abs(log(corpus.perplexity / exact)) < 4 * standard_error < 0.005


@pytest.mark.thorough
def test_the_two_floors_agree_to_four_digits():
    """Of each choice written out in a scene the first two are kept; half a million tokens."""
    world = tiny("before sunrise", "in the morning", names=2, jobs=2, limit=2)
    assert round(village.exact_floor(world), 3) == round(village.floor(500_000, 2, world), 3)


def test_the_floor_is_the_mean_over_a_sample():
    corpus = village.sample(50_000, 8)
    assert village.floor(50_000, rng=8) == pytest.approx(exp(-np.mean(corpus.log_probs)))


# --- kinds and likeness -------------------------------------------------------------------------


def test_every_kind_is_told_and_certain_words_are_no_choice(told):
    assert set(told.kinds) == set(village.KINDS)
    bits = -told.log_probs / log(2)
    kinds = np.array(told.kinds)
    assert np.all(bits[kinds == "phrase"] == 0)
    assert np.all(bits[kinds == "choice"] > 0)
    for kind in ("thing", "place", "count"):  # what was said before leaves no choice
        assert np.all(bits[kinds == kind] == 0)


def test_words_that_can_come_at_the_same_place_are_of_the_kind_of_the_place(told):
    listener = village.Listener()
    for word, kind in zip(told.tokens[:20_000], told.kinds, strict=False):
        assert listener.kind == kind
        listener.hear(word)


def test_marks_say_the_kind_of_a_word():
    options = parse("open/cause 3 | not open | shut")
    assert options.weights == {"open": 3, "not open": 1, "shut": 1}
    assert options.draw(0.7).kinds == ["cause", "phrase"]
    with pytest.raises(ValueError, match="words of different kinds at one place: open, shut"):
        _ = parse("open/cause | shut/name").tree


@pytest.mark.slow
def test_likeness_is_that_of_the_true_contexts():
    alike = village.similarity
    assert alike("rome", "rome") == pytest.approx(1)
    assert alike("rome", "oslo") == alike("oslo", "rome")
    for word, near, far in (
        ("france", "italy", "whisk"),
        ("bread", "cheese", "hens"),
        ("anna", "greta", "spade"),
        ("is", "are", "monday"),
    ):
        assert 1 > alike(word, near) > alike(word, far) >= 0
    before, after = contexts()
    np.testing.assert_allclose(before.sum(1), 1, atol=1e-9)  # each word was told
    np.testing.assert_allclose(after.sum(1), 1, atol=1e-9)
    with pytest.raises(UserError, match="no word 'spaceship'"):
        alike("spaceship", "rome")


# --- options ----------------------------------------------------------------------------------


def test_phrases_that_begin_alike_share_the_probability_of_their_first_words():
    options = parse("in the house 3 | in the barn | outside 4")
    assert options.tree["in"][0] == 0.5
    words, log_probs, _, _ = options.draw(0.4)
    assert words == ["in", "the", "barn"]
    assert exp(sum(log_probs)) == pytest.approx(1 / 8)


def test_a_phrase_that_is_the_beginning_of_another_is_refused():
    with pytest.raises(ValueError, match="beginning of another"):
        _ = parse("the cat | the cat sat").tree


@pytest.mark.parametrize("removed", [("a",), ("b",), ("d", "a"), ("a", "b", "c"), ("c", "c")])
def test_options_without_some_words_are_drawn_like_options_made_anew(removed):
    weights = {"a": 5, "b": 1, "c": 3, "d": 2}
    fewer = Options(weights).without(*removed)
    anew = Options({w: n for w, n in weights.items() if w not in removed})
    assert fewer.weights == anew.weights
    assert fewer.tree == anew.tree
    for u in np.linspace(0, 1, 97, endpoint=False):
        assert fewer.draw(u) == anew.draw(u)


# --- bad input --------------------------------------------------------------------------------


def test_a_word_outside_the_village_ends_the_score_there():
    heard = village.score(["by", "the", "sea", "lived", "spaceship", "."])
    assert heard.left_at == 4
    assert len(heard.log_probs) == 4
    assert "anna" in heard.possible


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: village.split("dev", 10), "no split 'dev': choose one of train, validation, test"),
        (lambda: village.sample(0, 1), "n_tokens must be at least 1, got 0"),
        (lambda: village.sample(10, "seed"), "rng must be a numpy Generator or a whole number"),
        (lambda: village.score("once there was"), "use text.split()"),
        (lambda: village.next_words(["once", "upon"]), "leaves the village at word 1"),
    ],
)
def test_wrong_use_gets_one_clear_line(wrong, message):
    with pytest.raises(UserError) as error:
        wrong()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_test_split_is_the_one_that_all_measurements_used():
    """A stored digest: other numbers of the book hold only for these very stories."""
    text = " ".join(village.split("test", 20_000).tokens)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest.startswith("42abc9b260307c57")


@pytest.mark.slow
def test_the_halves_of_likeness_make_it_whole_and_have_no_dust():
    words = ["goats", "ewes", "bread", "baker", "farmer"]
    place, after = halves(words)
    for i, word in enumerate(words):
        for j, other in enumerate(words):
            both = (place[i, j] + after[i, j]) / 2
            assert both == pytest.approx(village.similarity(word, other), abs=1e-8)
    assert place[0, 2] == 0.0  # goats never stand where bread does
    with pytest.raises(UserError, match="no word 'spaceship'"):
        halves(["spaceship"])
