"""What the examiner's small courses are made of: a catalogue, and files in a folder."""

from collections.abc import Mapping
from pathlib import Path

TASK = """[[tasks]]
id = "{id}"
title = "{title}"
symbols = [{symbols}]
see = "section {id}"
points = {points}
minutes = 5
difficulty = "easy"
hints = ["a", "b", "c"]
"""


def catalogue_text(stem: str, tasks: Mapping[str, tuple[int, str]]) -> str:
    """Return the catalogue of chapter 9: by title the points of each task, and its symbols."""
    text = f'stem = "{stem}"\nnumber = 9\ntitle = "{stem.title()}"\n'
    for number, (title, (points, symbols)) in enumerate(tasks.items(), 1):
        quoted = ", ".join(f'"{symbol}"' for symbol in symbols.split())
        text += TASK.format(id=f"9.{number}", title=title, symbols=quoted, points=points)
    return text


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Write texts by their paths in a folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
