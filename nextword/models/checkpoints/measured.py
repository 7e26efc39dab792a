"""The ladder as it was measured when the models were shipped."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from examiner.errors import UserError
from examiner.project import find_project
from nextword.models.checkpoints.places import RUNGS
from nextword.models.ladder.climb import Ladder
from nextword.models.ladder.measure import Row
from nextword.models.shipped import FOLDER, opened


@cache
def ladder(folder: Path | None = None, of: str = RUNGS) -> Ladder:
    """The ladder as it was measured when the models were shipped: every rung of the book.

    of: RUNGS; or TWICE for what the rungs reach with twice as many words. Raises `UserError` where
    no rung was shipped.
    """
    rungs = (folder or find_project().root / FOLDER) / of
    found = []
    for path in rungs.glob("*.safetensors"):
        with opened(path) as (_, notes):
            found.append(json.loads(notes["facts"]))
    if not found:
        raise UserError(f"there is no measured rung in {rungs}: run `nextword models`")
    found.sort(key=lambda facts: facts["step"])
    rows = tuple(Row(**facts["row"]) for facts in found)
    return Ladder("village", found[0]["floor"], found[0]["unknown"], rows, {})
