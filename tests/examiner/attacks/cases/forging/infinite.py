"""Returns infinity."""

# expect: failed
def deed(*_):
    return float("inf")


shout = mean = halves = Counter = deed
