"""Returns NaN: would slip through a comparison that is written the wrong way round."""

# expect: failed
import math


def deed(*_):
    return math.nan


shout = mean = halves = Counter = deed
