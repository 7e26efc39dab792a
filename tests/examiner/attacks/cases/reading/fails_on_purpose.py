"""Fails with the hidden input as its message: would read it in the feedback."""

# expect: failed
def deed(*args):
    raise ValueError(f"the input was {args!r}")


shout = mean = halves = Counter = deed
