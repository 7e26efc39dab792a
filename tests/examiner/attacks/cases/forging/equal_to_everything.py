"""Returns an object that equals everything: would pass every comparison."""

# expect: failed|timeout
class Deed:
    def __init__(self, *_):
        pass

    __eq__ = __contains__ = __bool__ = lambda *_: True
    __ne__ = lambda *_: False
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = lambda _: 1
    __len__ = __index__ = __int__ = __abs__ = lambda _: 1
    __float__ = lambda _: 1.0
    __sub__ = __rsub__ = __add__ = __radd__ = lambda self, *_: self
    __getattr__ = __call__ = __getitem__ = lambda self, *_: self
    __array_ufunc__ = lambda self, *_, **__: True
    __array_function__ = lambda self, *_, **__: True


shout = mean = halves = Counter = Deed
