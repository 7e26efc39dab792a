"""Brings a compiled module that would be taken before the source."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
