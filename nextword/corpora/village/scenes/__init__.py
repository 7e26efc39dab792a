"""Every scene that a story can hold, under the words that begin it, and when it can be told."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from nextword.corpora.village import wishes
from nextword.corpora.village.people import Speaking, Tale
from nextword.corpora.village.scenes import animals, company, food, talk, things

# hours: a scene of the same day may not be earlier than the one before; 0 fits any hour
MORNING, NOON, AFTERNOON, SUNSET, EVENING, TOMORROW = range(1, 7)
ANOTHER_DAY = 7  # a scene that ends the day
RIPE = 45  # the weight of a scene that brings to its end what was begun


def always(tale: Tale) -> bool:
    """Most scenes can be told in any story."""
    return True


class Scene(NamedTuple):
    """A scene: how often it is told, at which hour, and what it is part of."""

    tell: Callable[[Tale], Speaking[None]]
    weight: int = RIPE
    hour: int = 0
    length: int = 1  # in scenes; 2: something is begun that a later scene brings to its end
    can_be_told: Callable[[Tale], bool] = always


SCENES = {
    "in the morning": Scene(animals.morning, 15, MORNING, 2, animals.walks),
    '" i will make': Scene(food.market, 8, 0, 2),
    "then the": Scene(things.lost, 15, 0, 2, things.has_tool),
    "at noon": Scene(food.noon, 7, NOON, 2),
    "on monday": Scene(things.bank, 12, ANOTHER_DAY, 2, things.asks_for_coins),
    "one morning a": Scene(company.visitor, 16, ANOTHER_DAY, 2),
    '" tomorrow i will bring you': Scene(company.promise, 11, 0, 2),
    '" one day i will see': Scene(company.wish, 10, 0, 2),
    "that day": Scene(animals.crossing, 17, 0, 1, animals.walks),
    "before sunrise": Scene(animals.birth, 13, ANOTHER_DAY),
    "people say that the": Scene(talk.gossip, 36),
    '" what is the capital of': Scene(talk.question, 8),
    "at school the children learned that": Scene(talk.lesson, 14),
    "on saturday there was a feast": Scene(food.feast, 6, ANOTHER_DAY),
    "later": Scene(food.swap, 8),
    "soon after that": Scene(things.visit, 14),
    "one night it": Scene(company.rain, 16, ANOTHER_DAY),
}
# what was begun comes to its end
EFFECTS = {
    food.LEFT: Scene(food.table, hour=AFTERNOON),
    animals.COUNTED: Scene(animals.counting, hour=SUNSET),
    food.COOKED: Scene(food.supper, hour=EVENING),
    company.KEPT: Scene(company.kept, hour=TOMORROW),
    things.THANKED: Scene(things.thanks, hour=ANOTHER_DAY),
    things.FAIR: Scene(things.fair, hour=ANOTHER_DAY),
    company.LETTER: Scene(company.letter, hour=ANOTHER_DAY),
    company.JOURNEY: Scene(company.journey, hour=ANOTHER_DAY),
    company.REACH: Scene(company.reach, hour=ANOTHER_DAY),
}
# what helps or hinders the wish of the story
TURNS = {opens: Scene(wishes.turn, 30, ANOTHER_DAY) for opens in wishes.WHEN}
ALL = SCENES | EFFECTS | TURNS


def tell(opens: str, tale: Tale) -> Speaking[None]:
    """Tell the scene that begins like that, and note that it was told."""
    hour = ALL[opens].hour
    if hour:
        tale.hour = hour if hour < TOMORROW else 0
    tale.pending.pop(opens, None)
    tale.told += (opens,)
    yield from ALL[opens].tell(tale)


def turning(tale: Tale) -> list[str]:
    """The scenes of the wish that can be told now: one is told in every story, a second in some."""
    assert tale.wish is not None
    used, sizes = tale.wish.turns, tale.world.sizes
    if len(used) > 1 or (used and len(tale.told) + len(tale.pending) >= sizes.most_scenes):
        return []
    return [opens for opens in in_time(list(TURNS), tale) if opens not in tale.told]


def tellable(tale: Tale) -> tuple[list[str], list[str]]:
    """The scenes that can be told now, and those that bring to an end what was begun.

    An end is not told at once: another scene comes between, if one can be told.
    """
    sizes, n_told = tale.world.sizes, len(tale.told)
    assert tale.wish is not None
    room = sizes.most_scenes - n_told - len(tale.pending) - (not tale.wish.turns)
    others = [
        opens
        for opens in in_time(list(SCENES), tale)
        if SCENES[opens].length <= room
        and opens not in tale.told
        and (sizes.scenes is None or opens in sizes.scenes)
        and SCENES[opens].can_be_told(tale)
    ]
    ends = in_time(list(tale.pending), tale)
    if others or (not tale.wish.turns and turning(tale)):
        ends = [opens for opens in ends if tale.pending[opens] < n_told]
    return others, sorted(ends)


def in_time(scenes: Sequence[str], tale: Tale) -> list[str]:
    """Those of the scenes that can come now: what a day began is ended before the day is over."""
    due = min([EFFECTS[opens].hour for opens in tale.pending], default=ANOTHER_DAY)
    if due == ANOTHER_DAY:
        return list(scenes)
    hours = {0, *range(tale.hour, due + 1)}
    return [opens for opens in scenes if ALL[opens].hour in hours]
