"""Wishes of the village: who wants what, what helps or hinders, and what comes of it."""

import re
from collections import Counter, defaultdict

import numpy as np
import pytest

from nextword.corpora import village
from nextword.corpora.assistant import facts
from nextword.corpora.village.people import COUNT, Wished
from nextword.corpora.village.wishes import WHEN, WISHES
from tests.village_texts import blind_and_seeing, find, standard_texts


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return standard_texts()


@pytest.fixture(scope="module")
def told() -> list[tuple[str, Wished]]:
    """Stories as text, each with what it says of its wish."""
    found = []
    for story in village.sample(150_000, rng=23).stories():
        wish = facts(story).wish
        assert wish
        found.append((" ".join(story), wish))
    return found


@pytest.mark.slow
def test_every_wish_is_told_and_three_in_four_come_true(told):
    seen = defaultdict(list)
    for _, wish in told:
        seen[wish.name].append(wish.comes_true)
    assert set(seen) == set(WISHES)
    assert 0.7 < np.mean([true for all_of_one in seen.values() for true in all_of_one]) < 0.85
    assert all(0.5 < np.mean(true) < 0.95 for true in seen.values())


def test_something_bears_on_every_wish_and_the_last_turn_decides(told):
    """The wish, what helps or hinders it, and its end, in this order; coins are a sum."""
    lengths = Counter()
    for text, wish in told:
        lengths[len(wish.turns)] += 1
        turns = [re.search(rf"(?:{'|'.join(WHEN)}) {begins} ", text) for begins in wish.turns]
        places = [text.index(wish.name), *(found.start() for found in turns if found)]
        assert len(places) == 1 + len(wish.turns)
        places.append(text.rindex(f". {WISHES[wish.name].ends}"))
        assert places == sorted(places), text
        if not wish.price:
            assert wish.comes_true == WISHES[wish.name].turns[wish.turns[-1]].helps
    assert set(lengths) == {1, 2}
    assert lengths[2] > 0.1 * len(told)


def test_the_end_names_what_came_first_if_it_promised_the_contrary(told):
    for text, wish in told:
        contrary = len(wish.turns) == 2 and not wish.price
        assert ("in spite of" in text) == contrary, text


@pytest.mark.slow
def test_coins_are_counted_and_compared_with_the_price(texts):
    sums = find(
        r"it cost (\w+) coins , but \w+ had only (\w+) \. (.*) on market day \w+ "
        r"counted (\w+) coins? \. that was (\w+)",
        texts,
    )
    for m in sums:
        price, coins = (COUNT.index(m[k]) + 1 for k in (1, 2))
        paid = re.findall(
            r"(?:singer bought|old coat of|hole in the pocket cost) [^.]*?(\w+) coins?", m[3]
        )
        signs = re.findall(r"(singer bought|old coat of|hole in the pocket cost) ", m[3])
        for sign, amount in zip(signs, paid, strict=True):
            coins += (COUNT.index(amount) + 1) * (-1 if "hole" in sign else 1)
        price += "went up by one coin" in m[3]
        assert COUNT[coins - 1] == m[4]
        assert m[5] == ("enough" if coins >= price else COUNT[price - coins - 1])


# what a wish is for, and how its end says it again
SLOTS = {
    "cake": r"bake a cake with (\w+) .* full of the (\w+) from",
    "pumpkin": r"pumpkin as big as a (\w+) .* the pumpkin was as big as a (\w+)",
    "prize": r"one of the \w+ (\w+?)s would win .* on the great day .*?the (\w+) won",
    "race": r"win the race to the (\w+) .* came to the (\w+) (?:first|last)",
    "letter": r"a letter from \w+ in (\w+) , .* (?:come to|the cup to) (\w+)",
    "peace": r"because of a (\w+ \w+) \. .* came in with the \w+ and the (\w+ \w+) \.",
    "sight": r"longed to see an? (\w+) .* met the (\w+)",
    "ware": r"could not forget the (\w+ \w+) in the window .* (?:enough|few) for the (\w+ \w+)",
}


@pytest.mark.slow
@pytest.mark.parametrize("slot", SLOTS)
def test_the_end_says_again_what_was_wanted(texts, slot):
    """Fifty words and more lie between; who has forgotten it can only guess."""
    found = find(SLOTS[slot], texts)
    pairs = [(m[1], m[2]) for m in found if slot != "prize" or m[1] not in ("ma", "gee")]
    assert all(a == b for a, b in pairs)
    blind, seeing = blind_and_seeing([(a, "", b) for a, b in pairs])
    assert seeing == 1
    assert blind > 2


def test_stories_of_others_cannot_end_with_this_wish(told):
    """The listener notices an end that what was told has ruled out."""
    n = 0
    for text, wish in told:
        if wish.name != "wished for one quiet night because":
            continue
        words = text.split()
        place = max(k for k, word in enumerate(words) if word == "midnight")
        said = "slept" if wish.comes_true else "could"
        t = words.index(said, place)
        other = "could" if wish.comes_true else "slept"
        heard = village.score([*words[:t], other])
        assert heard.left_at == t
        assert set(heard.possible) == {said}
        n += 1
    assert n > 30


def test_the_end_of_a_wish_is_of_its_own_kind():
    corpus = village.split("test", 30_000)
    decided = {w for w, kind in zip(corpus.tokens, corpus.kinds, strict=True) if kind == "promise"}
    assert decided >= {"slept", "enough", "first", "last", "big", "small"}
