"""Every answer of the chapters is graded alike, whether its tests are run or what was said in
others is judged: byte for byte, in the results and on the pages.

An hour or more; `make test` does it for sample classes, and for a small course in all ways.
"""

import json
from pathlib import Path

import pytest

from examiner.catalogue import Chapter
from examiner.grading.run import Options, grade
from examiner.grading.workers import BOTH, KEPT, RUN
from examiner.judge.mistakes import load_answers, load_misconceptions
from examiner.judge.modules import Reference
from examiner.project import find_project
from tests.course import CHAPTERS
from tests.examiner.grading.conftest import Quiet

pytestmark = [pytest.mark.slow, pytest.mark.thorough]
PROJECT = find_project(Path(__file__))


def hand_in(chapter: Chapter, folder: Path) -> Path:
    """Write every right and wrong answer of a chapter as a submission, and every mistake."""
    reference = Reference(PROJECT.module("solutions", chapter.stem))
    texts = [reference.changed(each.bodies) for each in load_answers(PROJECT, chapter.stem)]
    texts += [each.text for each in load_misconceptions(PROJECT, chapter.stem)]
    for number, text in enumerate(texts):
        (folder / f"{number:04d}").mkdir(parents=True)
        (folder / f"{number:04d}" / f"{chapter.stem}.py").write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_all_answers_are_graded_alike(chapter: Chapter, tmp_path: Path) -> None:
    folder = hand_in(chapter, tmp_path / "class")
    told, pages = [], []
    for judging in (RUN, KEPT, BOTH):
        options = Options(out=tmp_path / judging, seed="all answers", judging=judging)
        outcome = grade(PROJECT, chapter, folder, options, Quiet())
        told.append(json.dumps(outcome.to_json(), sort_keys=True))
        written = sorted((tmp_path / judging).glob("*.html"))
        pages.append([(path.name, path.read_bytes()) for path in written])
    assert told[0] == told[1] == told[2]
    assert pages[0] == pages[1] == pages[2]
