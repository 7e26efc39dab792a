"""Forks without end."""

# expect: failed
import os


def deed(*_):
    while True:
        os.fork()


shout = mean = halves = Counter = deed
