"""Accidents of handing in heal, or are named; nothing displaces what is named rightly."""

import time
from pathlib import Path, PurePosixPath

import pytest

from examiner.errors import UserError
from examiner.grading.accidents import alike, wrong_content
from examiner.grading.feedback import markdown, page
from examiner.grading.submissions import Submission, read
from examiner.grading.works import Entry
from examiner.results import STRANGE, SubmissionResult, TaskResult, TestResult, Verdict
from examiner.term.corrections import Correction
from tests.examiner.term.test_corrections import CHAPTER

NAMES = {"tiny": frozenset({"mean", "Bag"}), "other": frozenset({"sort", "merge"})}
GOOD = "def mean(numbers):\n    return 1\n"


def handed(folder: Path, files: dict[str, str], counts: str = "") -> Submission:
    for name, text in files.items():
        path = folder / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    row = Correction("file", "ada", "", counts, "", "term.csv, line 2", folder) if counts else None
    return read(Entry("ada", (folder / "ada",)), "tiny", NAMES, row)


@pytest.mark.parametrize(
    "name",
    [
        *("tiny (1).py", "Tiny.py", "tiny.py.txt", "tiny-2.py", "TINY.PY", "tiny - Copy.py"),
        *("Copy of tiny.py", "tiny(2).py", "tiny.py.py", "tiny_1.py", "tiny_(1).py"),
    ],
)
def test_a_copys_name_is_healed_with_a_remark(tmp_path: Path, name: str) -> None:
    found = handed(tmp_path, {name: GOOD})
    assert found.problem == ""
    assert found.source.text == GOOD
    assert found.note.startswith(f"{name} was graded as tiny.py")
    assert found.whose.remarks == ()  # it is told once


@pytest.mark.parametrize("name", [" tiny.py", "tiny.py ", "tiny.py.txt "])
def test_a_blank_beside_a_name_costs_nothing(tmp_path: Path, name: str) -> None:
    found = handed(tmp_path, {name: GOOD})
    assert (found.problem, found.source.text) == ("", GOOD)


@pytest.mark.parametrize("name", ["tiny2x.py", "mytiny.py", "other.py", "tiny.txt", "tiny.pyc"])
def test_other_names_are_not(tmp_path: Path, name: str) -> None:
    assert "there is no tiny.py" in handed(tmp_path, {name: GOOD}).problem


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["other.py"], "other.py, of another chapter. Hand in tiny.py"),
        (["other.py", "t1ny.py"], "Rename the right one to tiny.py and hand it in again"),
        (["tiny (1).ipynb"], "a notebook, tiny (1).ipynb, where the module tiny.py was expected"),
        (["notes.txt"], "there is no tiny.py; found instead: notes.txt"),
    ],
)
def test_what_is_there_instead_is_named_with_what_to_do(
    tmp_path: Path, names: list[str], says: str
) -> None:
    assert handed(tmp_path, dict.fromkeys(names, GOOD)).problem.endswith(
        says + ": hand in tiny.py" * names[0].endswith(".ipynb")
    )


def test_a_copy_counts_beside_the_notebook(tmp_path: Path) -> None:
    found = handed(tmp_path, {"tiny.ipynb": "{}", "tiny (1).py": GOOD})
    assert (found.problem, found.source.text) == ("", GOOD)


def test_a_name_of_another_chapter_is_no_copy() -> None:
    assert alike([PurePosixPath("tiny_2.py")], "tiny", {"tiny_2"}) == []
    assert alike([PurePosixPath("Two-Words.py")], "two_words") == [PurePosixPath("Two-Words.py")]


def test_a_healed_file_never_displaces_a_right_name(tmp_path: Path) -> None:
    found = handed(tmp_path, {"tiny (1).py": "x = 1", "deep/down/tiny.py": GOOD})
    assert (found.source.text, found.files) == (GOOD, ("deep/down/tiny.py",))


def test_of_two_copies_none_is_guessed(tmp_path: Path) -> None:
    found = handed(tmp_path, {"tiny (1).py": GOOD, "tiny (2).py": GOOD})
    assert found.problem.startswith("rename the one that counts to tiny.py")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "tiny.py is empty"),
        ("\n \n", "tiny.py is empty"),
        ("def sort(a): pass\ndef merge(a, b): pass", "holds the functions of other"),
        ("def sort(a): pass\ndef merge(a, b): pass\nBag = 1", ""),
        ("def helper(): pass", ""),
        (GOOD, ""),
        ("async def mean(): pass\ndef sort(a): pass", ""),
        ("def sort(a): pass\rdef merge(a, b): pass", "holds the functions of other"),
    ],
)
def test_the_wrong_content_is_named(text: str, says: str) -> None:
    found = wrong_content(text, "tiny", NAMES)
    assert says in found
    assert bool(says) == bool(found)


def test_a_module_that_may_be_the_wrong_one_is_graded_and_asked_about(tmp_path: Path) -> None:
    found = handed(tmp_path, {"tiny.py": "def helper(): pass\n"})
    assert (found.problem, found.note[:7]) == ("", "tiny.py")
    assert "is it the right file?" in found.note
    assert handed(tmp_path, {"tiny.py": GOOD}).note == ""
    old_mac = f'"""Tiny."""\n\n{GOOD}'.replace("\n", "\r")
    (tmp_path / "ada" / "tiny.py").write_bytes(old_mac.encode())
    assert read(Entry("ada", (tmp_path / "ada",)), "tiny", NAMES).note == ""


@pytest.mark.parametrize(
    "line", ["x:" + " " * 200_000 + "int", "async" + " " * 200_000, "x =" * 80_000]
)
def test_a_long_line_is_looked_over_at_once(tmp_path: Path, line: str) -> None:
    begun = time.process_time()
    assert handed(tmp_path, {"tiny.py": f"{GOOD}\n{line}\n"}).problem == ""
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("verdict", "message", "notice"),
    [
        (Verdict.MISSING, "tiny.py is empty", "tiny.py is empty"),
        (
            Verdict.FAILED,
            "SyntaxError in line 3",
            "tiny.py cannot be imported: SyntaxError in line 3",
        ),
        (Verdict.MISSING, "mean is not written", f"tiny.py {STRANGE}: is it the right file?"),
    ],
)
def test_the_page_says_once_what_to_do(verdict: Verdict, message: str, notice: str) -> None:
    tests = (TestResult("test_it", "It works.", verdict, message=message),)
    tasks = tuple(TaskResult(each, tests) for each in CHAPTER.tasks)
    refused = SubmissionResult("ada", tasks, notice)
    assert refused.was_not_read
    for text in (page(CHAPTER, refused), markdown(CHAPTER, refused)):
        assert text.count(notice) == 1
        assert "ot written yet" not in text
        assert "not right yet" not in text
    assert not SubmissionResult("ada", tasks).was_not_read
    assert not SubmissionResult("ada", tasks, "tiny (1).py was graded as tiny.py").was_not_read


def test_an_instructors_file_counts(tmp_path: Path) -> None:
    (tmp_path / "mail.py").write_text(GOOD + "# by mail\n")
    files = {"tiny.py": "x = 1", "old/attempt.py": GOOD}
    assert handed(tmp_path, files, "old/attempt.py").source.text == GOOD
    assert "by mail" in handed(tmp_path, files, "mail.py").source.text
    with pytest.raises(UserError, match=r"line 2: no file 'gone.py' in what ada handed in"):
        handed(tmp_path, files, "gone.py")
    missing = Correction("file", "eve", "", "mail.py", "", "term.csv, line 3", tmp_path)
    assert "by mail" in read(Entry("eve"), "tiny", NAMES, missing).source.text


def test_of_a_work_handed_in_twice_one_counts(tmp_path: Path) -> None:
    handed(tmp_path, {"tiny.py": GOOD})
    other = tmp_path / "ada.zip"
    other.write_bytes(b"no zip")
    entry = Entry("ada", (tmp_path / "ada", other))
    assert "handed in twice" in read(entry, "tiny", NAMES).problem
    row = Correction("file", "ada", "", "ada", "", "term.csv, line 2", tmp_path)
    assert read(entry, "tiny", NAMES, row).source.text == GOOD
