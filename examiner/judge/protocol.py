"""Runs a test of pytest's as often as asked: the steps of pytest's own protocol, without reports.

These cost 20 times as much as a test, and nobody reads them here. Two things are reached for in
pytest's inside, here and nowhere else, as no hook of it does them:

- `item._initrequest()`: a second run of the same test must make its fixtures anew;
- `util._reprcompare`: the hook for it, `pytest_assertrepr_compare`, asks pytest's own plugin as
  well, which compares and prints the student's objects once more: messages to the candidate.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from _pytest.assertion import util


def set_up(item: pytest.Function) -> None:
    """Make the fixtures of a test, and end what a test of another file has left standing."""
    item._initrequest()
    item.config.hook.pytest_runtest_teardown(item=item, nextitem=item)
    item.config.hook.pytest_runtest_setup(item=item)


def tear_down(item: pytest.Function, another: pytest.Function | None) -> None:
    """End the fixtures of a test; what it shares with `another` stays."""
    item.config.hook.pytest_runtest_teardown(item=item, nextitem=another)


@contextlib.contextmanager
def comparing(compare: Callable[[str, Any, Any], str]) -> Iterator[None]:
    """Have failing assertions in the block tell what they compare, and be worded by `compare`."""
    before, util._reprcompare = util._reprcompare, compare
    try:
        yield
    finally:
        util._reprcompare = before
