"""Typesets the built book as PDF; the only room that needs a browser.

`documents` says what is printed, `manuscript` makes one document of its pages, `moved` the
appendices, and `typeset` prints it.
"""

from nextword.press.documents import documents
from nextword.press.manuscript import manuscript
from nextword.press.typeset import printer, typeset

__all__ = ["documents", "manuscript", "printer", "typeset"]
