"""Returns a float whose comparisons all say yes."""

# expect: failed
class Agreeing(float):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda *_: True
    __ne__ = lambda *_: False
    __hash__ = float.__hash__
    __sub__ = __rsub__ = __abs__ = lambda self, *_: self


def deed(*_):
    return Agreeing(7)


shout = mean = halves = Counter = deed
