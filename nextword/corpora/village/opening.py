"""How a story begins: who it is about, what that person has, and who else is in it."""

from nextword.corpora.village import words
from nextword.corpora.village.people import Hero, Person, Speaking, Tale, pronouns
from nextword.corpora.village.scenes.company import REACH
from nextword.corpora.village.world import World


def opening(world: World) -> Speaking[Tale]:
    """Everything that a story knows when its first scene begins."""
    hero = yield from introduction(world)
    season = yield from habit_or_season(hero, world)
    yield from belongings(hero, world)
    friend, kin = yield from companion(hero, world)
    tale = Tale(world, hero, friend, [hero.name, friend.name], season)
    if (yield ". 3 | , and 2") != ".":
        yield from contrast(tale, may_be_older=kin not in ("aunt", "uncle"))
    return tale


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


def habit_or_season(hero: Hero, world: World) -> Speaking[str]:
    """What the hero did every morning, or the season, or nothing; the season is returned."""
    heard = yield f"{hero.she} had 3 | every morning 2 | it was 3"
    if heard == "it was":
        season = (yield world.weather).split()[0]
    else:
        season = ""
        if heard == "every morning":
            place, work = world.workplace[hero.job], world.work[hero.job].split()
            yield hero.she
            yield f"worked/world in the {place}/world 2 | {work[0]}/world {work[1]}/world"
    if heard in ("it was", "every morning"):
        yield f". {hero.she} had"
    return season


def belongings(hero: Hero, world: World) -> Speaking[None]:
    """Animals and a tool, in either order, and perhaps where the tool is kept."""
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
    if (yield f"{hero.she} kept the 2 | {hero.her}").endswith("kept the"):
        yield hero.own_tool
        hero.kept = yield world.kept
        yield f". {hero.her}"


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


def companion(hero: Hero, world: World) -> Speaking[tuple[Person, str]]:
    """The friend or relative whom the story also tells of; begins after "her" or "his"."""
    kin = yield world.kin
    names = world.names
    if kin not in words.WOMEN_KIN.split():
        names = world.men
    elif kin not in words.MEN_KIN.split():
        names = world.women
    name = yield names.without(hero.name) if hero.name in names.weights else names
    yield "was a"
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
