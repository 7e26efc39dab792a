"""Finds a student's answers where they do not stand in the cells that were made for them.

Cells that another program took nbgrader's marks from are known again by their text and place; a
written answer may stand in a cell of the student's own beside the empty one.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from nbformat.notebooknode import NotebookNode, from_dict

from examiner.release.assignment import without

LONGEST = 10_000  # characters of an answer that may stand in a cell for code


def grade_id(cell: NotebookNode) -> str:
    """Return a submitted cell's grade id, whatever shape its metadata have; "" for none."""
    try:
        name = cell["metadata"]["nbgrader"]["grade_id"]
    except (KeyError, TypeError):
        return ""
    return name if isinstance(name, str) else ""


def counting(cells: Sequence[NotebookNode], released: dict[str, NotebookNode]) -> dict[str, int]:
    """Return at which place the copy of each cell stands that counts, by grade id.

    It is the last one, as in nbgrader, but an answer's last one that is not as it was released.
    """
    place: dict[str, int] = {}
    for index, cell in enumerate(cells):
        name = grade_id(cell)
        if not name:
            continue
        original = released.get(name)
        if name in place and original and _is_answer(original) and _as_released(cell, original):
            continue
        place[name] = index
    return place


# ------------------------------------------------------------------ cells without their marks
def mark_again(
    cells: list[NotebookNode],
    trusted: Sequence[NotebookNode],
    given: Collection[str],
    questions: Mapping[str, str],
) -> list[str]:
    """Mark the cells of a notebook that have lost their marks; return a line on them, if any.

    trusted: the marked cells as released, in order; given: the texts of all others; questions: the
    one of these that stands before a marked cell, by its grade id.
    """
    present = {grade_id(cell) for cell in cells}
    missing = [each for each in trusted if grade_id(each) not in present]
    found = [*_by_text(cells, missing), *_by_question(cells, missing, given, questions)]
    if not found:
        return []
    named = ", ".join(grade_id(each) for each in missing if grade_id(each) in found)
    if len(found) == 1:
        return [f"cell {named} had lost its mark; it was found again by text and place"]
    return [f"cells {named} had lost their marks; they were found again by text and place"]


def _by_text(cells: Sequence[NotebookNode], missing: Iterable[NotebookNode]) -> Iterator[str]:
    """Mark cells that nobody fills in, which read as they were released."""
    for original in missing:
        text = without(without(original.source, "HIDDEN TESTS"), "MARK SCHEME").strip()
        twin = next((c for c in cells if not grade_id(c) and c.source.strip() == text), None)
        if twin is not None and text and not _is_answer(original):
            yield _mark(twin, original)


def _by_question(
    cells: list[NotebookNode],
    missing: Iterable[NotebookNode],
    given: Collection[str],
    questions: Mapping[str, str],
) -> Iterator[str]:
    """Mark answers: what stands between their question and the next cell that was handed out.

    Of code the first cell is marked, and all of it is run; several texts become one.
    """
    for original in filter(_is_answer, missing):
        question = questions.get(grade_id(original), "")
        asked = (n for n, c in enumerate(cells) if not grade_id(c) and c.source.strip() == question)
        at = next(asked, None) if question else None
        if at is None:
            continue
        below = takewhile(lambda cell: _is_own(cell, given), _skipping_empty(cells[at + 1 :]))
        own = [cell for cell in below if _kind(cell) == _kind(original)]
        if own:
            if _is_written(original):
                _join(own, cells)
            yield _mark(own[0], original)


def _skipping_empty(cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    return (cell for cell in cells if cell.source.strip())


def _join(own: Sequence[NotebookNode], cells: list[NotebookNode]) -> None:
    """Put several cells of text into the first of them."""
    first, *others = own
    first.source = "\n\n".join(cell.source for cell in own)
    _take_pictures(first, others)
    cells[:] = [cell for cell in cells if not any(cell is other for other in others)]


def _mark(cell: NotebookNode, original: NotebookNode) -> str:
    cell.metadata = from_dict({"nbgrader": {"grade_id": grade_id(original)}})
    return grade_id(original)


def _kind(cell: NotebookNode) -> str:
    return "code" if cell.cell_type == "code" else "markdown"


# ------------------------------------------------------------------ written answers beside theirs
def gather_answers(
    cells: list[NotebookNode], released: dict[str, NotebookNode], given: Collection[str]
) -> list[str]:
    """Put what students wrote above or below an empty written answer into it.

    Returns a line on each that was moved. What others wrote, the texts of `given`, stays.
    """
    known = {line.strip() for text in given for line in text.splitlines()}
    mended = []
    for answer in list(cells):
        original = released.get(grade_id(answer))
        if original is None or not _is_written(original) or not _as_released(answer, original):
            continue
        at = next(index for index, cell in enumerate(cells) if cell is answer)
        for where, beside in (("below", cells[at + 1 :]), ("above", cells[:at][::-1])):
            own = [*takewhile(lambda cell: _is_text(cell) and _own_lines(cell, known), beside)]
            if own:
                _move(own if where == "below" else own[::-1], answer, cells, known)
                mended.append(f"the answer to {grade_id(answer)} stood {where} its cell")
                break
    return mended


def _move(
    own: Sequence[NotebookNode], answer: NotebookNode, cells: list[NotebookNode], known: set[str]
) -> None:
    answer.source = "\n\n".join(_own_lines(cell, known) for cell in own)
    _take_pictures(answer, own)
    for cell in own:
        kept = [line for line in cell.source.splitlines() if line.strip() in known]
        cell.source = "\n".join(kept).strip()
        if not cell.source:
            cells[:] = [each for each in cells if each is not cell]


def _take_pictures(answer: NotebookNode, cells: Iterable[NotebookNode]) -> None:
    pictures = {name: data for cell in cells for name, data in cell.get("attachments", {}).items()}
    if pictures:
        answer.attachments = from_dict({**answer.get("attachments", {}), **pictures})


def added(text: str, known: Collection[str]) -> str:
    """Return the lines of a text that are not known, and the empty ones between them.

    >>> added("asked\\nmine\\n\\nmore\\n", {"asked"})
    'mine\\n\\nmore'
    """
    lines = (line for line in text.splitlines() if not line.strip() or line.strip() not in known)
    return "\n".join(lines).strip()


def _own_lines(cell: NotebookNode, known: Collection[str]) -> str:
    return added(cell.source, known)


def _is_text(cell: NotebookNode) -> bool:
    """Tell whether a cell of the student's own is a text, perhaps in a cell that is for code."""
    return not grade_id(cell) and (_kind(cell) == "markdown" or not _is_python(cell.source))


def _is_python(text: str) -> bool:
    """Tell whether a text is a program. subtle: to find that out of a long one, such as a list of
    a million numbers, takes a thousand times as much memory as it has letters.
    """
    if len(text) > LONGEST:
        return True
    try:
        ast.parse("\n".join(line for line in text.splitlines() if line.lstrip()[:1] not in "%!"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _is_own(cell: NotebookNode, given: Collection[str]) -> bool:
    text = cell.source.strip()
    return bool(text) and not grade_id(cell) and text not in given


def _as_released(cell: NotebookNode, original: NotebookNode) -> bool:
    return bool(cell.source.strip() == original.source.strip())


def _is_answer(original: NotebookNode) -> bool:
    return bool(original.metadata.nbgrader.solution)


def _is_written(original: NotebookNode) -> bool:
    return _is_answer(original) and original.cell_type == "markdown"
