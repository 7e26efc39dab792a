"""Brings what the figures to touch are made of up to date: the script and style in stored outputs,
and the village's programs in JavaScript."""

from __future__ import annotations

import json
from pathlib import Path

from nextword.explorables import refreshed

STORIES = Path("nextword") / "explorables" / "stories.js"
MARK = 'class=\\"nw-x\\"'  # how an explorable begins, inside a notebook's file


def with_scripts(text: str) -> str:
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
