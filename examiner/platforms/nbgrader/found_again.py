"""Finds a student's answers where they do not stand in the cells that were made for them.

Cells that another program took nbgrader's marks from are known again by their text and place; a
written answer may stand in a cell of the student's own beside the empty one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile

from nbformat.notebooknode import NotebookNode, from_dict

from examiner.release.assignment import without


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
    cells: Sequence[NotebookNode], trusted: Sequence[NotebookNode], given: Collection[str]
) -> list[str]:
    """Mark the cells of a notebook that have lost their marks; return a line on them, if any.

    trusted: the marked cells as released, in order; given: the texts of all others.
    """
    present = {grade_id(cell) for cell in cells}
    missing = [each for each in trusted if grade_id(each) not in present]
    found = [*_by_text(cells, missing), *_by_place(cells, trusted, missing, given)]
    if not found:
        return []
    word, verb = (
        ("cell", "its mark; it was") if len(found) == 1 else ("cells", "their marks; they were")
    )
    named = ", ".join(grade_id(each) for each in missing if grade_id(each) in found)
    return [f"{word} {named} had lost {verb} found again by text and place"]


def _by_text(cells: Sequence[NotebookNode], missing: Iterable[NotebookNode]) -> Iterator[str]:
    """Mark cells that nobody fills in, which read as they were released."""
    for original in missing:
        text = without(original.source, "HIDDEN TESTS").strip()
        twin = next((c for c in cells if not grade_id(c) and c.source.strip() == text), None)
        if twin is not None and text and not _is_answer(original):
            yield _mark(twin, original)


def _by_place(
    cells: Sequence[NotebookNode],
    trusted: Sequence[NotebookNode],
    missing: Collection[NotebookNode],
    given: Collection[str],
) -> Iterator[str]:
    """Mark answers: the student's own cells that stand where an answer was, in order."""
    place = {grade_id(cell): index for index, cell in enumerate(cells)}
    lost = [each for each in trusted if each in missing and _is_answer(each)]
    begin, answers = 0, list[NotebookNode]()
    for original in [*trusted, None]:
        if original in lost:
            answers.append(original)
        elif original is None or grade_id(original) in place:
            end = len(cells) if original is None else place[grade_id(original)]
            for kind in ("code", "markdown"):
                own = [c for c in cells[begin:end] if _is_own(c, given) and _kind(c) == kind]
                asked = [each for each in answers if each.cell_type == kind]
                yield from map(_mark, own, asked)
            begin, answers = end + 1, []


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
    pictures = {name: data for cell in own for name, data in cell.get("attachments", {}).items()}
    if pictures:
        answer.attachments = from_dict({**answer.get("attachments", {}), **pictures})
    for cell in own:
        kept = [line for line in cell.source.splitlines() if line.strip() in known]
        cell.source = "\n".join(kept).strip()
        if not cell.source:
            cells[:] = [each for each in cells if each is not cell]


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
    return not grade_id(cell) and _kind(cell) == "markdown"


def _is_own(cell: NotebookNode, given: Collection[str]) -> bool:
    text = cell.source.strip()
    return bool(text) and not grade_id(cell) and text not in given


def _as_released(cell: NotebookNode, original: NotebookNode) -> bool:
    return bool(cell.source.strip() == original.source.strip())


def _is_answer(original: NotebookNode) -> bool:
    return bool(original.metadata.nbgrader.solution)


def _is_written(original: NotebookNode) -> bool:
    return _is_answer(original) and original.cell_type == "markdown"
