"""Returns a sequence of a million items each of which is that sequence again."""

# expect: failed|timeout
class Thing:
    __len__ = lambda _: 1 << 20
    __getitem__ = lambda self, _: self

    def __iter__(self):
        while True:
            yield self


def deed(*_):
    return Thing()

shout = mean = halves = Counter = deed
