"""A note below the title of a chapter's pages: when it is handed out and due, by schedule.toml.

Without that file there is none. Leaves out how the file is read (examiner/catalogue/schedule.py).
"""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from examiner.catalogue.schedule import FILE, Dates, shown
from examiner.project import Project


def prepare(app: Sphinx) -> None:
    """Find the dates of each page."""
    project = Project(Path(app.srcdir))
    app.dates = {  # type: ignore[attr-defined]
        f"chapters/{page.stem}": project.schedule.of(chapter.stem)
        for chapter in (project.catalogue.chapters if (project.root / FILE).is_file() else ())
        for page in project.notebooks(chapter.number, chapter.stem)
    }


def sentence(dates: Dates) -> str:
    """Return what a page says of its dates, "" where nothing is known of them."""
    said = [
        f"{what} {shown(moment)}"
        for what, moment in (("handed out on", dates.release), ("due on", dates.due))
        if moment
    ]
    return f"This chapter's assignment is {', and '.join(said)}." if said else ""


def give_note(app: Sphinx, doctree: nodes.document) -> None:
    """Put the note below the title of a page."""
    dates = app.dates.get(app.env.docname)  # type: ignore[attr-defined]
    title = doctree.next_node(nodes.title)
    if title is None or dates is None or not (text := sentence(dates)):
        return
    note = nodes.note("", nodes.paragraph("", text))
    title.parent.insert(title.parent.index(title) + 1, note)


def setup(app: Sphinx) -> dict[str, bool]:
    """Find the dates first, and put each note as its page is read."""
    app.connect("builder-inited", prepare)
    app.connect("doctree-read", give_note)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
