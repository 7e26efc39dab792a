"""Sleeps for ever."""

# expect: timeout
import time


def deed(*_):
    time.sleep(1e6)


shout = mean = halves = Counter = deed
