"""Answers with more than a message may hold."""

# expect: failed|timeout missing missing
def deed(*_):
    return "x" * (80 << 20)


shout = deed
