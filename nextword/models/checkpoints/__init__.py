"""Trained models that the book ships, so that a page need not train for minutes.

`nextword models` (or `make models`) trains them with the chapters' own code and writes them to the
folder `checkpoints`; a page reads them with `load` and `ladder`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from examiner.errors import UserError
from examiner.project import find_project
from nextword.models.ladder.climb import Ladder, ladder_of
from nextword.models.store import FOLDER, RUNGS, TWICE, facts_of, load

__all__ = ["RUNGS", "TWICE", "ladder", "load"]


@cache
def ladder(folder: Path | None = None, of: str = RUNGS) -> Ladder:
    """The ladder as it was measured when the models were shipped: every rung of the book.

    of: RUNGS; or TWICE for what the rungs reach with twice as many words. Raises `UserError` where
    no rung was shipped.
    """
    rungs = (folder or find_project().root / FOLDER) / of
    found = [facts_of(path) for path in rungs.glob("*.safetensors")]
    if not found:
        raise UserError(f"there is no measured rung in {rungs}: run `nextword models`")
    return ladder_of("village", sorted(found, key=lambda facts: facts["step"]))
