"""Bounds what a page shows of a notebook, so that it is made soon whatever a student handed in.

The server that makes a marker's page does nothing else meanwhile. Nothing is cut but what is shown;
what belongs to marks goes first. Leaves out pictures, which a page shows as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nbformat.notebooknode import NotebookNode

MAX_SOURCES = 500_000  # characters of all cells together
MAX_OUTPUTS = 500_000  # characters of all outputs together
MAX_CODES = 5_000  # terminal codes, such as colours, in them
CODE = "\x1b"


@dataclass
class Room:
    """How much may still be shown."""

    characters: int
    codes: int = 0

    def cut(self, text: str) -> str:
        """Return as much of a text as there is room for, and say where it was cut off."""
        if text.count(CODE) > self.codes:
            text = text.replace(CODE, "")
        shown = text[: self.characters]
        self.codes -= shown.count(CODE)
        self.characters -= len(shown)
        if len(shown) == len(text):
            return text
        return f"{shown}\n… {len(text) - len(shown):,} more characters are not shown here …"


def bound(cells: list[NotebookNode]) -> None:
    """Cut off, in place, what goes beyond the bounds."""
    sources, outputs = Room(MAX_SOURCES), Room(MAX_OUTPUTS, MAX_CODES)
    for cell in _marked_first(cells):
        cell.source = sources.cut(cell.source)
        for output in cell.get("outputs", []):
            _cut(output, outputs)


def _marked_first(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    yield from (cell for cell in cells if "nbgrader" in cell.metadata)
    yield from (cell for cell in cells if "nbgrader" not in cell.metadata)


def _cut(output: NotebookNode, room: Room) -> None:
    if "text" in output:
        output.text = room.cut(output.text)
    if "traceback" in output:
        output.traceback = [room.cut("\n".join(output.traceback))]
    if "text/plain" in output.get("data", {}):
        output.data["text/plain"] = room.cut(output.data["text/plain"])
