"""Scenes with animals: one that does not cross, one that is missing, one that is born."""

from nextword.corpora.village.people import COUNT, Speaking, Tale

TIRED = "tired 4 | hungry 2 | sleepy | lazy | weak"
WIDE = "wide 4 | muddy 2 | long | icy | steep"
IS_TIRED = frozenset(TIRED.replace("|", "").split())


def crossing(tale: Tale) -> Speaking[None]:
    """Too tired or too wide: the reason says whether "it" is the animal or the road."""
    hero, world = tale.hero, tale.world
    animal = world.one_of[hero.herd]
    yield f"one of the {hero.number} {hero.herd} came to the"
    way = yield "road 3 | river 2 | lane | field | street"
    yield f". the {animal} did not cross the {way} because it was too"
    reason = yield f"{TIRED} | {WIDE}"
    yield f". so {hero.name}"
    if reason in IS_TIRED:
        tale.memories.append(f"the {reason} {animal}")
        yield f"let the {animal} rest | gave the {animal} some food"
    else:
        tale.memories.append(f"the {reason} {way}")
        yield f"went round the {way} | looked for another {way}"
    yield "."


def counting(tale: Tale) -> Speaking[None]:
    """One animal is missing: the number that the hero has, less one."""
    hero, world = tale.hero, tale.world
    animal = world.one_of[hero.herd]
    fewer = COUNT[COUNT.index(hero.number) - 1]
    tale.memories.append(f"the missing {animal}")
    yield f"{hero.name} counted the {hero.herd} , and there were only {fewer} . the {animal}"
    yield "was asleep | was hiding | was eating grass"
    yield "behind the 2 | near the"
    yield world.landmarks
    yield f". it {world.sound[animal]}"
    yield "loudly 2 | softly | twice"
    yield f". then there were {hero.number} {hero.herd} again ."


def birth(tale: Tale) -> Speaking[None]:
    """One animal is born: the number that the hero has, and one more, is true from now on."""
    hero, world = tale.hero, tale.world
    animal = world.one_of[hero.herd]
    hero.number = COUNT[COUNT.index(hero.number) + 1]
    tale.memories.append(f"the small {animal}")
    yield f"a small {animal} was born . it {world.sound[animal]}"
    yield "loudly 2 | softly | twice"
    yield f". now {hero.name} had {hero.number} {hero.herd} ."
