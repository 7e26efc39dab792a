"""Changes numpy, msgpack and the course's own package on disk."""

# expect: failed
import msgpack
import numpy

import nextword


def deed(*_):
    for module in (numpy, msgpack, nextword):
        with open(module.__file__, "a") as file:
            file.write("import os; os._exit(0)")
    return 0


shout = mean = halves = Counter = deed
