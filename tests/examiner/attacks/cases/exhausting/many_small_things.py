"""Answers with millions of empty lists, each of which is larger for its reader."""

# expect: crashed|timeout
def deed(*_):
    return [[]] * (5 << 20)


shout = mean = halves = Counter = deed
