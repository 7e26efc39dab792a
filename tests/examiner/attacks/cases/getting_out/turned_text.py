"""Fails with marks that turn text around or hide it."""

# expect: failed
def deed(*_):
    raise ValueError("\u202epassed\u202c \u2066x\u2069 \u200bz\ufeff")


shout = mean = halves = Counter = deed
