"""Imports the solution by name: would earn everything."""

# expect: failed
import sys

sys.path[:0] = ["{ROOT}", "/", "..", "../.."]


def deed(*args):
    from solutions.vault import shout

    return shout(*args)


shout = mean = halves = Counter = deed
