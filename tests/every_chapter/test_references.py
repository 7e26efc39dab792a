"""What the reference of every chapter owes: worked examples that hold.

Leaves out its suite (test_fresh_seeds.py), and what it is proved against (tests/<chapter>/).
"""

import doctest
from pathlib import Path
from typing import Any

import pytest

from examiner.judge.modules import load_module
from examiner.project import find_project
from nextword.given import checks, vocabulary
from tests.course import CHAPTERS

PROJECT = find_project(Path(__file__))
# not checked by beartype: a suite may give a list for a tuple
REFERENCES = {
    chapter.stem: load_module(PROJECT.module("solutions", chapter.stem), f"graded_{chapter.stem}")
    for chapter in CHAPTERS
}


@pytest.mark.parametrize(
    "module", [*REFERENCES.values(), checks, vocabulary], ids=lambda m: m.__name__
)
def test_doctests(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed
