"""Requests and questions about the village: answers are exact, and the judge is not deceived."""

import re

import numpy as np
import pytest

from examiner.errors import UserError
from nextword.corpora import assistant, village
from nextword.corpora.assistant import FOOD, MOST, NEW_WORDS, Request, facts, questions
from nextword.corpora.village.words import COUNT

TEXT = (
    "by the river lived greta , an honest smith . she had a grey file and three goats . she kept "
    "the grey file beside the bed . her aunt anna was a miller . anna wanted to bake a cake with "
    "nuts for the birthday of greta because the last one had been as hard as a stone . one day the "
    "first cake was forgotten in the stove and turned as black as the night . two days later an "
    "old book taught anna three ways to bake a light cake . in the morning the three goats "
    "bleated loudly , so greta gave them some hay but did not close the gate . "
    "at sunset greta counted the goats . there were only two because the gate was open . "
    '" where is the goat ? " asked greta . " it is behind the hill , " said anna . they looked '
    "behind the hill and found it there . on the birthday , in spite of the black cake , the cake "
    "was as light as the one in the book , and greta ate two pieces . that night greta dreamed of "
    "the black cake and of the grey file . anna dreamed of the three goats ."
)
STORY = TEXT.split()


@pytest.fixture(scope="module")
def stories() -> list[list[str]]:
    return village.sample(60_000, rng=71).stories()


def answers(story: list[str]) -> dict[str, str]:
    """What the program answers, by the words of the question."""
    return {" ".join(q.words): " ".join(q.answer) for q in questions(facts(story))}


# --- questions --------------------------------------------------------------------------------


def test_every_answer_about_one_story_by_hand():
    assert answers(STORY) == {
        "who is the story about ?": "greta",
        "where does greta live ?": "by the river",
        "what is the job of greta ?": "smith",
        "what is the job of anna ?": "miller",
        "what colour is the file ?": "grey",
        "how many goats does greta have ?": "three",
        "where does greta keep the file ?": "beside the bed",
        "did the wish of anna come true ?": "yes",
        "was the gate open ?": "yes",
    }


# question -> what the story itself must say, read by a pattern and not by the program that told it
NAME, WORD = r"(?P<name>\w+)", r"\w+"
TOLD = {
    r"where does (\w+) live \?": r"(?:^| )(by the {a}) lived|(?:lived|house stood) (by the {a}) \.",
    r"what colour is the (\w+) \?": r" a ({a}) {0}\b",
    r"where does (\w+) keep the (\w+) \?": r" (?:kept the \w+ {1}|{1} was kept) ({a}) \.",
    r"who found the (\w+) \?": r"because ({a}) had found the {0} \.",
    r"who went to (\w+) \?": r"at last ({a}) went to (?:{0}\b|\w+ in {0}\b)",
    r"who came from (\w+) \?": r"named ({a}) came from {0} \.",
    r"what language does (\w+) speak \?": r"named {0} came from \w+ \. s?he spoke ({a}) and",
    r"who kept the promise \?": r"the next day ({a}) brought",
    r"what did (\w+) make \?": r'" i will make ({a}) , but i need',
}


# how the end of a wish begins -> what it says if the wish came true
GOOD_ENDS = {
    "on the birthday": r"full of the|light as the",
    "on the day of the feast": "as big as a",
    "on the great day": "won the first prize",
    "on the day of the race": r"came to the \w+ first",
    "in the end": r"could read",
    "one bright day": "came in with",
    "under the full moon": r"met the",
    "after midnight": "slept until noon",
    "on market day": "that was enough",
}


def test_answers_are_what_the_story_says(stories):
    """Each answer stands in the story where a pattern looks for it, and another one would not."""
    seen = dict.fromkeys(TOLD, 0)
    for story in stories:
        text = " ".join(story)
        for asked, answer in answers(story).items():
            for question, pattern in TOLD.items():
                about = re.fullmatch(question, asked)
                if about:
                    seen[question] += 1
                    wanted = pattern.replace("{a}", re.escape(answer).removeprefix(r"by\ the\ "))
                    for k, part in enumerate(about.groups()):
                        wanted = wanted.replace(f"{{{k}}}", part)
                    assert re.search(wanted, text), (asked, answer, text)
    assert min(seen.values()) >= 10, seen


def test_a_wish_came_true_if_its_end_says_so(stories):
    """Read off the end's own words, for each of the wishes."""
    seen = set()
    for story in stories:
        wish = facts(story).wish
        assert wish
        answer = answers(story)[f"did the wish of {wish.wisher.name} come true ?"]
        found = [part for part in GOOD_ENDS.items() if f" {part[0]}" in " ".join(story)]
        (opens, good), text = found[-1], " ".join(story)
        end = text[text.index(f". {opens}") :]
        assert answer == ("yes" if re.search(good, end) else "no"), text
        seen.add((opens, answer))
    assert len(seen) == 2 * len(GOOD_ENDS)


def test_numbers_count_the_young_ones(stories):
    """After a birth there is one more; a missing animal was found again."""
    counts, born = COUNT.split(), 0
    for story in stories:
        text = " ".join(story)
        tale = facts(story)
        herd = rf"(?:had|than|with|lived) (?:a \w+ \w+ and )?(\w+) {tale.hero.herd}\b"
        first = re.search(herd, text)
        assert first, text
        young = len(re.findall(r"a little \w+ (?:hatched|was born)", text))
        asked = f"how many {tale.hero.herd} does {tale.hero.name} have ?"
        assert answers(story)[asked] == counts[counts.index(first[1]) + young]
        born += young
    assert born > 5


def test_who_is_taller_follows_from_either_word(stories):
    """ "anna was shorter than leo" answers who is taller, and who is shorter."""
    opposite = {"taller": "shorter", "stronger": "weaker", "older": "younger"}
    opposite |= {less: more for more, less in opposite.items()}
    seen = set()
    for story in stories:
        text = " ".join(story)
        said = re.search(
            rf"(\w+) was a \w+ , and s?he was ({'|'.join(opposite)}) than (\w+) \.", text
        )
        known = {a: b for a, b in answers(story).items() if " or " in a}
        assert len(known) == (2 if said else 0), text
        if said:
            friend, word, hero = said.groups()
            assert known[f"who is {word} , {hero} or {friend} ?"] == friend
            assert known[f"who is {opposite[word]} , {hero} or {friend} ?"] == hero
            seen.add(word)
    assert seen == set(opposite)


def test_the_gate_was_open_if_an_animal_is_missing(stories):
    found = []
    for story in stories:
        answer = answers(story).get("was the gate open ?")
        text = " ".join(story)
        assert (answer is not None) == ("because the gate was" in text)
        if answer is not None:
            assert answer == ("yes" if "because the gate was open" in text else "no")
            found.append(answer)
    assert {"yes", "no"} == set(found)


def test_all_words_have_ids(stories):
    """Networks get an id for each word; those of the village keep theirs."""
    from nextword.corpora import names
    from nextword.given.batches import number_words

    number = assistant.vocabulary()
    before = number_words(names.load("village", 1000, 1000).vocabulary)
    assert all(number[word] == k for word, k in before.items())
    spoken = {w for s in stories for q in questions(facts(s)) for w in (*q.words, *q.answer)}
    spoken |= set(Request("anna", "cook", "plums").words)
    assert spoken <= set(number)
    assert set(NEW_WORDS) <= spoken
    assert not set(NEW_WORDS) & set(village.VOCABULARY)


def test_facts_of_a_text_that_is_no_story():
    for text in ([], STORY[:-1], [*STORY, "."], [*STORY, *STORY], [*STORY, village.EOS, *STORY]):
        with pytest.raises(UserError, match="expected a whole story"):
            facts(text)


# --- requests ---------------------------------------------------------------------------------


def test_a_story_fulfils_its_own_request(stories):
    rng = np.random.default_rng(0)
    for story in stories:
        tale = facts(story)
        wish = assistant.request(story, tale, rng)
        assert wish.thing in FOOD | {tale.hero.herd}
        assert assistant.request(story, tale, rng, food=False).thing == tale.hero.herd
        assert (assistant.request(story, tale, rng, food=True).thing in FOOD) == bool(
            FOOD.intersection(story)
        )
        judged = wish.judge(story)
        assert all(judged)
        assert judged.followed


def test_a_story_does_not_fulfil_the_requests_of_others(stories):
    """The chance that two heroes share name and job is small; then all three must agree."""
    rng = np.random.default_rng(0)
    wishes = [assistant.request(story, facts(story), rng) for story in stories]
    for story, wish in zip(stories, wishes[1:], strict=False):
        hero = facts(story).hero
        judged = wish.judge(story)
        assert judged.name == (hero.name == wish.name)
        assert judged.job == (hero.job == wish.job)
        assert judged.thing == (wish.thing in story)
        assert judged.followed == (judged.name and judged.job and judged.thing)
        assert judged.accepted


@pytest.mark.parametrize(
    ("wish", "parts"),
    [
        (Request("greta", "smith", "goats"), "form name job thing accepted"),
        (Request("anna", "smith", "goats"), "form job thing accepted"),  # named, but not the hero
        (Request("greta", "miller", "goats"), "form name thing accepted"),  # the aunt's job
        (Request("greta", "smith", "plums"), "form name job accepted"),
    ],
)
def test_each_part_of_a_request_is_judged(wish, parts):
    judged = wish.judge(STORY)
    assert {name for name in judged._fields if getattr(judged, name)} == set(parts.split())
    assert judged.followed == (wish == Request("greta", "smith", "goats"))


def test_what_is_no_story_can_follow_but_is_not_accepted():
    """The first sentence decides about name and job; a wrong word costs the listener's verdict."""
    wish = Request("greta", "smith", "goats")
    assert STORY[11:14] == ["had", "a", "grey"]
    early = wish.judge([*STORY[:11], "gave", *STORY[12:]])
    assert early.name
    assert early.job
    assert not early.accepted
    wrong = [*STORY[:60], "planet", *STORY[60:]]
    assert not wish.judge(wrong).form  # "planet" is no word of the village
    wrong[60] = "castle"
    judged = wish.judge(wrong)
    assert judged.followed
    assert not judged.accepted


def test_answers_of_a_wrong_form():
    wish = Request("greta", "smith", "goats")
    for answer in (
        [],
        ["greta", "smith", "goats"],
        ["<user>", *STORY],
        [*STORY, village.EOS],
        STORY * 9,
    ):
        assert not wish.judge(answer).followed
    assert len(STORY * 9) > MOST


def test_a_dialogue_is_spoken_in_turn():
    asked = questions(facts(STORY))[:2]
    turns = assistant.dialogue(STORY, Request("greta", "smith", "goats"), asked)
    assert [role for role, _ in turns] == ["user", "assistant"] * 3
    assert " ".join(turns[0][1]) == "tell a story about greta , a smith , with goats"
    assert turns[1][1] == STORY
    assert [" ".join(said) for _, said in turns[2:]] == [
        "who is the story about ?",
        "greta",
        "where does greta live ?",
        "by the river",
    ]
