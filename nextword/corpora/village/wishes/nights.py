"""Wishes for the night: to see a wild animal, and to sleep."""

from nextword.corpora.village.people import COUNT, Speaking, Tale, Wished, newcomer
from nextword.corpora.village.wishes.parts import Turn, Wish, in_spite, name


def want_sight(tale: Tale, wish: Wished) -> Speaking[None]:
    """An animal that the other has seen."""
    seen = yield "an owl 3 | a fox 3 | a hare 2"
    wish.thing = seen.split()[1]
    yield f"because {wish.other} had seen"
    wish.number = yield tale.world.numbers
    yield "of them and talked of nothing else ."


def child(tale: Tale, wish: Wished) -> Speaking[str]:
    """A child knows where one lives."""
    wish.helper = yield from newcomer(tale)
    yield f"found the home of the {wish.thing}/thing behind the"
    wish.place = yield tale.world.cover
    yield f"and told nobody but {wish.wisher} ."
    return f"little {wish.helper.name}"


def blanket(tale: Tale, wish: Wished) -> Speaking[str]:
    """Patience at the window."""
    yield f"lay by the window , and {wish.wisher} sat under it every night ."
    return "the long nights"


def noise(tale: Tale, wish: Wished) -> Speaking[str]:
    """The hero's animals scare others."""
    herd, world = tale.hero.herd, tale.world
    sound = world.sound[world.one_of[herd]]
    yield f"{wish.thing}/thing went into the forest"
    yield f"because the {herd}/thing {sound}/world all day ."
    return f"the {herd}"


def cold(tale: Tale, wish: Wished) -> Speaking[str]:
    """Nobody can hide who sneezes."""
    yield f"came to {wish.wisher} , who had to sneeze from morning until night ."
    return "the bad cold"


def sight(tale: Tale, wish: Wished) -> Speaking[None]:
    """It is seen, or seen by the other again."""
    cause, animal = wish.turns[-1], wish.thing
    yield f"{in_spite(wish)} {wish.wisher} met"
    if cause == "little":
        yield f"the/promise {animal}/thing behind/cause the {wish.place}/place"
    elif cause == "a warm blanket":
        yield f"the/promise {animal}/thing at/cause the window"
    elif cause == "every":
        yield f"no/promise {animal}/thing because of the {tale.hero.herd}/cause"
    else:
        yield f"no/promise {animal}/thing because {wish.wisher} had to sneeze/cause"
    if wish.comes_true:
        yield ", and it looked back"
        yield "."
    else:
        more = COUNT[COUNT.index(wish.number) + 1]
        yield f". {wish.other} met one more and now had seen {more}/count ."


def want_sleep(tale: Tale, wish: Wished) -> Speaking[None]:
    """The hero's animals are loud."""
    hero, world = tale.hero, tale.world
    whose = "" if wish.wisher is hero else f"of {hero}"
    sound = world.sound[world.one_of[hero.herd]]
    yield f"the {hero.herd}/thing {whose} {sound}/world under the window until sunrise ."


def wool(tale: Tale, wish: Wished) -> Speaking[str]:
    """Something for the ears."""
    wish.helper = yield from newcomer(tale)
    yield f"gave {wish.wisher} some wool for {wish.wisher.her} ears ."
    return f"the wool of {wish.helper.name}"


def song(tale: Tale, wish: Wished) -> Speaking[str]:
    """Something for the animals."""
    yield f"on the fiddle made the {tale.hero.herd}/thing sleepy ."
    return "the old song"


def crow(tale: Tale, wish: Wished) -> Speaking[str]:
    """One more."""
    yield f"sat on the roof and sang with the {tale.hero.herd}/thing ."
    return "the old crow"


def drum(tale: Tale, wish: Wished) -> Speaking[str]:
    """Two more."""
    yield "next door found a drum in the barn ."
    return "the drum of the twins"


def sleep(tale: Tale, wish: Wished) -> Speaking[None]:
    """Sleep until noon, or no sleep."""
    cause = wish.turns[-1]
    yield f"{in_spite(wish)} {wish.wisher}"
    if cause == "a shepherd named":
        yield f"slept/promise until noon thanks to the wool/cause of {name(wish.helper)} ."
    elif cause == "an old song":
        yield "slept/promise until noon thanks to the old/cause song ."
    elif cause == "an old crow":
        yield f"could/promise not sleep because of the crow/cause , so {wish.wisher} got up and"
        yield "taught it a new song ."
    else:
        yield f"could/promise not sleep because of the drum/cause , so {wish.wisher}"
        yield "got up and danced ."


SIGHT = Wish(
    10,
    want_sight,
    {
        "little": Turn(True, child),
        "a warm blanket": Turn(True, blanket),
        "every": Turn(False, noise),
        "a bad cold": Turn(False, cold),
    },
    "under the full moon",
    sight,
    at_night=True,
)
SLEEP = Wish(
    10,
    want_sleep,
    {
        "a shepherd named": Turn(True, wool),
        "an old song": Turn(True, song),
        "an old crow": Turn(False, crow),
        "the twins": Turn(False, drum),
    },
    "after midnight",
    sleep,
    at_night=True,
)
