"""Returns an object that pretends to be a string."""

# expect: failed
class Pretending:
    __class__ = str
    __eq__ = lambda *_: True
    __hash__ = lambda _: 0


def deed(*_):
    return Pretending()


shout = mean = halves = Counter = deed
