"""Fails with a message of hundreds of megabytes."""

# expect: failed|timeout|memory
class Long(ValueError):
    def __str__(self):
        return "x" * (300 << 20)


def deed(*_):
    raise Long


shout = mean = halves = Counter = deed
