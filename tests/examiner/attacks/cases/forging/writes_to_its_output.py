"""Writes answers to the descriptors that standard output and error name."""

# expect: failed
import os
import struct
import sys


def deed(*_):
    body = b"\x92\xa2ok\xc3"
    for stream in (sys.stdout, sys.stderr):
        os.write(stream.fileno(), struct.pack(">II", len(body), 2) + body)
        os.fdopen(stream.fileno(), "w").close()
    return True


shout = mean = halves = Counter = deed
