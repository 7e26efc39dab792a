"""Wishes for the table: a cake that can be eaten, a pumpkin that can be seen."""

from nextword.corpora.village.kinds import marked
from nextword.corpora.village.people import Speaking, Tale, Wished, newcomer
from nextword.corpora.village.wishes.parts import Turn, Wish, in_spite, name

FILLINGS = "cherries 3 | honey 3 | berries 2 | nuts 2 | plums 2 | raisins 2"
SIZES = "a cow 3 | a stove 3 | a horse 2 | a door 2"


def want_cake(tale: Tale, wish: Wished) -> Speaking[None]:
    """A cake for a birthday."""
    wish.thing = yield FILLINGS
    yield f"for the birthday of {wish.other} because"
    yield "the last one had been as hard as a stone 2 | nobody had forgotten the last one"
    yield "."


def bowl(tale: Tale, wish: Wished) -> Speaking[str]:
    """A neighbour gives what the cake needs."""
    wish.helper = yield from newcomer(tale)
    yield f"gave {wish.wisher} a big bowl of {wish.thing}/thing ."
    return f"the {wish.thing} from {wish.helper.name}"


def old_book(tale: Tale, wish: Wished) -> Speaking[str]:
    """A book teaches it."""
    yield f"taught {wish.wisher}"
    yield "two | three 2 | four"
    yield "ways to bake a light cake ."
    return "the old book"


def open_door(tale: Tale, wish: Wished) -> Speaking[str]:
    """The hero's animals are faster than the cook."""
    yield f"was open , so the {tale.hero.herd}/thing came in and ate all the {wish.thing}/thing ."
    return f"the hungry {tale.hero.herd}"


def burned(tale: Tale, wish: Wished) -> Speaking[str]:
    """A cake is forgotten."""
    yield "was forgotten in the stove and turned as black as the night ."
    return "the black cake"


def cake(tale: Tale, wish: Wished) -> Speaking[None]:
    """It is eaten, or is good for something else."""
    cause, other = wish.turns[-1], wish.other
    yield f"{in_spite(wish)} the cake was"
    if cause == "a neighbour named":
        yield f"full/promise of the {wish.thing}/thing from {name(wish.helper)} , and {other} ate"
    elif cause == "an old book":
        yield f"as/promise light as the one in the book/cause , and {other} ate"
    elif cause == "the door":
        yield f"nothing/promise but flour because the {tale.hero.herd}/cause had eaten the"
        yield f"{wish.thing}/thing , but {other}"
        yield "ate it without a word 2 | asked for no more"
    else:
        yield f"black/promise , so {other}"
        yield "put it behind the open door 2 | gave it to the pigs"
    if wish.comes_true:
        yield "two pieces . | three pieces . 2 | three pieces and asked for more . 2"
    else:
        yield "."


def want_pumpkin(tale: Tale, wish: Wished) -> Speaking[None]:
    """A pumpkin larger than the last one."""
    wish.thing = yield SIZES
    yield "because the last one had been as small as an egg ."


def warm_rain(tale: Tale, wish: Wished) -> Speaking[str]:
    """Rain where it is needed; roads are muddy from then on."""
    tale.is_muddy = True
    yield "came , and it fell on the garden for"
    yield "three days 2 | a week"
    yield "."
    return "the warm rain"


def earth(tale: Tale, wish: Wished) -> Speaking[str]:
    """A farmer brings earth."""
    wish.helper = yield from newcomer(tale)
    yield f"brought {wish.wisher} some good black earth from the field ."
    return f"the black earth from {wish.helper.name}"


def garden_gate(tale: Tale, wish: Wished) -> Speaking[str]:
    """The hero's animals find a way in."""
    yield f"was open , so the {tale.hero.herd}/thing came in and ate the leaves ."
    return f"the {tale.hero.herd} in the garden"


def cold_wind(tale: Tale, wish: Wished) -> Speaking[str]:
    """Leaves do not like the cold."""
    yield "turned half of the leaves"
    yield "brown 2 | black"
    yield "."
    return "the cold wind"


def pumpkin(tale: Tale, wish: Wished) -> Speaking[None]:
    """It is carried by many, or by nobody."""
    yield f"{in_spite(wish)} the pumpkin was as"
    cause = marked(wish.causes[-1], "cause")
    if wish.comes_true:
        yield f"big/promise as {marked(wish.thing, 'thing')} thanks to {cause} , and"
        yield "four | five 2 | six 2 | seven"
        yield "neighbours brought it to the feast ."
    else:
        yield f"small/promise as an egg because of {cause} , so {wish.wisher}"
        yield "made a soup for one 2 | gave it to a mouse"
        yield "."


CAKE = Wish(
    10,
    want_cake,
    {
        "a neighbour named": Turn(True, bowl),
        "an old book": Turn(True, old_book),
        "the door": Turn(False, open_door),
        "the first cake": Turn(False, burned),
    },
    "on the birthday",
    cake,
)
PUMPKIN = Wish(
    10,
    want_pumpkin,
    {
        "a warm rain": Turn(True, warm_rain),
        "a farmer named": Turn(True, earth),
        "the garden gate": Turn(False, garden_gate),
        "a cold wind": Turn(False, cold_wind),
    },
    "on the day of the feast",
    pumpkin,
    in_winter=False,
)
