"""Reads the secret from which hidden inputs are drawn: would know them all."""

# expect: failed
from pathlib import Path


def deed(*_):
    raise ValueError(Path("{ROOT}/.nextword/grading-seed").read_text())


shout = mean = halves = Counter = deed
