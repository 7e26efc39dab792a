"""Closes every file it did not open and goes on."""

# expect: crashed
import os
import time


def deed(*_):
    os.closerange(0, 256)
    time.sleep(0.2)
    return 0


shout = mean = halves = Counter = deed
