"""What `nextword sync` keeps up to date of the figures to touch: the script and style in stored
outputs, and the village's programs in JavaScript. The course's settings name this module."""

from __future__ import annotations

import json
from pathlib import Path

from nextword.explorables import refreshed
from nextword.explorables.stories import program

STORIES = Path("nextword") / "explorables" / "stories.js"
MARK = 'class=\\"nw-x\\"'  # how an explorable begins, inside a notebook's file


def page(text: str) -> str:
    """Return a notebook's text, each stored explorable with today's script around its numbers.

    So an edit of a script needs no new run of the page. A notebook without one stays as it is.
    """
    if MARK not in text:
        return text
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if html := output.get("data", {}).get("text/html"):
                whole = html if isinstance(html, str) else "".join(html)
                output["data"]["text/html"] = refreshed(whole).splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def files(root: Path) -> dict[Path, str]:
    """Return the village's stories in JavaScript, where the course folder holds them."""
    path = root / STORIES
    return {path: program()} if path.is_file() else {}
