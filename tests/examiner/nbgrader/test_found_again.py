"""Answers count wherever they stand in a notebook, and nobody else's text counts as one."""

import copy

import nbformat
import pytest

from examiner.platforms.nbgrader.restore_cells import restore
from tests.examiner.nbgrader.cells import answer, cell
from tests.examiner.nbgrader.odd import picture

PNG = picture()


GIVEN = ["# Compute", "# Why?\n\nIn your own words."]
QUESTIONS = {"mean": GIVEN[0], "check-mean": GIVEN[0], "why": GIVEN[1]}
TEXT, CODE = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell


def handed_out() -> list:
    """A small assignment: given texts, an answer and its check, a written answer."""
    return [TEXT(GIVEN[0]), answer("mean"), cell("check-mean"), TEXT(GIVEN[1]),
            answer("why", "markdown")]  # fmt: skip


def restored(cells: list) -> tuple[dict[str, str], list[str]]:
    """The text of each cell after the notebook was mended, by grade id, and what was said."""
    nb = nbformat.v4.new_notebook(cells=copy.deepcopy(cells))
    marked = [each for each in handed_out() if "nbgrader" in each.metadata]
    said = restore(nb, marked, GIVEN, QUESTIONS)
    texts = {c.metadata.nbgrader.grade_id: c.source for c in nb.cells if "nbgrader" in c.metadata}
    assert sorted(texts) == ["check-mean", "mean", "why"]
    return texts, said


def changed(**texts: str) -> list:
    """The assignment with other texts, by grade id."""
    cells = handed_out()
    for each in cells:
        name = each.metadata.get("nbgrader", {}).get("grade_id", "")
        each.source = texts.get(name.replace("-", "_"), each.source)
    return cells


def without_marks(cells: list) -> list:
    for each in cells:
        each.metadata = {}
    return cells


FILLED = {"mean": "mean = 3", "why": "Because."}


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (changed(**FILLED), []),
        (
            without_marks(changed(**FILLED)),
            ["cells mean, check-mean, why had lost their marks; they were found again by text and"
             " place"],
        ),
        (
            without_marks(changed(**FILLED)[:3]) + changed(**FILLED)[3:],
            ["cells mean, check-mean had lost their marks; they were found again by text and"
             " place"],
        ),
        (
            [*changed(**FILLED)[:4], TEXT("Because.")],
            ["cell why had lost its mark; it was found again by text and place"],
        ),
        (
            [*changed(mean="mean = 3"), TEXT("Because.")],
            ["the answer to why stood below its cell"],
        ),
        (
            [*changed(mean="mean = 3"), nbformat.v4.new_raw_cell("Because.")],
            ["the answer to why stood below its cell"],
        ),
        (
            [*changed(mean="mean = 3")[:3], TEXT(GIVEN[1] + "\n\nBecause."), handed_out()[4]],
            ["the answer to why stood above its cell"],
        ),
        (
            [*changed(mean="mean = 3")[:4], TEXT("Because."), handed_out()[4]],
            ["the answer to why stood above its cell"],
        ),
        (
            [*changed(**FILLED), handed_out()[4], handed_out()[1]],
            ["cell mean was there more than once: the last one that is not empty counts",
             "cell why was there more than once: the last one that is not empty counts"],
        ),
        (
            [*changed(mean="mean = 4", why="No."), *changed(**FILLED)[3:], changed(**FILLED)[1]],
            ["cell mean was there more than once: the last one counts",
             "cell why was there more than once: the last one counts"],
        ),
    ],
)  # fmt: skip
def test_an_answer_counts_wherever_it_stands(cells, said):
    texts, told = restored(cells)
    assert texts == {**FILLED, "check-mean": "points()"}
    assert sorted(told) == sorted(said)


def test_notes_beside_answers_shift_nothing():
    """All marks are lost, and a text of one's own stands among the answers."""
    cells = without_marks(changed(**FILLED))
    texts, _ = restored([*cells[:1], TEXT("Notes."), *cells[1:4], TEXT("First."), *cells[4:]])
    assert texts == {"mean": "mean = 3", "check-mean": "points()", "why": "First.\n\nBecause."}


def test_of_a_lost_answer_no_other_text_takes_the_place():
    cells = without_marks(changed(**FILLED))
    texts, _ = restored([TEXT("Notes."), *cells[:4]])
    assert texts == {"mean": "mean = 3", "check-mean": "points()", "why": "YOUR ANSWER"}


def test_prose_in_a_cell_for_code_is_an_answer():
    texts, said = restored([*changed(mean="mean = 3"), CODE("Because it is so.")])
    assert texts["why"] == "Because it is so."
    assert said == ["the answer to why stood below its cell"]


def test_code_in_a_locked_cell_runs_above_it():
    cells = changed(mean="mean = 3")
    cells[2].source = "import numpy as np\nmean = 4\n" + cells[2].source
    cells[2].source = cells[2].source.replace("points()", "assert mean")
    nb = nbformat.v4.new_notebook(cells=copy.deepcopy(cells))
    marked = [each for each in handed_out() if "nbgrader" in each.metadata]
    marked[1].source = "assert mean"
    said = restore(nb, marked, GIVEN, QUESTIONS)
    assert [each.source for each in nb.cells[1:4]] == [
        "mean = 3",
        "import numpy as np\nmean = 4",
        "assert mean",
    ]
    assert said == ["what was written into cell check-mean stands above it"]


def test_an_answer_in_the_cell_that_tests_the_module_is_not_lost():
    """Editors that know no locked cells let a student write there."""
    cells = changed(why="Because.")
    own = "mean = 3\ndef data_points():\n    return mean"
    cells[2].source = f"{own}\nprint(points())\n{cells[2].source}"
    nb = nbformat.v4.new_notebook(cells=copy.deepcopy(cells))
    marked = [each for each in handed_out() if "nbgrader" in each.metadata]
    restore(nb, marked, GIVEN, QUESTIONS)
    assert [each.source for each in nb.cells if "points" in each.source] == [own, "points()"]


def test_who_wrote_nothing_has_no_answer():
    texts, told = restored([*handed_out(), CODE("x = 1"), TEXT("far away")])
    assert texts["why"] == "YOUR ANSWER"
    assert told == []


def test_a_picture_comes_along_with_the_answer():
    shown = TEXT("See ![a](attachment:a.png)", attachments={"a.png": {"image/png": PNG}})
    nb = nbformat.v4.new_notebook(cells=[*handed_out(), shown])
    restore(nb, [each for each in handed_out() if "nbgrader" in each.metadata], GIVEN)
    assert nb.cells[-1].metadata.nbgrader.grade_id == "why"
    assert [*nb.cells[-1].attachments] == ["a.png"]
