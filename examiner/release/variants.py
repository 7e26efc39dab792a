"""Assignment notebooks that differ from class to class, or from student to student.

What a notebook of solutions/ asks for holds numbers, words, sizes. The file beside it,
solutions/variants/<chapter>.toml, says which of them may be others. Each key is a variant, and each
of its rows a place: the text that stands in the notebook once, and what can stand there instead:

    sizes = [
        ["For n = 1, 2 and 3, set", "For n = 2, 3 and 4, set"],
        ["range(1, 4)", "range(2, 5)"],
    ]

All places of a variant change together; which column is taken follows from a secret and, where each
student has an own notebook, from the student's id. So nothing of it need stand in what is handed
in. Leaves out who is given which notebook (student.py, nbgrader.py).
"""

from __future__ import annotations

import copy
import hashlib
import hmac
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.project import Project
from examiner.release.assignment import Cell, Notebook, kind_of, read_notebook

Edits = tuple[tuple[str, str], ...]  # what stands in the source, and what shall stand there


@dataclass(frozen=True)
class Variant:
    """One thing that may be another: its places, each with the texts that can stand there."""

    name: str
    places: tuple[tuple[str, ...], ...]

    @property
    def count(self) -> int:
        """How many there are to choose from, with the one that stands in the source."""
        return len(self.places[0])

    def edits(self, choice: int) -> Edits:
        """Return what has to be changed for a choice, counted from 0."""
        return tuple((texts[0], texts[choice]) for texts in self.places if choice)


@dataclass(frozen=True)
class Drawing:
    """How variants are drawn: not without a secret, and for nobody but the students if it has any.

    Who is not drawn for gets what stands in the source.
    """

    secret: str = ""
    # ids of those who get notebooks of their own, with a name for the folder of each
    students: Mapping[str, str] = field(default_factory=dict)

    def choices(self, variants: Iterable[Variant], stem: str, student: str = "") -> dict[str, int]:
        """Return which choice of each variant a student has, "" for the whole class."""
        return {each.name: self._choice(each, stem, student) for each in variants}

    def edits(self, variants: Iterable[Variant], stem: str, student: str = "") -> Edits:
        """Return what has to be changed in the assignment of a chapter."""
        drawn = ((each, self._choice(each, stem, student)) for each in variants)
        return tuple(edit for variant, choice in drawn for edit in variant.edits(choice))

    def _choice(self, variant: Variant, stem: str, student: str) -> int:
        if not self.secret or (self.students and student not in self.students):
            return 0
        said = "\0".join((stem, variant.name, student)).encode("utf-8", "surrogatepass")
        digest = hmac.digest(self.secret.encode("utf-8", "surrogatepass"), said, hashlib.sha256)
        return int.from_bytes(digest[:8], "big") % variant.count


AS_IT_STANDS = Drawing()


def read_variants(path: Path) -> tuple[Variant, ...]:
    """Read the variants of an assignment; without the file there are none.

    Raises UserError, one line with file and variant, for what says none.
    """
    if not path.is_file():
        return ()
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path.name} is no TOML: {error}") from None
    return tuple(_variant(name, rows, f"{path.name}: {name}") for name, rows in raw.items())


def _variant(name: str, rows: Any, where: str) -> Variant:
    texts = isinstance(rows, list) and all(
        isinstance(row, list) and row and all(isinstance(text, str) and text for text in row)
        for row in rows
    )
    if not texts or not rows:
        raise UserError(f"{where} should be a list of rows of texts, one row for each place")
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        raise UserError(f"{where}: its rows should have the same number of texts, two or more")
    if len({tuple(column) for column in zip(*rows, strict=True)}) < len(rows[0]):
        raise UserError(f"{where}: two of its choices are the same")
    return Variant(name, tuple(map(tuple, rows)))


def require_places(notebook: Notebook, variants: Sequence[Variant], name: str) -> None:
    """Raise UserError unless each place of the variants is in the notebook `name`, once."""
    whole = "\0".join(cell["source"] for cell in notebook["cells"])
    for variant in variants:
        for place in variant.places:
            if (times := whole.count(place[0])) != 1:
                raise UserError(
                    f"variant {variant.name} of {name}: this text stands there "
                    f"{times} times, not once: {place[0][:60]!r}"
                )


def varied(text: str, edits: Edits) -> str:
    """Return a text with all edits made at once: none meets what another one wrote.

    >>> varied("one or two", (("one", "two"), ("two", "three")))
    'two or three'
    """
    if not edits:
        return text
    instead = dict(edits)
    longest_first = sorted(instead, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda m: instead[m[0]], text)


def varied_notebook(notebook: Notebook, edits: Edits) -> Notebook:
    """Return the notebook with the edits made; the cells that test tasks stay as they are."""
    made = copy.deepcopy(notebook)
    for cell in made["cells"]:
        cell["source"] = _varied_cell(cell, edits)
    return made


def _varied_cell(cell: Cell, edits: Edits) -> str:
    return str(cell["source"]) if kind_of(cell) == "task" else varied(cell["source"], edits)


def drawn_assignment(
    project: Project, chapter: Chapter, drawing: Drawing, student: str = ""
) -> Notebook | None:
    """Return the assignment of solutions/ with what is drawn for a student or the class.

    None where the chapter has none. Raises UserError for variants that do not fit it.
    """
    path = project.assignment(chapter.stem)
    if path is None:
        return None
    notebook = read_notebook(path.read_text("utf-8"), path.name)
    variants = read_variants(project.variants(chapter.stem))
    require_places(notebook, variants, path.name)
    return varied_notebook(notebook, drawing.edits(variants, chapter.stem, student))


def personal_notebooks(
    project: Project, chosen: Iterable[Chapter], drawing: Drawing
) -> Iterator[tuple[str, Notebook, Chapter]]:
    """Yield each student's own notebook with its place below the folder of all of them."""
    for chapter in chosen:
        if not project.variants(chapter.stem).is_file():
            continue
        for student, folder in drawing.students.items():
            if notebook := drawn_assignment(project, chapter, drawing, student):
                yield f"{folder}/{chapter.stem}.ipynb", notebook, chapter


def told(choices: Mapping[str, int], variants: Iterable[Variant]) -> str:
    """Return in words which choice of each variant was drawn: "sizes 2 of 3"."""
    return ", ".join(f"{each.name} {choices[each.name] + 1} of {each.count}" for each in variants)
