"""Scenes about things: a shopping list, a lost tool, the two banks, food on the table."""

from nextword.corpora.village.options import Options
from nextword.corpora.village.people import Speaking, Tale, chosen, listed, subject


def market(tale: Tale) -> Speaking[None]:
    """The friend asks for things, and all of them must be remembered at the market."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    yield f"{friend.name} asked {hero.name} for"
    things = yield from chosen(world.foods, world.longest_list)
    tale.memories.append(f"the {things[0]} from the market")
    yield "."
    yield from subject(hero)
    yield "took a basket and | put on a hat and | found a bag and"
    yield "walked past the | went over the hill and past the | ran to the market by the"
    yield world.landmarks
    yield "."
    if (yield f"there {hero.she} bought 2 | but there was no more") == "but there was no more":
        missing = yield Options(dict.fromkeys(things, 1))
        yield f", so {hero.she} bought only"
        things = [thing for thing in things if thing != missing]
    yield from listed(things)
    yield f". {friend.name} was"
    yield "happy | glad | pleased"
    yield f"and thanked {hero.to_her} for the {things[-1]} ."


def lost(tale: Tale) -> Speaking[None]:
    """The tool of the hero is gone, and is found in a third place."""
    hero, world = tale.hero, tale.world
    tale.memories.append(f"the lost {hero.tool}")
    yield f"{hero.tool} of {hero.name} was gone . {hero.she} looked"
    first = yield world.hidden
    yield "and"
    second = yield world.hidden.without(first)
    yield f", but the {hero.tool} was not there . at last {tale.friend.name} found"
    third = yield world.hidden.without(first, second)
    yield f"the {hero.colour} {hero.tool} ."


def bank(tale: Tale) -> Speaking[None]:
    """A bank is the side of a river or a house for money; what follows tells them apart."""
    hero, world = tale.hero, tale.world
    yield from subject(hero)
    if (yield "sat on the bank and watched the | went into the bank and asked for")[:3] == "sat":
        herd = yield "ducks 3 | frogs 2 | geese | boats"
        tale.memories.append(f"the {herd} on the bank")
        yield f". the bank was"
        yield "green 3 | muddy 2 | steep"
        yield ", and the water was"
        yield "clear 2 | cold | blue"
    else:
        number = yield world.numbers
        tale.memories.append(f"the {number} coins")
        yield "coins . the bank was"
        yield "busy 3 | quiet 2 | full"
        yield f", and the clerk | , but the clerk"
        yield f"counted the {number} coins"
        yield "slowly 2 | twice | carefully"
    yield "."


def table(tale: Tale) -> Speaking[None]:
    """Food is eaten and gone, or not eaten and still there."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    yield f"{friend.name} left"
    food = yield world.foods
    were, it = ("were", "them") if food.endswith("s") else ("was", "it")
    tale.memories.append(f"the {food} on the table")
    yield f"on the table . {hero.name} was"
    yield "hungry 2 | tired | busy | sleepy"
    if (yield f"and ate {it} 3 | and did not eat {it} 2") == f"and ate {it}":
        yield f". when {friend.name} came back , the {food} {were} gone ."
    else:
        yield f". when {friend.name} came back , the {food} {were} still there ."
