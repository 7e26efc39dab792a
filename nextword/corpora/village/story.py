"""A whole story: the opening, some scenes, and an end that remembers the beginning."""

from nextword.corpora.village import words
from nextword.corpora.village.people import Person, Speaking, Tale, person
from nextword.corpora.village.scenes import SCENES
from nextword.corpora.village.world import World


def story(world: World) -> Speaking[None]:
    """One story, some 60 to 200 words long, ending with `</s>`."""
    hero = yield from opening(world)
    friend = yield from companion(world, hero)
    tale = Tale(world, hero, friend, [hero.name, friend.name])
    told: list[str] = []
    while True:
        scene = yield world.what_next(tuple(told))
        if scene == words.END:
            break
        told.append(scene)
        yield from SCENES[scene](tale)
    yield from ending(tale)


def opening(world: World) -> Speaking[Person]:
    """Who the story is about, and what that person has."""
    if (yield "once there was 3 | in a house by the 2") == "once there was":
        yield world.characters
        job = yield world.jobs
        yield "named"
        hero = person((yield world.names), job)
        yield f". {hero.she} lived in a house by the"
        hero.home = yield world.landmarks
    else:
        home = yield world.landmarks
        yield "lived"
        name = yield world.names
        yield ","
        yield world.characters
        hero = person(name, (yield world.jobs))
        hero.home = home
    yield f". every morning {hero.she} | . {hero.she}"
    yield f"worked in the {world.workplace[hero.job]} | {world.work[hero.job]}"
    yield "."
    yield from belongings(world, hero)
    return hero


def belongings(world: World, hero: Person) -> Speaking[None]:
    """The animals and the tool of the hero, in either order."""
    yield f"{hero.she} had"
    first = yield world.belonging
    if first == "a":
        yield from coloured_tool(world, hero)
        yield "and"
        hero.number = yield world.numbers
        hero.herd = yield world.herds
    else:
        hero.number = first
        hero.herd = yield world.herds
        yield "and a"
        yield from coloured_tool(world, hero)
    yield "."


def coloured_tool(world: World, hero: Person) -> Speaking[None]:
    hero.colour = yield world.colours
    hero.tool = yield world.tools[hero.job]


def companion(world: World, hero: Person) -> Speaking[Person]:
    """The friend or relative whom the story also tells of."""
    yield hero.her
    kin = yield world.kin
    names = world.names
    if kin not in words.WOMEN_KIN.split():
        names = world.men
    elif kin not in words.MEN_KIN.split():
        names = world.women
    if hero.name in names.weights:
        names = names.without(hero.name)
    name = yield names
    yield "was a"
    job = yield world.jobs.without(hero.job)
    yield "."
    return person(name, job)


def ending(tale: Tale) -> Speaking[None]:
    """The end names again what the opening and the scenes told."""
    hero, friend = tale.hero, tale.friend
    yield f"{hero.name} fed the {hero.number} {hero.herd}"
    yield "and put the 2 | , closed the door and put the"
    yield f"{hero.colour} {hero.tool}"
    yield "on the shelf 2 | under the stairs | into a box"
    yield f". then {hero.she} and {friend.name} , the {friend.job} ,"
    yield "sat by the fire | drank tea | looked at the stars"
    yield "and talked about"
    for position, memory in enumerate(tale.memories):
        if position:
            yield "and" if position == len(tale.memories) - 1 else ","
        yield memory
    yield f"in the house by the {hero.home} . </s>"
