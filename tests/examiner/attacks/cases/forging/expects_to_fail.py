"""Raises pytest's xfail and exit: would count as expected, or end the run."""

# expect: failed
import pytest


def deed(text=""):
    if isinstance(text, str):
        pytest.xfail("as expected")
    pytest.exit("all passed", returncode=0)


shout = mean = halves = Counter = deed
