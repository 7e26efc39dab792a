"""Which documents the book is printed as, by its table of contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

UNPRINTED = {"quick-questions"}  # only a browser fills this list; the answers are an appendix
WHOLE = "next-word"


def documents(root: Path) -> dict[str, list[str]]:
    """Return the pages of each document: the whole book, and each chapter by itself."""
    import yaml

    return listed(yaml.safe_load((root / "_toc.yml").read_text("utf-8")))


def listed(contents: dict[str, Any]) -> dict[str, list[str]]:
    """Return the pages of each document, from what _toc.yml holds.

    >>> chapters = [{"file": "chapters/06-b"}, {"file": "chapters/06-b-more"}]
    >>> listed({"root": "chapters/index", "parts": [{"chapters": chapters}]})
    {'next-word': ['index', '06-b', '06-b-more'], '06-b': ['06-b', '06-b-more']}
    """
    files = [contents["root"], *(c["file"] for part in contents["parts"] for c in part["chapters"])]
    names = [name for name in (Path(file).name for file in files) if name not in UNPRINTED]
    found = {WHOLE: names}
    for first in names:
        number = first[:2]
        if number.isdigit() and not any(pages[0][:2] == number for pages in found.values()):
            found[first] = [name for name in names if name.startswith(f"{number}-")]
    return found
