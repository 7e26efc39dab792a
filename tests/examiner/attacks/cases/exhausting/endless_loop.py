"""Loops for ever."""

# expect: timeout
def deed(*_):
    while True:
        pass


shout = mean = halves = Counter = deed
