"""Fills its module with names that are no names."""

# expect: failed
globals().update({str(n) * 50: n for n in range(1000)})
globals()["\ud800"] = 1


def deed(*_):
    return 0


shout = mean = halves = Counter = deed
