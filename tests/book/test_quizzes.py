"""Quick questions as the notebooks hold them and the book reads them (`chapters/_ext/quizzes.py`).

Leaves out how one answers them in a browser: test_quizzes_answered.
"""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

from examiner import catalogue
from examiner.project import Project

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "chapters" / "_ext"))
pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
quizzes = importlib.import_module("quizzes")

PAGES = [page for pages in quizzes.chapters(ROOT / "chapters").values() for page in pages]
OPTION = re.compile(
    r'<details class="option (right|wrong)"><summary>(.+?)</summary>\n\n(.*?)\n\n</details>', re.S
)


def boxes(path):
    """The cells that ask a question: {id: text}."""
    return {cell: text for cell, text in quizzes.markdown_cells(path) if quizzes.BOX in text}


ALL = {cell: text for path in PAGES for cell, text in boxes(path).items()}


@pytest.mark.parametrize("cell", ALL)
def test_every_option_of_a_question_has_an_explanation_and_one_is_right(cell):
    options = OPTION.findall(ALL[cell])
    assert len(options) == ALL[cell].count("<details") >= 2
    assert [kind for kind, _, _ in options].count("right") == 1
    assert len({text for _, text, _ in options}) == len(options)
    for kind, _, why in options:
        assert why.startswith("**Right.** " if kind == "right" else "**No.** ")
        assert len(why.split()) >= 6, why


def test_the_id_by_which_an_answer_is_remembered_is_that_of_one_question():
    read = [question.id for path in PAGES for question in quizzes.questions(path)]
    assert read == list(ALL)  # also: no question shares its cell with another
    assert len(read) == sum(len(boxes(path)) for path in PAGES) > 100


def test_every_section_with_a_task_asks_two_or_three_questions():
    project = Project(ROOT)
    for chapter in catalogue.chapters():
        pages = project.notebooks(chapter.number, chapter.stem)
        numbers = [q.section.partition(" ")[0] for p in pages for q in quizzes.questions(p)]
        for task in chapter.tasks:
            assert not pages or 2 <= numbers.count(task.id) <= 3, task.id


def test_the_place_and_the_length_of_an_option_do_not_betray_that_it_is_right():
    places, longest = [], 0
    for text in ALL.values():
        options = OPTION.findall(text)
        right = [kind for kind, _, _ in options].index("right")
        lengths = [len(text) for _, text, _ in options]
        places.append((len(options), right))
        longest += lengths[right] > max(lengths[:right] + lengths[right + 1 :])
    of_three = [place for count, place in places if count == 3]
    for place in range(3):
        assert of_three.count(place) == pytest.approx(len(of_three) / 3, rel=0.2)
    assert longest < 0.4 * len(ALL)  # one in three by chance


def test_a_cell_that_is_no_whole_question_is_named(tmp_path):
    cell = {"cell_type": "markdown", "id": "odd-7", "source": [f"{quizzes.BOX}\n\nWhy?"]}
    notebook = tmp_path / "09-demo.ipynb"
    notebook.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"09-demo.ipynb: cell odd-7 is not one quick question"):
        quizzes.questions(notebook)
