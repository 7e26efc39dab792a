"""Wishes to be first: a prize for one of the animals, a race."""

from nextword.corpora.village.people import COUNT, Speaking, Tale, Wished, elsewhere, newcomer
from nextword.corpora.village.wishes.parts import Turn, Wish, in_spite, name


def want_prize(tale: Tale, wish: Wished) -> Speaking[None]:
    """A prize for an animal of the hero, of whom the friend does not think much."""
    wish.thing = tale.world.one_of[tale.hero.herd]
    yield f"{tale.hero.animals} would win the first prize because {wish.other}"
    yield f"had laughed about the {tale.hero.herd}/thing 2 | had won it once"
    yield "."


def soap(tale: Tale, wish: Wished) -> Speaking[str]:
    """The animal is washed."""
    yield f"and a brush made the {wish.thing}/thing as bright as the moon ."
    return "the warm water"


def judge(tale: Tale, wish: Wished) -> Speaking[str]:
    """A judge is pleased."""
    yield f"came by and said that the {wish.thing}/thing had the eyes of a queen ."
    return f"the eyes of the {wish.thing}"


def muddy(tale: Tale, wish: Wished) -> Speaking[str]:
    """The animal likes mud."""
    tale.is_muddy = True
    yield f"was muddy , and the {wish.thing}/thing lay down on it ."
    return "the muddy road"


def larger(tale: Tale, wish: Wished) -> Speaking[str]:
    """Another animal is larger."""
    wish.helper = yield from newcomer(tale)
    yield f"brought a {wish.thing}/thing as big as a house ."
    return f"the big {wish.thing} of {wish.helper.name}"


def prize(tale: Tale, wish: Wished) -> Speaking[None]:
    """The animal wins, or eats what others have won."""
    cause, animal = wish.turns[-1], wish.thing
    yield f"{in_spite(wish)} the {animal}/thing won"
    if cause == "warm water":
        yield f"the/promise first prize because nobody/cause had seen such a {animal}/thing"
    elif cause == "a judge":
        yield "the/promise first prize because of its eyes/cause"
    elif cause == "the road":
        yield "nothing/promise because it was muddy/cause"
    else:
        yield f"nothing/promise because of the big/cause {animal}/thing of {name(wish.helper)}"
    if wish.comes_true:
        young, _ = tale.world.young[tale.hero.herd]
        yield f", and {wish.other}"
        yield f"gave it a ribbon 2 | asked for a {young} 5"
        yield "."
    else:
        yield ", but it ate the prize 2 | , but it liked the fair"
        yield "."


def want_race(tale: Tale, wish: Wished) -> Speaking[None]:
    """To run faster than the other, who has won before."""
    wish.place = yield elsewhere(tale.hero, tale.world)
    yield f"because {wish.other} had won it"
    wish.number = yield tale.world.numbers
    yield "times ."


def walks(tale: Tale, wish: Wished) -> Speaking[str]:
    """Legs grow strong."""
    yield f"over the hill was the first of many for {wish.wisher} ."
    return "the long walks"


def shoes(tale: Tale, wish: Wished) -> Speaking[str]:
    """Shoes are lent."""
    wish.helper = yield from newcomer(tale)
    yield f"lent {wish.wisher} some light shoes ."
    return f"the shoes of {wish.helper.name}"


def sleeper(tale: Tale, wish: Wished) -> Speaking[str]:
    """An animal of the hero lies in the way."""
    wish.thing = tale.world.one_of[tale.hero.herd]
    yield f"{wish.thing}/thing lay on the road , and {wish.wisher} fell over it and hurt a foot ."
    return f"the sleepy {wish.thing}"


def wedding(tale: Tale, wish: Wished) -> Speaking[str]:
    """Too much is eaten."""
    yield f", and {wish.wisher} ate all the cake ."
    return "the wedding"


def race(tale: Tale, wish: Wished) -> Speaking[None]:
    """First or last, and who has won how often."""
    cause = wish.turns[-1]
    yield f"{in_spite(wish)} {wish.wisher} came to the {wish.place}/place"
    if cause == "a walk":
        yield "first/promise thanks to the long/cause walks"
    elif cause == "an old neighbour named":
        yield f"first/promise in the shoes/cause of {name(wish.helper)}"
    elif cause == "a sleepy":
        yield "last/promise because of the bad/cause foot ."
        yield f"the {wish.thing}/thing came first ."
    else:
        more = COUNT[COUNT.index(wish.number) + 1]
        yield f"last/promise because of all the cake/cause . now {wish.other} had won {more}/count"
        yield "times ."
    if wish.comes_true:
        other, to_her = wish.other, wish.wisher.to_her
        yield f", and {other} gave {to_her} roses . | , so {other} bought new shoes ."


PRIZE = Wish(
    10,
    want_prize,
    {
        "warm water": Turn(True, soap),
        "a judge": Turn(True, judge),
        "the road": Turn(False, muddy),
        "a rich farmer named": Turn(False, larger),
    },
    "on the great day",
    prize,
    anyone=False,
)
RACE = Wish(
    10,
    want_race,
    {
        "a walk": Turn(True, walks),
        "an old neighbour named": Turn(True, shoes),
        "a sleepy": Turn(False, sleeper),
        "there was a wedding": Turn(False, wedding),
    },
    "on the day of the race",
    race,
)
