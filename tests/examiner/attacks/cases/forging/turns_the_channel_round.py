"""Puts a file without end in the place of every open descriptor, the channel among them."""

# expect: crashed
import os


def deed(*_):
    zero = os.open("/dev/zero", os.O_RDWR)
    for descriptor in range(3, 64):
        if descriptor != zero:
            os.dup2(zero, descriptor)
    return True


shout = mean = halves = Counter = deed
