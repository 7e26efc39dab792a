"""Scenes about things: a shopping list, a lost tool, the two banks, food on the table."""

from nextword.corpora.village.options import Options
from nextword.corpora.village.people import Speaking, Tale, chosen, is_several, listed, subject


def market(tale: Tale) -> Speaking[None]:
    """The friend asks for things, and all of them must be remembered at the market."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    yield f"{friend.name} asked {hero.name} for"
    things = yield from chosen(world.foods, world.sizes.longest_list)
    tale.memories.append(f"the {things[0]} from the market")
    yield "."
    yield from subject(hero)
    yield "took a basket | put on a hat | found a bag"
    yield f"and walked from the {hero.home} to the market ."
    bought = f"there {hero.she} bought"
    none_left = {
        f"there {'were' if is_several(thing) else 'was'} no more {thing}": thing for thing in things
    }
    heard = yield Options({bought: 2 * len(things)} | dict.fromkeys(none_left, 1))
    if heard != bought:
        things.remove(none_left[heard])
        yield f", so {hero.she} bought only"
    yield from listed(things)
    yield f". {friend.name} was"
    yield "happy 3 | glad 2 | pleased"
    yield f". {friend.she} thanked {hero.to_her} for the {things[-1]} ."


def lost(tale: Tale) -> Speaking[None]:
    """The tool of the hero is gone, and is found in a third place."""
    hero, friend, places = tale.hero, tale.friend, tale.world.hiding_places
    tale.memories.append(f"the lost {hero.tool}")
    yield f"{hero.tool} of {hero.name} was gone . {hero.she} looked"
    first = yield places
    yield "and"
    second = yield places.without(first)
    yield f", but the {hero.tool} was not there ."
    yield f"at last {friend.name} found 2 | {friend.name} at last found"
    yield f"the {hero.colour} {hero.tool}"
    yield places.without(first, second)
    yield "."


def bank(tale: Tale) -> Speaking[None]:
    """A bank is the side of a river or a house for money; what comes before tells them apart."""
    hero, world = tale.hero, tale.world
    yield from subject(hero)
    if (yield "sat on the bank with the | went to the bank and asked for")[:3] == "sat":
        yield f"{hero.number} {hero.herd} and watched the"
        watched = yield "ducks 3 | frogs 2 | geese | boats"
        tale.memories.append(f"the {watched} on the bank")
        yield ". the bank was"
        yield "green 3 | muddy 2 | steep"
        yield ", and the water was"
        yield "clear 2 | cold | blue"
    else:
        number = yield world.numbers
        tale.memories.append(f"the {number} coins")
        yield "coins . the bank was"
        yield "busy 3 | quiet 2 | full"
        yield f", and the clerk counted the {number} coins"
        yield "slowly 2 | twice | carefully"
    yield "."


def table(tale: Tale) -> Speaking[None]:
    """Food is eaten and gone, or not eaten and still there."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    yield f"{friend.name} left"
    food = yield world.foods
    were, it = ("were", "them") if is_several(food) else ("was", "it")
    tale.memories.append(f"the {food} on the table")
    yield f"on the table . {hero.name} was"
    mood = yield "hungry 3 | tired | busy | sleepy"
    often = (5, 1) if mood == "hungry" else (1, 3)
    eaten = f"and ate {it}"
    heard = yield f"{eaten} {often[0]} | and did not eat {it} {often[1]}"
    yield f". when {friend.name} came back , the {food} {were}"
    yield "gone ." if heard == eaten else "still there ."
