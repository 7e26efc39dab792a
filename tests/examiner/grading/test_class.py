"""What an instructor learns of a class: the mistakes that were met."""

import pytest

from examiner.grading.run import REPORT
from examiner.report.mistakes import UNWRITTEN
from examiner.results import Verdict
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


@pytest.mark.slow
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
    text = (tiny.project.root / "grades" / REPORT).read_text("utf-8")
    assert SAYS in text
    assert "2 of 4 who wrote it" in text
    assert "ann, bo" in text
    assert "<script" not in text


def test_nobody_got_anything_wrong(tiny: TinyCourse) -> None:
    outcome = tiny.run(tiny.hand_in({"ann": REFERENCE}))
    assert outcome.mistakes == []
    assert "Nobody got anything wrong" in (tiny.project.root / "grades" / REPORT).read_text("utf-8")
    assert outcome.results[0].tasks[0].verdict is Verdict.PASSED
