"""Brings a pytest plugin in the form of an installed package."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
