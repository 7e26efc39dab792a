"""An inbox that is a folder: what is odd holds nobody else up, and no two students become one."""

import errno
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from stat import S_IFCHR, S_IFIFO, S_IFSOCK

import pytest

from examiner.inbox import folder as folders
from examiner.inbox.arrivals import InboxError
from examiner.inbox.folder import CAME, INCOMING, QUIET, REFUSED, WHO, WORK, FolderInbox
from examiner.results import Verdict
from tests.examiner.inbox.test_folder import claimed, hand_in, killed, names

TEXT = "x = 1\n"
NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An inbox without anything in it."""
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.fixture
def inbox(folder: Path) -> Iterator[FolderInbox]:
    """Opened; a folder need not wait long."""
    opened = FolderInbox(folder, 100, settled=0.05)
    yield opened
    opened.close()


def hand_in_folder(folder: Path, name: str, inside: str = "tiny.py") -> None:
    path = folder / INCOMING / name / inside
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    time.sleep(0.1)


# ------------------------------------------------------------------ whose it is


def test_the_name_of_a_folder_is_the_students_as_it_is(folder: Path, inbox: FolderInbox) -> None:
    students = ("anna.smith", "anna.jones", "ben.py", "cleo.may--2")
    for name in students:
        hand_in_folder(folder, name)
    hand_in(folder, "anna.brown.zip")
    hand_in(folder, "dan.lee.PY")
    hand_in(folder, "eva.hall--3.py")
    assert sorted(each.student for each in claimed(inbox)) == [
        *("anna.brown", "anna.jones", "anna.smith"),
        *("ben.py", "cleo.may", "dan.lee", "eva.hall"),
    ]


def test_a_loose_module_is_graded_and_a_loose_notebook_refused(
    folder: Path, inbox: FolderInbox
) -> None:
    hand_in(folder, "ada.py", TEXT)
    hand_in(folder, "ben.ipynb")
    (arrival,) = claimed(inbox)
    assert (arrival.student, arrival.read("tiny").data) == ("ada", TEXT.encode())
    assert names(folder, REFUSED) == ["ben"]
    assert inbox.said == ["ben.ipynb is refused: expected STUDENT.zip or STUDENT.py or a folder"]


# ------------------------------------------------------------------ what is no file


@pytest.mark.parametrize(
    ("kind", "name"),
    [(S_IFIFO, "bob.zip"), (S_IFIFO, "bob.py"), (S_IFSOCK, "bob.zip"), (S_IFCHR, "bob.zip")],
)
def test_what_is_no_file_is_refused(folder: Path, inbox: FolderInbox, kind: int, name: str) -> None:
    try:
        os.mknod(folder / INCOMING / name, kind | 0o600)
    except PermissionError:
        pytest.skip("only root can make a device")
    hand_in(folder, "cleo.py")
    time.sleep(0.1)
    assert [each.student for each in claimed(inbox)] == ["cleo"]
    reason = "it is no regular file: expected a file or a folder"
    assert inbox.said == [f"{name} is refused: {reason}"]
    (place,) = (folder / REFUSED).iterdir()
    assert (place / "reason.txt").read_text() == f"{reason}\n"


@pytest.mark.parametrize("name", ["bob.zip", "bob.py"])
def test_a_pipe_that_is_in_hand_already_costs_its_student_alone(folder: Path, name: str) -> None:
    killed(FolderInbox(folder, 100))
    place = folder / WORK / f"{1:020d}-bob"
    place.mkdir()
    (place / WHO).write_text("bob")
    (place / CAME).write_text("1.0")
    os.mkfifo(place / name)
    held = os.open(place / name, os.O_RDWR | os.O_NONBLOCK)  # whoever opens it need not wait
    inbox = FolderInbox(folder, 100)
    hand_in(folder, "cleo.py", TEXT)
    bob, cleo = sorted(claimed(inbox), key=lambda each: each.student)
    found = bob.read("tiny")
    os.close(held)
    assert ("single file" if name == "bob.py" else "is no regular file") in found.problem
    assert found.verdict is Verdict.MISSING
    assert cleo.read("tiny").problem == ""
    inbox.close()


# ------------------------------------------------------------------ what cannot be moved


@pytest.mark.parametrize("letter", ["a", "é", "😀"])
@pytest.mark.parametrize("suffix", [".zip", ".py", ".ZIP"])
def test_a_name_is_as_long_as_it_can_be(
    folder: Path, inbox: FolderInbox, letter: str, suffix: str
) -> None:
    many = (255 - len("__pycache__") - len(suffix)) // len(letter.encode())
    name = f"__pycache__{letter * many}"
    name += "-" * (255 - len(suffix) - len(name.encode())) + suffix
    assert len(name.encode()) == 255
    (folder / INCOMING / ".part").write_text(TEXT)
    time.sleep(0.02)
    (folder / INCOMING / ".part").rename(folder / INCOMING / name)
    hand_in(folder, "zoe.py")
    odd, zoe = sorted(claimed(inbox), key=lambda each: each.student)
    assert (odd.path.read_text(), odd.path.suffix, zoe.student) == (TEXT, suffix, "zoe")
    assert odd.path.name == name
    assert inbox.said == []


@pytest.mark.parametrize("name", [b"\xff.py", b"__pycache__\xff.py", "ada\u202e\x1b.py".encode()])
def test_a_name_of_strange_signs_is_taken(folder: Path, inbox: FolderInbox, name: bytes) -> None:
    hand_in(folder, os.fsdecode(name), TEXT)
    (arrival,) = claimed(inbox)
    assert arrival.read("tiny").problem == ""


def failing(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
    """Let the renames of one name fail; what it is that the system says is an argument."""
    rename = Path.rename

    def refused(self: Path, target: Path) -> Path:
        if self.name == name:
            raise OSError(number, os.strerror(number), str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refused)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EBUSY])
def test_what_cannot_be_moved_holds_nobody_else_up(
    folder: Path, inbox: FolderInbox, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(folders, "AGAIN", 0.0)
    hand_in(folder, "ada.py")
    hand_in(folder, "ben.py")
    with monkeypatch.context() as patched:
        failing(patched, "ada.py", number)
        assert [each.student for each in claimed(inbox)] == ["ben"]
        assert claimed(inbox) == []
    said = f"ada.py cannot be taken in: {os.strerror(number)}; it stays in incoming"
    assert inbox.said == [f"{said}, the others go on"]
    assert names(folder, WORK) == ["ben"]
    assert [each.student for each in claimed(inbox)] == ["ada"]  # when it can be moved


def test_what_cannot_be_moved_is_not_tried_all_the_time(
    folder: Path, inbox: FolderInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(folder, "ada.py")
    failing(monkeypatch, "ada.py", errno.EACCES)
    claimed(inbox)
    tried: list[Path] = []
    monkeypatch.setattr(inbox, "_move_in", tried.append)
    claimed(inbox)
    assert tried == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_that_only_its_owner_may_move(folder: Path, inbox: FolderInbox) -> None:
    modes = {path: path.stat().st_mode for path in folder.parents}
    for path in (folder, *folder.iterdir()):
        os.chown(path, NOBODY, NOBODY)
    hand_in_folder(folder, "ada")
    hand_in(folder, "ben.py")
    try:
        for path, mode in modes.items():
            path.chmod(mode | 0o011)
        os.seteuid(NOBODY)
        found = [each.student for each in claimed(inbox)]
    finally:
        os.seteuid(0)
        for path, mode in modes.items():
            path.chmod(mode)
    assert found == ["ben"]
    assert inbox.said == [
        "ada cannot be taken in: Permission denied; it stays in incoming, the others go on"
    ]
    assert names(folder, WORK) == ["ben"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("step", ["write_whole", "rename"])
def test_a_disk_that_takes_nothing_is_said_of_the_inbox_and_loses_nothing(
    folder: Path, inbox: FolderInbox, monkeypatch: pytest.MonkeyPatch, number: int, step: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    for name in ("ada--1.py", "ada--2.py", "ben.py"):
        hand_in(folder, name, name)
    inbox.claim(1)
    time.sleep(QUIET + 0.05)
    with monkeypatch.context() as patched:
        patched.setattr(*((folders, step) if step == "write_whole" else (Path, step)), full)
        for _ in range(3):
            with pytest.raises(InboxError, match=f"cannot be used: {os.strerror(number)}"):
                inbox.claim(10)
    assert inbox.said == []
    assert names(folder, WORK) == []
    assert [each.path.read_text() for each in claimed(inbox)] == ["ada--1.py", "ben.py"]


def test_an_inbox_that_may_not_be_written_is_said_of_the_inbox(
    folder: Path, inbox: FolderInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(folder, "ada.py")
    inbox.claim(1)
    time.sleep(QUIET + 0.05)
    failing(monkeypatch, "ada.py", errno.EACCES)
    monkeypatch.setattr(folders.os, "access", lambda *_, **__: False)
    with pytest.raises(InboxError, match="cannot be used: Permission denied"):
        inbox.claim(1)
    assert inbox.said == []


def test_what_is_taken_away_again_is_forgotten(
    folder: Path, inbox: FolderInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(folder, "ada.py")
    hand_in(folder, "ben.py")
    move_in = inbox._move_in

    def late(path: Path) -> None:
        if path.name == "ada.py":
            path.unlink()
        move_in(path)

    monkeypatch.setattr(inbox, "_move_in", late)
    assert [each.student for each in claimed(inbox)] == ["ben"]
    assert (inbox.said, names(folder, WORK)) == ([], ["ben"])


def test_a_rename_that_was_done_and_is_called_failed_loses_nothing(
    folder: Path, inbox: FolderInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def twice(self: Path, target: Path) -> Path:
        rename(self, target)
        return rename(self, target)  # as a network's disk does when the first answer is lost

    hand_in(folder, "ada.py", TEXT)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", twice)
        (arrival,) = claimed(inbox)
    assert arrival.path.read_text() == TEXT


def test_a_work_of_which_nobody_knows_whose_it_is_stays(folder: Path, inbox: FolderInbox) -> None:
    hand_in(folder, "ada.py", TEXT)
    (arrival,) = claimed(inbox)
    (arrival.path.parent / WHO).unlink()
    killed(inbox)
    again = FolderInbox(folder, 100)
    assert claimed(again) == []
    assert "look at it" in again.said[0]
    assert arrival.path.read_text() == TEXT
    again.close()


@pytest.fixture
def deep(folder: Path, inbox: FolderInbox) -> Iterator[str]:
    """A student's folder with more folders in each other than Python has calls in each other."""
    hand_in_folder(folder, "ada")
    opened = os.open(folder / INCOMING / "ada", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("a", dir_fd=opened)
        inner = os.open("a", os.O_RDONLY, dir_fd=opened)
        os.close(opened)
        opened = inner
    os.close(opened)
    time.sleep(0.1)
    yield "ada"
    subprocess.run(["rm", "-rf", str(folder)], check=True)  # Python cannot


def test_folders_in_folders_without_end_hold_nobody_up(
    folder: Path, inbox: FolderInbox, deep: str
) -> None:
    hand_in(folder, "ben.py", TEXT)
    found = claimed(inbox)
    assert sorted(each.student for each in found) == [deep, "ben"]
    assert [each.read("tiny").problem for each in found] == ["", ""]
