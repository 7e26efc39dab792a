"""The dialect: hand-made translations, rules that hold for every pair, splits, bad input."""

from collections import Counter
from itertools import pairwise

import pytest

from examiner.errors import UserError
from nextword.corpora import dialect, village
from nextword.corpora.dialect import VERBS, foreign, home_of, pairs, translate


@pytest.fixture(scope="module")
def many() -> list[dialect.Pair]:
    return pairs("train", 8_000)


def order(sentence: str) -> str:
    """The translation with each word turned back, to see nothing but the order."""
    back = {foreign(word): word for word in village.VOCABULARY if word not in dialect.SAME}
    back |= {dialect.NEGATION: "not", dialect.RELATIVE: "who", "ke": "that"}
    return " ".join(back[word] for word in translate(sentence))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("now anna had five hens .", "now anna five hens had ."),
        ("they looked behind the mill and found it there .",
         "they behind mill looked and it there found ."),
        # negation stands last in its clause, and the clauses keep their order
        (
            "the hen did not cross the road because it was too wide .",
            "hen road cross did not because it too wide was .",
        ),
        ("the door was not open , so she knocked for an hour .",
         "door open was not , so she for hour knocked ."),
        # "and" between nouns joins no clauses, "and" before a verb does
        ("anna fed the five hens and put the red whisk back in the chest .",
         "anna five hens fed and red whisk back in chest put ."),
        # what must, can and will be done: the helper after the verb, "not" after both
        ("leo could not reach it , but maja could .", "leo it reach could not , but maja could ."),
        ('" we must not forget the heavy stone , " said leo .',
         '" we heavy stone forget must not , " leo said .'),
        # speech and questions: each is a clause of its own
        ('" where is my whisk ? " asked anna .', '" where my whisk is ? " anna asked .'),
        ('" i will make a soup , but i need peas and garlic , " said leo .',
         '" i soup make will , but i peas and garlic need , " leo said .'),
        ('" thank you , nils , " said anna .', '" you , nils thank , " anna said .'),
        ('" i have something for you , " said leo and gave anna a picture .',
         '" i something for you have , " leo said and anna picture gave .'),
        # a verb waits for the last word of a long clause
        ("then she and leo sat by the sea and talked about the rain , the good soup and the gate .",
         "then she and leo by sea sat and about rain , good soup and gate talked ."),
        # clauses that follow each other in the village stand inside each other in the dialect
        ("people say that the clerks who help the baker who knows the hens that see the cat sing .",
         "people say that clerks who baker who hens who cat see know help sing ."),
        # what is wanted goes before the wanting, with its "to"
        ("anna wanted to bake a cake with honey because the last one had been as hard as a stone .",
         "anna cake with honey to bake wanted because last one as hard as stone been had ."),
        # "because of" a thing joins no clauses, and "who" none after a comma
        ("the cow won nothing because of the big cow of tilda , but it ate the prize .",
         "cow nothing because of big cow of tilda won , but it prize ate ."),
        ("next door lived his aunt ida , who grew corn .",
         "next door his aunt ida , who corn grew lived ."),
        # "by the sea" first, verb second: the verb still goes last
        ("by the sea lived anna , a kind baker .", "by sea anna , kind baker lived ."),
    ],
)  # fmt: skip
def test_verbs_come_last_and_negation_after_them(sentence, expected):
    assert order(sentence) == expected


def test_every_word_has_its_own_translation_except_that_verbs_do_not_agree():
    groups: dict[str, set[str]] = {}
    for word in set(village.VOCABULARY) - dialect.ARTICLES:
        groups.setdefault(foreign(word), set()).add(word)
    merged = [words for words in groups.values() if len(words) > 1]
    assert {"is", "are"} in merged
    assert all(words <= VERBS and len(words) == 2 for words in merged)


@pytest.mark.slow
def test_no_word_is_lost_or_made(many):
    for source, target in many:
        expected = Counter(foreign(w) for w in source if w not in dialect.ARTICLES)
        said = Counter(target)
        for own, usual in ((dialect.NEGATION, "not"), (dialect.RELATIVE, "who")):
            expected[own] = expected.pop(foreign(usual), 0)
        assert said[dialect.RELATIVE] + said["ke"] == expected[dialect.RELATIVE] + expected["ke"]
        del said[dialect.RELATIVE], said["ke"], expected[dialect.RELATIVE], expected["ke"]
        assert +said == +expected


def test_in_the_dialect_nothing_but_a_verb_or_not_ends_a_clause(many):
    verbs = {foreign(word) for word in VERBS}
    for _, target in many:
        *_, last, stop = target
        assert stop == "."
        assert last in verbs or last == dialect.NEGATION
        for before, word in pairwise(target):
            if word == dialect.NEGATION:
                assert before in verbs


def test_every_sentence_of_the_village_has_a_translation():
    for story in village.sample(60_000, rng=9).stories():
        for sentence in " ".join(story).split(" ."):
            if sentence:
                translate(sentence + " .")


def test_lengths_go_from_3_to_40_words(many):
    lengths = Counter(len(source) - 1 for source, _ in many)
    assert min(lengths) == 3
    assert max(lengths) <= 40
    for shortest in range(3, 40, 4):
        assert sum(lengths[n] for n in range(shortest, shortest + 4)) > 5
    assert all(5 <= len(source) - 1 <= 7 for source, _ in pairs("test", 50, 5, 7))


@pytest.mark.slow
def test_pairs_are_different_and_no_sentence_is_in_two_splits(many):
    sources = {" ".join(source) for source, _ in many}
    assert len(sources) == len(many) == 8_000
    for split in ("validation", "test"):
        other = pairs(split, 1_000)
        assert not sources & {" ".join(source) for source, _ in other}
        assert all(home_of(source) == split for source, _ in other)
        assert other[:100] == pairs(split, 100)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("the spaceship was wide .", "no sentence holds the word 'spaceship'"),
        ("the road was wide", "expected one full stop, at the end"),
        ("the road was wide . it was muddy .", "expected one full stop, at the end"),
        ("", "expected one full stop, at the end"),
        ("the road .", "no verb near 'ruot'"),
        ("the road was wide was .", "a second verb, 'was', in one clause"),
        ("people say that the clerks who help the baker .", "no verb"),
        ("the road was wide . </s>", "no sentence holds the word '</s>'"),
    ],
)
def test_what_is_no_village_sentence_gets_one_clear_line(wrong, message):
    with pytest.raises(UserError, match="not a village sentence") as error:
        translate(wrong)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_impossible_numbers_are_refused():
    for arguments in ((0,), (5, 9, 3), (5, 0, 3)):
        with pytest.raises(UserError, match="expected n >= 1"):
            pairs("train", *arguments)
    with pytest.raises(UserError, match="no split 'dev'"):
        pairs("dev", 5)
