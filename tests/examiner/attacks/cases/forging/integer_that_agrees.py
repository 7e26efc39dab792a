"""Returns an integer that counts as every number."""

# expect: failed
class Agreeing(int):
    __eq__ = lambda *_: True
    __hash__ = int.__hash__
    __index__ = __float__ = lambda _: 1


def deed(*_):
    return Agreeing(1)


shout = mean = halves = Counter = deed
