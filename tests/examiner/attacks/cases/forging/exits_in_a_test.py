"""Ends the process with success in the middle of a test."""

# expect: crashed
import os


def deed(*_):
    os._exit(0)


shout = mean = halves = Counter = deed
