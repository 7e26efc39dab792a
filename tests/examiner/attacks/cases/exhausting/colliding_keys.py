"""Answers with a set of numbers whose hashes are all the same: slow to read."""

# expect: failed
def deed(*_):
    return {n * (2**61 - 1) for n in range(1, 3000)} | set(range(20))


shout = mean = halves = Counter = deed
