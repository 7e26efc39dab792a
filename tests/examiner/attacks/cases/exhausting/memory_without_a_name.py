"""Takes memory in files without a name, which no limit counts."""

# expect: failed
import os


def deed(*_):
    while True:
        number = os.memfd_create("hoard")
        os.write(number, bytes(1 << 24))


shout = mean = halves = Counter = deed
