"""Matches a regular expression that backtracks for ever."""

# expect: timeout
import re


def deed(*_):
    return re.match("(a+)+b", "a" * 60)


shout = mean = halves = Counter = deed
