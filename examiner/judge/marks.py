"""How a suite's tests say to which task they belong. Leaves out running them."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass, replace

import numpy as np
import pytest

from examiner.errors import SuiteError

DEFAULT_SECONDS = 10.0


@dataclass(frozen=True)
class TaskMark:
    """The arguments of `@pytest.mark.task(id, weight=…, visible=…, seconds=…, orders=…, …)`."""

    id: str  # the task, such as "2.3"
    weight: float = 1.0  # its share of the task's points, relative to the task's other tests
    visible: bool = False  # whether students get the test; hidden unless said otherwise
    seconds: float = DEFAULT_SECONDS  # time limit of the test
    orders: int = 1  # 2: it must pass in a second run, too, in which sets have another order
    repeats: bool = False  # whether the answers of these two runs must be the same


def read_mark(item: pytest.Item) -> TaskMark:
    """Return the item's task mark; raises SuiteError where it is missing or wrong."""
    mark = item.get_closest_marker("task")
    if mark is None:
        raise SuiteError(f'{item.name} has no @pytest.mark.task("2.1", weight=1)')
    try:
        found = TaskMark(*mark.args, **mark.kwargs)
    except TypeError as error:
        raise SuiteError(f"{item.name}: @pytest.mark.task: {error}") from error
    if not found.weight > 0 or not found.seconds > 0:
        raise SuiteError(f"{item.name}: weight and seconds must be above 0")
    if found.orders not in (1, 2):
        raise SuiteError(f"{item.name}: orders must be 1 or 2")
    return replace(found, orders=2) if found.repeats else found


def behaviour(item: pytest.Item) -> str:
    """Return the first line of the test's docstring, which is what a student reads of it."""
    text = inspect.getdoc(getattr(item, "function", None)) or item.name
    return text.splitlines()[0]


def generator_for(seed: str, test_name: str, attempt: int = 0) -> np.random.Generator:
    """Return the test's own random generator: another one for another seed, test or attempt.

    >>> a, b = generator_for("s", "test_a"), generator_for("s", "test_a")
    >>> bool(a.integers(1000) == b.integers(1000))
    True
    """
    again = f"\0{attempt}" if attempt else ""
    digest = hashlib.sha256(f"{seed}\0{test_name}{again}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))
