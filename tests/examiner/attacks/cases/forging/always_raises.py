"""Raises the error that some test asks for, always."""

# expect: failed
def deed(*_):
    raise TypeError("as you wish")


shout = mean = halves = Counter = deed
