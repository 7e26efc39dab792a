"""What the village holds for models to learn, each thing measured on told stories."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from math import exp, log

import numpy as np
import pytest

from nextword.corpora import village
from nextword.corpora.village import VILLAGE as WORLD
from nextword.corpora.village.people import COUNT
from nextword.corpora.village.scenes.animals import IS_TIRED
from nextword.corpora.village.scenes.talk import clause_verbs, pronoun
from nextword.corpora.village.world import WOMEN


@pytest.fixture(scope="module")
def corpus() -> village.Corpus:
    return village.split("train", 1_000_000)


@pytest.fixture(scope="module")
def texts(corpus) -> list[str]:
    return [" ".join(story) for story in corpus.stories()]


def perplexity(pairs: Iterable[tuple[Hashable, str]]) -> float:
    """The perplexity of the second of each pair, for someone who sees the first and all counts."""
    table: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for seen, word in pairs:
        table[seen][word] += 1
    n = sum(sum(row.values()) for row in table.values())
    loss = -sum(c * log(c / sum(r.values())) for r in table.values() for c in r.values())
    return exp(loss / n)


HERO = r"^(?:once an? \w+ \w+ named|by the \w+ lived) (\w+)\b"  # as every story begins


def find(pattern: str, texts: list[str]) -> list[re.Match[str]]:
    """Every match in every story; fails when there are too few to measure anything."""
    found = [match for text in texts for match in re.finditer(pattern, text)]
    assert len(found) > 200, f"only {len(found)} matches of {pattern}"
    return found


def blind_and_seeing(triples: list[tuple[str, str, str]]) -> tuple[float, float]:
    """For (distant fact, nearby word, word): its perplexity without the fact and with it."""
    blind = perplexity((near, word) for _, near, word in triples)
    return blind, perplexity(((far, near), word) for far, near, word in triples)


# --- words ------------------------------------------------------------------------------------


def test_the_vocabulary_is_exactly_what_the_stories_say(corpus):
    more = village.sample(1_500_000, rng=1)
    missing = (set(corpus.tokens) | set(more.tokens)) ^ set(village.VOCABULARY)
    assert not missing, "run: python -m nextword.corpora.village.vocabulary"
    assert 300 <= len(village.VOCABULARY) <= 800
    assert list(village.VOCABULARY) == sorted(set(village.VOCABULARY))


def test_word_frequencies_spread_like_zipfs_law(corpus):
    """log frequency falls with log rank along a line of slope near -1."""
    counts = np.array([n for _, n in Counter(corpus.tokens).most_common(400)])
    slope, _ = np.polyfit(np.log(np.arange(1, 401)), np.log(counts), 1)
    assert -1.6 < slope < -0.8


# --- grammar ----------------------------------------------------------------------------------


def gossip(texts: list[str]) -> list[tuple[str, str, str, int]]:
    """(head, last noun, verb, number of clauses) of each "they say that the ..."."""
    found = []
    for match in find(r"they say that the (\w+)((?: (?:who|that) \w+ the \w+)+) (\w+)", texts):
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
    opening = story[: next(t for t in range(len(story)) if "they" in village.next_words(story[:t]))]
    nouns = list(WORLD.folk.weights)[:40]
    clauses = [word for k, noun in enumerate(nouns) for word in clause(noun, last=k == 39)]
    for verb, left in (("is", False), ("are", True)):
        text = [*opening, "they", "say", "that", *clauses, verb]
        assert (village.score(text).left_at is not None) == left


def clause(noun: str, last: bool) -> list[str]:
    """The noun, and unless it is the last one the beginning of a clause about it."""
    verb = clause_verbs(WORLD, noun).split()[0]
    return ["the", noun] if last else ["the", noun, pronoun(WORLD, noun), verb]


def test_where_someone_works_and_what_they_need_follows_from_a_distant_head(texts):
    """In "the bakers who know the farmers work in the ..." the place is that of the bakers."""
    for verb in ("works? in the", "needs? a new"):
        pattern = rf"they say that the (\w+) ((?:who|that) [^.]*? the \w+) {verb} (\w+)"
        found = [(m[1], m[2].split()[-1], m[3]) for m in find(pattern, texts)]
        blind, seeing = blind_and_seeing(found)
        assert blind > 2.5 * seeing


def test_pronouns_match_a_person_named_long_before(texts):
    """She is the hero, named 20 words or more before, not the friend, who was named just now."""
    pattern = HERO + r".* (?:her|his) \w+ (\w+) was a \w+ \. in the afternoon (s?he) "
    found = [(str(m[1] in WOMEN), str(m[2] in WOMEN), m[3]) for m in find(pattern, texts)]
    blind, seeing = blind_and_seeing(found)
    assert blind > 1.9
    assert seeing == 1


def test_articles_foods_and_verbs_agree(corpus):
    pairs = set(zip(corpus.tokens, corpus.tokens[1:], strict=False))
    assert not [word for article, word in pairs if article == "a" and word[0] in "aeiou"]
    silent_h = {"hour", "honest"}
    after_an = {word for article, word in pairs if article == "an"}
    assert all(word[0] in "aeiou" for word in after_an - silent_h)
    foods = set(WORLD.foods.weights)
    assert {verb for food, verb in pairs if food in foods and food.endswith("s")} >= {"were"}
    assert not [f for f, verb in pairs if f in foods and verb in ("was", "were")
                and (verb == "were") != f.endswith("s")]  # fmt: skip


def test_some_word_order_is_free(texts):
    """Giving, belongings, introductions and adverbs come in two orders, neither of them rare."""
    for one, other in (
        (r"gave \w+ the \w+ ", r"gave the \w+ to \w+ "),
        (r"had a \w+ \w+ and \w+ \w+ \.", r"had \w+ \w+ and a \w+ \w+ \."),
        (r"^once an? \w+ \w+ named \w+", r"^by the \w+ lived \w+ , an? \w+"),
        (r"at last \w+ found", r"\w+ at last found"),
    ):
        n_one, n_other = len(find(one, texts)), len(find(other, texts))
        assert 0.2 < n_one / (n_one + n_other) < 0.8


# --- meaning ----------------------------------------------------------------------------------


def test_it_is_the_animal_when_tired_and_the_road_when_wide(texts):
    pattern = (
        r"the (\w+) did not cross the (\w+) because it was too (\w+) \. "
        r"so \w+ (?:let the (\w+)|gave the (\w+)|went round the (\w+)|looked for another (\w+))"
    )
    found = find(pattern, texts)
    for match in found:
        animal, way, reason, *meant = match.groups()
        assert [word for word in meant if word] == [animal if reason in IS_TIRED else way]
    assert {m[3] for m in found} >= {"tired", "wide"}


def test_it_is_decided_by_the_one_word_before_the_full_stop():
    story = village.split("test", 2_000).stories()[0]
    opening = story[: next(t for t in range(len(story)) if "that" in village.next_words(story[:t]))]
    hero, herd = re.match(
        HERO + r".* had .*?(\w+)(?: and a \w+ \w+)? \.", " ".join(opening)
    ).groups()
    number = opening[opening.index(herd) - 1]
    animal = WORLD.one_of[herd]
    about = (
        f"that day one of the {number} {herd} came to the road . "
        f"the {animal} did not cross the road because it was too"
    )
    before = [*opening, *about.split()]
    so = [".", "so", hero]
    assert set(village.next_words([*before, "tired", *so, "let", "the"])) == {animal}
    assert set(village.next_words([*before, "wide", *so])) == {"went", "looked"}
    assert set(village.next_words([*before, "wide", *so, "went", "round", "the"])) == {"road"}


def test_negation_decides_what_happens_next(texts):
    eaten = find(r"(did not eat|ate) (?:it|them) \. when [^.]* (?:was|were) (gone|still)", texts)
    assert {(m[1], m[2]) for m in eaten} == {("ate", "gone"), ("did not eat", "still")}
    doors = find(r"the door was (open|not open) , so s?he (\w+)", texts)
    assert {(m[1], m[2] == "went") for m in doors} == {("open", True), ("not open", False)}
    kinds = find(r"(\w+) is (not )?(an animal|a tool|food)", texts)
    right = defaultdict(set)
    for match in kinds:
        right[match[1], bool(match[2])].add(match[3])
    for (thing, negated), said in right.items():
        assert not said & right.get((thing, not negated), set())


def test_a_bank_by_the_river_is_not_a_bank_for_money(texts):
    """What is said of the bank, where a 4-gram cannot tell which one it is."""
    pattern = r"(sat|went) (?:on|to) the bank [^.]* [^.]* \. the bank was (\w+)"
    found = [(m[1], "", m[2]) for m in find(pattern, texts)]
    senses = [{word for sense, _, word in found if sense == s} for s in ("sat", "went")]
    assert not senses[0] & senses[1]
    blind, seeing = blind_and_seeing(found)
    assert blind > 1.5 * seeing


def test_spring_is_a_season_and_a_place(texts):
    after = Counter(m[1] for m in find(r"spring ([,.])", texts))
    assert len(find(r"it was spring ,", texts)) > 200
    assert len(find(r"the spring", texts)) > 200
    assert len(after) == 2


# --- memory -----------------------------------------------------------------------------------


def test_the_end_remembers_the_beginning(texts):
    """Number, animals, colour, tool and home come 30 words or more before they are needed."""
    pattern = (
        r"had (?:(?P<n1>\w+) (?P<h1>\w+) and )?a (?P<colour>\w+) (?P<tool>\w+)"
        r"(?: and (?P<n2>\w+) (?P<h2>\w+))? \. .*"
        r"fed the (?P<n>\w+) (?P<h>\w+) (?:and|, closed the door and) put the (?P<c>\w+) (?P<t>\w+)"
    )
    found = find(pattern, texts)
    born = [m for m in found if "was born" in m[0]]
    assert len(found) == len(texts)
    for m in found:
        number = COUNT.index(m["n1"] or m["n2"]) + (m in born)
        assert (COUNT[number], m["h1"] or m["h2"], m["colour"], m["tool"]) == (
            m["n"], m["h"], m["c"], m["t"],
        )  # fmt: skip
    for word in ("n", "h", "c", "t"):
        assert perplexity(("", m[word]) for m in found) > 5
    homes = find(
        r"by the (\w+)\b.*s?he and \w+ (?:sat|walked) by the (\w+) and talked about", texts
    )
    assert all(m[1] == m[2] for m in homes)


def test_a_shopping_list_is_bought_in_full(texts):
    pattern = (
        r"asked \w+ for ([^.]*) \. [^.]* \. there (s?he bought|was no more|were no more) ([^.]*)"
    )
    for match in find(pattern, texts):
        wanted = re.split(" , | and ", match[1])
        if "bought" in match[2]:
            bought, missing = match[3], ""
        else:
            missing, bought = re.fullmatch(r"(\w+) , so s?he bought only (.*)", match[3]).groups()
        assert re.split(" , | and ", bought.strip()) == [
            thing for thing in wanted if thing != missing
        ]
        assert 2 <= len(wanted) <= WORLD.sizes.longest_list


def test_each_guest_is_thanked_for_what_that_guest_brought(texts):
    """Without knowing who brought what, the food is one of those on the table."""
    blind = []
    for match in find(r"feast by the \w+ : ([^.]*) (?:\.|, and) \w+ thanked ([^.]*)", texts):
        brought = dict(re.findall(r"(\w+) brought (\w+)", match[1]))
        thanks = dict(re.findall(r"(\w+) for the (\w+)", match[2]))
        assert brought == thanks
        blind += [log(len(brought) - k) for k in range(len(brought))]
    assert exp(np.mean(blind)) > 1.5


def test_after_a_swap_each_has_what_the_other_had(texts):
    gift = r"gave (?:\w+ the (\w+)|the (\w+) to \w+)"
    for m in find(rf"later (\w+) {gift} , and (\w+) {gift} \. (\w+) ate the (\w+) ,", texts):
        hero, friend = m[1], m[4]
        from_hero, from_friend = m[2] or m[3], m[5] or m[6]
        assert (m[7], m[8]) in {(friend, from_hero), (hero, from_friend)}


def test_animals_are_counted(texts):
    found = find(r"had (?:a \w+ \w+ and )?(\w+) (\w+)\b.* there were only (\w+) \.", texts)
    for match in found:
        had = COUNT.index(match[1]) + ("was born" in match[0])
        assert COUNT.index(match[3]) == had - 1
    assert perplexity(("", m[3]) for m in found) > 5


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
        list(WORLD.foods.weights)[:15],
        list(WORLD.herds.weights)[:10],
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
