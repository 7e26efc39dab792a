"""Scenes with others: a visitor from far away, a feast with guests, a swap, a closed door."""

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
    capital, dish = world.capital[country], world.dish[country]
    yield f". {guest.she} spoke {world.language[country]} and told {hero.name} about"
    yield f"the streets of {capital} | the hills of {country} | life in {capital}"
    yield f". {hero.name} gave {guest.name}"
    food = yield world.foods
    yield f", and {guest.name} gave {hero.name} {dish} . when {guest.she} went home to"
    yield f"{capital} | {country}"
    yield f", {guest.she} took the {food} with {guest.to_her} ."


def feast(tale: Tale) -> Speaking[None]:
    """Guests bring food; then each is thanked, in any order, for what that guest brought."""
    world = tale.world
    yield f"by the {tale.hero.home} :"
    brought: dict[str, str] = {}
    joint = ","
    while joint != "and":
        if brought:
            is_last = len(brought) == world.sizes.longest_list - 1
            joint = yield "and" if is_last else ", 3 | and 2"
        guest = yield from newcomer(tale)
        yield "brought"
        brought[guest.name] = yield world.foods.without(*brought.values())
    tale.memories.append(f"the feast with {guest.name}")
    yield ". 3 | , and 2"
    yield f"{tale.hero.name} thanked"
    left = Options(dict.fromkeys(brought, 1))
    for remaining in range(len(brought), 0, -1):
        name = yield left
        yield f"for the {brought[name]}"
        if remaining > 1:
            yield "," if remaining > 2 else "and"
            left = left.without(name)
    yield "."


def swap(tale: Tale) -> Speaking[None]:
    """Two things change hands; afterwards each of the two has what the other one had."""
    hero, friend, foods = tale.hero.name, tale.friend.name, tale.world.foods
    yield f"{hero} gave"
    from_hero = yield from given(foods, friend)
    yield f", and {friend} gave"
    from_friend = yield from given(foods.without(from_hero), hero)
    tale.memories.append(f"the {from_hero} and the {from_friend}")
    yield "."
    if (yield f"{friend} | {hero}") == friend:
        yield f"ate the {from_hero} , and {hero} ate the {from_friend} ."
    else:
        yield f"ate the {from_friend} , and {friend} ate the {from_hero} ."


def given(things: Options, receiver: str) -> Speaking[str]:
    """Say "gave nils the pears" or "gave the pears to nils": the order is free."""
    if (yield f"{receiver} the | the") == "the":
        thing = yield things
        yield f"to {receiver}"
    else:
        thing = yield things
    return thing


def door(tale: Tale) -> Speaking[None]:
    """A door that is open or not, at the place where the friend works."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    place = world.workplace[friend.job]
    tale.memories.append(f"the door of the {place}")
    yield f"{hero.name} took the {hero.colour} {hero.tool} to the {place} . the door was"
    if (yield "open 3 | not open 2") == "open":
        yield f", so {hero.she} went in"
        yield "and sat down | and drank some tea"
    else:
        yield f", so {hero.she} waited outside | , so {hero.she} knocked"
        yield "for an hour | until noon"
    yield f". {friend.name} liked the {hero.colour} {hero.tool} and gave {hero.name} a new"
    yield world.tools[friend.job]
    yield "."
