"""Writes bytes without sense to the channel."""

# expect: crashed
import os


def deed(*_):
    for number in range(3, 10):
        try:
            os.write(number, b"\xff" * 5000)
        except OSError:
            pass
    return 0


shout = mean = halves = Counter = deed
