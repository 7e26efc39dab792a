"""Scenes with others: a visitor from far away, a feast with guests, a swap."""

from nextword.corpora.village.options import Options
from nextword.corpora.village.people import Speaking, Tale, newcomer


def visitor(tale: Tale) -> Speaking[None]:
    """A stranger whose capital, language and dish follow from the country."""
    hero, world = tale.hero, tale.world
    yield "sailor 3 | singer 2 | poet | dancer"
    yield "named"
    guest = yield from newcomer(tale)
    yield "came from"
    country = yield world.countries
    tale.memories.append(f"{guest.name} from {country}")
    capital, language, dish = world.capital[country], world.language[country], world.dish[country]
    yield f". {guest.she} spoke {language} and told {hero.name} about"
    yield f"the streets of {capital} | the hills of {country} | life in {capital}"
    yield "."
    if (yield f"{hero.name} gave {guest.name} 2 | {guest.name} gave {hero.name}").startswith(hero.name):
        food = yield world.foods
        yield f", and {guest.name} gave {hero.name} {dish} ."
    else:
        yield f"{dish} , and {hero.name} gave {guest.name}"
        food = yield world.foods
        yield "."
    yield f"when {guest.she} went home to"
    yield f"{capital} | {country}"
    yield f", {guest.she} took the {food} with {guest.to_her} ."


def feast(tale: Tale) -> Speaking[None]:
    """Guests bring food; then each is thanked, in any order, for what that guest brought."""
    hero, world = tale.hero, tale.world
    brought: dict[str, str] = {}
    joint = ","
    while joint != "and":
        if brought:
            last = len(brought) == world.longest_list - 1
            joint = yield "and" if last else ", 3 | and 2"
        guest = yield from newcomer(tale)
        yield "brought"
        brought[guest.name] = yield world.foods.without(*brought.values())
    tale.memories.append(f"the feast with {guest.name}")
    yield f". {hero.name} thanked"
    left = Options(dict.fromkeys(brought, 1))
    for remaining in range(len(brought), 0, -1):
        name = yield left
        yield f"for the {brought[name]}"
        if remaining > 1:
            left = left.without(name)
            yield "," if remaining > 2 else "and"
    yield "."


def swap(tale: Tale) -> Speaking[None]:
    """Two things change hands; afterwards each of the two has what the other one had."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    yield f"{hero.name} gave"
    mine = yield from given(world.foods, friend.name)
    yield f", and {friend.name} gave"
    yours = yield from given(world.foods.without(mine), hero.name)
    tale.memories.append(f"the {mine} and the {yours}")
    yield "."
    if (yield f"{friend.name} | {hero.name}") == friend.name:
        yield f"ate the {mine} , and {hero.name} ate the {yours} ."
    else:
        yield f"ate the {yours} , and {friend.name} ate the {mine} ."


def given(things: Options, receiver: str) -> Speaking[str]:
    """Say "gave nils the pears" or "gave the pears to nils": the order is free."""
    if (yield f"{receiver} the | the") == "the":
        thing = yield things
        yield f"to {receiver}"
    else:
        thing = yield things
    return thing
