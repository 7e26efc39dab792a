"""What the reference of every chapter owes: worked examples that hold, and its whole suite passed.

Leaves out what each chapter's reference is proved against (test_<chapter>_reference.py).
"""

import doctest
from pathlib import Path
from typing import Any

import pytest

from examiner.check.runner import run_suite
from examiner.judge.local import on_module
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


@pytest.mark.parametrize("stem", REFERENCES)
def test_the_reference_passes_its_suite(stem: str) -> None:
    suite = PROJECT.suite(stem)
    checked = run_suite(
        suite,
        lambda opened: on_module(opened, stem, REFERENCES[stem]),
        root=PROJECT.root,
        seed="one",
        visible_only=False,
    )
    assert not [result for _, result in checked.results if result.verdict != "passed"]
    assert len(checked.results) == sum(
        file.read_text("utf-8").count("\ndef test_") for file in suite.glob("test_*.py")
    )
