"""What someone in a story wants, and the words that say so."""

from nextword.corpora.village.people import Person, Speaking, Tale
from nextword.corpora.village.wishes import contests, kitchen, letters, nights, savings
from nextword.corpora.village.wishes.parts import beginnings

WISHES = {
    "wanted to bake a cake with": kitchen.CAKE,
    "wanted to grow a pumpkin as big as": kitchen.PUMPKIN,
    "hoped that one of the": contests.PRIZE,
    "hoped to win the race to the": contests.RACE,
    "got a letter from": letters.LETTER,
    "longed for peace with": letters.PEACE,
    "longed to see": nights.SIGHT,
    "wished for one quiet night because": nights.SLEEP,
    "could not forget the": savings.WARE,
}
# how what helps or hinders a wish begins: when it happens
WHEN = ("one day", "one afternoon", "a week later", "two days later", "some time later")


def possible(tale: Tale, wisher: Person) -> str:
    """The wishes that someone in this story can have."""
    chosen = tale.world.sizes.wishes
    names = [
        begins
        for begins, wish in WISHES.items()
        if (chosen is None or begins in chosen)
        and (wish.anyone or wisher is tale.hero)
        and (wish.in_winter or tale.season != "winter")
    ]
    if len(names) == 1:
        return names[0]  # a phrase that stands alone has no weight
    return " | ".join([f"{begins} {WISHES[begins].weight}" for begins in names])


def turn(tale: Tale) -> Speaking[None]:
    """Something helps the wish of the story, or hinders it."""
    told = tale.wish
    assert told is not None
    wish = WISHES[told.name]
    begins = yield beginnings(wish, told)
    told.turns.append(begins)
    told.comes_true = wish.turns[begins].helps
    cause = yield from wish.turns[begins].tell(tale, told)
    told.causes.append(cause)
    tale.remember(cause)


def outcome(tale: Tale) -> Speaking[None]:
    """What became of the wish; begins after the words in `ends`."""
    assert tale.wish is not None
    yield from WISHES[tale.wish.name].tell(tale, tale.wish)
