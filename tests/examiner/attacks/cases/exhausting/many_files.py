"""Makes files without end."""

# expect: failed
import itertools


def deed(*_):
    for number in itertools.count():
        with open(f"hoard-{number}", "wb"):
            pass


shout = mean = halves = Counter = deed
