"""What the assignments may ask for instead: every choice has full marks for the reference, none for
what was left empty, and fewer for the answers of another choice."""

import json
from functools import cache
from typing import Any

import pytest

from examiner.platforms.nbgrader.check_cells import judge
from examiner.release.assignment import (
    Notebook,
    kind_of,
    renew_reference,
    student_notebook,
    variables,
    write_notebook,
)
from examiner.release.nbgrader import reference_answers
from examiner.release.variants import (
    AS_IT_STANDS,
    Edits,
    drawn_assignment,
    read_variants,
    varied_notebook,
)
from tests.browser import THOROUGH
from tests.course import CHAPTERS, COURSE

VARYING = [each for each in CHAPTERS if COURSE.variants(each.stem).is_file()]
CHOICES = [
    pytest.param(chapter, variant.edits(choice), id=f"{chapter.stem}-{variant.name}-{choice}")
    for chapter in VARYING
    for variant in read_variants(COURSE.variants(chapter.stem))
    for choice in range(1, variant.count)
]
# run in each `make test`; the others take up to a minute each
QUICK = [each for each in CHOICES if each.id == "language_models-merges-1"]


def source(chapter: Any) -> Notebook:
    notebook = drawn_assignment(COURSE, chapter, AS_IT_STANDS)
    assert notebook is not None
    return notebook


@cache
def answers_of(stem: str, edits: Edits) -> dict[str, Any]:
    chapter = COURSE.catalogue.chapter(stem)
    made = varied_notebook(source(chapter), edits)
    return reference_answers(made, COURSE.module("solutions", stem))


def points(notebook: Notebook, answers: dict[str, Any], given: dict[str, Any]) -> dict[str, float]:
    """The share of points that each check gives to what is given, where `answers` are right."""
    found = {}
    for cell in notebook["cells"]:
        if kind_of(cell) == "check":
            said = cell["metadata"]["nextword"]
            check = dict(
                cell, source=cell["source"].replace("### BEGIN HIDDEN TESTS", "REFERENCE = 0")
            )
            renew_reference(check, answers)
            scored = judge(check["source"], said["points"], given, {})
            found[said["check"]] = (scored.points or 0) / said["points"]
    return found


def test_three_chapters_or_more_have_variants() -> None:
    assert len(VARYING) >= 3
    known = {path.stem for path in (COURSE.root / "solutions" / "variants").glob("*.toml")}
    assert known == {each.stem for each in VARYING}


@pytest.mark.parametrize(("chapter", "edits"), CHOICES)
def test_a_student_sees_another_choice_and_nothing_of_the_first(chapter: Any, edits: Edits) -> None:
    before = write_notebook(student_notebook(source(chapter), chapter))
    made = student_notebook(varied_notebook(source(chapter), edits), chapter)
    after = write_notebook(made)
    assert after != before
    for old, new in edits:
        if json.dumps(old)[1:-1] in before and new != old:
            assert json.dumps(old)[1:-1] not in after, old
    for cell in made["cells"]:
        if cell["cell_type"] == "code" and not cell["source"].startswith("%"):
            compile(cell["source"], chapter.stem, "exec")
    assert [cell.get("metadata") for cell in made["cells"]] == [
        cell.get("metadata") for cell in student_notebook(source(chapter), chapter)["cells"]
    ], "the same cells, worth the same points"


@pytest.mark.slow
@pytest.mark.parametrize(("chapter", "edits"), CHOICES if THOROUGH else QUICK)
def test_the_reference_gets_full_marks_and_the_answers_of_another_choice_do_not(
    chapter: Any, edits: Edits
) -> None:
    made = varied_notebook(source(chapter), edits)
    assert variables(made) == variables(source(chapter))
    right, others = answers_of(chapter.stem, edits), answers_of(chapter.stem, ())
    assert set(points(made, right, right).values()) == {1.0}
    assert min(points(made, right, others).values()) < 1.0
