"""Opens the suite by its path and tells it in an error: would know every hidden test."""

# expect: failed
from pathlib import Path


def deed(*_):
    raise ValueError(Path("{ROOT}/tests/suites/test_vault.py").read_text())


shout = mean = halves = Counter = deed
