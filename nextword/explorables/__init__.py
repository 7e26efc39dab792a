"""Figures of the book that a reader can touch. Leaves out: what each one does, which is its own
JavaScript file in this folder.

    explorables.show("discount", title, numbers, still=plots.next_words(…), alt="…")

`bundle` joins a file with those that it imports, `figure` makes the output of a cell. The village
runs in a page too: `translate` writes its story programs in JavaScript, and `world` its lists.
"""

from nextword.explorables.figure import Explorable, refreshed, show
from nextword.explorables.stories import world

__all__ = ["Explorable", "refreshed", "show", "world"]
