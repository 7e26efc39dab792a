"""Brings build files and hidden folders with hooks."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
