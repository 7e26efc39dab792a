"""Scenes of talk: a lesson about the world, and a door that is open or not."""

from nextword.corpora.village.people import Speaking, Tale, subject
from nextword.corpora.village.world import World


def lesson(tale: Tale) -> Speaking[None]:
    """Two facts that never change: capitals, languages, dishes, kinds of things."""
    topic = yield from fact(tale.world)
    tale.memories.append(f"the lesson about {topic}")
    yield "and that"
    yield from fact(tale.world)
    yield "."


def fact(world: World) -> Speaking[str]:
    """One fact; gives back what it was about."""
    kind = yield "the capital of 3 | people in 4 | long ago 2"
    if kind == "long ago":
        thing = yield world.things
        if (yield "was already 3 | was not") == "was not":
            yield from wrong_kind(world, thing)
        else:
            yield world.category[thing]
        return thing
    country = yield world.countries
    if kind == "the capital of":
        yield f"is {world.capital[country]}"
    else:
        yield f"speak {world.language[country]} | eat {world.dish[country]}"
    return country


def wrong_kind(world: World, thing: str) -> Speaking[None]:
    """A kind that the thing is not of."""
    kinds = {"an animal": 1, "a tool": 1, "food": 1}
    del kinds[world.category[thing]]
    yield " | ".join(kinds)


def door(tale: Tale) -> Speaking[None]:
    """A door that is open or not, at the place where the friend works."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    place = world.workplace[friend.job]
    tale.memories.append(f"the door of the {place}")
    yield f"{hero.name} walked to the {place} and looked for {friend.name} . the door was"
    if (yield "open 3 | not open 2") == "open":
        yield f", so {hero.she} went in"
        yield "and sat down | and drank some tea"
    else:
        yield f", so {hero.she} waited outside | , so {hero.she} knocked"
        yield "for an hour | until noon"
    yield f". {friend.name} had lost {friend.her}"
    yield world.tools[friend.job]
    yield "."
