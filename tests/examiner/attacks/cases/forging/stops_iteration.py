"""Raises StopIteration: would end a loop of the test before it has looked at anything."""

# expect: failed
def deed(*_):
    raise StopIteration

shout = mean = halves = Counter = deed
