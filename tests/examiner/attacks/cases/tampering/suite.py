"""Replaces the suite by one that asks for nothing."""

# expect: failed
from pathlib import Path


def deed(*_):
    Path("{ROOT}/tests/vault/suite/test_vault.py").write_text("")
    return 0


shout = mean = halves = Counter = deed
