"""Quick questions: each gets an address, and one page lists them all, chapter by chapter.

A question is a cell of a notebook, and is known by the id of its cell: that stays when its text is
edited or moved. Leaves out what happens when a reader answers: `_static/quizzes.js`.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

BOX = '<div class="quiz">'
REVIEW = "quick-questions"
QUESTION = re.compile(re.escape(BOX) + r"\s+\*\*Quick question\.\*\* (.+?)\s+<details ", re.S)


@dataclass(frozen=True)
class Question:
    """What the list says of a question: its cell, the section that asks it, and its Markdown."""

    id: str
    section: str
    text: str

    @property
    def anchor(self) -> str:
        """The id of the question's box in its page."""
        return f"quick-{self.id}"


def markdown_cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """Give the id and the text of each Markdown cell."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            yield cell["id"], "".join(cell["source"])


def questions(notebook: Path) -> list[Question]:
    """List the quick questions of a notebook, in the order of the page."""
    found, section = [], ""
    for cell, text in markdown_cells(notebook):
        if heading := re.search(r"^## (.+)$", text, re.M):
            section = heading[1]
        if text.startswith(BOX):
            asked = QUESTION.match(text)
            if asked is None or text.count(BOX) > 1:
                raise ValueError(f"{notebook.name}: cell {cell} is not one quick question")
            found.append(Question(cell, section, asked[1]))
    return found


def title(notebook: Path) -> str:
    """Return the first heading of a notebook."""
    text = "\n".join(text for _, text in markdown_cells(notebook))
    return re.search(r"^# (.+)$", text, re.M)[1]


def chapters(folder: Path) -> dict[str, list[Path]]:
    """Return the notebooks of each chapter in reading order, by its number: {"2": [...]}."""
    found: dict[str, list[Path]] = {}
    for notebook in sorted(folder.glob("[0-9][0-9]-*.ipynb"), key=lambda path: path.stem):
        found.setdefault(str(int(notebook.stem[:2])), []).append(notebook)
    return found


# ---------------------------------------------------------------- in the chapters


def give_addresses(app: Sphinx, doctree: nodes.document) -> None:
    """Write an id into each question's box, and the ids of the whole chapter behind the page."""
    page = Path(app.env.doc2path(app.env.docname))
    pages = chapters(page.parent).get(str(int(page.stem[:2])) if page.stem[:2].isdigit() else "")
    if not pages or page not in pages:
        return
    boxes = [raw for raw in doctree.findall(nodes.raw) if raw.astext().strip() == BOX]
    for question, box in zip(questions(page), boxes, strict=True):
        html = f'<div class="quiz" id="{question.anchor}">'
        box.replace_self(nodes.raw("", html, format="html"))
    for other in pages:
        app.env.note_dependency(str(other))
    chapter = {
        "questions": [question.id for each in pages for question in questions(each)],
        "review": f"{REVIEW}.html#questions-{int(page.stem[:2])}",
    }
    script = f'<script type="application/json" id="quiz-chapter">{json.dumps(chapter)}</script>'
    doctree += nodes.raw("", script, format="html")


# ---------------------------------------------------------------- the list of all


class QuickQuestions(SphinxDirective):
    """Lists the questions of all chapters, each with a link to its place."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each chapter."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        return [self._chapter(number, pages) for number, pages in chapters(folder).items()]

    def _chapter(self, number: str, pages: list[Path]) -> nodes.section:
        heading = title(pages[0]).partition(":")[0]  # the name of the chapter, without its motto
        section = nodes.section(ids=[f"questions-{number}"], names=[f"questions-{number}"])
        section += nodes.title("", heading)
        rows = nodes.bullet_list(classes=["questions"])
        for page in pages:
            self.env.note_dependency(str(page))
            rows += [self._row(page, question) for question in questions(page)]
        section += rows
        return section

    def _row(self, page: Path, question: Question) -> nodes.list_item:
        row = nodes.list_item(ids=[f"review-{question.id}"])
        self.state.nested_parse(StringList(question.text.splitlines(), page.name), 0, row)
        where = nodes.paragraph(classes=["where"])
        where += nodes.reference(
            "", question.section, refuri=f"{page.stem}.html#{question.anchor}", internal=True
        )
        row += where
        return row


def setup(app: Sphinx) -> dict[str, bool]:
    """Give addresses to the questions of a page, and a directive that lists those of all."""
    app.connect("doctree-read", give_addresses)
    app.add_directive(REVIEW, QuickQuestions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
