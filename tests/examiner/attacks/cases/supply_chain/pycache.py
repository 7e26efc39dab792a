"""Brings a forged __pycache__ of its own module."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
