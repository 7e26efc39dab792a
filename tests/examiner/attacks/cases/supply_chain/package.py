"""Brings the course's own packages and suite."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
