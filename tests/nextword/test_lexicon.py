"""The village's words by kind, and texts in which jobs go by gender."""

from collections import Counter

import pytest

from nextword.corpora import lexicon, skewed, village


def told(text):
    return text.split()


def test_every_word_of_the_lexicon_is_told_in_the_village():
    assert set(lexicon.CONTENT) <= set(village.VOCABULARY)
    assert len(lexicon.CONTENT) == len(set(lexicon.CONTENT)) > 300
    assert all(len(words) == len(set(words)) >= 4 for words in lexicon.KINDS.values())


def test_kinds_agree_with_the_world_of_the_village():
    world = village.VILLAGE
    assert set(lexicon.KINDS["capital"]) == set(world.capital.values())
    assert set(lexicon.KINDS["country"]) == set(world.capital)
    assert set(lexicon.KINDS["woman"]) | set(lexicon.KINDS["man"]) == set(world.names.weights)


def test_a_word_can_be_of_two_kinds_and_a_word_of_grammar_is_of_none():
    assert lexicon.kinds_of("bank") == {"workplace", "landmark"}
    assert lexicon.alike("bank", "river")
    assert lexicon.alike("bank", "clinic")
    assert not lexicon.alike("river", "clinic")
    assert not lexicon.kinds_of("the")
    assert not lexicon.alike("the", "and")


@pytest.mark.slow
def test_in_the_skewed_text_jobs_go_by_gender_and_in_the_plain_one_they_do_not():
    texts = skewed.stories(200_000, seed=1)
    assert len(texts[0]) == len(texts[1]) > 200
    by_rule = [
        Counter(
            (job in skewed.WOMENS_JOBS) == is_woman
            for story in text
            for job, is_woman in skewed.holders(story)
        )
        for text in texts
    ]
    shares = [tally[True] / tally.total() for tally in by_rule]
    assert shares[0] > 0.75
    assert 0.4 < shares[1] < 0.6


def test_the_nearest_name_holds_the_job():
    story = told("anna met a smith named nils and her sister was a baker")
    assert list(skewed.holders(story)) == [("smith", False), ("baker", False)]
    assert list(skewed.holders(told("a baker came"))) == []


def test_swapping_twice_gives_names_and_kin_back():
    story = told("anna and her aunt met nils , and he greeted the girls")
    once = skewed.swapped(story)
    assert once[0] == "nils"
    assert "uncle" in once
    assert "boys" in once
    assert skewed.swapped(once) == story
