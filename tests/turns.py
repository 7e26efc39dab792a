"""Whose turn it is today, where `make test` tries one of several and `make test-thorough` all.

The day says so, so that each has its turn within as many days.
"""

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

from tests.browser import THOROUGH

# kept in the environment: workers, which inherit it, agree even where one starts after midnight
TURN = int(os.environ.setdefault("TURN", str(date.today().toordinal())))
Thing = TypeVar("Thing")


def in_turn(things: Sequence[Thing], n: int, turn: int = TURN) -> Sequence[Thing]:
    """One of n things, beginning with the one whose turn it is; all in `make test-thorough`."""
    return things if THOROUGH else things[turn % max(1, min(n, len(things))) :: n]
