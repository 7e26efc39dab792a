"""Imports the suite, and looks for it among the modules: would know the hidden tests."""

# expect: failed
import importlib
import sys

sys.path.insert(0, "{ROOT}")

wanted = bytes.fromhex("63616e617279").decode()  # the word itself would be found in this file


def around(text):
    """Return what stands around each find, since messages are cut off."""
    text = str(text)
    lower = text.lower()
    return [text[at - 20 : at + 60] for at in range(len(text)) if lower.startswith(wanted, at)][:9]


def deed(*_):
    seen = [name for name in sys.modules if "suite" in name or "solution" in name]
    raise ValueError(seen + around(vars(importlib.import_module("tests.vault.suite.test_vault"))))


shout = mean = halves = Counter = deed
