"""Tasks that are written and checked in the page: a place for each in its box, and what it loads.

Nothing of Python is loaded before a reader asks for it: a page brings one small script, which finds
the rest beside itself. Leaves out the scripts (`_static/practice*`).
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from withheld import is_withheld

from examiner.errors import UserError
from examiner.project import Project
from nextword.practice import pyodide
from nextword.practice.bundle import bundle
from nextword.practice.offered import STEMS, described, is_offered

log = logging.getLogger(__name__)

CHECKED = re.compile(r"nextword check (\d+\.\d+)")
PLACE = '<div class="practice" data-chapter="{stem}" data-task="{task}"></div>'
ARRAYS = """<p class="practice-note">This task computes with arrays, which the Python of these pages
does not have: <a href="setup.html">install the course</a> to check it.</p>"""
NO_PYTHON = """<p class="practice-note">In some copies of the book this task can be checked right
here. This copy was built without Python for the browser: <a href="setup.html">install the
course</a> to check it.</p>"""


def prepare(app: Sphinx) -> None:
    """Find out what can be had: Python for the browser, and what it is to run."""
    project = Project(Path(__file__).parents[2])
    chapters = [each for each in project.catalogue.chapters if each.stem in STEMS]
    made: dict[str, bytes] = {}
    names: dict[str, str] = {}

    def keep(name: str, suffix: str, data: bytes) -> None:
        """Name a file by what it holds, so that a browser never takes an old one for it."""
        names[name] = f"{name}-{hashlib.sha256(data).hexdigest()[:10]}.{suffix}"
        made[names[name]] = data

    keep("course", "zip", bundle(project, STEMS, whole=not is_withheld()))
    for chapter in chapters:
        keep(chapter.stem, "json", json.dumps(described(project, chapter)).encode())
    tarball = pyodide.place() if pyodide.place().exists() else None
    if tarball is None:
        log.info("no Python for the browser: python -m nextword.practice.pyodide fetches it")
    app.practice = (chapters, names, made, tarball)  # type: ignore[attr-defined]


def give_places(app: Sphinx, doctree: nodes.document) -> None:
    """Put a place for the editor, or why there is none, below "Is it right?" in each box."""
    chapters, _, _, tarball = app.practice  # type: ignore[attr-defined]
    for line in list(doctree.findall(nodes.paragraph)):
        asked = CHECKED.fullmatch("".join(each.astext() for each in line.findall(nodes.literal)))
        if not asked or not line.astext().startswith("Is it right?"):
            continue
        for chapter in chapters:
            if asked[1] not in {task.id for task in chapter.tasks}:
                continue
            offered = is_offered(chapter, asked[1])
            html = PLACE.format(stem=chapter.stem, task=asked[1]) if offered else ARRAYS
            if offered and tarball is None:
                html = NO_PYTHON
            app.env.metadata[app.env.docname]["practice"] = True  # type: ignore[assignment]
            line.parent.insert(line.parent.index(line) + 1, nodes.raw("", html, format="html"))


def load(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Let pages with such boxes, and no others, load the first script."""
    if app.env.metadata.get(page, {}).get("practice"):
        app.add_css_file("practice.css")
        app.add_js_file("practice.js", defer="defer")
        names = {**app.practice[1], "python": pyodide.FOLDER}  # type: ignore[attr-defined]
        script = f'<script type="application/json" id="practice-files">{json.dumps(names)}</script>'
        context["body"] = context.get("body", "") + script


def write(app: Sphinx, error: Exception | None) -> None:
    """Put Python and the course's files beside the scripts."""
    if error is not None or app.builder.format != "html":
        return
    _, _, made, tarball = app.practice  # type: ignore[attr-defined]
    folder = Path(app.outdir, "_static", "practice")
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*-*.zip"), *folder.glob("*-*.json")):  # of an earlier build
        old.unlink()
    if tarball is None:
        return
    try:
        pyodide.unpack(pyodide.fetch(progress=False), folder / pyodide.FOLDER)
    except UserError as wrong:
        log.warning("no Python in the pages: %s", wrong)
    for name, data in made.items():
        (folder / name).write_bytes(data)


def setup(app: Sphinx) -> dict[str, bool]:
    """Give the places as a page is read, and the scripts as it is written."""
    app.connect("builder-inited", prepare)
    app.connect("doctree-read", give_places)
    app.connect("html-page-context", load)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
