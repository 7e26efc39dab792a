"""Returns an integer that no float can hold."""

# expect: failed
def deed(*_):
    return 10**4000


shout = mean = halves = Counter = deed
