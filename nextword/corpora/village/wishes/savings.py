"""A wish that is a sum: something in the window of the shop, and coins that come and go."""

from nextword.corpora.village.kinds import WORLD, marked
from nextword.corpora.village.people import COUNT, Speaking, Tale, Wished
from nextword.corpora.village.wishes.parts import Turn, Wish

SUMS = "one coin | two coins 5"
LOSSES = "one coin 5 | two coins"


def want_ware(tale: Tale, wish: Wished) -> Speaking[None]:
    """It costs one or two coins more than there are."""
    wish.colour = yield tale.world.colours
    wish.thing = yield tale.world.wares
    yield "in the window of the shop . it/pronoun cost"
    price = yield "five 3 | six 2 | seven"
    wish.price = number(price)
    yield f"coins , but {wish.wisher} had only"
    wish.coins = number((yield f"{COUNT[wish.price - 2]} 3 | {COUNT[wish.price - 3]}"))
    yield "."


def number(word: str) -> int:
    """The number that a word says: 3 for three."""
    return COUNT.index(word) + 1


def coins(n: int) -> str:
    """So many coins."""
    return f"{COUNT[n - 1]}/count {'coin' if n == 1 else 'coins'}"


def paid(wish: Wished, amount: str, sign: int = 1) -> None:
    """Coins come, or go."""
    wish.coins += sign * number(amount.split()[0])
    wish.comes_true = wish.coins >= wish.price


def singer(tale: Tale, wish: Wished) -> Speaking[str]:
    """Work is paid."""
    yield f"bought {marked(tale.world.product[wish.wisher.job], WORLD)} from {wish.wisher} for"
    paid(wish, (yield SUMS))
    yield "."
    return "the singer"


def coat(tale: Tale, wish: Wished) -> Speaking[str]:
    """Money in a pocket."""
    yield f"of {wish.wisher} had"
    paid(wish, (yield SUMS))
    yield "in the pocket ."
    return "the old coat"


def hole(tale: Tale, wish: Wished) -> Speaking[str]:
    """No money in a pocket."""
    yield f"in the pocket cost {wish.wisher}"
    paid(wish, (yield LOSSES), -1)
    yield "."
    return "the hole in the pocket"


def price(tale: Tale, wish: Wished) -> Speaking[str]:
    """The thing becomes dearer."""
    yield f"of the {wish.thing}/thing went up by one coin ."
    wish.price += 1
    wish.comes_true = wish.coins >= wish.price
    return f"the price of the {wish.thing}"


def ware(tale: Tale, wish: Wished) -> Speaking[None]:
    """Enough, or so many too few."""
    yield f"{wish.wisher} counted {coins(wish.coins)} . that was"
    what = f"for the {wish.colour}/thing {wish.thing}/thing"
    if wish.comes_true:
        yield f"enough/promise {what} ,"
        yield f"and {wish.wisher} sang on the road home ."
    else:
        few = COUNT[wish.price - wish.coins - 1]
        yield f"{few}/promise too few {what} , so {wish.wisher} ate"
        yield tale.world.snacks
        yield "by the window of the shop ."


WARE = Wish(
    10,
    want_ware,
    {
        "a singer": Turn(True, singer),
        "an old coat": Turn(True, coat),
        "a hole": Turn(False, hole),
        "the price": Turn(False, price),
    },
    "on market day",
    ware,
)
