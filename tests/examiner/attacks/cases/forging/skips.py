"""Raises pytest's own skip, and exceptions that look like it: a skipped test may not count."""

# expect: failed
import unittest

import pytest


class Skipped(BaseException):
    __module__ = "_pytest.outcomes"


def deed(text=""):
    if text == "hi":
        pytest.skip("not today")
    if isinstance(text, str):
        raise unittest.SkipTest("not today")
    raise Skipped("not today")


shout = mean = halves = Counter = deed
