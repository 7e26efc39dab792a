"""Returns nothing, and empty things: a loop over them compares nothing."""

# expect: failed
import itertools

things = itertools.cycle([None, [], {}, "", 0, (), set()])


def deed(*_):
    return next(things)


shout = mean = halves = Counter = deed
