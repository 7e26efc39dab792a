"""Fails with what is no text: halves of characters."""

# expect: failed
def deed(*_):
    raise ValueError("\ud800\udfff \udc80")


shout = mean = halves = Counter = deed
