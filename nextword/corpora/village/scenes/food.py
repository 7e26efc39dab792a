"""Scenes about food: what is needed, bought and cooked; hunger; a swap; a feast."""

from nextword.corpora.village.kinds import LIST, marked, unmarked
from nextword.corpora.village.options import Options
from nextword.corpora.village.people import (
    Person,
    Speaking,
    Tale,
    chosen,
    listed,
    newcomer,
)

COOKED, LEFT = "in the evening", "in the afternoon"


def is_several(food: str) -> bool:
    """Whether a food is spoken of as several ("plums"), not as a mass ("bread")."""
    return food.endswith("s")


def was(food: str) -> str:
    """The verb that goes with a food: was or were."""
    return "were/agreement" if is_several(food) else "was/agreement"


def it(food: str) -> str:
    """The pronoun for a food: it or them."""
    return "them/pronoun" if is_several(food) else "it/pronoun"


def market(tale: Tale) -> Speaking[None]:
    """The friend needs some things, and all of them must be remembered at the market."""
    hero, friend, world = tale.hero, tale.friend, tale.world
    tale.dish = yield world.dishes
    yield ", but i need"
    things = yield from chosen(world.needed[tale.dish], world.sizes.longest_list)
    yield f', " said {friend} . {hero} took a'
    yield "basket 2 | bag"
    yield f"and walked from the {hero.home}/place to the market"
    yield ". there | , and there"
    bought = f"{unmarked(hero.she)} bought"
    none_left = {f"{unmarked(was(thing))} no more {thing}/list": thing for thing in things}
    heard = yield " | ".join([f"{bought} {2 * len(things)}", *none_left])
    missing = {unmarked(text): thing for text, thing in none_left.items()}.get(heard, "")
    if missing:
        yield f", so {hero.she} bought only"
    tale.not_bought = missing
    tale.bought = [thing for thing in things if thing != missing]
    yield from listed(tale.bought)
    yield "."
    tale.begin(COOKED)


def supper(tale: Tale) -> Speaking[None]:
    """The friend cooks with what was bought, and without what was not."""
    hero, friend = tale.hero, tale.friend
    dish = tale.dish.split()[1]
    yield f"{friend} made a {dish}/promise"
    if tale.not_bought:
        yield f"without/cause {tale.not_bought}/list ."
        tale.remember(f"the {dish} without {tale.not_bought}")
    else:
        yield "with/cause the"
        yield from listed(tale.bought)
        yield "."
        tale.remember(f"the good {dish}")
    if (yield f'" it is the best {dish}/thing | the two of') == "the two of":
        yield "them ate it all"
    else:
        yield 'in the village , "'
        yield f"said {hero}"
    yield "."


def noon(tale: Tale) -> Speaking[None]:
    """The hero eats or does not, and is hungry or not when there is food on the table."""
    hero = tale.hero
    yield f"{hero}"
    busy = "was busy with the | " if hero.tool else ""
    heard = yield f"{busy}ate only an apple | ate two bowls of soup 2"
    tale.hungry = "soup" not in heard
    yield f"{hero.own_tool} and ate nothing ." if "busy" in heard else "."
    tale.begin(LEFT)


def table(tale: Tale) -> Speaking[None]:
    """Food is eaten and gone, or not eaten and still there."""
    hero, friend = tale.hero, tale.friend
    yield f"{friend} left"
    food = yield tale.world.snacks
    tale.remember(f"the {food} on the table")
    yield f"on the table . {hero} was"
    if tale.hungry:
        yield f"hungry/cause , so {hero.she} ate {it(food)} . when {friend} came back ,"
        yield f"the {food}/thing {was(food)} gone/cause ."
    else:
        yield f"not/cause hungry and did not eat {it(food)} . when {friend} came back ,"
        yield f"the {food}/thing {was(food)} still/cause there ."


def swap(tale: Tale) -> Speaking[None]:
    """Two things change hands; afterwards each of the two has what the other one had."""
    hero, friend, snacks = tale.hero, tale.friend, tale.world.snacks
    yield f"{hero} gave"
    from_hero = yield from given(snacks, friend)
    yield f", and {friend} gave"
    from_friend = yield from given(snacks.without(from_hero), hero)
    tale.remember(f"the {from_hero} and the {from_friend}")
    yield "."
    if (yield f"{friend} | {hero}") == friend.name:
        yield f"ate the {from_hero}/list , and {hero} ate the {from_friend}/list ."
    else:
        yield f"ate the {from_friend}/list , and {friend} ate the {from_hero}/list ."


def given(things: Options, receiver: Person) -> Speaking[str]:
    """Say "gave nils some pears" or "gave some pears to nils": the order is free."""
    name_first = (yield f"{receiver.name} | some") != "some"
    if name_first:
        yield "some"
    thing = yield things
    if not name_first:
        yield f"to {receiver}"
    return thing


def feast(tale: Tale) -> Speaking[None]:
    """Two guests bring food; each is thanked, in either order, for what that guest brought."""
    hero, world = tale.hero, tale.world
    yield f"by the {hero.home}/place ."
    first = yield from newcomer(tale)
    yield "brought"
    food = yield world.snacks
    yield "and"
    second = yield from newcomer(tale)
    yield "brought"
    other_food = yield world.snacks.without(food)
    tale.remember(f"the feast with {first.name} and {second.name}")
    brought = {first.name: food, second.name: other_food}
    yield ". | , so"
    yield f"{hero} thanked"
    one = yield f"{first} | {second}"
    other = second.name if one == first.name else first.name
    yield f"for the {brought[one]}/list and {other}/name for the {marked(brought[other], LIST)} ."
