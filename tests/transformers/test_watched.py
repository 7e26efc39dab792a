"""Who looks at frames in a watched function: Python's own helpers may, a student's code not."""

import collections
import inspect
import logging
import sys
import traceback
import typing

import pytest
import torch

from tests.transformers.suite.oracles import ENDS, watched_calls

ASKED = sorted(ENDS)


def logs(x):
    logging.getLogger(__name__).warning("the mean is %s", x.mean())
    return x


def makes_named_tuples(x):
    pair = collections.namedtuple("pair", "a b")
    return typing.NamedTuple("Other", [("a", int)]) and pair(x, x).a


@pytest.mark.parametrize("honest", [logs, makes_named_tuples])
def test_who_logs_or_makes_a_named_tuple_is_not_blamed(honest):
    assert watched_calls(honest, ASKED, torch.ones(2)) == []


def asks_inspect(x):
    return x, getattr(inspect, "current" + "frame")()


def asks_logging(x):
    return x, getattr(logging, "current" + "frame")()


def asks_traceback(x):
    return x, next(iter(traceback.walk_stack(None)))


def asks_by_a_helper_of_its_own(x):
    before = logging.currentframe
    logging.currentframe = lambda: getattr(sys, "_get" + "frame")(1)
    try:
        return logs(x)
    finally:
        logging.currentframe = before


@pytest.mark.parametrize(
    "curious", [asks_inspect, asks_logging, asks_traceback, asks_by_a_helper_of_its_own]
)
def test_who_takes_a_frame_is_named(curious):
    assert watched_calls(curious, ASKED, torch.ones(2)) == ["_getframe"]
