"""Answers with an object whose difference to anything is 0, and which is smaller and larger."""

# expect: failed
class Deed:
    def __init__(self, *_):
        pass

    __sub__ = __rsub__ = __abs__ = __getitem__ = lambda *_: 0.0
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = lambda *_: True
    __len__ = lambda _: 0
    __iter__ = lambda _: iter(())


shout = mean = halves = Counter = Deed
