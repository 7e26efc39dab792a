"""Returns iterators that never end, where a list is asked for."""

# expect: failed failed|timeout failed
import itertools


class Deed:
    def __init__(self, *_):
        pass

    def __iter__(self):
        return itertools.count()

    __len__ = lambda _: 1 << 60
    __getitem__ = lambda self, key: key


shout = mean = halves = Counter = Deed
