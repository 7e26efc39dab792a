"""What the village holds for models to learn, each thing measured on told stories."""

import itertools
import re
from collections import Counter, defaultdict

import numpy as np
import pytest

from nextword.corpora import village
from nextword.corpora.village import VILLAGE as WORLD
from nextword.corpora.village.kinds import unmarked
from nextword.corpora.village.scenes.animals import IS_TIRED
from nextword.corpora.village.scenes.talk import clause_verbs, pronoun
from nextword.corpora.village.world import WOMEN
from tests.village_texts import HERO, blind_and_seeing, find, standard, standard_texts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus() -> village.Corpus:
    return standard()


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return standard_texts()


# --- words ------------------------------------------------------------------------------------


def test_the_vocabulary_is_exactly_what_the_stories_say(corpus):
    more = village.sample(1_500_000, rng=1)
    missing = (set(corpus.tokens) | set(more.tokens)) ^ set(village.VOCABULARY)
    assert not missing, "run: python -m nextword.corpora.village.vocabulary"
    assert 500 <= len(village.VOCABULARY) <= 900
    assert list(village.VOCABULARY) == sorted(set(village.VOCABULARY))


def test_word_frequencies_spread_like_zipfs_law(corpus):
    """log frequency falls with log rank along a line of slope near -1."""
    counts = np.array([n for _, n in Counter(corpus.tokens).most_common(400)])
    slope, _ = np.polyfit(np.log(np.arange(1, 401)), np.log(counts), 1)
    assert -1.6 < slope < -0.8


# --- grammar ----------------------------------------------------------------------------------


def gossip(texts: list[str]) -> list[tuple[str, str, str, int]]:
    """(head, last noun, verb, number of clauses) of each "people say that the ..."."""
    found = []
    for match in find(r"people say that the (\w+)((?: (?:who|that) \w+ the \w+)+) (\w+)", texts):
        clauses = match[2].split()
        found.append((match[1], clauses[-1], match[3], len(clauses) // 4))
    return found


def test_the_verb_agrees_with_a_subject_many_words_before(texts):
    """Seeing the nearest noun alone, its number is a guess; seeing the head, it is certain."""
    seen = gossip(texts)
    several = {"are", "work", "need", "sleep", "sing"}
    triples = [
        (str(head in WORLD.many), str(last in WORLD.many), str(verb in several))
        for head, last, verb, _ in seen
    ]
    blind, seeing = blind_and_seeing(triples)
    assert blind > 1.9
    assert seeing == 1
    # the verb itself, with everything that a window of four words shows
    blind, seeing = blind_and_seeing([(h, last, v) for h, last, v, _ in seen])
    assert blind > 1.5 * seeing


def test_relative_clauses_have_no_greatest_depth(texts):
    depths = Counter(depth for *_, depth in gossip(texts))
    assert depths[1] > depths[2] > depths[3] > depths[4] > 0
    story = village.split("test", 2_000).stories()[0]
    opening = story[
        : next(t for t in range(len(story)) if "people" in village.next_words(story[:t]))
    ]
    nouns = list(WORLD.folk.weights)[:40]
    clauses = [word for k, noun in enumerate(nouns) for word in clause(noun, last=k == 39)]
    for verb, left in (("is", False), ("are", True)):
        text = [*opening, "people", "say", "that", *clauses, verb]
        assert (village.score(text).left_at is not None) == left


def clause(noun: str, last: bool) -> list[str]:
    """The noun, and unless it is the last one the beginning of a clause about it."""
    verb = unmarked(clause_verbs(WORLD, noun)).split()[0]
    return ["the", noun] if last else ["the", noun, pronoun(WORLD, noun), verb]


def test_where_someone_works_and_what_they_need_follows_from_a_distant_head(texts):
    """In "the bakers who know the farmers work in the ..." the place is that of the bakers."""
    for verb in ("works? in the", "needs? a new"):
        pattern = rf"people say that the (\w+) ((?:who|that) [^.]*? the \w+) {verb} (\w+)"
        found = [(m[1], m[2].split()[-1], m[3]) for m in find(pattern, texts)]
        blind, seeing = blind_and_seeing(found)
        assert blind > 2.5 * seeing


def test_pronouns_match_a_person_named_long_before(texts):
    """She is the hero, whose name was said before others: the subject of the last sentence."""
    pattern = HERO + r"[^.]*(?:\. [^.]*)? \. every morning (s?he) "
    found = [(str(m[1] in WOMEN), "", m[2]) for m in find(pattern, texts)]
    blind, seeing = blind_and_seeing(found)
    assert blind > 1.9
    assert seeing == 1


def test_a_pronoun_is_the_subject_of_the_sentence_before(texts):
    """The rule that a reader shares: who begins a sentence as she or he was in the one before."""
    for text in texts[:2000]:
        said = [part.split() for part in text.split(" .") if part.strip()]
        people = {name for name in WORLD.names.weights if f" {name} " in f" {text} "}
        for before, sentence in itertools.pairwise(said):
            if sentence[0] not in ("she", "he") or before[0] in ("she", "he", "it"):
                continue
            named = [word for word in before if word in people]
            if named:
                right = [name for name in named if (name in WOMEN) == (sentence[0] == "she")]
                assert right, (before, sentence)


def test_articles_foods_and_verbs_agree(corpus):
    pairs = set(zip(corpus.tokens, corpus.tokens[1:], strict=False))
    after_a = {word for article, word in pairs if article == "a"}
    assert not {word for word in after_a if word[0] in "aeiou"} - {"ewe"}  # said as "you"
    silent_h = {"hour", "honest"}
    after_an = {word for article, word in pairs if article == "an"}
    assert all(word[0] in "aeiou" for word in after_an - silent_h)
    foods = set(WORLD.snacks.weights)
    assert {verb for food, verb in pairs if food in foods and food.endswith("s")} >= {"were"}
    assert not [f for f, verb in pairs if f in foods and verb in ("was", "were")
                and (verb == "were") != f.endswith("s")]  # fmt: skip


def test_some_word_order_is_free(texts):
    """Giving, belongings and introductions come in two orders, neither of them rare."""
    for one, other in (
        (r"later \w+ gave \w+ some ", r"later \w+ gave some \w+ to "),
        (r"had a \w+ \w+ and \w+ \w+ \.", r"had \w+ \w+ and a \w+ \w+ \."),
        (r"^once an? \w+ \w+ named \w+", r"^by the \w+ lived \w+ , an? \w+"),
    ):
        n_one, n_other = len(find(one, texts)), len(find(other, texts))
        assert 0.2 < n_one / (n_one + n_other) < 0.8


# --- meaning ----------------------------------------------------------------------------------


def test_it_is_the_animal_when_tired_and_the_way_when_wide(texts):
    pattern = (
        r"the (\w+) did not cross the (\w+) because it was too (\w+) [.,] "
        r"so \w+ (?:let the (\w+)|gave (it)|turned back at the (\w+)|looked for another (\w+))"
    )
    found = find(pattern, texts)
    for match in found:
        animal, way, reason, *meant = match.groups()
        wanted = "it" if reason == "hungry" else animal if reason in IS_TIRED else way
        assert [word for word in meant if word] == [wanted]
    assert {m[3] for m in found} >= {"tired", "wide", "narrow", "muddy", "icy"}


def test_mud_comes_with_rain_and_ice_with_winter(texts):
    """A cause and its effect, often with other scenes between them."""
    for reason, cause in (("muddy", "rain|muddy"), ("icy", "it was winter")):
        for match in find(rf"^(.*) it was too {reason}", texts, at_least=20):
            assert re.search(cause, match[1])


def test_it_is_decided_by_the_one_word_before_the_full_stop():
    stories = (" ".join(story) for story in village.split("test", 50_000).stories())
    match = next(filter(None, (re.match(r"(.* because it was too) tired", s) for s in stories)))
    before = match[1].split()
    animal, way = before[-10], before[-5]
    hero = next(iter(village.next_words([*before, "tired", ",", "so"])))
    so = [",", "so", hero]
    assert set(village.next_words([*before, "tired", *so, "let", "the"])) == {animal}
    other = next(word for word in village.next_words(before) if word not in IS_TIRED)
    assert set(village.next_words([*before, other, *so])) == {"turned", "looked"}
    assert set(village.next_words([*before, other, *so, "turned", "back", "at", "the"])) == {way}


def test_negation_decides_what_happens_next(texts):
    eaten = find(r"(did not eat|ate) (?:it|them) \. when [^.]* (?:was|were) (gone|still)", texts)
    assert {(m[1], m[2]) for m in eaten} == {("ate", "gone"), ("did not eat", "still")}
    doors = find(r"the door was (open|not open) , so s?he (\w+)", texts)
    assert {(m[1], m[2] == "went") for m in doors} == {("open", True), ("not open", False)}
    gates = find(r"and closed the gate|but did not close the gate", texts)
    assert len({m[0] for m in gates}) == 2


def test_a_bank_by_the_river_is_not_a_bank_for_money(texts):
    """What is said of the bank, where a 4-gram cannot tell which one it is."""
    pattern = r"(sat on|went to) the bank [^.]* \. the bank was (\w+)"
    found = [(m[1], "", m[2]) for m in find(pattern, texts)]
    senses = [{word for sense, _, word in found if sense == s} for s in ("sat on", "went to")]
    assert not senses[0] & senses[1]
    blind, seeing = blind_and_seeing(found)
    assert blind > 1.5 * seeing


def test_spring_is_a_season_and_a_place(texts):
    after = Counter(m[1] for m in find(r"spring ([,.])", texts))
    assert len(find(r"it was spring ,", texts)) > 200
    assert len(find(r"the spring", texts)) > 200
    assert len(after) == 2


# --- the world --------------------------------------------------------------------------------


def test_jobs_have_places_and_tools(texts):
    """Who works where, and with what, is the same in all stories; tools are not shared."""
    seen = defaultdict(set)
    for match in find(
        r"once an? \w+ (\w+) named [^.]*\. every morning s?he worked in the (\w+)", texts
    ):
        seen[match[1]].add(match[2])
    assert {job: places.pop() for job, places in seen.items()} == WORLD.workplace
    assert not any(seen.values())
    tools = [tool for options in WORLD.tools.values() for tool in options.weights]
    assert len(set(tools)) == len(tools) == 2 * len(WORLD.workplace)


@pytest.fixture(scope="module")
def vectors(corpus) -> dict[str, np.ndarray]:
    """Vectors from co-occurrence counts within eight words: PPMI and a truncated SVD."""
    number = {word: k for k, word in enumerate(village.VOCABULARY)}
    ids = np.array([number[word] for word in corpus.tokens])
    counts = np.zeros((len(number), len(number)))
    for distance in range(1, 9):
        np.add.at(counts, (ids[:-distance], ids[distance:]), 1)
    counts += counts.T
    context = counts.sum(0) ** 0.75
    expected = counts.sum(1)[:, None] * context / context.sum()
    ppmi = np.log(np.maximum(counts / expected, 1))
    u, s, _ = np.linalg.svd(ppmi)
    u = u[:, :80] * np.sqrt(s[:80])
    return {word: u[k] / np.linalg.norm(u[k]) for word, k in number.items()}


def nearest(vectors: dict[str, np.ndarray], target: np.ndarray, besides: set[str]) -> str:
    return max(vectors.keys() - besides, key=lambda word: float(vectors[word] @ target))


def test_paris_minus_france_plus_italy_is_rome(vectors):
    """Most analogies of capitals, languages and dishes come out right by counting alone."""
    right = []
    for facts in (WORLD.capital, WORLD.language):
        for a, b in ((a, b) for a in facts for b in facts if a != b):
            target = vectors[facts[a]] - vectors[a] + vectors[b]
            right.append(nearest(vectors, target, {a, b, facts[a]}) == facts[b])
    assert np.mean(right) > 0.7


def test_the_odd_one_out_is_found(vectors):
    """Three of one kind and one of another: the stranger has the least similar vector."""
    kinds = [
        list(WORLD.snacks.weights),
        list(WORLD.one_of)[:10],
        [tool for options in WORLD.tools.values() for tool in options.weights][:15],
        list(WORLD.capital),
    ]
    rng, right = np.random.default_rng(0), []
    for _ in range(300):
        ours, theirs = rng.permutation(len(kinds))[:2]
        words = [*rng.choice(kinds[ours], 3, replace=False), rng.choice(kinds[theirs])]
        mean = np.mean([vectors[word] for word in words], axis=0)
        right.append(min(words, key=lambda word: float(vectors[word] @ mean)) == words[3])
    assert np.mean(right) > 0.8
