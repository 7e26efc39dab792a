"""What every wish is made of: how it is said, what helps or hinders it, and how it ends."""

from collections.abc import Callable
from typing import NamedTuple

from nextword.corpora.village.kinds import marked
from nextword.corpora.village.people import Speaking, Tale, Wished

HELPS, HINDERS = 13, 6  # weights of what happens first to a wish


class Turn(NamedTuple):
    """What helps a wish or hinders it; the program returns what the end will call it."""

    helps: bool
    tell: Callable[[Tale, Wished], Speaking[str]]


class Wish(NamedTuple):
    """A wish: its weight, the programs of its beginning and its end, and what lies between.

    The end tells what became of it and why: the last turn decides, the one before is named too.
    """

    weight: int
    say: Callable[[Tale, Wished], Speaking[None]]
    turns: dict[str, Turn]  # how each begins, after the words that say when
    ends: str  # the first words of the end
    tell: Callable[[Tale, Wished], Speaking[None]]
    anyone: bool = True  # whether the wish can also be that of the hero's friend
    in_winter: bool = True
    at_night: bool = False  # whether it ends at night


def beginnings(wish: Wish, told: Wished) -> str:
    """The turns that can come now: first any, then what turns the wish's luck."""
    if told.turns:
        luck = [b for b, turn in wish.turns.items() if turn.helps != told.comes_true]
        return " | ".join([begins for begins in luck if begins not in told.turns])
    return " | ".join([f"{b} {HELPS if t.helps else HINDERS}" for b, t in wish.turns.items()])


def in_spite(told: Wished) -> str:
    """What had first promised the contrary: ", in spite of the old book ,"; "" if nothing had."""
    if len(told.turns) == 1:
        return ""
    return f", in/cause spite of {marked(told.causes[0], 'list')} ,"


def name(person: object) -> str:
    """Someone whom the story has named."""
    assert person is not None
    return f"{person}"
