"""What must be remembered in a story, and what follows from what: causes, promises, good sense."""

import re
from collections import defaultdict

import numpy as np
import pytest

from nextword.corpora.village import VILLAGE as WORLD
from nextword.corpora.village import words
from nextword.corpora.village.endings import ENDINGS
from nextword.corpora.village.people import COUNT
from nextword.corpora.village.scenes import ALL
from nextword.corpora.village.wishes import WISHES
from tests.village_texts import HERO, find, perplexity, standard_texts

COLOUR = "|".join(WORLD.colours.weights)
TOOL = "|".join(tool for tools in WORLD.tools.values() for tool in tools.weights)
# what stands before the number of someone's animals
BELONGINGS = (
    r" (?:(?:had|loved nothing more than) (?:a \w+ \w+ and )?|house with |the house lived )"
)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return standard_texts()


# --- memory -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_end_remembers_the_beginning(texts):
    """Number, animals, colour, tool and its place come 30 words or more before they are needed."""
    last = r"(?:when night fell|the next evening) , \w+ (?:fed|gave) the (?P<n>\w+) (?P<h>\w+)"
    tools = find(
        rf" a (?P<colour>{COLOUR}) (?P<tool>{TOOL})\b.* {last}(?: \w+)?"
        r" and put the (?P<c>\w+) (?P<t>\w+)",
        texts,
    )
    assert all((m["colour"], m["tool"]) == (m["c"], m["t"]) for m in tools)
    herds = find(rf"{BELONGINGS}(?P<n1>\w+) (?P<h1>\w+)\b.* {last}", texts)
    for m in herds:
        number = COUNT.index(m["n1"]) + bool(re.search("hatched|was born", m[0]))
        assert (COUNT[number], m["h1"]) == (m["n"], m["h"])
    assert min(len(tools), len(herds)) > 0.1 * len(texts)
    for found, word in ((herds, "n"), (herds, "h"), (tools, "c"), (tools, "t")):
        assert perplexity(("", m[word]) for m in found) > 4
    places = find(
        r"kept (?:the \w+ \w+ )?(\w+ \w+ \w+) \. .* put the \w+ \w+ back (\w+ \w+ \w+) [.,]", texts
    )
    assert all(m[1] == m[2] for m in places)


def test_a_shopping_list_is_bought_in_full_and_cooked(texts):
    pattern = (
        r"i will make a (\w+) , but i need ([^.]*) , \" said (\w+) \. [^.]*? (?:\.|, and) "
        r"there (s?he bought|was no more|were no more) ([^.]*) \. "
        r".*in the evening (\w+) made a (\w+) (with the|without) ([^.]*) \."
    )
    for match in find(pattern, texts):
        dish, wanted, cook, heard, rest, who, what, how, used = match.groups()
        things = re.split(" , | and ", wanted)
        missing = ""
        if "bought" not in heard:
            missing, rest = re.fullmatch(r"(\w+) , so s?he bought only (.*)", rest).groups()
        assert re.split(" , | and ", rest) == [thing for thing in things if thing != missing]
        assert 2 <= len(things) <= WORLD.sizes.longest_list
        assert (who, what) == (cook, dish)
        assert (how, used) == (("without", missing) if missing else ("with the", rest))


def test_each_guest_is_thanked_for_what_that_guest_brought(texts):
    for match in find(r"a feast by the \w+ \. ([^.]*?) (?:\.|, so) \w+ thanked ([^.]*)", texts):
        brought = dict(re.findall(r"(\w+) brought (\w+)", match[1]))
        thanks = dict(re.findall(r"(\w+) for the (\w+)", match[2]))
        assert brought == thanks
        assert len(brought) == 2


def test_after_a_swap_each_has_what_the_other_had(texts):
    gift = r"gave (?:\w+ some (\w+)|some (\w+) to \w+)"
    for m in find(rf"later (\w+) {gift} , and (\w+) {gift} \. (\w+) ate the (\w+) ,", texts):
        hero, friend = m[1], m[4]
        from_hero, from_friend = m[2] or m[3], m[5] or m[6]
        assert (m[7], m[8]) in {(friend, from_hero), (hero, from_friend)}


def test_animals_are_counted(texts):
    """One less than the hero had, and only if the gate was left open."""
    found = find(
        rf"{BELONGINGS}(\w+) (\w+)\b.* (closed|close) the gate"
        r".* at sunset \w+ counted the \2 \. (?:there were only|all) (\w+)",
        texts,
    )
    for match in found:
        born = bool(re.search("hatched|was born", match[0]))
        missing = match[3] == "close"
        assert COUNT.index(match[4]) == COUNT.index(match[1]) + born - missing
        assert ("there were only" in match[0]) == missing
    assert perplexity(("", m[4]) for m in found) > 4


# --- causes and promises ----------------------------------------------------------------------

# what begins something, and how what follows from it is told; both hold what must be the same
THREADS = {
    "gate": (r"did not close the gate ()", r"were only \w+ because the gate was open ()"),
    "lunch": (r"at noon \w+ (?:was busy with the|ate only) ()", r"was hungry , so ()"),
    "dish": (r"i will make a (\w+)", r"in the evening \w+ made a (\w+)"),
    "tool": (r"at last (?:a \w+ named )?(\w+) found", r"some days .* because (\w+) had found"),
    "coins": (r"asked for (\w+) coins .* gave \w+ the \w+ coins", r"bought it for the (\w+) coins"),
    "guest": (r"one morning a \w+ named (\w+)", r"a letter came from (\w+)"),
    "promise": (r"tomorrow i will bring you (\w+)", r"the next day \w+ brought \w+ the (\w+)"),
    "wish": (r"one day i will see (\w+)", r"at last \w+ went to (?:\w+ and came to )?(\w+)"),
    "contrast": (r"and s?he was \w+ than ()\w+", r"could (?:not )?\w+ it , but ()\w+ could"),
}  # fmt: skip


def far_effects(text: str) -> list[str]:
    """The threads of a story of which at least one whole scene lies between cause and effect."""
    scenes = cut_into_scenes(text)
    found = []
    for name, (cause, effect) in THREADS.items():
        begun = [(k, m[1]) for k, scene in enumerate(scenes) if (m := re.search(cause, scene))]
        ended = [(k, m[1]) for k, scene in enumerate(scenes) if (m := re.search(effect, scene))]
        if begun and ended:
            assert begun[0][1] == ended[0][1] or name == "wish", text
            if ended[0][0] - begun[0][0] > 1:
                found.append(name)
    return found


def cut_into_scenes(text: str) -> list[str]:
    """The opening, each scene and the end."""
    ends = [wish.ends for wish in WISHES.values()]
    starts = "|".join(re.escape(opens) for opens in [*ALL, *ends, *ENDINGS])
    return re.split(rf"(?<=\. )(?=(?:{starts})\b)", text)


def test_a_third_of_the_stories_have_a_cause_and_a_distant_effect(texts):
    far = [far_effects(text) for text in texts[:3000]]
    assert np.mean([bool(threads) for threads in far]) > 0.4
    assert {name for threads in far for name in threads} == set(THREADS)


def test_what_began_is_brought_to_its_end(texts):
    for text in texts[:3000]:
        for cause, effect in THREADS.values():
            assert bool(re.search(cause, text)) == bool(re.search(effect, text)), text


def test_promises_and_wishes_are_kept_by_those_who_made_them(texts):
    for m in find(
        r"bring you (\w+) , \" said (\w+) to (\w+) .* the next day (\w+) brought (\w+) the (\w+)",
        texts,
    ):
        assert (m[2], m[3], m[1]) == (m[4], m[5], m[6])
    for m in find(r"i will see (\w+) , \" said (\w+) .* at last (\w+) went to (\w+)", texts):
        assert m[2] == m[3]
        assert m[4] in (m[1], WORLD.country[m[1]])


def test_who_is_taller_decides_who_can_reach_it(texts):
    more, less = {"taller", "stronger", "older"}, {"shorter", "weaker", "younger"}
    pattern = r"(\w+) was a \w+ , and s?he was (\w+) than .* \1 could (not )?\w+ it , but"
    found = find(pattern, texts)
    assert {m[2] for m in found} == more | less
    assert all((m[2] in less) == bool(m[3]) for m in found)


def test_people_sit_by_the_fire_after_rain_and_in_the_cold_seasons(texts):
    for m in find(HERO + r"(.*) sat by the (\w+)(?: and talked| \. \" we must)", texts):
        cold = re.search("it was winter|it was autumn", m[2])
        cold = cold or ("one night it rained" in m[2] and "it was summer" not in m[2])
        assert (m[3] == "fire") == bool(cold)


def test_questions_are_answered(texts):
    for m in find(
        r"the capital of (\w+) \? \" asked the teacher at school \. \" it is (\w+)", texts
    ):
        assert WORLD.capital[m[1]] == m[2]
    for m in find(r"it is (\w+) the (\w+) , \" said \w+ \. they looked (\w+) the (\w+) and", texts):
        assert (m[1], m[2]) == (m[3], m[4])


# --- sense ------------------------------------------------------------------------------------


def test_people_keep_the_animals_that_go_with_their_work(texts):
    keeps = defaultdict(set)
    for m in find(rf"^once an? \w+ (\w+) named .*?{BELONGINGS}(\w+) (\w+)", texts):
        keeps[m[1]].add((m[2], m[3]))
    assert set(keeps) == set(WORLD.workplace)
    wild = set(words.WILD_HERDS.split())
    for job, herds in keeps.items():
        kept = {herd for _, herd in herds}
        assert kept <= set(WORLD.herds[job].weights)
        assert not kept & wild
        large = [n for n, herd in herds if herd in words.LARGE.split()]
        assert not set(large) - set(WORLD.small_numbers.weights)


def test_only_places_with_doors_have_them(texts):
    doors = find(r"went to the (\w+) \. the door was", texts)
    assert not {m[1] for m in doors} & set(words.OPEN_AIR.split())
    assert {m[1] for m in find(r"went to the (\w+) \. \" i have", texts)} == set(
        words.OPEN_AIR.split()
    )


def test_dishes_are_made_of_what_belongs_in_them(texts):
    for m in find(r"i will make (a \w+) , but i need ([^.\"]*) , \"", texts):
        assert set(re.split(" , | and ", m[2])) <= set(WORLD.needed[m[1]].weights)


def test_no_story_holds_a_fault_that_was_found_before(texts):
    faults = (
        "oven", "kiln", "golden", "fed the [a-z]+ (?:frogs|owls|mice|crows)", "is not food",
        "the door of the", "missing [a-z]+ was asleep", "cross the (?:river|field|sea)",
    )  # fmt: skip
    assert not [text for text in texts if re.search("|".join(faults), text)]
