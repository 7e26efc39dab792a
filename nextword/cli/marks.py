"""Points for a platform's import, as `nextword grade --marks` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from examiner.platforms.marks.forms import Form
    from examiner.results import SubmissionResult


def write_marks(form: Form, results: Iterable[SubmissionResult], folder: Path) -> list[str]:
    """Write the file beside the class's other pages; return lines on where it is, and on it."""
    from examiner.check.terminal import printable
    from examiner.files import PRIVATE, write_whole
    from examiner.platforms.marks.forms import fill

    path = folder / f"marks-for-{form.platform}.csv"
    filled = fill(form, results)
    try:
        write_whole(path, filled.data, durable=True, mode=PRIVATE)
    except OSError as error:
        from examiner.errors import unwritable

        raise unwritable(path, error) from None
    return [f"to import: {path}", *(f"  {printable(note)}" for note in filled.notes)]
