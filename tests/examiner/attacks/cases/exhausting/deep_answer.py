"""Answers with lists in lists in lists."""

# expect: failed
def deed(*_):
    nest = []
    for _ in range(100_000):
        nest = [nest]
    return nest


shout = mean = halves = Counter = deed
