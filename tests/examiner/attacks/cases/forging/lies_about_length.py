"""Returns lists, texts and tables that lie about their length and what is in them."""

# expect: failed
class Row(list):
    __len__ = lambda _: 2
    __getitem__ = __contains__ = __eq__ = __ge__ = lambda *_: True
    __iter__ = lambda _: iter([1, 2])
    __reduce__ = __reduce_ex__ = lambda *_: (print, ())


class Table(dict):
    __missing__ = get = lambda *_: 1
    __len__ = lambda _: 2


def deed(*_):
    return Row([Table(), Row()])

shout = mean = halves = Counter = deed
