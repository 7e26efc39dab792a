"""How a story ends; each end names again what the opening and the scenes told."""

from collections.abc import Callable
from typing import NamedTuple

from nextword.corpora.village.kinds import END, marked
from nextword.corpora.village.people import Speaking, Tale


class End(NamedTuple):
    """An end of a story: how often it is told, compared with the others, and the program."""

    weight: int
    tell: Callable[[Tale], Speaking[None]]


def put_back(tale: Tale) -> Speaking[None]:
    """Where the tool goes: its own place if that was said, else any."""
    hero = tale.hero
    yield f"put the {hero.own_tool}"
    if hero.kept:
        yield f"back/place {marked(hero.kept, 'place')}"
    else:
        yield tale.world.kept


def by_the_fire(tale: Tale) -> str:
    """Where people sit in the evening."""
    return "by the fire/cause" if tale.is_cold else f"by the {tale.hero.home}/cause"


def work_done(tale: Tale) -> Speaking[None]:
    """The animals are fed, the tool is put away, and the two talk about everything."""
    hero, friend = tale.hero, tale.friend
    yield f"{hero} fed the {hero.animals} and"
    yield from put_back(tale)
    yield ". then | , and then"
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
    hero, friend = tale.hero, tale.friend
    yield f'{friend} and {hero} sat {by_the_fire(tale)} . " we must not forget'
    yield f'{tale.memories[-1]} , " said {friend} . " sleep well , {friend} , " said {hero} and'
    yield from put_back(tale)
    yield f". {END}"


def dream(tale: Tale) -> Speaking[None]:
    """The hero dreams of the first thing that happened, the friend of the animals."""
    hero, friend = tale.hero, tale.friend
    yield f"{hero} dreamed of {tale.memories[0]} and of the {hero.own_tool} . {friend} dreamed of"
    yield f"the {hero.animals} . {END}"


ENDINGS = {
    "when night fell ,": End(5, work_done),
    "at the end of the day": End(3, good_night),
    "that night": End(2, dream),
}
