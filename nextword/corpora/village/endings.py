"""What a story says after its wish was decided: nothing, or a last look at what it told."""

from collections.abc import Callable
from typing import NamedTuple

from nextword.corpora.corpus import EOS
from nextword.corpora.village.kinds import CHOICE, END, MARK, marked
from nextword.corpora.village.people import Speaking, Tale

STOPS = f"{EOS}{MARK}{CHOICE}"  # a story may stop here


class End(NamedTuple):
    """An end of a story: how often it is told, compared with the others, and the program."""

    weight: int
    tell: Callable[[Tale], Speaking[None]]


def put_back(tale: Tale) -> Speaking[None]:
    """Where the tool goes, if one was named: its own place if that was said, else any."""
    hero = tale.hero
    if hero.tool:
        yield f"and put the {hero.own_tool}"
        if hero.kept:
            yield f"back/place {marked(hero.kept, 'place')}"
        else:
            yield tale.world.kept


def by_the_fire(tale: Tale) -> str:
    """Where people sit in the evening."""
    return "by the fire/cause" if tale.is_cold else f"by the {tale.hero.home}/cause"


def work_done(tale: Tale) -> Speaking[None]:
    """The animals are fed, the tool is put away, and perhaps the two talk about everything."""
    hero, friend = tale.hero, tale.friend
    fodder = tale.world.fodder[hero.herd]
    heard = yield f"{hero} fed the 2 | {hero} gave the 3"
    yield f"{hero.animals} {fodder}/world" if heard.endswith("gave the") else hero.animals
    yield from put_back(tale)
    if (yield f". then 3 | , and then 2 | . {STOPS} 1").endswith(EOS):
        return
    yield f"{hero.she} and {friend}"
    if (yield "sat 2 | talked") == "sat":
        yield f"{by_the_fire(tale)} and talked"
    yield "about"
    for position, memory in enumerate(tale.memories):
        if position:
            yield "and/list" if position == len(tale.memories) - 1 else ",/list"
        yield memory
    yield f". {END}"


def good_night(tale: Tale) -> Speaking[None]:
    """The two sit together and speak of the last thing that happened."""
    hero, friend, memory = tale.hero, tale.friend, tale.memories[-1]
    is_of_friend = f"{friend.name}/list" in memory.split()  # nobody sings of themselves
    speaker, other = (hero, friend) if is_of_friend else (friend, hero)
    yield f'{friend} and {hero} sat {by_the_fire(tale)} . "'
    is_gossip = "gossip/list" in memory.split()  # of which nobody sings
    yield "we must not forget" + ("" if is_gossip else " | people will sing about 3")
    yield f'{memory} , " said {speaker} . " sleep well , {speaker} , " said {other} .'
    yield END


def dream(tale: Tale) -> Speaking[None]:
    """The hero dreams of the first thing that happened, the friend of the animals."""
    hero, friend = tale.hero, tale.friend
    yield f"{hero} dreamed of {tale.memories[0]}"
    if hero.tool and f"{hero.tool}/list" not in tale.memories[0].split():
        yield f"and of the {hero.own_tool}"
    yield f". {friend} dreamed of the {hero.animals} . {END}"


ENDINGS = {
    "when night fell ,": End(7, work_done),
    "the next evening ,": End(9, work_done),
    "at the end of the day": End(2, good_night),
    "that night": End(3, dream),
}
# those that can follow a wish that was decided by day, at night, or on a night without sleep
BY_DAY = ("when night fell ,", "at the end of the day", "that night")
AFTER_NIGHT = ("the next evening ,", "that night")
SLEEPLESS = ("the next evening ,",)
