"""A page of the book as a notebook that JupyterLab shows as it is meant.

Boxes, references and citations are plain Markdown, folded code stays folded, and the first cell
lets the reader's own functions take the place of the book's. Outputs are the book's until a cell
is run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examiner.project import Project
from nextword.reading.citations import read_bibliography, with_citations
from nextword.reading.links import Place, places, with_links
from nextword.reading.look import LOOK

STAMP = "nextword_read"  # the metadata of a notebook that was written here
INCLUDED = re.compile(r"^(`{3,}|:{3,})\{literalinclude\} (\S+)\n(.*?)^\1$", re.M | re.S)
OPTION = re.compile(r"^:([\w-]+):\s*(.*)$", re.M)
IMPORTED = re.compile(r"^\s*(?:from|import) (?:solutions|coursework)\b[. ](.*)$", re.M)
UP = re.compile(r'sys\.path\.insert\(0, "\.\."\)')
HELLO = (
    "> **This notebook is yours.** A figure below is the book's until you run its cell; from then "
    "on it is drawn by your functions in `{own}`, as far as you have written them, and by the "
    "book's for the rest. *Run ▸ Run All Cells* does so for the whole page. When you save that "
    "file, the next cell you run takes up the change."
)
HANDED_OUT = (
    "> **This notebook is yours.** Its cells run your functions in `{own}`; where one is not "
    "written yet, its cell stops. When you save that file, the next cell you run takes up the "
    "change."
)
PLAIN_HELLO = "> **This notebook is yours**: run its cells, change them, add your own.\n"
MINE = """\
import sys

sys.path.insert(0, {course})  # the course folder

from nextword.reading import mine

mine({arguments})"""

# for a notebook on a machine that has no course, such as Colab's; what else is needed is there
CLONE = "course"
FETCH = """\
import pathlib
import subprocess

if not pathlib.Path("course").is_dir():  # fetches the course, which takes a minute, once
    needs = ["einops", "jaxtyping", "msgpack", "pooch", "psutil", "safetensors", "typer"]
    fetch = ["git", "clone", "--quiet", "--depth", "1", "{repository}", "course"]
    for command in (fetch, ["pip", "install", "--quiet", *needs]):
        subprocess.run(command, check=True)

"""


@dataclass(frozen=True)
class Binder:
    """What all pages need to become notebooks: the course, its labels and its bibliography."""

    project: Project
    known: Mapping[str, Place]
    works: Mapping[str, tuple[str, str]]
    raw: bool  # in students' copies, pages are plain already
    repository: str = ""  # from where a notebook fetches the course itself

    @classmethod
    def of(cls, project: Project, repository: str = "") -> Binder:
        """Read labels and bibliography of the course's pages."""
        folder = project.root / "chapters"
        works = read_bibliography(folder / "references.bib")
        raw = project.best_package == "solutions"
        known = places(sorted(folder.glob("*.ipynb")))
        return cls(project, known, works, raw, repository)

    def notebook(self, page: Path, folder: Path, shelf: Collection[str]) -> dict[str, Any]:
        """Return the page as a notebook for `folder`, where the pages named in `shelf` lie, too."""
        book = json.loads(page.read_text("utf-8"))
        stems = self._stems(book["cells"])
        course = CLONE if self.repository else _way(folder, self.project.root)
        cells = [self._cell(cell, page.name, shelf, course) for cell in book["cells"]]
        arguments = [*(json.dumps(stem) for stem in stems), f"course={json.dumps(course)}"]
        fetch = FETCH.format(repository=self.repository) if self.repository else ""
        call = fetch + MINE.format(course=json.dumps(course), arguments=", ".join(arguments))
        cells[1:1] = [_markdown(self._hello(stems), "nextword-hello"), _look(call)]
        stamp = {"page": page.name, "of": fingerprint(book["cells"]), "as": fingerprint(cells)}
        book["metadata"][STAMP] = stamp
        return {**book, "cells": cells}

    def _hello(self, stems: Sequence[str]) -> str:
        own = "`, `".join(f"coursework/{stem}.py" for stem in stems)
        text = HELLO if self.raw else HANDED_OUT
        return text.format(own=own) if stems else PLAIN_HELLO

    def _stems(self, cells: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the chapters whose functions the cells import, in the order of the course."""
        code = "\n".join(_source(cell) for cell in cells if cell["cell_type"] == "code")
        words = set(re.findall(r"\w+", " ".join(IMPORTED.findall(code))))
        return [each.stem for each in self.project.catalogue.chapters if each.stem in words]

    def _cell(
        self, cell: dict[str, Any], page: str, shelf: Collection[str], course: str
    ) -> dict[str, Any]:
        source = _source(cell)
        if not self.raw:
            return cell
        from examiner.release.plain_markdown import folded, plain_markdown

        if cell["cell_type"] == "code":
            source = re.sub(
                r"^(\s*(?:from|import) )solutions\b", r"\1coursework", source, flags=re.M
            )
            source = UP.sub(f"sys.path.insert(0, {json.dumps(course)})", source)
            cell = _not_run(cell)
        else:
            source = with_links(source, page, self.known, shelf)
            source = with_citations(source, self.works)
            source = INCLUDED.sub(self._included, source)
            source = plain_markdown(source, left_out=())
        return folded({**cell, "source": source.splitlines(keepends=True)})

    def _included(self, found: re.Match[str]) -> str:
        """Return the lines of a file that the book would show, as a block of code."""
        path = (self.project.root / "chapters" / found[2]).resolve()
        options = dict(OPTION.findall(found[3]))
        if not path.is_file():
            return f"`{found[2]}`"
        return f"```python\n{excerpt(path.read_text('utf-8'), options)}\n```"


def excerpt(text: str, options: Mapping[str, str]) -> str:
    r"""Return what Sphinx's literalinclude shows of a text.

    >>> excerpt("def f():\n    # BEGIN\n    return 1\n", {"pyobject": "f", "start-after": "BEGIN"})
    'return 1'
    """
    import ast

    from examiner.stubs import functions_of

    lines = text.splitlines()
    if name := options.get("pyobject"):
        node = functions_of(ast.parse(text))[name]
        lines = lines[node.lineno - 1 : node.end_lineno]
        after = text.splitlines()[node.end_lineno or 0 :][:1]
        lines += [line for line in after if "END SOLUTION" in line]
    if start := options.get("start-after"):
        lines = lines[next(n for n, line in enumerate(lines) if start in line) + 1 :]
    if end := options.get("end-before"):
        lines = lines[: next((n for n, line in enumerate(lines) if end in line), None)]
    if numbers := options.get("lines"):
        first, _, last = numbers.partition("-")
        lines = lines[int(first) - 1 : int(last or first) if last or first == numbers else None]
    shown = [line for line in lines if "END SOLUTION" not in line]
    return textwrap.dedent("\n".join(shown)).strip("\n")


def fingerprint(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return a digest of what cells say, not of what they showed when they ran."""
    said = [[cell["cell_type"], _source(cell)] for cell in cells]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def _way(folder: Path, root: Path) -> str:
    """Return the path from a notebook's folder to the course; whole where there is no other."""
    try:
        return Path(os.path.relpath(root, folder)).as_posix()
    except ValueError:  # another drive of Windows
        return root.as_posix()


def _not_run(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell without the numbers of a run, which was not the reader's."""
    outputs = [
        {**output, "execution_count": None} if "execution_count" in output else output
        for output in cell["outputs"]
    ]
    return {**cell, "execution_count": None, "outputs": outputs}


def _source(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])


def _markdown(text: str, key: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": key, "metadata": {}, "source": text}


def _look(call: str) -> dict[str, Any]:
    """The cell that begins; its output is there before it runs, so that pictures fit at once."""
    shown = {"output_type": "display_data", "metadata": {}, "data": {"text/html": LOOK}}
    rest: dict[str, Any] = {"execution_count": None, "outputs": [shown]}
    return {"cell_type": "code", "id": "nextword-mine", "metadata": {}, "source": call, **rest}
