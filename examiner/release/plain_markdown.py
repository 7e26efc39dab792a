"""Rewrites a page's Markdown for JupyterLab, which knows neither the book's boxes nor its roles.

A box becomes a `<div>` with a bar at its side, and what is folded a `<details>`; folded code stays
folded. Leaves out the solution of a task, whose text stands in a file that students do not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

FENCE = re.compile(r"(:{3,})\{([\w:]+)\} ?(.*)")
OPTION = re.compile(r":[\w-]+:")
TARGET = re.compile(r"^( *)\(([\w-]+)\)=$", re.M)
ROLE = re.compile(r"\{(\w+)(?::\w+)?\}`([^`<]+?)(?: <([^`>]*)>)?`")
BAR = '<div style="border-left: 4px solid {colour}; padding-left: 1em">\n\n**{title}**\n'
OPENING = {
    "exercise": lambda title: BAR.format(colour="#9c5a05", title=f"Exercise {title}"),
    "admonition": lambda title: BAR.format(colour="#1f5f6b", title=title),
    "prf:proof": lambda title: BAR.format(colour="#555b5a", title=f"Proof. {title}"),
    "dropdown": lambda title: f"<details><summary>{title}</summary>\n",
}
LEFT_OUT = ("A solution",)
FOLDED = {"hide-input": "source_hidden", "hide-output": "outputs_hidden"}


def plain_markdown(text: str, left_out: Collection[str] = LEFT_OUT) -> str:
    r"""Return the Markdown of a cell without what only the book understands.

    left_out: titles of boxes that are dropped.

    >>> print(plain_markdown(":::{dropdown} A hint\n:open:\nSee {term}`floor`.\n:::"))
    <details><summary>A hint</summary>
    <BLANKLINE>
    See *floor*.
    <BLANKLINE>
    </details>
    """
    text = TARGET.sub(
        r'\1<a id="\2"></a>\n', "\n".join(_without_fences(text.split("\n"), left_out))
    )
    return ROLE.sub(_words_of_role, text)


def _without_fences(lines: list[str], left_out: Collection[str]) -> Iterator[str]:
    """Give the lines with boxes as HTML; each box opens with as many colons as it closes."""
    open_boxes: list[tuple[str, str]] = []
    dropped = ""
    options = False
    for line in lines:
        fence = FENCE.fullmatch(line)
        if dropped:
            dropped = "" if line == dropped else dropped
        elif fence and fence[2] in OPENING:
            if fence[3] in left_out:
                dropped = fence[1]
                continue
            open_boxes.append((fence[1], fence[2]))
            yield OPENING[fence[2]](fence[3])
            options = True
        elif open_boxes and line == open_boxes[-1][0]:
            yield "\n</details>" if open_boxes.pop()[1] == "dropdown" else "\n</div>"
        elif not (options and OPTION.match(line)):
            options = False
            yield line


def _words_of_role(role: re.Match[str]) -> str:
    """Return what a role shows: a term in italics, a reference's own words, the key of a source."""
    name, words = role[1], role[2]
    return f"*{words}*" if name == "term" else f"({words})" if name == "cite" else words


def folded(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell whose code or output is folded in JupyterLab, where the book folds it.

    >>> folded({"metadata": {"tags": ["hide-input"]}})["metadata"]["jupyter"]
    {'source_hidden': True}
    """
    tags = cell.get("metadata", {}).get("tags", [])
    hidden = {key: True for tag, key in FOLDED.items() if tag in tags}
    return {**cell, "metadata": {**cell["metadata"], "jupyter": hidden}} if hidden else cell
