"""Writes the files of a new chapter with one example task, which pass every test of the course."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from examiner.project import ENTRY, Project
from examiner.release import sync

KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
RIGHT = {"score": 2.0, "max_score": 2, "tasks": {"NUMBER.1": "passed"}}
UNTOUCHED = {"score": 0.0, "max_score": 2, "tasks": {"NUMBER.1": "missing"}}
WRONG = {
    "score": 0.0,
    "max_score": 2,
    "tasks": {"NUMBER.1": "failed"},
    "misconceptions": ["You divided by the largest count: the shares must have the sum 1."],
}


def new_chapter(project: Project, stem: str, number: int, title: str) -> list[Path]:
    """Write a chapter's files into the course folder and bring all that follows up to date.

    Raises UserError, before anything is written, for a name or number that cannot be used, and
    where one of the files is there already.
    """
    _require_new(project, stem, number)
    files = {project.root / name: text for name, text in _files(stem, number, title)}
    for path in files:
        if path.exists():
            raise UserError(f"{path.relative_to(project.root)} is there already")
    contents = project.root / "_toc.yml"
    if not contents.is_file():
        raise UserError("_toc.yml is missing: a chapter is added to the full course")
    files[contents] = _with_chapter(contents.read_text("utf-8"), number, _page(stem, number))
    ignored = project.root / "tests" / ".gitignore"
    derived = "".join(f"/{stem}/class/{student}/{stem}.py\n" for student in ("ben", "cleo"))
    files[ignored] = (ignored.read_text("utf-8") if ignored.is_file() else "") + derived
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    with_it = Project(project.root)  # read anew
    return [*files, *(path for path in sync.write(with_it) if path not in files)]


def _require_new(project: Project, stem: str, number: int) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", stem) or keyword.iskeyword(stem):
        raise UserError(f"{stem!r} cannot name a module: use lower-case letters, digits and _")
    for chapter in project.catalogue.chapters:
        if stem == chapter.stem or number == chapter.number:
            raise UserError(f"chapter {chapter.number} is {chapter.stem} already")


def _files(stem: str, number: int, title: str) -> Iterator[tuple[str, str]]:
    def text(name: str) -> str:
        template = resources.files(__package__).joinpath("skeleton", f"{name}.txt")
        return _filled(template.read_text("utf-8"), stem, number, title)

    def expected(answer: dict[str, Any]) -> str:
        return _filled(json.dumps(answer, indent=2), stem, number, title) + "\n"

    samples = f"tests/{stem}/class"
    yield f"solutions/{stem}.toml", text("catalogue")
    yield f"solutions/{stem}.py", text("solution")
    yield f"solutions/{stem}.ipynb", _notebook(text("assignment"), stem)
    yield f"{_page(stem, number)}.ipynb", _notebook(text("chapter"), stem)
    yield f"tests/{stem}/suite/test_{stem}.py", text("suite")
    yield f"tests/{stem}/suite/small.py", text("small")
    yield f"tests/{stem}/mistakes/shares.txt", text("mistakes")
    yield f"tests/{stem}/test_reference.py", text("reference")
    yield f"{samples}/README.md", text("samples")
    yield f"{samples}/.graded_by", text("graded_by")
    yield f"{samples}/ada/{stem}.py", text("sample_ada")
    yield f"{samples}/ada/expected.json", expected(RIGHT)
    yield f"{samples}/ben/edits.toml", 'of = "coursework"\n'
    yield f"{samples}/ben/expected.json", expected(UNTOUCHED)
    yield f"{samples}/cleo/edits.toml", text("sample_cleo")
    yield f"{samples}/cleo/expected.json", expected(WRONG)


def _filled(text: str, stem: str, number: int, title: str) -> str:
    return text.replace("STEM", stem).replace("NUMBER", str(number)).replace("TITLE", title)


def _page(stem: str, number: int) -> str:
    return f"chapters/{number:02d}-{stem.replace('_', '-')}"


def _notebook(text: str, stem: str) -> str:
    """Return the notebook of a text whose cells begin with a line `=== markdown` or `=== code`.

    A code cell's last line may give its output: `--- 3`.
    """
    cells: list[dict[str, Any]] = []
    for part in text.split("=== ")[1:]:
        head, _, source = part.partition("\n")
        kind, *said = head.split()
        source, _, shown = source.strip("\n").partition("\n--- ")
        name = f"{stem.replace('_', '-')}-{len(cells) + 1:03d}"
        cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": _metadata(said)}
        if kind == "code":
            count = sum(each["cell_type"] == "code" for each in cells) + 1
            cell = {"cell_type": kind, "execution_count": count, **cell}
            cell["outputs"] = [_result(shown.strip(), count)] if shown else []
        cells.append({**cell, "source": source.splitlines(keepends=True)})
    notebook = {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _metadata(said: list[str]) -> dict[str, Any]:
    """Return the metadata of `exercise 2.1`, `written why 2` or `check parts 2`."""
    if not said:
        return {}
    points = {"points": int(said[2])} if len(said) > 2 else {}
    reads = {"reads": [said[1]]} if said[0] == "check" else {}
    return {ENTRY: {said[0]: said[1], **points, **reads}}


def _result(text: str, count: int) -> dict[str, Any]:
    return {
        "data": {"text/plain": text.splitlines(keepends=True)},
        "execution_count": count,
        "metadata": {},
        "output_type": "execute_result",
    }


def _with_chapter(contents: str, number: int, page: str) -> str:
    """Return the table of contents with the page at its place among the chapters."""
    lines = contents.splitlines(keepends=True)
    chapters = [
        (index, int(found[1]))
        for index, line in enumerate(lines)
        if (found := re.match(r"\s*- file: chapters/(\d\d)-", line))
    ]
    if not chapters:
        raise UserError("_toc.yml lists no chapter: add the first one by hand")
    before = [index for index, other in chapters if other < number]
    place = before[-1] + 1 if before else chapters[0][0]
    indent = re.match(r"\s*", lines[chapters[0][0]])
    lines.insert(place, f"{indent.group() if indent else ''}- file: {page}\n")
    return "".join(lines)
