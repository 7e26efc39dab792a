"""How a story begins: who it is about, what that person has, and who else is in it."""

from nextword.corpora.village import words
from nextword.corpora.village.people import (
    Hero,
    Person,
    Speaking,
    Tale,
    Wished,
    elsewhere,
    pronouns,
)
from nextword.corpora.village.scenes.company import REACH
from nextword.corpora.village.wishes import WISHES, possible
from nextword.corpora.village.world import World


def opening(world: World) -> Speaking[Tale]:
    """Everything that a story knows when its first scene begins."""
    hero = yield from introduction(world)
    season, begins = yield from habit_or_season(hero, world)
    begins = yield from belongings(hero, begins, world)
    friend, kin = yield from companion(hero, begins, world)
    tale = Tale(world, hero, friend, [hero.name, friend.name], season)
    is_near = " " in begins  # "next door lived her"
    if (yield "." if is_near else ". 3 | , and 2") != ".":
        yield from contrast(tale, may_be_older=kin not in ("aunt", "uncle"))
    yield from wishing(tale)
    return tale


def wishing(tale: Tale) -> Speaking[None]:
    """What one of the two wants, and why."""
    hero, friend = tale.hero, tale.friend
    wisher = hero if (yield f"{hero} 3 | {friend}") == hero.name else friend
    name = yield possible(tale, wisher)
    tale.wish = Wished(name, wisher, tale.other(wisher))
    yield from WISHES[name].say(tale, tale.wish)


def introduction(world: World) -> Speaking[Hero]:
    """The hero's name, job and home, told from the person, the place or the village."""
    way = yield "once 5 | by the 3 | everybody knew 2 | in the village lived 2"
    home = ""
    if way == "by the":
        home = yield world.landmarks
        yield "lived"
    if way in ("once", "in the village lived"):
        yield world.characters
        job = yield world.jobs
        name = yield from named(way, world)
    else:
        name = yield world.names
        yield ","
        yield world.characters
        job = yield world.jobs
    hero = Hero(name, *pronouns(name), job)
    if way == "once":
        yield "lived by the"
    elif way == "everybody knew":
        yield f". {hero.she} lived by the"
    elif way == "in the village lived":
        yield f", and {hero.her} house stood by the"
    hero.home = home or (yield world.landmarks)
    yield "."
    return hero


def named(way: str, world: World) -> Speaking[str]:
    """The name: at once, or after the word that says whether it is a woman's or a man's."""
    if way == "once":
        yield "named"
        return (yield world.names)
    her = yield ". her | . his"
    yield "name was"
    return (yield world.women if her == ". her" else world.men)


def habit_or_season(hero: Hero, world: World) -> Speaking[tuple[str, str]]:
    """What the hero did every morning, or the season, or neither; begins to tell of belongings.

    Returns the season, if any, and how the belongings begin.
    """
    owns = (
        f"{hero.she} had 4 | {hero.she} shared {hero.her} house with 3 | behind the house lived 3"
        f" | {hero.she} loved nothing more than 2"
    )
    heard = yield f"{owns} | every morning 5 | it was 6"
    if heard == "it was":
        season = (yield world.weather).split()[0]
        return season, (yield from after_stop(owns))
    if heard == "every morning":
        place, work = world.workplace[hero.job], world.work[hero.job].split()
        yield hero.she
        yield f"worked/world in the {place}/world 2 | {work[0]}/world {work[1]}/world"
        return "", (yield from after_stop(owns))
    return "", heard


def after_stop(options: str) -> Speaking[str]:
    """End a sentence, and begin one in one of several ways."""
    yield "."
    return (yield options)


def belongings(hero: Hero, begins: str, world: World) -> Speaking[str]:
    """Animals and perhaps a tool, and where it is kept; returns how the friend is told of."""
    friend = f"{hero.her} 5 | next door lived {hero.her} 3 | behind the 2"
    if begins.split()[-1] in ("had", "than"):
        first = yield world.belongings
        if first == "a":
            yield from tool(hero, world)
            yield "and"
            yield from animals(hero, (yield world.numbers), world)
        else:
            yield from animals(hero, first, world)
            yield "and a"
            yield from tool(hero, world)
        yield "."
        heard = yield f"{friend} | {hero.she} kept the 8"
        if not heard.endswith("kept the"):
            return heard
        yield hero.own_tool
    else:
        yield from animals(hero, (yield world.numbers), world)
        yield "."
        heard = yield f"{friend} | a 7"
        if heard != "a":
            return heard
        yield from tool(hero, world)
        yield "was kept"
    hero.kept = yield world.kept
    return (yield from after_stop(friend))


def tool(hero: Hero, world: World) -> Speaking[None]:
    """A tool of the hero's trade."""
    hero.colour = yield world.colours
    hero.tool = yield world.tools[hero.job]


def animals(hero: Hero, number: str, world: World) -> Speaking[None]:
    """So many animals, of a kind that people of this trade keep; only a few of the large ones."""
    hero.number = number
    herds = world.herds[hero.job]
    if number not in world.small_numbers.weights:
        herds = herds.without(*[herd for herd in herds.weights if herd in words.LARGE.split()])
    hero.herd = yield herds


def companion(hero: Hero, begins: str, world: World) -> Speaking[tuple[Person, str]]:
    """The friend or relative whom the story also tells of, and how they are related."""
    if begins == "behind the":
        yield elsewhere(hero, world)
        yield f"lived {hero.her}"
    kin = yield world.kin
    names = world.names
    if kin not in words.WOMEN_KIN.split():
        names = world.men
    elif kin not in words.MEN_KIN.split():
        names = world.women
    name = yield names.without(hero.name) if hero.name in names.weights else names
    if (yield ", a 2 | , who 3" if " " in begins else "was a") == ", who":
        job = world.job_by_work[(yield world.works.without(world.work[hero.job]))]
    else:
        job = yield world.jobs.without(hero.job)
    return Person(name, *pronouns(name), job), kin


OPPOSITE = {"shorter": "taller", "weaker": "stronger", "younger": "older"}


def contrast(tale: Tale, may_be_older: bool) -> Speaking[None]:
    """The friend is taller, weaker, older ... than the hero; a later scene asks for it."""
    yield f"{tale.friend.she} was"
    ages = " | older 2 | younger 2" if may_be_older else ""
    said = yield f"taller 2 | shorter 2 | stronger 2 | weaker 2{ages}"
    yield f"than {tale.hero} ."
    tale.contrast = OPPOSITE.get(said, said)
    tale.friend_is_more = said not in OPPOSITE
    tale.begin(REACH)
