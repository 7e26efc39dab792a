"""What instructors put right: read from a spreadsheet's file, applied, and told."""

import errno
import time
from dataclasses import replace
from pathlib import Path

import pytest

from examiner.catalogue import Catalogue, parse_chapter
from examiner.errors import UserError
from examiner.results import SubmissionResult, TaskResult, TestResult, Verdict
from examiner.term.corrections import Corrections, read_corrections, require_known
from examiner.term.dates import Terms, read_due, read_rule
from examiner.term.requests import invitation, read_requests, require_address
from examiner.term.standing import Term
from examiner.term.times import Handed
from tests.examiner.small_course import catalogue_text

CHAPTER = parse_chapter(catalogue_text("tiny", {"Mean": (4, "mean"), "Bag": (6, "Bag")}))
COURSE = Catalogue((CHAPTER, parse_chapter('stem = "other"\nnumber = 10\ntitle = "Other"')))


def rows(folder: Path, *lines: str) -> Corrections:
    path = folder / "term.csv"
    path.write_text("\n".join(("What,Student,Task,Value,Reason,Chapter", *lines)), "utf-8")
    return read_corrections(path, CHAPTER, COURSE)


def result(student: str = "ada") -> SubmissionResult:
    """The first task has one of two tests right, the second none."""
    right = TestResult("test_right", "It is right.", Verdict.PASSED)
    wrong = TestResult("test_wrong", "It is wrong.", Verdict.FAILED)
    first, second = CHAPTER.tasks
    return SubmissionResult(
        student, (TaskResult(first, (right, wrong)), TaskResult(second, (wrong,)))
    )


@pytest.mark.parametrize(
    ("line", "score", "says"),
    [
        ("mark,ada,9.2,5.5,shown", 7.5, "task 9.2: 5.5 points by hand (shown)"),
        ('mark,ADA,9.2,"5,5",shown', 7.5, "task 9.2: 5.5 points by hand (shown)"),
        ("mark,ada,,8,oral", 8, "the whole: 8 points by hand (oral)"),
        ("leave out,,9.1,test_wrong,unfair", 4, "task 9.1: test_wrong was left out (unfair)"),
        ("leave-out,*,9.1,test_right,", 0, "task 9.1: test_right was left out"),
        ("regrade,ada,9.1,,again", 2, "task 9.1 was judged again (again)"),
        ("file,ada,,a.py,", 2, "the file a.py counts"),
    ],
)
def test_a_correction_changes_what_counts(
    tmp_path: Path, line: str, score: float, says: str
) -> None:
    judged = result()
    found = Term("tiny", corrections=rows(tmp_path, line)).settled(judged)
    assert found.score == score
    assert found.standing
    assert found.to_json()["corrections"] == [says]
    assert judged.score == 2  # what is kept stays as it was
    other = Term("tiny", corrections=rows(tmp_path, line)).settled(result("ben"))
    assert other.score == (score if "leave" in line else 2)


def test_a_spreadsheet_makes_one_task_of_two(tmp_path: Path) -> None:
    many = {f"Task {n}": (1, f"task_{n}") for n in range(1, 12)}
    chapter = parse_chapter(catalogue_text("tiny", many))
    path = tmp_path / "term.csv"

    def of(task: str) -> list[str]:
        path.write_text(f"what,student,task,value,reason\nmark,ada,{task},1,x\n", "utf-8")
        return [row.task for row in read_corrections(path, chapter, COURSE).rows]

    assert of("9.10") == of("task 9.10") == ["9.10"]
    assert of("Task 9.1") == ["9.1"]
    assert of("9.2") == ["9.2"]
    with pytest.raises(UserError, match=r"line 2: 9\.1 may be what .* made of 9\.10: write `task"):
        of("9.1")


def test_a_mark_by_hand_settles_what_could_not_be_judged(tmp_path: Path) -> None:
    first, second = result().tasks
    unjudged = replace(second.tests[0], verdict=Verdict.NOT_JUDGED)
    judged = replace(result(), tasks=(first, replace(second, tests=(unjudged,))))
    assert judged.provisional
    found = Term("tiny", corrections=rows(tmp_path, "mark,ada,9.2,6,read")).settled(judged)
    assert (found.score, found.provisional) == (8, False)


def test_nothing_to_say_adds_nothing() -> None:
    assert Term("tiny").settled(result()).to_json() == result().to_json()


def test_a_file_may_serve_a_term(tmp_path: Path) -> None:
    found = rows(tmp_path, "mark,ada,1.1,3,x,other", "mark,ada,9.1,3,x,tiny")
    assert [row.task for row in found.rows] == ["9.1"]
    assert found.tasks_again("ada") == frozenset()


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["praise,ada,9.1,3,x"], "line 2: expected one of mark, file, leave out, regrade"),
        (["mark,ada,9.3,3,x"], "line 2: tiny has no task '9.3'; it has 9.1, 9.2"),
        (["mark,ada,9.1,4.5,x"], "line 2: expected points from 0 to 4, got '4.5'"),
        (["mark,ada,9.1,-1,x"], "line 2: expected points from 0 to 4"),
        (["mark,ada,9.1,nan,x"], "line 2: expected points from 0 to 4"),
        (["mark,ada,,11,x"], "line 2: expected points from 0 to 10"),
        (["mark,ada,9.1,3,"], "line 2: a mark by hand needs a reason"),
        (["mark,,9.1,3,x"], "line 2: whose"),
        (["file,ada,,,x"], "line 2: which"),
        (["leave out,,,test_right,x"], "line 2: of which task"),
        (["mark,ada,9.1,3,x,nowhere"], "line 2: there is no chapter 'nowhere'"),
        (["mark,ada,9.1,3,x", "", "mark,Ada,9.1,2,x"], "line 4: mark 2 for Ada, and 3 in line 2"),
        (["file,ada,,a.py,x", "file,ada,,b.py,x"], "line 3: file b.py for ada, and a.py in line 2"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, lines: list[str], says: str) -> None:
    with pytest.raises(UserError) as error:
        rows(tmp_path, *lines)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_rows_are_for_students_and_tests_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="line 2: no student 'eve' in this class"):
        require_known(rows(tmp_path, "mark,eve,9.1,3,x").rows, ["ada"])
    with pytest.raises(
        UserError, match=r"line 2: task 9\.2 has no test 'test_x'; it has test_wrong"
    ):
        Term(corrections=rows(tmp_path, "leave out,,9.2,test_x,x")).settled(result())
    with pytest.raises(UserError, match=r"line 2: no test of task 9\.2 is left"):
        Term(corrections=rows(tmp_path, "leave out,,9.2,test_wrong,x")).settled(result())


def test_columns_that_are_none_are_told(tmp_path: Path) -> None:
    path = tmp_path / "term.csv"
    for head, says in (("what,task", "no column 'value'"), ("what,task,value,why", "column 'why'")):
        path.write_text(f"{head}\n")
        with pytest.raises(UserError, match=says):
            read_corrections(path, CHAPTER, COURSE)


def test_lateness_is_taken_from_corrected_points(tmp_path: Path) -> None:
    due = read_due("2026-12-01T18:00+00:00")
    late = {"ada": Handed(read_due("2026-12-02T17:00+00:00"))}
    terms = Terms(due, read_rule("10 % a day"))
    by_hand = rows(tmp_path, "mark,ada,9.2,6,shown")
    found = Term("tiny", terms, by_hand, handed=late).settled(result())
    said = found.to_json()
    assert (said["earned"], said["score"], said["late"]) == (8, 7.2, 23 * 3600)
    assert said["handed_in"] == "2026-12-02T17:00:00+00:00"
    whole = rows(tmp_path, "mark,ada,,9,oral")
    assert Term("tiny", terms, whole, handed=late).settled(result()).score == 9


def test_requests_are_listed_and_answered(tmp_path: Path) -> None:
    texts = {
        "a.txt": "student: Ada\ntasks: 9.1, 9.2\n\nMy sum\n\x1b[31mis right\n",
        "b.txt": "Please look again",
        "c.txt": "student: ben\ntasks: 9.7\nx",
        "d.txt": "student: ben\nx",
        "e.md": "student: ben",
        "f.txt": "From: b@uni.example\nSubject: Second look\n\nstudent: ben\n\ntasks: 9.1\nWindows",
        ".DS_Store": "",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-16" if name == "f.txt" else "utf-8")
    found = read_requests(tmp_path, ["ada", "ben"], ["9.1", "9.2"])
    lines = [each.line(Corrections()) for each in found]
    assert lines[0] == "ada, 9.1, 9.2: My sum [31mis right [not answered yet]"
    assert [line.partition(":")[0] for line in lines[1:]] == [
        "b.txt names no student of the class",
        "c.txt names task 9.7, which is not there",
        "d.txt names no task",
        "e.md is not a text file",
        "ben, 9.1",
    ]
    assert found[-1].text == "Windows"
    answer = rows(tmp_path, "mark,ada,9.1,4,right")
    assert "[task 9.1: 4 points by hand (right)]" in found[0].line(answer)
    with pytest.raises(UserError, match="there is no folder"):
        read_requests(tmp_path / "none", [], [])


def test_a_request_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ada.txt").write_text("student: ada\ntasks: 9.1\n\nPlease.")

    def closed(self: Path, mode: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", closed)
    (found,) = read_requests(tmp_path, ["ada"], ["9.1"])
    assert found.line(Corrections()) == "ada.txt cannot be read: Permission denied"


def test_a_request_with_a_long_number_is_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"student: ada\ntasks: {'1' * 60_000} 9.1, 9.2.\nlook")
    begun = time.process_time()
    assert read_requests(tmp_path, ["ada"], ["9.1", "9.2"])[0].tasks == ("9.1", "9.2")
    assert time.process_time() - begun < 5


def test_a_page_invites_to_an_address_alone() -> None:
    for good in ("", "mailto:ta@uni.example", "https://uni.example/form?x=1"):
        require_address(good, "course.toml")
    for bad in ("http://uni.example", "javascript:alert(1)", "mailto:ta", "https://a b"):
        with pytest.raises(UserError, match="second_look should be"):
            require_address(bad, "course.toml")
    assert "%0Atasks%3A" in invitation("mailto:ta@uni.example", "a&b", "tiny")
    assert "a&b" not in invitation("mailto:ta@uni.example", "a&b", "tiny")
