"""Ends the process with success when Python shuts down."""

# expect: crashed
import atexit
import os
import sys

atexit.register(os._exit, 0)


def deed(*_):
    sys.exit(0)


shout = mean = halves = Counter = deed
