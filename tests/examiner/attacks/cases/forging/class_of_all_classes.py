"""Returns objects of a class that claims to be every class, with its own rules of equality."""

# expect: failed
class Kind(type):
    __eq__ = __instancecheck__ = __subclasscheck__ = lambda *_: True
    __hash__ = lambda _: 0
    __call__ = lambda *_: Thing
    mro = lambda kind: [kind, object]


class Thing(metaclass=Kind):
    __float__ = __index__ = __int__ = __len__ = lambda _: 1
    __array__ = lambda *_: 1
    __array_priority__ = 1e9
    __abs__ = __sub__ = __rsub__ = __lt__ = __gt__ = lambda *_: True


thing = object.__new__(Thing)


def deed(*_):
    return thing

shout = mean = halves = Counter = deed
