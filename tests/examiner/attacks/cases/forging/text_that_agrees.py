"""Returns a string that equals every string."""

# expect: failed
class Agreeing(str):
    __eq__ = lambda *_: True
    __ne__ = lambda *_: False
    __hash__ = str.__hash__


def deed(*_):
    return Agreeing("x")


shout = mean = halves = Counter = deed
