"""Brings start-up files that Python would run by itself."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
