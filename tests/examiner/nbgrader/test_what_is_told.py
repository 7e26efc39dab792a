"""What a student is told who handed in no module, by nbgrader's way."""

from pathlib import Path

import nbformat

from examiner.grading.entries import find_entries
from examiner.grading.submissions import read
from examiner.platforms.nbgrader.handed_in import PLACED
from examiner.platforms.nbgrader.module_grades import _stage


def test_a_notebook_without_its_module_is_no_empty_hand_in(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    for student, placed in {"chen": False, "dora": True}.items():
        (tmp_path / student).mkdir()
        if placed:  # by us, where nothing was handed in
            notebook.metadata[PLACED] = True
        nbformat.write(notebook, tmp_path / student / "ngrams.ipynb")
        _stage(tmp_path / student, tmp_path / "stage" / student, "ngrams")
    found = {e.student: read(e, "ngrams").problem for e in find_entries(tmp_path / "stage")}
    assert found["chen"].startswith(
        "a notebook, ngrams.ipynb, where the module ngrams.py was expec"
    )
    assert found["dora"] == "there is no ngrams.py: nothing was handed in"
