"""What a spreadsheet is given: numbers as they are written, text that it does not compute."""

from __future__ import annotations

import re

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # and their wide forms
CONTROL = ("\t", "\r", "\n")
# a spreadsheet in another language parts cells there, whatever the file is parted by
_IN_THE_MIDDLE = re.compile(rf"([;,\t\r\n]\s*)(?=[{re.escape(''.join(FORMULA))}])")


def number(points: float, *, comma: bool = False) -> str:
    """Return points without a superfluous .0 and without digits that no one gave.

    >>> number(12.0), number(37.333333333), number(1.5, comma=True)
    ('12', '37.33', '1,5')
    """
    text = f"{points:.2f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def harmless(text: str) -> str:
    """Return text that a spreadsheet shows and does not compute: names are what students choose.

    >>> harmless("=1+1"), harmless("O'Neil"), harmless("007"), harmless("x;=1+1;y")
    ("'=1+1", "O'Neil", '007', "x;'=1+1;y")
    """
    text = _IN_THE_MIDDLE.sub(r"\1'", text)
    return f"'{text}" if text.lstrip().startswith(FORMULA) or text[:1] in CONTROL else text
