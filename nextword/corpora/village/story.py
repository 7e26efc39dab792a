"""A whole story: the opening, some scenes, and an end that remembers the beginning."""

from nextword.corpora.village import words
from nextword.corpora.village.people import Person, Speaking, Tale, person
from nextword.corpora.village.scenes import SCENES
from nextword.corpora.village.world import World


def story(world: World) -> Speaking[None]:
    """One story, most often 80 to 200 words long, ending with `</s>`."""
    hero = yield from opening(world)
    friend = yield from companion(world, hero)
    tale = Tale(world, hero, friend, [hero.name, friend.name])
    told: tuple[str, ...] = ()
    while (scene := (yield world.next_scenes(told))) != words.END:
        told += (scene,)
        yield from SCENES[scene](tale)
    yield from ending(tale)


def opening(world: World) -> Speaking[Person]:
    """Who the story is about, and what that person has."""
    hero = yield from introduction(world)
    nothing_more = f". {hero.she} had"
    more = yield f"{nothing_more} 3 | . every morning {hero.she} 2 | . it was"
    if more != nothing_more:
        if "every morning" in more:
            yield f"worked in the {world.workplace[hero.job]} 2 | {world.work[hero.job]}"
        else:
            yield world.weather
        yield nothing_more
    first = yield world.belongings
    if first == "a":
        hero.colour = yield world.colours
        hero.tool = yield world.tools[hero.job]
        yield "and"
        hero.number = yield world.numbers
        hero.herd = yield world.herds
    else:
        hero.number = first
        hero.herd = yield world.herds
        yield "and a"
        hero.colour = yield world.colours
        hero.tool = yield world.tools[hero.job]
    yield "."
    return hero


def introduction(world: World) -> Speaking[Person]:
    """The hero's name, job and home, told from the person or from the place."""
    if (yield "once 3 | by the 2") == "once":
        yield world.characters
        job = yield world.jobs
        yield "named"
        hero = person((yield world.names), job)
        yield "lived by the"
        hero.home = yield world.landmarks
    else:
        home = yield world.landmarks
        yield "lived"
        name = yield world.names
        yield ","
        yield world.characters
        hero = person(name, (yield world.jobs))
        hero.home = home
    return hero


def companion(world: World, hero: Person) -> Speaking[Person]:
    """The friend or relative whom the story also tells of."""
    yield hero.her
    kin = yield world.kin
    names = world.names
    if kin not in words.WOMEN_KIN.split():
        names = world.men
    elif kin not in words.MEN_KIN.split():
        names = world.women
    name = yield names.without(hero.name) if hero.name in names.weights else names
    yield "was a"
    job = yield world.jobs.without(hero.job)
    yield "."
    return person(name, job)


def ending(tale: Tale) -> Speaking[None]:
    """The end names again what the opening and the scenes told."""
    hero, friend = tale.hero, tale.friend
    yield f"{hero.name} fed the {hero.number} {hero.herd}"
    yield "and 2 | , closed the door and"
    yield f"put the {hero.colour} {hero.tool}"
    yield "on the shelf 2 | under the stairs | into a box"
    yield ". then | , and then"
    yield f"{hero.she} and {friend.name}"
    yield "sat 3 | walked 2"
    yield f"by the {hero.home} and talked about"
    for position, memory in enumerate(tale.memories):
        if position:
            yield "and" if position == len(tale.memories) - 1 else ","
        yield memory
    yield ". </s>"
