"""What an instructor learns of a class: mistakes met, and submissions that are alike."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.grading.agenda import UNWRITTEN, mistakes_met
from examiner.grading.run import AGENDA
from examiner.grading.similar import page, similar_pairs
from examiner.grading.submissions import Submission
from examiner.judge.wording import Source
from examiner.results import Verdict, Whose
from tests.course import COURSE
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

RIGHT = "return sum(numbers) / len(numbers)"
ONE_LESS = REFERENCE.replace(RIGHT, "return sum(numbers) / max(1, len(numbers) - 1)")
SAYS = "You divided by one less: that is for variances."
CLASS = {
    "ann": ONE_LESS,
    "bo": ONE_LESS,
    "cy": REFERENCE.replace(RIGHT, "return sum(numbers) / len(numbers) + 1"),
    "di": REFERENCE.replace(RIGHT, "raise NotImplementedError").replace(
        'raise ValueError("no numbers")', "raise NotImplementedError"
    ),
    "<ed>": REFERENCE,
    "fo": "def mean(:",
}


def test_mistakes_are_counted_by_task_in_json_and_on_a_page(tiny: TinyCourse) -> None:
    outcome = tiny.run(tiny.hand_in(CLASS))
    met = [(each.says, each.students) for each in outcome.mistakes]
    assert met == [
        (SAYS, ("ann", "bo")),
        ("mean([3.0]) gives 4.0; right is 3.0", ("cy",)),
        (UNWRITTEN, ("di",)),
    ]
    assert outcome.to_json()["mistakes"][0] == {
        "task": "9.1",
        "says": SAYS,
        "students": ["ann", "bo"],
    }
    text = (tiny.project.root / "grades" / AGENDA).read_text("utf-8")
    assert SAYS in text
    assert text.count("<rect") == 3
    assert "ann, bo" in text
    assert "<script" not in text


def test_nobody_got_anything_wrong(tiny: TinyCourse) -> None:
    outcome = tiny.run(tiny.hand_in({"ann": REFERENCE}))
    assert outcome.mistakes == []
    assert "Nobody got anything wrong" in (tiny.project.root / "grades" / AGENDA).read_text("utf-8")
    assert mistakes_met(tiny.chapter, []) == []
    assert outcome.results[0].tasks[0].verdict is Verdict.PASSED


def handed_in(name: str, text: str) -> Submission:
    return Submission(Whose(name), Source("tiny.py", text), text.encode())


MINE = """
def spread(values, centre):
    total = 0.0
    for position, value in enumerate(values):
        difference = value - centre
        total += difference * difference / (position + 1)
    return total ** 0.5
"""
RENAMED = MINE.replace("values", "xs").replace("total", "s").replace("difference", "d")
OTHER = """
def spread(values, centre):
    import numpy as np
    weights = 1 / np.arange(1, len(values) + 1)
    return float(np.sqrt(np.dot(weights, np.square(np.asarray(values) - centre))))
"""


def test_a_renamed_copy_is_found_and_the_stub_does_not_count() -> None:
    pytest.importorskip("copydetect")
    stub = REFERENCE
    texts = {"ann": MINE, "bo": RENAMED, "cy": OTHER, "di": ""}
    pairs = similar_pairs([handed_in(n, stub + text) for n, text in texts.items()], stub)
    assert [(pair.one.student, pair.other.student) for pair in pairs] == [("ann", "bo")]
    for side in (pairs[0].one, pairs[0].other):
        assert "".join(text for text, _ in side.pieces) == stub + texts[side.student]
        marked = "".join(text for text, same in side.pieces if same)
        assert "enumerate" in marked
        assert "class Bag" not in marked
    text = page(COURSE.catalogue.chapter("ngrams"), pairs)
    assert "<mark>" in text
    assert "ann and bo" in text


def test_the_command_lists_pairs(tmp_path: Path, nextword: Callable[..., Result]) -> None:
    pytest.importorskip("copydetect")
    for name in ("ann", "bo"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "ngrams.py").write_text(MINE, "utf-8")
    command = ("similar", "ngrams", str(tmp_path / "class"), "--out", str(tmp_path / "page.html"))
    (pair,) = json.loads(nextword(*command, "--json").output)
    assert pair == {"students": ["ann", "bo"], "share": 1.0}
    assert "100%  ann and bo" in nextword(*command).output
    assert (tmp_path / "page.html").is_file()
