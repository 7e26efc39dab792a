"""Brings a conftest.py that lets every test pass."""

# expect: failed
def deed(*_):
    return 0


shout = mean = halves = Counter = deed
