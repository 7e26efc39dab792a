"""Wishes that need another person: to read a friend's letter, to make peace after a quarrel."""

from nextword.corpora.village.people import Speaking, Tale, Wished, newcomer
from nextword.corpora.village.wishes.parts import Turn, Wish, in_spite, name


def want_letter(tale: Tale, wish: Wished) -> Speaking[None]:
    """A letter from far away, in the language that is spoken there."""
    world = tale.world
    wish.person = yield from newcomer(tale)
    yield "in"
    capital = yield world.capitals
    wish.place = world.country[capital]
    yield f", the capital of {wish.place}/world , but it was in {world.language[wish.place]}/world"
    yield f", and {wish.wisher} longed to read it ."


def sailor(tale: Tale, wish: Wished) -> Speaking[str]:
    """Someone who has the language."""
    language = tale.world.language[wish.place]
    yield f"from {wish.place}/world came to the inn and spoke {language}/world to the cat ."
    return f"the sailor from {wish.place}"


def big_book(tale: Tale, wish: Wished) -> Speaking[str]:
    """The language is learned."""
    language = tale.world.language[wish.place]
    yield f"about {wish.place}/world began to teach {wish.wisher} {language}/world ,"
    yield "one word a day . | two words a day ."
    return "the big book"


def wind(tale: Tale, wish: Wished) -> Speaking[str]:
    """Animals of the hero eat of it."""
    wish.thing = tale.world.one_of[tale.hero.herd]
    yield f"brought the letter to the {tale.hero.herd}/thing , and one of them ate half of it ."
    return f"the hungry {wish.thing}"


def tea(tale: Tale, wish: Wished) -> Speaking[str]:
    """The ink runs."""
    yield "of tea fell over , and half of the words of the letter were gone ."
    return "the cup of tea"


def letter(tale: Tale, wish: Wished) -> Speaking[None]:
    """It is read, or answered all the same."""
    cause, world, country = wish.turns[-1], tale.world, wish.place
    capital = f"{world.capital[country]}/place"
    yield f"{in_spite(wish)} {wish.wisher} could"
    if wish.comes_true:
        harmed = "the wind" in wish.turns or "a cup" in wish.turns
        rest = "half/cause of the letter" if harmed else "the letter"
        sailor = f"sailor/cause from {country}/world at"
        helper = sailor if cause == "a sailor" else "big/cause book on"
        yield f"read/promise {rest} with the {helper} the table ."
        yield f'" come to {capital} and eat {world.dish[country]}/world with me , "'
        yield f"wrote {name(wish.person)} ."
    elif cause == "the wind":
        yield f"not/promise read the letter because the {wish.thing}/cause had eaten the"
        yield f"best half , so {wish.wisher} sent a picture of the {wish.thing}/thing to"
        yield f"{capital} ."
    else:
        yield "not/promise read the letter because of the tea/cause ,"
        yield f"so {wish.wisher} sent the cup to {capital} ."


def want_peace(tale: Tale, wish: Wished) -> Speaking[None]:
    """Two have quarrelled about a thing."""
    world = tale.world
    wish.person = yield from newcomer(tale)
    yield f", who had not said a word to {wish.wisher.to_her} for"
    wish.number = yield world.numbers
    yield "weeks because of a"
    wish.colour = yield world.colours
    wish.thing = yield world.wares
    yield "."


def basket(tale: Tale, wish: Wished) -> Speaking[str]:
    """A gift at the door."""
    food = yield tale.world.snacks
    yield f"from {wish.wisher} stood at the door of {name(wish.person)} ."
    return f"the bag of {food}"


def boys(tale: Tale, wish: Wished) -> Speaking[str]:
    """Others make fun of the quarrel."""
    yield f"sang about the quarrel in the street , and {name(wish.person)} had to laugh ."
    return "the two boys"


def hat(tale: Tale, wish: Wished) -> Speaking[str]:
    """An animal of the hero makes it worse."""
    animal = tale.world.one_of[tale.hero.herd]
    yield f"{animal}/thing ate the best hat of {name(wish.person)} ."
    return f"the hungry {animal}"


def lost_letter(tale: Tale, wish: Wished) -> Speaking[str]:
    """Kind words do not arrive."""
    yield f"from {wish.wisher} to {name(wish.person)} fell into the"
    yield "river 2 | well | lake"
    yield "."
    return "the lost letter"


def peace(tale: Tale, wish: Wished) -> Speaking[None]:
    """The thing is given back, or a new beginning is needed."""
    cause, other = wish.turns[-1], name(wish.person)
    yield f"{in_spite(wish)} {other}"
    if wish.comes_true:
        came = "bag/cause" if cause == "a bag of" else "boys/cause"
        yield f"came/promise in with the {came} and the {wish.colour}/thing {wish.thing}/thing ."
    elif cause == "a hungry":
        yield f"walked/promise by without a word because of the hat/cause , so {wish.wisher} sewed"
        yield "a new one ."
    else:
        yield "walked/promise by without a word because no letter/cause had come ,"
        yield f"so {wish.wisher}"
        yield "wrote another one . | sat down and wrote two ."


LETTER = Wish(
    14,
    want_letter,
    {
        "a sailor": Turn(True, sailor),
        "a big book": Turn(True, big_book),
        "the wind": Turn(False, wind),
        "a cup": Turn(False, tea),
    },
    "in the end",
    letter,
)
PEACE = Wish(
    10,
    want_peace,
    {
        "a bag of": Turn(True, basket),
        "two boys": Turn(True, boys),
        "a hungry": Turn(False, hat),
        "a kind letter": Turn(False, lost_letter),
    },
    "one bright day",
    peace,
)
