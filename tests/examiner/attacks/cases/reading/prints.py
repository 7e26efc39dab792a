"""Prints the hidden inputs, to both streams and past Python."""

# expect: failed
import logging
import os
import sys
import warnings


def deed(*args):
    print(args)
    print(args, file=sys.stderr)
    os.write(1, str(args).encode())
    os.write(2, str(args).encode())
    sys.__stdout__.write(str(args)) if sys.__stdout__ else None
    warnings.warn(str(args))
    logging.error(str(args))
    return str(args)


shout = mean = halves = Counter = deed
