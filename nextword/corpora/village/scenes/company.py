"""Scenes with others: visitors and letters, promises and wishes, who is taller, rain."""

from nextword.corpora.village.people import Speaking, Tale, newcomer, one_of

REACH, LETTER, KEPT, JOURNEY = "one sunday", "a month later", "the next day", "at last"


def visitor(tale: Tale) -> Speaking[None]:
    """A stranger whose capital, language and dish follow from the country."""
    hero, world = tale.hero, tale.world
    yield "sailor 3 | singer 2 | poet | dancer"
    yield "named"
    guest = yield from newcomer(tale)
    yield "came from"
    country = yield world.countries
    tale.remember(f"{guest} from {country}")
    yield f". {guest.she} spoke {world.language[country]}/world and told {hero} about"
    yield f"{world.capital[country]}/world 2 | life in {world.capital[country]}/world | {country}"
    yield ". | , and"
    yield f"{hero} gave {guest}"
    tale.guest, tale.origin = guest, country
    tale.taken = yield world.snacks
    yield f", and {guest} gave {hero} {world.dish[country]}/world ."
    tale.begin(LETTER)


def letter(tale: Tale) -> Speaking[None]:
    """The guest writes from home and remembers what the hero gave."""
    guest, country, world = tale.guest, tale.origin, tale.world
    assert guest is not None
    tale.remember(f"the letter from {guest}")
    yield f"a letter came from {guest} in"
    yield f"{world.capital[country]}/world 3 | {country}"
    yield f'. " thank you for the {tale.taken}/thing , " {guest.she} wrote in'
    yield f"{world.language[country]}/world ."


def promise(tale: Tale) -> Speaking[None]:
    """One of the two will bring the other something; begins with the words of the promise."""
    tale.gift = yield tale.world.snacks
    yield ', " said'
    giver = tale.giver = yield from one_of(tale.friend, tale.hero)
    yield f"to {tale.other(giver)} ."
    tale.begin(KEPT)


def kept(tale: Tale) -> Speaking[None]:
    """What was promised is brought."""
    giver, gift = tale.giver, tale.gift
    assert giver is not None
    receiver = tale.other(giver)
    tale.remember(f"the promise of {giver.name}")
    yield f"{giver.name}/promise brought {receiver} the {gift}/promise . "
    if (yield f'" thank you | {receiver}') == receiver.name:
        yield "was"
        yield "happy | glad | pleased"
    else:
        yield f', {giver} , " said {receiver}'
    yield "."


def wish(tale: Tale) -> Speaking[None]:
    """One of the two wants to see a faraway town; begins with the words of the wish."""
    world = tale.world
    capital = yield world.capitals
    tale.country = world.country[capital]
    yield ', " said'
    traveller = tale.traveller = yield from one_of(tale.hero, tale.friend)
    yield f'. " it is the capital of {tale.country}/world , " said {tale.other(traveller)} .'
    tale.begin(JOURNEY)


def journey(tale: Tale) -> Speaking[None]:
    """The wish comes true."""
    traveller, country, world = tale.traveller, tale.country, tale.world
    assert traveller is not None
    capital = world.capital[country]
    tale.remember(f"the journey to {capital}")
    yield f"{traveller.name}/promise went to"
    yield f"{capital}/promise in {country}/world | {country}/promise and came to {capital}/world"
    yield f". {traveller.she}"
    yield f"ate {world.dish[country]}/world | learned {world.language[country]}/world 2"
    yield "there and"
    yield "came home happy | came home in summer | brought home many pictures"
    yield "."


# what only one of them can do: what is the matter, what must be done, what is remembered
TROUBLES = {
    "taller": (
        "a kite hung high in the tree 2 | a scarf hung high in the tree"
        " | a hat hung high in the tree",
        "reach/cause it",
        "the high tree",
    ),
    "stronger": (
        "a stone lay on the road 2 | a stone lay on the bridge | a stone lay by the gate",
        "move/cause it",
        "the heavy stone",
    ),
    "older": (
        "the children asked about the great storm 3 | the children asked about the long winter 2"
        " | the twins asked about the first fair 2",
        "remember/cause it",
        "",  # one of the two has nothing to remember
    ),
}


def reach(tale: Tale) -> Speaking[None]:
    """One can and the other can not: it follows from who is taller, stronger or older."""
    trouble, deed, memory = TROUBLES[tale.contrast]
    if memory:
        tale.remember(memory)
    yield trouble
    yield "."
    friend_can, hero_can = ("", "not/cause .") if tale.friend_is_more else ("not/cause", "./cause")
    yield f"{tale.friend} could {friend_can} {deed} , but {tale.hero} could {hero_can}"


def rain(tale: Tale) -> Speaking[None]:
    """It rains at night, and ways are muddy and people sit by the fire from then on."""
    hero = tale.hero
    tale.rained = tale.is_muddy = True
    tale.remember("the rain")
    yield f"rained , so {hero}"
    heard = yield "closed the window | lit a fire | brought the"
    yield f"{hero.animals} into the barn ." if heard == "brought the" else "."
