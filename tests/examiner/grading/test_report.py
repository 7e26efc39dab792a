"""What an instructor sees while a class is graded and after it, and how results are kept apart."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from examiner.catalogue import Chapter
from examiner.grading import feedback, store
from examiner.grading.outcome import Outcome
from examiner.grading.store import REASONS, draws_of, run_key
from examiner.grading.terminal import Display, show
from examiner.results import SubmissionResult, TaskResult, TestResult, Verdict
from tests.course import CHAPTERS
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

HALF = REFERENCE.replace("return sum(numbers) / len(numbers)", "return 0")


def result(course: TinyCourse, verdict: Verdict, student: str) -> SubmissionResult:
    tests = (TestResult("test_it", "It works.", verdict, seconds=0.5),)
    tasks = tuple(TaskResult(each, tests) for each in course.chapter.tasks)
    return SubmissionResult(student, tasks)


def test_the_progress_tells_done_failing_rate_and_time_left(tiny: TinyCourse) -> None:
    screen = io.StringIO()
    now = [100.0]
    display = Display(Console(file=screen, force_terminal=True, width=120, get_time=lambda: now[0]))
    with display.shown():
        display.begin(total=90, known=50)
        display.tick()
        verdicts = (Verdict.PASSED, Verdict.FAILED, Verdict.NOT_JUDGED, *[Verdict.PASSED] * 7)
        for number, verdict in enumerate(verdicts):
            now[0] += 0.5
            display.finished(result(tiny, verdict, f"student{number}"))
            display.tick()
        display.finished(result(tiny, Verdict.FAILED, "student1"))  # judged again: counts once
    plain = re.sub(r"\x1b\[[0-9;?]*\w", "", screen.getvalue())
    shown = [line for line in re.split(r"[\r\n]", plain) if line.strip()][-1]
    assert "60/90" in shown
    assert "2 below full marks" in shown
    assert "1 not judged" in shown
    assert "2.0/s" in shown  # what was known before does not count as graded in no time
    assert "0:00:15" in shown


@pytest.mark.slow
def test_a_table_tells_which_scores_changed_and_why(tiny: TinyCourse) -> None:
    folder = tiny.hand_in({"ann": REFERENCE, "ben": HALF})
    tiny.run(folder)
    tiny.hand_in({"ann": HALF})
    outcome = tiny.run(folder, seed="another")
    screen = io.StringIO()
    show(Console(file=screen, width=120), outcome)
    shown = screen.getvalue()
    assert "scores that changed" in shown
    (row,) = [line for line in shown.splitlines() if "another submission" in line]
    row = row.replace("│", "").strip()
    assert row.split()[:3] == ["ann", "10", "7"]
    assert row.endswith("another submission and another seed; tasks 9.1")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda each: each.stem)
def test_the_points_of_every_task_fit_into_a_narrow_terminal(chapter: Chapter) -> None:
    half = [("a", Verdict.PASSED, 2.0), ("b", Verdict.TIMEOUT, 1.0)]
    tests = tuple(TestResult(name, "It works.", verdict, weight) for name, verdict, weight in half)
    tasks = tuple(TaskResult(task, tests) for task in chapter.tasks)
    alice = SubmissionResult("alice", tasks)
    said = Console(file=io.StringIO(), width=80)
    show(said, Outcome(chapter, (alice,), 1, ()))
    line = next(each for each in said.file.getvalue().splitlines() if "alice" in each)
    assert len(line.split()) == 2 + len(chapter.tasks)
    assert line.split()[1] == f"{alice.score:g}"
    assert all(score.endswith("t") for score in line.split()[2:])


@pytest.mark.slow
def test_other_points_are_a_reason_too(tiny: TinyCourse) -> None:
    folder = tiny.hand_in({"ann": HALF})
    assert tiny.run(folder).results[0].score == 7
    first, second = tiny.chapter.tasks
    tiny.chapter = replace(tiny.chapter, tasks=(replace(first, points=8), second))
    (change,) = tiny.run(folder).changes
    assert (change.before, change.after) == (7, 8)
    assert change.why == "other tests; tasks 9.1"


def test_every_dependency_has_a_hash_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = tmp_path / "suite.py"
    suite.write_text("x = 1\n")

    def key(
        tests: str = "x = 1\n", chapter: int = 1, seed: str = "s", plan: str = "p"
    ) -> store.Key:
        suite.write_text(tests)
        return run_key([suite, None], {"n": chapter}, seed, plan)

    def differing(other: store.Key) -> list[str]:
        return [part for part, value in key().items() if other[part] != value]

    assert differing(key()) == []
    assert differing(key(tests="x = 2\n")) == ["tests"]
    assert differing(key(chapter=2)) == ["tests"]
    assert differing(key(seed="t")) == ["seed"]
    assert differing(key(plan="q")) == ["grader"]
    before = key()
    monkeypatch.setattr(store, "version", lambda package: "0")
    assert [part for part, value in key().items() if before[part] != value] == ["grader"]
    assert set(key()) | {"submission"} | set(draws_of({"test": 1})) == set(REASONS)


@pytest.mark.slow
def test_the_same_class_gets_the_same_pages_byte_for_byte(tiny: TinyCourse) -> None:
    wrong = REFERENCE.replace("return sum(numbers)", "import time; time.sleep(0.02); return 1 +")
    slow = REFERENCE.replace("return sum(numbers)", "while True: pass; return sum(numbers)")
    folder = tiny.hand_in({"ann": wrong, "bo": slow, "cy": REFERENCE, "di": "def mean(:"})
    pages = []
    for jobs in (1, 2):
        out = tiny.project.root / f"grades{jobs}"
        tiny.run(folder, out=out, jobs=jobs)
        pages.append({path.name: path.read_bytes() for path in out.iterdir() if path.is_file()})
    assert len(pages[0]) == 8
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_a_page_tells_task_behaviour_and_own_line(tiny: TinyCourse) -> None:
    slow = REFERENCE.replace(
        "return sum(numbers) / len(numbers)", "import time; time.sleep(0.3); return {}[numbers]"
    )
    tiny.grade({"ann": slow})
    for name in ("ann.html", "ann.md"):
        page = (tiny.project.root / "grades" / name).read_text("utf-8")
        assert "9.1 Mean" in page
        assert "The mean is right for any numbers." in page
        assert "in line 1" in page
        assert "time.sleep(0.3)" in page
        assert "Traceback" not in page
        assert "nextword/" not in page


def test_a_page_says_once_that_a_task_is_not_written(tiny: TinyCourse) -> None:
    said = ("not written yet: 9.1 mean: see section 9.1", "not written yet")
    tests = tuple(
        TestResult(f"test_{n}", f"It works in way {n}.", Verdict.MISSING, visible=n < 2, message=m)
        for n, m in enumerate((said[0], said[0], said[1], said[1]))
    )
    result = SubmissionResult("ann", (TaskResult(tiny.chapter.tasks[0], tests),))
    for page in (feedback.markdown(tiny.chapter, result), feedback.page(tiny.chapter, result)):
        assert page.count("Not written yet.") == 1
        assert page.count(said[0]) == 1
        assert all(test.behaviour in page for test in tests)
