"""Scenes about things: a lost tool, the two banks, the fair, a visit with a gift."""

from nextword.corpora.village.kinds import WORLD, marked
from nextword.corpora.village.people import Person, Speaking, Tale, newcomer

THANKED, FAIR = "some days later", "at the fair"


def has_tool(tale: Tale) -> bool:
    """Whether a tool of the hero was named."""
    return tale.hero.tool != ""


def lost(tale: Tale) -> Speaking[None]:
    """The tool of the hero is gone, and is found in a third place; the finder will be thanked."""
    hero, world = tale.hero, tale.world
    tale.remember(f"the lost {hero.tool}")
    yield f'{hero.own_tool} of {hero} was gone . " where is my {hero.tool}/thing ? " asked {hero}'
    if hero.kept:
        yield f". it/pronoun was not {marked(hero.kept, 'place')} . {hero} looked"
    else:
        yield f". {hero.she} looked"
    first = yield world.hiding_places
    yield "and"
    second = yield world.hiding_places.without(first)
    yield ". at last | , and at last"
    tale.finder = yield from finder(tale)
    yield f"found the {hero.own_tool}"
    yield world.hiding_places.without(first, second)
    yield "."
    tale.begin(THANKED)


def finder(tale: Tale) -> Speaking[Person]:
    """Who finds it: the friend, or a child who was not in the story before."""
    friend, world = tale.friend, tale.world
    heard = yield f"{friend.name} 2 | a girl | a boy"
    if heard == friend.name:
        return friend
    yield "named"
    return (yield from newcomer(tale, world.women if heard == "a girl" else world.men))


def thanks(tale: Tale) -> Speaking[None]:
    """Who found the tool gets something for it."""
    hero, finder = tale.hero, tale.finder
    assert finder is not None
    yield f"{hero} gave {finder.name}/cause"
    yield tale.world.snacks
    yield f"because {finder} had found the {hero.tool}/thing ."


def asks_for_coins(tale: Tale) -> bool:
    """Whether the clerk of the bank can be somebody else, and nobody counts coins already."""
    assert tale.wish is not None
    return "clerk" not in (tale.hero.job, tale.friend.job) and not tale.wish.price


def bank(tale: Tale) -> Speaking[None]:
    """A bank is the side of a river or a house for money; what comes before tells them apart."""
    hero, world = tale.hero, tale.world
    yield f"{hero}"
    if (yield "sat on the bank and watched the | went to the bank and asked for")[:3] == "sat":
        watched = yield "ducks 3 | frogs 2 | fishers | boats 2"
        tale.remember(f"the {watched} on the bank")
        yield ". the bank was"
        yield "muddy/sense 2 | steep 3" + ("" if tale.season == "winter" else " | green 3")
        yield ", and the water/sense was"
        yield "clear 3 | cold 2 | deep 3"
    else:
        tale.coins = yield world.numbers
        yield "coins . the bank was"
        yield "busy/sense 3 | quiet 2 | full"
        yield ", and the clerk/sense"
        tale.has_coins = (yield "gave 2 | had") == "gave"
        yield f"{hero} the {tale.coins}/count coins" if tale.has_coins else "no coins that day"
        tale.begin(FAIR)
    yield "."


def fair(tale: Tale) -> Speaking[None]:
    """Something is bought: with the coins from the bank, or by the friend."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    yield f"{hero} liked a"
    colour = yield world.colours
    ware = yield world.wares
    tale.remember(f"the {colour} {ware}")
    if tale.has_coins:
        yield f"and/cause bought it for the {tale.coins}/count coins ."
    else:
        yield f"but/cause had no coins , so {friend} bought the {ware}/thing for {hero.to_her} ."


def visit(tale: Tale) -> Speaking[None]:
    """The hero goes where the friend works; a door there is open or not."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    yield f"{hero} went to the {world.workplace[friend.job]}/world ."
    if friend.job in world.has_door:
        yield "the door was"
        if (yield "open 3 | not open 2") == "open":
            yield f", so {hero.she} went/cause in"
            yield "and sat down | and drank some tea"
        else:
            yield f", so {hero.she}"
            yield "waited/cause outside | knocked"
            yield "for an hour | until noon"
        yield "."
    product = world.product[friend.job]
    tale.remember(f"the {product.split()[1]} from {friend.name}")
    yield f'" i have something for you , " said {friend} and gave {hero} {marked(product, WORLD)} .'
