"""Each chapter's reference passes its whole suite with seeds that nobody has used before.

What is drawn anew in each run is printed where a test fails, with the command that repeats it.
"""

import os
import secrets
from pathlib import Path

import pytest

from examiner.catalogue import Chapter
from examiner.judge.survey import survey
from examiner.project import Project
from tests.browser import THOROUGH
from tests.course import CHAPTERS

ROOT = Path(__file__).parents[2]
SEEDS, JOBS = (500, os.cpu_count() or 1) if THOROUGH else (3, 1)


@pytest.mark.slow
@pytest.mark.always
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_the_reference_passes_with_seeds_that_are_new(chapter: Chapter) -> None:
    new = secrets.token_hex(8)
    seeds = [f"{new} {number}" for number in range(SEEDS)]
    found = survey(Project(ROOT), chapter, seeds=seeds, jobs=JOBS)
    assert not found.failures, "\n".join(found.told("solutions"))
    assert all(row.visible and row.hidden for row in found.tasks.values())
    written = [
        file.read_text("utf-8") for file in Project(ROOT).suite(chapter.stem).glob("test_*.py")
    ]
    tried = sum(row.visible + row.hidden for row in found.tasks.values())
    assert tried == sum(text.count("\ndef test_") for text in written)
