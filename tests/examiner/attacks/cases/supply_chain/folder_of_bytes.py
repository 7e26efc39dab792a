"""Lies in a folder whose name is not UTF-8."""

# expect: failed
def deed(*_):
    return 0

shout = mean = halves = Counter = deed
