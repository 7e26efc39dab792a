"""Answers with more than a message may hold."""

# expect: failed|timeout
def deed(*_):
    return "x" * (80 << 20)


shout = mean = halves = Counter = deed
