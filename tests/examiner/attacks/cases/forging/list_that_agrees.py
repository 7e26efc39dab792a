"""Returns lists, dicts and tuples that equal everything."""

# expect: failed
class Agreeing(list):
    __eq__ = __contains__ = lambda *_: True
    __hash__ = lambda _: 1


class AgreeingDict(dict):
    __eq__ = lambda *_: True
    __missing__ = lambda self, key: key


def deed(*_):
    return Agreeing([AgreeingDict()])


shout = mean = halves = Counter = deed
