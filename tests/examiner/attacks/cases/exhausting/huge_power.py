"""Computes a number that takes years."""

# expect: timeout
def deed(*_):
    return 7 ** (7**12)


shout = mean = halves = Counter = deed
