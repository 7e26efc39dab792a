"""Archives of kinds that attacks/zips.py lacks: what reading them costs, and whom it may end."""

import contextlib
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.grading.archives import Archive, ArchiveError
from examiner.grading.entries import open_class
from examiner.grading.submissions import read
from examiner.grading.works import Entry
from examiner.platforms.nbgrader.zips import unpack

MANY = 200_000  # files in a table of contents


def two_tables(files: int) -> bytes:
    """A zip that says at its end that it holds one file, and in a larger record so many."""
    name = b"a"
    fields = (20, 3, 20, 0, *[0] * 7, len(name), *[0] * 6)
    entry = b"PK\x01\x02" + struct.pack("<4B4HL2L5H2L", *fields) + name
    table = entry * files
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, files, files, len(table), 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(table), 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry), 0, 0)
    return table + record + locator + end


def zip_of(path: Path, **files: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_a_table_of_contents_is_bounded_whichever_record_tells_of_it(tmp_path: Path) -> None:
    inner = two_tables(MANY)
    outer = zip_of(tmp_path / "ada.zip", **{"work.zip": inner})
    assert outer.stat().st_size < 100_000
    (tmp_path / "bob.zip").write_bytes(inner)
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match="too many files"):
            Archive(tmp_path / "bob.zip")
        found = read(Entry("ada", (outer,)), "sorting")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "work.zip holds too many files" in found.problem
    assert most < 4 * len(inner)  # with all that the table names it is 15 times as much


def test_a_zip_of_large_numbers_that_holds_little_is_read(tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive,
        archive.open("sorting.py", "w", force_zip64=True) as file,
    ):
        file.write(b"def sort(xs): pass\n")
    assert read(Entry("ada", (tmp_path / "ada.zip",)), "sorting").problem == ""
    (tmp_path / "bob.zip").write_bytes(two_tables(1))
    assert len(Archive(tmp_path / "bob.zip").files) == 1


ODD = [
    *("/", "//", "..", "a/..", "vault.py/.", "a//vault.py", "a/./vault.py", "vault.py\\"),
    *("vault.py ", " vault.py", "vault.py.", "VAULT.PY", "vault.pyc", "vault.py\n", "v\0ault.py"),
    *("\u202evault.py", "\uff56ault.py", "vault.py:stream", "con.py", "vault.py/x", "x.zip"),
    *("x.zip/", "x/vault.zip", "a" * 300 + ".py", "a/" * 200 + "vault.py", "~/vault.py"),
    *("-rf.py", "$(touch x).py", "e\u0301.py", "__MACOSX/vault.py", "vault.ipynb/vault.py"),
    *("timestamp.txt", "progress.json/", "vault.py/../vault.py", "C:vault.py", "aux"),
    *("tests/vault.py", "\\vault.py"),
]


@pytest.mark.parametrize("beside", [(), ("vault.py",)], ids=["alone", "beside the module"])
def test_no_name_of_a_file_leads_out_or_ends_the_run(tmp_path: Path, beside: tuple[str]) -> None:
    for number, name in enumerate(ODD):
        place = tmp_path / str(number)
        place.mkdir()
        with zipfile.ZipFile(place / "ada.zip", "w") as archive:
            for each in (name, *beside):
                entry = zipfile.ZipInfo("placeholder")
                entry.filename = each
                archive.writestr(entry, "def shout(text): pass\n")
        before = sorted(tmp_path.rglob("*"))
        work = Entry("ada", (place / "ada.zip",))
        found = read(work, "vault")
        assert found.verdict != "not_judged", (name, found.problem)
        unpack(work, place / "out", ["vault.py", "vault.ipynb"])
        new = set(tmp_path.rglob("*")) - set(before)
        assert all(path.is_relative_to(place / "out") for path in new), name
        assert not any(path.is_symlink() for path in new)
        (place / "ada.zip").rename(place / "course-assignment-1.zip")
        with contextlib.suppress(UserError), open_class(place / "course-assignment-1.zip") as there:
            assert all(read(each, "vault") for each in there.entries)


@pytest.mark.parametrize("name", [".", "./", "./."])
def test_a_file_that_is_named_like_a_folder_ends_nobodys_run(tmp_path: Path, name: str) -> None:
    files = {name: b"x", "ada/sorting.py": b"def sort(xs): pass\n", "bob/sorting.py": b"x = 1\n"}
    whole = zip_of(tmp_path / "class" / "whole.zip", **files)
    with open_class(whole) as found:
        assert [entry.student for entry in found.entries] == ["ada", "bob"]
    alone = read(Entry("ada", (zip_of(tmp_path / "ada.zip", **{name: b"x"}),)), "sorting")
    assert alone.verdict == "missing"
    assert "Error" not in alone.problem
