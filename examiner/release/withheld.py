"""Takes out of pages and catalogues what a class is to find by itself: solutions, the last hints.

Touches no files. What stays keeps its place and its labels, so that every address stays the same.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from examiner.release.exercises import HINTS, SOLUTION

BOX = re.compile(r"(:{3,})\{dropdown\} ?(.*)")
NUMBERED = re.compile(r"Solution (\d+)")
KEPT_BACK = "This copy of the book keeps the last hint and the solution back."
NUMBERED_KEPT_BACK = "This copy of the book keeps solution {number} back."
NO_HINT = "This copy of the course keeps the last hint back."
IN_CODE = re.compile(r"^# Solution \d+\b.*\Z", re.M | re.S)  # to the end of its cell


def without_solutions(cell: str) -> str:
    """Return a text cell's Markdown without its last hint and its solutions.

    >>> print(without_solutions(":::{dropdown} Solution 3\\nForty-two.\\n:::"))
    This copy of the book keeps solution 3 back.
    """
    return "\n".join(_replaced(cell.split("\n"), _said_instead))


def _said_instead(title: str) -> str | None:
    """Return what stands where a box of this title stood; None where the box stays."""
    if title == HINTS[-1]:
        return ""
    if title == SOLUTION:
        return KEPT_BACK
    numbered = NUMBERED.fullmatch(title)
    return NUMBERED_KEPT_BACK.format(number=numbered[1]) if numbered else None


def _replaced(lines: list[str], instead: Callable[[str], str | None]) -> Iterator[str]:
    closing = ""
    for line in lines:
        box = BOX.fullmatch(line)
        if closing:
            closing = "" if line == closing else closing
        elif box and (said := instead(box[2])) is not None:
            closing = box[1]
            yield said
        else:
            yield line


def page_without_solutions(text: str) -> str:
    """Return a page of the book, the text of its notebook, without last hints and solutions."""
    notebook: dict[str, Any] = json.loads(text)
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            source = IN_CODE.sub("", source).rstrip("\n")
        else:
            source = without_solutions(source)
        cell["source"] = source.splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def catalogue_without_last_hints(text: str) -> str:
    """Return a chapter's file of the catalogue in which no task has its last hint.

    >>> print(catalogue_without_last_hints('stem = "a"\\n[[tasks]]\\nhints = ["x", "y", "z"]'))
    stem = "a"
    <BLANKLINE>
    [[tasks]]
    hints = ["x", "y", "This copy of the course keeps the last hint back."]
    <BLANKLINE>
    """
    chapter = tomllib.loads(text)
    tasks = chapter.pop("tasks", [])
    parts = [_table(chapter)]
    for task in tasks:
        said = {**task, "hints": [*task["hints"][:-1], NO_HINT]} if "hints" in task else task
        parts.append(f"[[tasks]]\n{_table(said)}")
    return "\n".join(parts)


def _table(values: dict[str, Any]) -> str:
    # texts, numbers and lists of them are written alike in JSON and in TOML
    return "".join(f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in values.items())
