"""Answers with thousands of objects of its own."""

# expect: failed|timeout
class Thing:
    pass


def deed(*_):
    return [Thing() for _ in range(5_000)]


shout = mean = halves = Counter = deed
