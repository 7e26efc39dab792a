"""Packs feedback into the zip in which a learning platform takes it, by the names of its download.

Moodle ("Upload multiple feedback files in a zip", mod/assign/feedback/file/importziplib.php) finds
a student by the folder's or file's name up to its third underscore, and keeps the rest as a name.
Canvas ("Upload Submissions", app/models/assignment.rb) finds student and file by the two numbers in
the file's name, and shows the upload under the name of that file: so what is sent back has the
form that its ending says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path, PurePath

from examiner.errors import unwritable
from examiner.files import SHARED, pack, pack_into, whole_file
from examiner.grading.downloads import CANVAS, MOODLE
from examiner.grading.works import Entry

FEEDBACK = "feedback.html"
_SILENT = ("title", "style", "script")  # of a page
_INLINE = ("a", "b", "code", "em", "i", "img", "span", "strong", "sub", "sup")
_BEST = (".zip", ".ipynb", ".py", ".txt", ".md")  # of a student's files, to be sent back


def write_uploads(
    folder: Path, entries: Iterable[Entry], page_of: Callable[[str], str | None]
) -> tuple[Path, ...]:
    """Write a zip per platform that the works came from; return their paths.

    `page_of` gives a student's feedback as HTML, or None where there is none; it is asked for one
    after the other. Raises UserError where a zip cannot be written.
    """
    by_platform: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        if entry.platform in _NAMES and entry.labels:
            name = _NAMES[entry.platform](entry)
            # a name that is not UTF-8 cannot stand in a zip; platforms look at its numbers
            shown = name.encode("utf-8", errors="replace").decode("utf-8")
            by_platform.setdefault(entry.platform, {})[shown] = entry
    made = []
    for platform, named in by_platform.items():
        path = folder / f"feedback-for-{platform}.zip"
        pages = (
            (name, _CONTENTS[platform](name, page))
            for name, entry in named.items()
            if (page := page_of(entry.student)) is not None
        )
        first = next(pages, None)
        if first is None:
            continue
        try:
            with whole_file(path, mode=SHARED) as file:
                pack_into(file, chain([first], pages))
        except OSError as error:
            raise unwritable(path, error) from None
        made.append(path)
    return tuple(made)


def _moodle_name(entry: Entry) -> str:
    label = sorted(entry.labels, key=lambda name: _own_part(name) != "")[0]
    own = _own_part(label)
    return f"{label.removesuffix(own)}{FEEDBACK}" if own else f"{label}/{FEEDBACK}"


def _own_part(label: str) -> str:
    """Return the student's part of a file's name: what follows the fourth underscore."""
    return "".join(label.split("_", 4)[4:])


def _canvas_name(entry: Entry) -> str:
    endings = [PurePath(label).suffix.lower() for label in entry.labels]
    best = next((end for end in _BEST if end in endings), endings[0])
    return entry.labels[endings.index(best)]


def _for_moodle(name: str, page: str) -> bytes:
    return page.encode()


def _for_canvas(name: str, page: str) -> bytes:
    """Return feedback in the form that the ending of a file's name says."""
    ending = PurePath(name).suffix.lower()
    if ending == ".zip":
        return pack({FEEDBACK: page.encode()})
    if ending in (".html", ".htm"):
        return page.encode()
    text = plain_text(page)
    if ending == ".ipynb":
        cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": text}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(notebook, indent=1, ensure_ascii=False).encode()
    if ending == ".py":
        text = "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines())
    return text.encode()


_NAMES = {MOODLE: _moodle_name, CANVAS: _canvas_name}
_CONTENTS = {MOODLE: _for_moodle, CANVAS: _for_canvas}


class _Reader(HTMLParser):
    """Gathers what a page says, a line for each of its blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._silent += tag in _SILENT
        self.said += ["\n"] * (tag not in _INLINE)

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT and self._silent > 0
        self.said += ["\n"] * (tag not in _INLINE)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.said.append(data)


def plain_text(page: str) -> str:
    """Return what a page of HTML says.

    >>> plain_text("<title>x</title><h1>Ada</h1><p>4 <b>of</b> 5</p><pre>a\\n  b</pre>")
    'Ada\\n4 of 5\\na\\n  b\\n'
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    lines = "".join(reader.said).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines if line.strip())
