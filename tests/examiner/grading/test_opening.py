"""What is opened of a work: nothing behind a link, also one that is put there while it is read."""

import os
import signal
import socket
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NoReturn

import pytest

from examiner.grading import opening
from examiner.grading.entries import find_entries, open_class
from examiner.grading.submissions import Submission, read
from examiner.grading.works import Entry, ProblemError, Work, read_file
from examiner.results import Verdict

OWN, SECRET = "x = 1\n", "SECRET = 1\n"


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    """End a test that waits for a pipe."""

    def late(*_: object) -> NoReturn:
        pytest.fail("it waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder that is not the student's, with files of the names that are graded."""
    for name in ("", "b"):
        (tmp_path / "secret" / name).mkdir()
        (tmp_path / "secret" / name / "tiny.py").write_text(SECRET)
    return tmp_path / "secret"


def work(tmp_path: Path, inside: str = "tiny.py") -> Path:
    """A student's folder with a file in it."""
    path = tmp_path / "ann" / inside
    path.parent.mkdir(parents=True)
    path.write_text(OWN)
    return tmp_path / "ann"


def swap(path: Path, target: Path) -> None:
    """Put a link where a file or folder is."""
    path.rename(path.with_name(".old"))
    path.symlink_to(target)


def zip_of(path: Path, text: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny.py", text)
    return path


def read_one(path: Path) -> Submission:
    return read(Entry("ann", (path,)), "tiny")


# ------------------------------------------------------------------ swapped while it is read


@pytest.mark.parametrize("swapped", ["a", "a/b", "a/b/tiny.py"])
def test_a_link_put_there_after_the_list_was_made_is_not_followed(
    tmp_path: Path, secret: Path, swapped: str
) -> None:
    folder, taken = work(tmp_path, "a/b/tiny.py"), Work(["tiny.py"])
    taken.take(folder)
    load = taken.files[PurePosixPath("a/b/tiny.py")]
    assert load(100) == OWN.encode()
    target = secret / "b" if swapped == "a/b" else secret
    swap(folder / swapped, target / "tiny.py" if swapped.endswith(".py") else target)
    with pytest.raises(ProblemError, match=r"^a/b/tiny\.py (is a|lies behind a) link.*; hand in"):
        load(100)
    with pytest.raises(ProblemError, match="link"):
        read_file(folder, PurePosixPath("a/b/tiny.py"), 100)


def test_a_work_that_becomes_a_link_after_the_list_was_made(tmp_path: Path, secret: Path) -> None:
    folder, taken = work(tmp_path), Work(["tiny.py"])
    taken.take(folder)
    swap(folder, secret)
    with pytest.raises(ProblemError, match=r"^tiny\.py lies behind a link"):
        taken.files[PurePosixPath("tiny.py")](100)


@pytest.mark.parametrize("name", ["ann", "ann.zip"])
def test_a_work_that_becomes_a_link_when_it_was_looked_at(
    tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path, target = work(tmp_path), secret
    if name == "ann.zip":
        path, target = zip_of(tmp_path / name, OWN), zip_of(tmp_path / "secret.zip", SECRET)
    assert read_one(path).data == OWN.encode()
    is_dir = Path.is_dir

    def look(self: Path) -> bool:
        found = is_dir(self)
        if self == path:
            monkeypatch.undo()
            swap(path, target)
        return found

    monkeypatch.setattr(Path, "is_dir", look)
    found = read_one(path)
    assert found.data == b""
    assert found.problem.startswith(f"{name} is a link; ")
    assert found.verdict is Verdict.MISSING


def test_what_the_instructor_names_may_lie_behind_links(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    work(tmp_path / "class")
    zip_of(tmp_path / "class" / "ben.zip", OWN)
    (tmp_path / "linked").symlink_to(tmp_path / "class")
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for student in ("ann", "ben"):
            archive.writestr(f"{student}/tiny.py", OWN)
    (tmp_path / "linked.zip").symlink_to(tmp_path / "class.zip")
    for name in ("linked", "linked.zip"):
        with open_class(tmp_path / name) as found:
            texts = {each.student: read(each, "tiny").data.decode() for each in found.entries}
        assert texts == {"ann": OWN, "ben": OWN}
    assert read_file(tmp_path / "linked", PurePosixPath("ann/tiny.py"), 100) == OWN.encode()


# ------------------------------------------------------------------ pipes, sockets, devices


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # its address may not be long


def make_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root can make a device")


KINDS = {"pipe": os.mkfifo, "socket": make_socket, "device": make_device}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_what_is_no_file_costs_its_own_student_alone(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    zip_of(tmp_path / "ann.zip", OWN)
    make(tmp_path / "bob.zip")
    (tmp_path / "cleo").mkdir()
    make(tmp_path / "cleo" / "tiny.py")
    zip_of(tmp_path / "dan.zip", OWN)
    found = {each.student: read(each, "tiny") for each in find_entries(tmp_path)}
    assert {name: each.problem for name, each in found.items()} == {
        "ann": "",
        "bob": "bob.zip is no regular file",
        "cleo": "tiny.py is no regular file",
        "dan": "",
    }
    assert found["bob"].verdict is found["cleo"].verdict is Verdict.MISSING


def test_a_lone_pipe_that_is_named_like_the_zip_of_a_class(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "submissions.zip")
    with open_class(tmp_path) as found:
        (entry,) = found.entries
        assert read(entry, "tiny").problem == "submissions.zip is no regular file"


# ------------------------------------------------------------------ systems without open folders


@pytest.mark.parametrize("can", [True, False])
def test_both_ways_of_opening_find_the_same(
    tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch, can: bool
) -> None:
    monkeypatch.setattr(opening, "IN_OPEN_FOLDERS", can)
    folder = work(tmp_path, "a/tiny.py")
    (folder / "b").symlink_to(secret)
    (folder / "c.py").symlink_to(secret / "tiny.py")
    os.mkfifo(folder / "d.py")
    taken = Work(["tiny.py"])
    taken.take(folder)
    assert sorted(map(str, taken.files)) == ["a/tiny.py", "c.py", "d.py"]
    assert taken.files[PurePosixPath("a/tiny.py")](100) == OWN.encode()
    for name, says in {"c.py": "is a link; hand in the file itself", "d.py": "is no reg"}.items():
        with pytest.raises(ProblemError, match=f"^{name} {says}"):
            taken.files[PurePosixPath(name)](100)
    with pytest.raises(ProblemError, match=r"b/tiny\.py lies behind a link"):
        read_file(folder, PurePosixPath("b/tiny.py"), 100)


def test_no_file_and_no_folder_stays_open(tmp_path: Path, secret: Path) -> None:
    folder = work(tmp_path, "a/b/tiny.py")
    (folder / "c").symlink_to(secret)
    os.mkfifo(folder / "d.py")
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208 - of what is open, no folder of files
    assert read_one(folder).data == OWN.encode()
    for inside in ("c/tiny.py", "d.py", "a/b"):
        with pytest.raises(ProblemError):
            read_file(folder, PurePosixPath(inside), 100)
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
