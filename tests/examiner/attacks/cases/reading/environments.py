"""Reads the environment, its own and others': would find tokens."""

# expect: failed
import os
from pathlib import Path

wanted = bytes.fromhex("63616e617279").decode()  # the word itself would be found in this file


def around(text):
    """Return what stands around each find, since messages are cut off."""
    text = str(text)
    lower = text.lower()
    return [text[at - 20 : at + 60] for at in range(len(text)) if lower.startswith(wanted, at)][:9]


def deed(*_):
    others = [path.read_bytes() for path in Path("/proc").glob("*/environ")]
    raise ValueError(around(dict(os.environ)) + around(others))


shout = mean = halves = Counter = deed
