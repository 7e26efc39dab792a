"""Scenes with the hero's animals: the gate, the missing one, the one that stops, the young one."""

from nextword.corpora.village import words
from nextword.corpora.village.kinds import marked
from nextword.corpora.village.people import COUNT, Speaking, Tale

COUNTED = "at sunset"
TIRED = "tired 4 | hungry 4 | sleepy | weak"
IS_TIRED = frozenset(TIRED.replace("|", "").split())
WAYS = {  # what a way can be at any time; mud comes with rain, ice with winter
    "road": "wide 3 | busy",
    "street": "busy 3 | wide",
    "bridge": "narrow 2 | high 2",
}


def morning(tale: Tale) -> Speaking[None]:
    """The animals are fed, and the gate is closed or not: in the evening this will matter."""
    hero, world = tale.hero, tale.world
    yield f"the {hero.animals} {world.sound[world.one_of[hero.herd]]}/world"
    yield "loudly 2 | softly"
    yield f", so {hero} gave them some {world.fodder[hero.herd]}/world"
    tale.gate_open = (yield "and closed 2 | but did not close 3") == "but did not close"
    yield "the gate ."
    tale.begin(COUNTED)


def counting(tale: Tale) -> Speaking[None]:
    """If the gate was open one animal is missing: the number that the hero has, less one."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    animal = world.one_of[hero.herd]
    yield f"{hero} counted the {hero.herd}/thing"
    if not tale.gate_open:
        tale.remember("the gate")
        yield f". all/cause {hero.number}/count were there because the gate was closed/cause ."
        return
    tale.remember(f"the missing {animal}")
    fewer = COUNT[COUNT.index(hero.number) - 1]
    yield f". there/cause were only {fewer}/count because the gate was open/cause ."
    yield f'" where is the {animal}/thing ? " asked {hero} . " it is'
    behind = yield "behind the 2 | near the"
    cover = yield world.cover
    yield f', " said {friend} . they looked {behind.split()[0]}/place the {cover}/place'
    yield "and found it there ."


def walks(tale: Tale) -> bool:
    """Whether a way can stop the hero's animals."""
    return tale.hero.herd not in words.FLYING.split()


def crossing(tale: Tale) -> Speaking[None]:
    """Too tired or too wide: the reason says whether "it" is the animal or the way."""
    hero, world = tale.hero, tale.world
    animal = world.one_of[hero.herd]
    yield f"{hero} came to"
    way = (yield "the road 3 | the street 2 | the bridge 3").split()[1]
    yield f"with one of the {hero.animals} ."
    yield f"the {animal}/thing did not cross the {way}/thing because it was too"
    weather = (
        "muddy 20" if tale.is_muddy else "icy 20" if tale.season == "winter" else ""
    )  # fmt: skip
    reason = yield f"{TIRED} | {weather or WAYS[way]}"
    yield ". so | , so"
    yield f"{hero}"
    what = animal if reason in IS_TIRED else way
    tale.remember(f"the {reason} {what}")
    if reason == "hungry":
        yield f"gave/sense it some {world.fodder[hero.herd]}/world"
    elif reason in IS_TIRED:
        yield f"let/sense the {animal}/sense rest"
    else:
        yield f"turned/sense back at the {way}/sense | looked for another {way}/sense"
    yield "."


def birth(tale: Tale) -> Speaking[None]:
    """A young one comes: the number that the hero has, and one more, is true from now on."""
    hero, world = tale.hero, tale.world
    young, came = world.young[hero.herd]
    hero.number = COUNT[COUNT.index(hero.number) + 1]
    tale.remember(f"the little {young}")
    yield f"a little {young}/world {marked(came, 'world')} . now {hero} had {hero.animals} ."
