"""What an instructor's machine may do to a run: no permission, a full disk, strange names."""

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.errors import UserError
from examiner.grading.entries import find_entries
from examiner.grading.store import file_name
from examiner.grading.submissions import read
from examiner.grading.works import Entry
from examiner.results import Verdict
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

Command = Callable[..., Result]
NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Run the block as somebody whom permissions bind; root reads everything."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.fixture
def open_class(tmp_path: Path) -> Iterator[Path]:
    """A class folder that everybody may read, on a path that everybody may walk."""
    changed = [path for path in tmp_path.parents if path.stat().st_uid == os.geteuid()]
    changed = [path for path in changed if not path.stat().st_mode & 0o001]
    for path in changed:
        path.chmod(path.stat().st_mode | 0o011)
    tmp_path.chmod(0o755)
    folder = tmp_path / "class"
    for student in ("ann", "ben"):
        (folder / student).mkdir(parents=True)
        (folder / student / "tiny.py").write_text("x = 1\n", "utf-8")
    with zipfile.ZipFile(folder / "cleo.zip", "w") as archive:
        archive.writestr("tiny.py", "x = 1\n")
    for entry in find_entries(folder):
        read(entry, "tiny")  # loads what Python needs, which may lie where only root may read
    yield folder
    folder.chmod(0o700)
    for path in folder.iterdir():
        path.chmod(0o700)
    for path in changed:
        path.chmod(path.stat().st_mode & ~0o011)


@pytest.mark.parametrize(
    ("path", "mode", "says"),
    [
        ("ann", 0o000, "ann cannot be read: Permission denied"),
        ("ann", 0o444, "tiny.py cannot be read: Permission denied"),
        ("ann/tiny.py", 0o000, "tiny.py cannot be read: Permission denied"),
        ("cleo.zip", 0o000, "cleo.zip cannot be read: Permission denied"),
    ],
)
def test_what_may_not_be_read_is_not_judged(
    open_class: Path, path: str, mode: int, says: str
) -> None:
    (open_class / path).chmod(mode)
    with ordinary_user():
        found = {entry.student: read(entry, "tiny") for entry in find_entries(open_class)}
    student = Path(path).parts[0].removesuffix(".zip")
    assert found[student].problem == says
    assert found[student].verdict is Verdict.NOT_JUDGED
    assert [found[name].problem for name in found if name != student] == ["", ""]


@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_class_that_may_not_be_read_is_one_line(open_class: Path, mode: int) -> None:
    open_class.chmod(mode)
    with ordinary_user(), pytest.raises(UserError, match="class cannot be read: Permission denied"):
        find_entries(open_class)


# ------------------------------------------------------------------------------ a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@needs_root
def test_a_full_disk_stops_the_run_which_then_goes_on(tiny: TinyCourse, small_disk: Path) -> None:
    out = small_disk / "grades"
    expected = dict.fromkeys((f"{number:02d}" for number in range(40)), 10.0)
    folder = tiny.hand_in(dict.fromkeys(expected, REFERENCE))
    with pytest.raises(UserError, match=r"cannot be written: No space left .* before is kept"):
        tiny.run(folder, out=out)
    stored = len(list((out / "results").glob("*.json")))
    assert 2 <= stored < 40
    assert not list(out.rglob("*.part"))
    for page in out.glob("*.html"):
        assert page.read_text("utf-8").endswith("</html>\n")
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    outcome = tiny.run(folder, out=out)
    assert {result.student: result.score for result in outcome.results} == expected
    assert outcome.graded == 40 - stored
    assert len(list(out.glob("*.html"))) == len(list(out.glob("*.md"))) == 40


# ------------------------------------------------------------------------------ names

NAMES = [
    "-rf",
    "--help",
    "con",
    "NUL.txt",
    "a\nb",
    "a\tb",
    "a  b",
    " a",
    "\u00e9",
    "e\u0301",  # looks the same
    "\u0430nn",  # begins with a Cyrillic letter
    "ann",
    "a\x07b",
    "a\x1bb",  # shown like the one before
    "\U0001d49c" * 60,
    "n" * 240,
    "n" * 241,
    "'; DROP TABLE grades; --",
    "%s%n{0}",
    "[bold]x[/]",
    "results",
    "$(touch pwned)",
    "<script>alert(1)<_script>",
    "a\x1b[2Jb",
    "con\u202efdp",  # turns what follows around
    os.fsdecode(b"not-utf8-\xff"),
]


@pytest.mark.slow
def test_strange_names_stay_apart_and_do_no_harm(tiny: TinyCourse) -> None:
    folder = tiny.hand_in(dict.fromkeys(NAMES, REFERENCE))
    outcome = tiny.run(folder)
    assert [result.score for result in outcome.results] == [10] * len(NAMES)
    students = {result.student for result in outcome.results}
    assert len(students) == len(NAMES)
    assert not any(set(name) & set("\n\t\x07\x1b") for name in students)
    out = tiny.project.root / "grades"
    pages = [path.name for path in out.glob("*.html")]
    assert len({name.lower() for name in pages}) == len(NAMES)
    assert not any(name.startswith(("-", ".", " ")) for name in pages)
    for path in out.glob("*.html"):
        assert not re.search("<script|\x1b|\u202e", path.read_text("utf-8"))
    assert tiny.run(folder).graded == 0


@pytest.mark.parametrize("name", [".", "..", "../ann", "/etc/passwd"])
def test_a_name_cannot_be_a_path(tmp_path: Path, name: str) -> None:
    (tmp_path / "tiny.py").write_text("x = 1\n", "utf-8")
    student = read(Entry(name, (tmp_path,)), "tiny").student
    assert "/" not in file_name(student)
    assert not file_name(student).startswith(".")


# ------------------------------------------------------------------------------ the command


@pytest.fixture
def course(demo_course: Path) -> Path:
    right = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    (demo_course / "class" / "ann").mkdir(parents=True)
    (demo_course / "class" / "ann" / "demo.py").write_text(right, "utf-8")
    return demo_course


def test_an_empty_class_is_one_line(course: Path, nextword: Command) -> None:
    (course / "empty").mkdir()
    (course / "empty" / "README.md").touch()
    done = nextword("grade", "demo", "empty")
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "empty holds no submissions: expected one folder or zip per student" in said
    with zipfile.ZipFile(course / "download.zip", "w"):
        pass
    done = nextword("grade", "demo", "download.zip")
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "nextword: download.zip holds no submissions" in said, "and not a passing folder's name"


@pytest.mark.parametrize("out", ["class/feedback", "class", "class/ann/feedback"])
def test_feedback_among_the_submissions_is_refused(
    course: Path, nextword: Command, out: str
) -> None:
    before = sorted(course.rglob("*"))
    done = nextword("grade", "demo", "class", "--out", out)
    assert done.exit_code == 2
    assert f"--out {out} lies among the submissions" in " ".join(done.output.split())
    assert sorted(course.rglob("*")) == before


@pytest.mark.parametrize(
    ("due", "option", "value"),
    [
        ("9999-12-31", "--due", ""),
        ("0001-01-01", "--due", ""),
        ("2026-12-01", "--late", "nothing after 9999999999 days"),
        ("2026-12-01", "--late", "10 % a day, 99999999999 weeks of grace"),
        ("2026-12-01", "--late", f"10 % a day, {10**24} days in hand"),
        ("2026-12-01", "--times", "id,status\nann,Handed in - 99999999999 days late\n"),
        ("2026-12-01", "--extensions", "student,days\nann,999999\n"),
    ],
)
def test_a_date_out_of_the_calendar_is_one_line(
    course: Path, nextword: Command, due: str, option: str, value: str
) -> None:
    given = {"--due": due} | ({option: value} if value else {})
    if value.count("\n"):
        (course / "table.csv").write_text(value, "utf-8")
        given[option] = "table.csv"
    done = nextword("grade", "demo", "class", *(word for pair in given.items() for word in pair))
    assert (done.exit_code, done.output.strip().count("\n")) == (2, 0)
    assert ("table.csv, line 2" if value.count("\n") else option) in done.output


def test_without_bubblewrap_the_command_refuses(
    course: Path, nextword: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examiner.sandbox.bubblewrap.program", lambda: None)
    done = nextword("grade", "demo", "class")
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "the sandbox needs bubblewrap, which is not installed" in said
    assert "sudo apt install bubblewrap" in said
    assert "--sandbox none; but without the sandbox a submission can read and change" in said
    assert not (course / "grades" / "demo").exists()


@pytest.mark.slow
def test_two_submissions_of_a_student_are_shouted(course: Path, nextword: Command) -> None:
    with zipfile.ZipFile(course / "class" / "ann.zip", "w") as archive:
        archive.writestr("demo.py", "")
    done = nextword("grade", "demo", "class", "--sandbox", "none", "--seed", "s")
    assert done.exit_code == 1
    said = " ".join(done.output.split())
    assert "ann: handed in twice: ann and ann.zip; keep one" in said
    assert "NOT JUDGED" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("== 9.1 | no name\nreturn 1\n", "tests/tiny/mistakes/mean.txt:1: a head is"),
        (
            "\n== 9.1 mean | silent\nreturn 1\n",
            "tests/tiny/mistakes/mean.txt:2: a misconception n",
        ),
    ],
)
def test_broken_misconceptions_end_a_run_before_it_begins(
    tiny: TinyCourse, text: str, said: str
) -> None:
    (tiny.project.root / "tests" / "tiny" / "mistakes" / "mean.txt").write_text(text, "utf-8")
    with pytest.raises(UserError) as caught:
        tiny.grade({"ann": REFERENCE})
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
