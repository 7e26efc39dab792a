"""What `nextword sync` keeps up to date besides: the script and style of the figures to touch in
stored outputs, the village's programs in JavaScript, the picture of the ladder that the README
shows, and the page of all claims. The course's settings name this module."""

from __future__ import annotations

import json
from pathlib import Path

from nextword.claims import book
from nextword.explorables import refreshed
from nextword.explorables.stories import program
from nextword.models import checkpoints
from nextword.models.store import FOLDER, RUNGS
from nextword.plots import falling

STORIES = Path("nextword") / "explorables" / "stories.js"
LADDER = Path("chapters") / "_static" / "ladder.svg"
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
    """Return the stories in JavaScript, the ladder's picture and the page of claims."""
    made = {}
    if (root / STORIES).is_file():
        made[root / STORIES] = program()
    if (root / FOLDER / RUNGS).is_dir() and (root / LADDER).parent.is_dir():
        made[root / LADDER] = falling.wide(shipped_ladder(root), alone=True) + "\n"
    if claims := list(book.stated(root / "chapters")):
        made[root / book.PAGE] = book.page(claims)
    return made


def shipped_ladder(root: Path) -> falling.Ladder:
    """What the book's first picture shows of the ladder: as it was measured when it was shipped."""
    known = checkpoints.ladder(root / FOLDER)
    above = {row.name: row.gap_percent for row in known.rows if row.gap_percent is not None}
    return falling.Ladder(above, known.floor or 1.0)
