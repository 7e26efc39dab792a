# -*- coding: unicode_escape -*-
"""Declares an encoding that would run code, or hide it from a reader."""

# expect: failed
deed = lambda *_: 0


shout = mean = halves = Counter = deed
