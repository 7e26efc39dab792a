"""Reading what students hand in: every bad form gets one clear line, and nothing is followed."""

import os
import stat
import time
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.grading.entries import find_entries, open_class
from examiner.grading.submissions import Submission, read
from examiner.grading.works import Entry
from examiner.results import Verdict


def student(tmp_path: Path, name: str = "alice") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    return folder


def read_one(path: Path) -> Submission:
    return read(Entry(path.stem, (path,)), "tiny")


def zip_of(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("other.py", b"", "there is no tiny.py; found instead: other.py"),
        ("tiny.ipynb", b"{}", "a notebook, tiny.ipynb, where the module tiny.py was expected"),
        ("tiny.py", b'{"cells": [], "nbformat": 4}', "is a notebook by another name"),
        ("tiny.py", b"a = 1\nb = '\xe9'\n", "not saved as UTF-8 (line 2)"),
        ("tiny.py", "a = 1".encode("utf-16"), "saved as UTF-16"),
        *(
            ("tiny.py", f"# coding: {name}\nx = 1\n".encode(), f"no module is saved ({known})")
            for name, known in {
                **{"rot13": "rot-13", "hex": "hex", "zlib": "zlib", "bz2": "bz2", "uu": "uu"},
                **{"base64": "base64", "undefined": "undefined", "utf-7": "utf-7"},
                **{"rot" + "-" * 9999 + "13": "rot-13", "unicode_escape": "unicode-escape"},
            }.items()
        ),
        ("tiny.py", "# coding: latin-1\ny = 'é'\n".encode(), "declares another encoding"),
        *(  # a carriage return ends a line for Python, too
            ("tiny.py", start + b"# coding: utf-7\nx = 1\n# +AAo-x = 2\n", "declares another")
            for start in (b"\r", b"\r\n", b"#\r", b"\x0c\r")
        ),
        ("tiny.py", b"\x7fELF\0\0", "is not a text file"),
        ("tiny.py", b"#" * (1 << 20) + b"#", "longer than 256 kB"),
        ("tiny (1).py", b"", "tiny.py is empty"),
        ("tiny.py", b" \n", "tiny.py is empty"),
        ("my_tiny_final.py", b"a = 1", "Rename the right one to tiny.py"),
    ],
)
def test_a_bad_file_gets_a_clear_line(tmp_path: Path, file: str, content: bytes, says: str) -> None:
    folder = student(tmp_path)
    (folder / file).write_bytes(content)
    found = read_one(folder)
    assert says in found.problem
    assert found.verdict in (Verdict.MISSING, Verdict.FAILED)


@pytest.mark.parametrize(
    "name", ["utf8", "latin-1", "cp1252", "ascii", "mac_roman", "gbk", "euc_jp", "iso2022_jp", "no"]
)
def test_an_encoding_that_changes_nothing_may_be_declared(tmp_path: Path, name: str) -> None:
    folder = student(tmp_path)
    (folder / "tiny.py").write_text(f"# coding: {name}\nx = 1\n", "utf-8")
    assert not read_one(folder).problem  # its import says whether there is one of this name


def test_an_encoding_is_refused_before_it_costs_time(tmp_path: Path) -> None:
    folder = student(tmp_path)
    text = "# coding: punycode\n#" + "".join(chr(0x4E00 + n % 20_000) for n in range(80_000))
    (folder / "tiny.py").write_text(text, "utf-8")
    begun = time.process_time()
    assert "(punycode)" in read_one(folder).problem
    assert time.process_time() - begun < 2


def test_an_empty_folder_handed_nothing_in(tmp_path: Path) -> None:
    assert "nothing was handed in" in read_one(student(tmp_path)).problem


def test_a_folder_within_the_folder_is_found(tmp_path: Path) -> None:
    folder = student(tmp_path)
    (folder / "coursework").mkdir()
    (folder / "coursework" / "tiny.py").write_text("x = 1\n")
    (folder / "helpers.py").write_text("")
    found = read_one(folder)
    assert not found.problem
    assert found.files == ("coursework/tiny.py",)
    assert found.note == "only tiny.py is graded; left out: helpers.py"


def test_two_modules_are_one_too_many(tmp_path: Path) -> None:
    folder = student(tmp_path)
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "tiny.py").write_text("")
    assert "twice: a/tiny.py and b/tiny.py" in read_one(folder).problem


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1\n")
    linked, piped = student(tmp_path, "linked"), student(tmp_path, "piped")
    (linked / "tiny.py").symlink_to(secret)
    os.mkfifo(piped / "tiny.py")
    (tmp_path / "whole").symlink_to(linked)
    assert "is a link" in read_one(linked).problem
    assert "no regular file" in read_one(piped).problem
    assert "is a link" in read_one(tmp_path / "whole").problem
    for name, make in {
        "folder": lambda path: path.mkdir(),
        "socket": lambda path: os.mknod(path, stat.S_IFSOCK | 0o600),
    }.items():
        make(student(tmp_path, name) / "tiny.py")
        assert read_one(tmp_path / name).problem
    inner = student(tmp_path, "inner")
    (inner / "sub").symlink_to(tmp_path / "linked", target_is_directory=True)
    assert "nothing was handed in" in read_one(inner).problem


# ------------------------------------------------------------------------------ zips


@pytest.mark.parametrize("name", ["tiny.py", "bob/tiny.py", "a/b/tiny.py"])
def test_a_zip_is_read(tmp_path: Path, name: str) -> None:
    files = {name: "x = 1\n", "__MACOSX/bob/._tiny.py": "junk", "bob/.tiny.py": "junk"}
    found = read_one(zip_of(tmp_path / "bob.zip", files))
    assert (found.problem, found.data) == ("", b"x = 1\n")


def test_what_lies_beside_the_work_in_a_zip_costs_nothing(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "bob.zip", {"tiny.py": "x = 1\n", "notes: week 2.txt": "mine"})
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("bob/.venv/bin/python")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/usr/bin/python3")
        with warnings.catch_warnings(action="ignore"):
            for _ in range(2):
                archive.writestr("__MACOSX/._tiny.py", "junk")
    found = read_one(path)
    assert (found.problem, found.data) == ("", b"x = 1\n")


@pytest.mark.parametrize(
    "name",
    [
        "../tiny.py",
        "a/../../tiny.py",
        "/etc/tiny.py",
        "..\\tiny.py",
        "C:\\tiny.py",
        "__MACOSX/../../tiny.py",
    ],
)
def test_a_zip_with_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    found = read_one(zip_of(tmp_path / "bob.zip", {name: "x = 1\n"}))
    assert "a path that leads out of it" in found.problem
    assert found.verdict is Verdict.MISSING


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bob.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("tiny.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert "'tiny.py', which is a link" in read_one(path).problem


@pytest.mark.slow
def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "bob.zip", {"tiny.py": b"0" * (300 << 20)})
    assert path.stat().st_size < 1 << 20
    assert "unpacks to more than 256 MB" in read_one(path).problem
    path = zip_of(tmp_path / "eve.zip", {"tiny.py": b"0" * (9 << 20)})
    assert "longer than 256 kB" in read_one(path).problem


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "bob.zip", {"tiny.py": b"0" * (9 << 20)})
    data = path.read_bytes().replace((9 << 20).to_bytes(4, "little"), b"\x10\0\0\0")
    path.write_bytes(data)
    assert read_one(path).problem


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "bob.zip", {f"{n}.py": b"" for n in range(5001)})
    assert "holds 5001 files" in read_one(path).problem
    path = zip_of(tmp_path / "eve.zip", {f"{n:0100d}.py": b"" for n in range(9000)})
    assert "too many files" in read_one(path).problem


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + b"\0" * 10, b"PK\x03\x04"])
def test_a_zip_that_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bob.zip"
    path.write_bytes(content)
    assert "bob.zip is not a zip file" in read_one(path).problem


def test_an_encrypted_zip(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "bob.zip", {"tiny.py": b"x = 1\n"})
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag in the file's own header
    data[data.index(b"PK\x01\x02") + 8] |= 1  # and in the table of contents
    path.write_bytes(data)
    assert "tiny.py is encrypted" in read_one(path).problem


def test_the_same_name_twice_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "bob.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny.py", "x = 1\n")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("tiny.py", "x = 2\n")
    assert "'tiny.py' twice" in read_one(path).problem


# ------------------------------------------------------------------------------ the class


def test_what_counts_as_a_submission(tmp_path: Path) -> None:
    for name in ("alice", ".git", "__MACOSX"):
        (tmp_path / name).mkdir()
    for name in ("bob.zip", "carol.rar", "dave.py", "README.md", "expected.json"):
        (tmp_path / name).touch()
    entries = {entry.student: entry for entry in find_entries(tmp_path)}
    assert sorted(entries) == ["alice", "bob", "carol", "dave"]
    assert "hand in a .zip or a folder" in read(entries["carol"], "tiny").problem
    assert "is a single file" in read(entries["dave"], "tiny").problem


@pytest.mark.parametrize("given", ["ada", "ada.zip"])
def test_the_work_of_one_student_is_graded_where_a_class_is_expected(
    tmp_path: Path, given: str
) -> None:
    """It was a class of one who was called after the module, and had no points."""
    (tmp_path / "ada").mkdir()
    for name in ("tiny.py", "notes.txt", "helper.py", "progress.json"):
        (tmp_path / "ada" / name).write_text("x = 1\n", "utf-8")
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.write(tmp_path / "ada" / "tiny.py", "tiny.py")
    with open_class(tmp_path / given, module="tiny.py") as found:
        (entry,) = found.entries
        assert (entry.student, found.passed_over) == ("ada", "")
        assert read(entry, "tiny").data == b"x = 1\n"
    (tmp_path / "tiny.py").touch()  # beside the students' works: a class all the same
    with open_class(tmp_path, module="tiny.py") as found:
        assert [entry.student for entry in found.entries] == ["ada", "tiny"]
    (tmp_path / "canvas").mkdir()
    for name in ("tiny.py", "lovelaceada_501_9001_tiny.py", "benbit_502_9002_tiny.py"):
        (tmp_path / "canvas" / name).touch()
    with open_class(tmp_path / "canvas", module="tiny.py") as found:
        assert len(found.entries) == 3


def test_no_folder_and_no_submissions(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no folder"):
        find_entries(tmp_path / "nowhere")
    with pytest.raises(UserError, match="holds no submissions"):
        find_entries(tmp_path)


def test_an_error_of_the_disk_is_not_the_students(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = student(tmp_path)

    def refuse(place: object) -> object:
        raise PermissionError(13, "Permission denied", place)

    monkeypatch.setattr("examiner.grading.opening.os.scandir", refuse)
    found = read_one(folder)
    assert found.problem == "alice cannot be read: Permission denied"
    assert found.verdict is Verdict.NOT_JUDGED
