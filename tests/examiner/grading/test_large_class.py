"""A class of any size: read one by one, written piece by piece, shown in part."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from examiner.errors import UserError
from examiner.grading import handed_in, run
from examiner.grading.feedback import Pages
from examiner.grading.handed_in import CHANGED, unchanged
from examiner.grading.json_lines import json_lines
from examiner.grading.outcome import LARGE, TABLE, Change, Outcome
from examiner.grading.submissions import Submission
from examiner.grading.terminal import show
from examiner.grading.works import Entry
from examiner.results import (
    SmallestExample,
    SubmissionResult,
    TaskResult,
    TestResult,
    Verdict,
    Whose,
)
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

HALF = REFERENCE.replace("return sum(numbers) / len(numbers)", "return 0")


def result(
    course: TinyCourse, student: str, verdict: Verdict = Verdict.FAILED, gives: str = "0"
) -> SubmissionResult:
    test = TestResult("test_it", "It works.", verdict, message="a\u2028b «c»")
    example = SmallestExample("mean", "mean([1])", gives, "1")
    tasks = tuple(TaskResult(each, (test,), (example,)) for each in course.chapter.tasks)
    return SubmissionResult(student, tasks, "a notice", of=Whose(student, remarks=("late",)))


def outcome_of(course: TinyCourse, results: Sequence[SubmissionResult]) -> Outcome:
    return Outcome(course.chapter, results, len(results), ())


@pytest.mark.parametrize("size", [0, 1, 3])
def test_json_in_pieces_is_that_of_the_whole(tiny: TinyCourse, size: int) -> None:
    outcome = outcome_of(tiny, [result(tiny, f"s{n}") for n in range(size)])
    whole = {
        "chapter": "tiny",
        "submissions": [each.to_json() for each in outcome.results],
        "absent": [],
        "mistakes": [each.to_json() for each in outcome.mistakes],
        "faults": [],
        "report": outcome.report.to_json(),
    }
    assert "".join(outcome.json_pieces()) == json.dumps(whole, indent=1, ensure_ascii=False)
    assert outcome.to_json() == whole


def test_works_are_read_when_it_is_their_turn(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, asked = handed_in.read, []

    def noted(entry: Entry, *more: Any) -> Submission:
        asked.append(entry)
        return read(entry, *more)

    monkeypatch.setattr(handed_in, "read", noted)
    folder = tiny.hand_in({"ann": REFERENCE, "bo": HALF})
    with handed_in.handed_in(tiny.project, tiny.chapter, folder) as found:
        assert (len(found.submissions), asked) == (2, [])
        assert found.submissions[1].source.text == HALF
        assert [each.student for each in asked] == ["bo"]
        digests = [each.digest for each in found.submissions]
        tiny.hand_in({"bo": REFERENCE})
        ann, bo = unchanged(found.submissions, digests)
    assert (ann.problem, bo.problem, bo.verdict) == ("", CHANGED, Verdict.NOT_JUDGED)


def test_a_large_class_is_shown_in_part(tiny: TinyCourse) -> None:
    results = [result(tiny, f"s{n:04d}", Verdict.NOT_JUDGED) for n in range(LARGE + 7)]
    changes = tuple(Change(each.student, 1, 2, "another seed") for each in results)
    screen = io.StringIO()
    show(Console(file=screen, width=120), Outcome(tiny.chapter, results, len(results), changes))
    lines = screen.getvalue().splitlines()
    assert sum("s0099" in line for line in lines) == 5  # table, notice, remark, change, unjudged
    assert not [line for line in lines if "s0100" in line]
    assert f"and 7 more students: {TABLE} in the folder below has all" in lines
    assert lines.count("and 7 more such lines") == 2
    assert "and 7 more changes" in lines
    assert "and 7 more such students" in lines


def test_pages_move_when_a_class_grows_or_shrinks(tiny: TinyCourse) -> None:
    together, spread = Pages(tiny.project.root), Pages(tiny.project.root, spread=True)
    ann = result(tiny, "ann")
    for here, there in ((together, spread), (spread, together)):
        here.write(tiny.chapter, ann)
        assert "a notice" in (here.read("ann") or "")
        assert there.read("ann") is None
        assert not there.path("ann", ".md").exists()


def test_lines_of_json_are_whole_at_any_moment(tiny: TinyCourse) -> None:
    path = tiny.project.root / "lines.jsonl"
    ann, bo = (result(tiny, name) for name in ("ann", "bo"))

    def written() -> list[str]:
        return [json.loads(line)["student"] for line in path.read_text("utf-8").split("\n")[:-1]]

    with json_lines(path) as lines:
        for student, so_far in ((bo, ["bo"]), (ann, ["bo", "ann"]), (bo, ["bo", "ann", "bo"])):
            lines.add(student)
            assert written() == so_far
        lines.finish([ann, bo])
    assert written() == ["ann", "bo"]  # one was judged again
    with json_lines(Path("/dev/full")) as lines, pytest.raises(UserError, match="No space left"):
        lines.add(ann)
    with pytest.raises(UserError, match="Is a directory"), json_lines(tiny.project.root):
        pass


@pytest.mark.slow
def test_a_whole_run_of_a_large_class(tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MOST_TOGETHER", 2)
    monkeypatch.setattr(run, "LARGE", 2)
    out, lines = tiny.project.root / "grades", tiny.project.root / "lines.jsonl"
    folder = tiny.hand_in({"ann": "broken(", "bo": "broken("})
    tiny.run(folder)
    assert (out / "ann.html").is_file()
    assert not (out / TABLE).exists()
    outcome = tiny.run(tiny.hand_in({"cy": REFERENCE}), json_lines=lines)
    assert (outcome.graded, [each.score for each in outcome.results[1:]]) == (1, [0, 10])
    assert not [*out.glob("*.html")]
    rows = list(csv.DictReader((out / TABLE).read_text("utf-8").splitlines()))
    assert [(row["student"], row["points"]) for row in rows] == [
        ("ann", "0"), ("bo", "0"), ("cy", "10"),
    ]  # fmt: skip
    assert all(f"{row['student']}.html" in row["page"] for row in rows)
    assert all((out / row["page"]).is_file() for row in rows)
    found = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    assert found == outcome.to_json()["submissions"]
    (out / "results" / "cy.json").unlink()
    with pytest.raises(UserError, match="the result of cy is gone from"):
        outcome.results[2]


def test_lines_in_a_stream_stand_among_what_is_printed(tmp_path: Path) -> None:
    """Also where it is led to a file; of a submission that was judged again both stay."""
    text = """
from pathlib import Path
from examiner.grading.json_lines import json_lines
from examiner.results import SubmissionResult
print("before")
with json_lines(Path("/dev/stdout")) as lines:
    for _ in range(2):
        lines.add(SubmissionResult("ann", ()))
    lines.finish([SubmissionResult("ann", ())])
print("after")
"""
    with (tmp_path / "out").open("wb") as file:
        subprocess.run([sys.executable, "-c", text], stdout=file, check=True)
    first, *lines, last = (tmp_path / "out").read_text().splitlines()
    assert (first, last) == ("before", "after")
    assert [json.loads(line)["student"] for line in lines] == ["ann", "ann"]
