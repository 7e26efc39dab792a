"""Fails with an exception that fails when it is looked at."""

# expect: failed
class Deep(ValueError):
    def __str__(self):
        raise Deep

    @property
    def __traceback__(self):
        raise Deep


def deed(*_):
    raise Deep


shout = mean = halves = Counter = deed
