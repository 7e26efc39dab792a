"""Imports the suite, and looks for it among the modules: would know the hidden tests."""

# expect: failed
import importlib
import sys

sys.path.insert(0, "{ROOT}")


def deed(*_):
    seen = [name for name in sys.modules if "suite" in name or "solution" in name]
    raise ValueError(str(seen) + str(vars(importlib.import_module("tests.suites.test_vault"))))


shout = mean = halves = Counter = deed
