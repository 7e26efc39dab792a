"""Opens the suite by its path and tells it in an error: would know every hidden test."""

# expect: failed
from pathlib import Path

wanted = bytes.fromhex("63616e617279").decode()  # the word itself would be found in this file


def around(text):
    """Return what stands around each find, since messages are cut off."""
    text = str(text)
    lower = text.lower()
    return [text[at - 20 : at + 60] for at in range(len(text)) if lower.startswith(wanted, at)][:9]


def deed(*_):
    raise ValueError(around(Path("{ROOT}/tests/vault/suite/test_vault.py").read_text()))


shout = mean = halves = Counter = deed
