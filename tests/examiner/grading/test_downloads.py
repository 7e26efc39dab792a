"""Submissions as learning platforms hand them out, with a roster; feedback as they take it back."""

import errno
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.errors import UserError
from examiner.grading import works
from examiner.grading.archives import Bounds
from examiner.grading.entries import open_class
from examiner.grading.hand_back import write_uploads
from examiner.results import Verdict
from tests.examiner.grading.conftest import REFERENCE, TinyCourse
from tests.examiner.grading.handed_out import found_in, laid_out, roster, sources, zipped

# ------------------------------------------------------------------------------ Moodle

MOODLE: dict[str, str | bytes] = {
    "Ada Lovelace_11_assignsubmission_file_/tiny.py": "ada",
    "Grace Hopper_12_assignsubmission_file_/tiny.zip": zipped({"work/tiny.py": "grace"}),
    "Kim Li_13_assignsubmission_file/my/up.zip": zipped(
        {"a/b.zip": zipped({"c/tiny.py": "kim"}), "a/notes.txt": "x"}
    ),
    "Kim Li_13_assignsubmission_onlinetext/onlinetext.html": "<p>hello</p>",
    "Zoe Ü_14_assignsubmission_onlinetext_/onlinetext.html": "<p>hello</p>",
    "Alan Turing_15_assignsubmission_file_tiny.py": "alan",
}
IN_MOODLE = {
    "moodle-11": "ada",
    "moodle-12": "grace",
    "moodle-13": "kim",
    "moodle-14": "there is no tiny.py; found instead: onlinetext.html",
    "moodle-15": "alan",
}


@pytest.mark.parametrize("form", ["folder", "zip", "zip in a folder", "unpacked in a folder"])
def test_moodles_download_is_read_as_it_comes(tmp_path: Path, form: str) -> None:
    origin = tmp_path / "all"
    if form == "folder":
        laid_out(origin, MOODLE)
    elif form == "unpacked in a folder":
        laid_out(origin / "NLP-Assignment 2-4711", MOODLE)
    elif form == "zip":
        origin = tmp_path / "any name.zip"
        origin.write_bytes(zipped(MOODLE))
    else:
        laid_out(origin, {"NLP-Assignment 2-4711.zip": zipped(MOODLE), "class.csv": "id"})
    found = found_in(origin)
    assert sources(found) == IN_MOODLE
    assert found["moodle-11"].whose.name == "Ada Lovelace"


def test_a_zip_of_a_class_may_have_the_students_own_names(tmp_path: Path) -> None:
    origin = tmp_path / "class.zip"
    origin.write_bytes(
        zipped({"class/ada/tiny.py": "ada", "class/bob.zip": zipped({"tiny.py": "b"})})
    )
    assert sources(found_in(origin)) == {"ada": "ada", "bob": "b"}


def test_what_cannot_be_unpacked_of_a_class_costs_its_student_alone(tmp_path: Path) -> None:
    origin = tmp_path / "class.zip"
    long = "x" * 300
    data = zipped(
        {
            "../evil/tiny.py": "evil",
            f"{long}/tiny.py": "long",
            "Ada_1_assignsubmission_file_/tiny.py": "ada",
            "Ada_1_assignsubmission_file_/a": "a file",
            "Ada_1_assignsubmission_file_/a/b": "in a file",
        }
    )
    origin.write_bytes(data)
    found = found_in(origin)
    assert found.pop("moodle-1").data == b"ada"
    assert sorted(each.verdict for each in found.values()) == [Verdict.NOT_JUDGED] * 2
    assert any("leads out of it" in each.problem for each in found.values())
    assert not (tmp_path.parent / "evil").exists()


def test_a_full_disk_takes_nothing_from_anybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = tmp_path / "class.zip"
    origin.write_bytes(zipped({f"{name}/tiny.py": name for name in ("ada", "bob")}))
    write = Path.write_bytes

    def full(self: Path, data: bytes) -> int:
        if data == b"bob":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError, match=r"class\.zip cannot be unpacked.*No space left"):
        found_in(origin)
    entry = works.Entry("bob", (laid_out(tmp_path / "bob", {"work.py": "x", "tiny.py": "y"}),))
    with works.open_work(entry, ["tiny.py"]) as work:
        work.files = dict.fromkeys(work.files, lambda longest: b"bob")
        with pytest.raises(works.ProblemError, match="No space left") as raised:
            work.lay_out(tmp_path / "unpacked")
    assert raised.value.verdict is Verdict.NOT_JUDGED


def test_names_in_any_encoding_find_home(tmp_path: Path) -> None:
    latin = os.fsdecode(b"Zo\xeb_14_assignsubmission_file_")  # unpacked from an old zip
    with open_class(laid_out(tmp_path / "all", {f"{latin}/tiny.py": "zoe"})) as found:
        (entry,) = found.entries
        assert (entry.student, entry.name) == ("moodle-14", "Zo\ufffd")
        (upload,) = write_uploads(tmp_path, found.entries, {"moodle-14": "x"}.get)
    with zipfile.ZipFile(upload) as made:
        assert made.namelist() == ["Zo?_14_assignsubmission_file_/feedback.html"]
    data = zipped({"Zoë_14_assignsubmission_file_/tiny.py": "zoe"})
    for flag in (b"\x00\x08\x00\x00", b"\x00\x08\x08\x00"):  # as macOS writes it: without the flag
        data = data.replace(flag, flag[:1] + b"\x00" + flag[2:])
    (tmp_path / "all.zip").write_bytes(data)
    assert found_in(tmp_path / "all.zip")["moodle-14"].whose.name == "Zoë"


def test_a_students_zip_brings_in_nobody_else(tmp_path: Path) -> None:
    forged = zipped({"Ada Lovelace_11_assignsubmission_file_/tiny.py": "forged"})
    for name in ("bob.zip", "submissions.zip"):  # the second is called so by Canvas
        folder = laid_out(
            tmp_path / name.removesuffix(".zip"), {name: forged, "ann/tiny.py": "ann"}
        )
        found = found_in(folder)
        assert set(found) == {"ann", name.removesuffix(".zip")}
        assert "several works" in found[name.removesuffix(".zip")].problem
    alone = found_in(laid_out(tmp_path / "alone", {"bob.zip": forged}))
    assert list(alone) == ["bob"]
    assert alone["bob"].verdict is Verdict.NOT_JUDGED


def test_a_students_own_folder_may_be_named_as_a_platform_names_them(tmp_path: Path) -> None:
    one = {"submission_2/tiny.py": "mine"}
    metadata = {"submission_metadata.yml": "submission_2: {}"}
    files = {
        "ann/submission_2/tiny.py": "mine",
        "bob.zip": zipped(one),
        "eve.zip": zipped({**one, "submission_3/tiny.py": "forged"}),
        "kim.zip": zipped({**one, **metadata}),
    }
    found = found_in(laid_out(tmp_path / "class", files))
    assert sources({name: found[name] for name in ("ann", "bob")}) == {"ann": "mine", "bob": "mine"}
    for name in ("eve", "kim"):
        assert "several works" in found[name].problem
        assert found[name].verdict is Verdict.NOT_JUDGED


def test_the_download_of_a_class_of_one_is_read(tmp_path: Path) -> None:
    canvas = {"lovelaceada_501_9001_tiny.py": "ada"}
    inside = laid_out(tmp_path / "unpacked" / "submissions", canvas).parent
    packed = laid_out(tmp_path / "packed", {"submissions.zip": zipped(canvas)})
    for origin in (inside, packed):
        assert sources(found_in(origin)) == {"canvas-501": "ada"}


@pytest.mark.slow
def test_zips_in_zips_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(works, "STUDENTS", Bounds(200_000, 5000, 1 << 20))
    deep = zipped({"tiny.py": "deep"})
    for _ in range(6):
        deep = zipped({"more.zip": deep})
    many = {f"{n}.zip": zipped({"x.zip": zipped({"0": b"0" * (1 << 20)})}) for n in range(90)}
    noise = os.urandom(150_000)
    heavy = [zipped({name: noise}) for name in ("0", "tiny.py")]
    folder = laid_out(
        tmp_path / "all",
        {
            "deep.zip": deep,
            "many.zip": zipped(many),
            "heavy.zip": zipped({"0.zip": heavy[0], "1.zip": heavy[1]}),
            "broken/tiny.zip": "no zip",
            "beside/data.zip": "no zip",
            "beside/tiny.py": "beside",
        },
    )
    found = found_in(folder)
    assert found["beside"].data == b"beside"
    assert "there are more than 30 zips" in found["many"].problem
    assert "1.zip is longer than" in found["heavy"].problem
    assert "tiny.zip is not a zip file" in found["broken"].problem
    assert found["deep"].problem == "there is no tiny.py; found instead: more.zip"


# ------------------------------------------------------------------------------ Canvas

CANVAS: dict[str, str | bytes] = {
    "lovelaceada_501_9001_tiny.py": "ada",
    "lovelaceada_501_9002_tiny.ipynb": "{}",
    "hoppergrace_LATE_502_9003_tiny-1.py": "grace",
    "likim_503_9004_tiny.zip": zipped({"tiny.py": "kim"}),
    "likim_503_9005_readme.txt": "hello",
    "turingalan_504_text.html": "<p>hello</p>",
    "noetheremmy_505_9007_tiny.py": "old",
    "noetheremmy_505_9009_tiny-2.py": "new",
    "noetheremmy_505_9008_tiny-1.py": "middle",
}


def test_canvas_names_become_students(tmp_path: Path) -> None:
    found = found_in(laid_out(tmp_path / "submissions", CANVAS))
    assert sources(found) == {
        "canvas-501": "ada",
        "canvas-502": "grace",
        "canvas-503": "kim",
        "canvas-504": "there is no tiny.py; found instead: text.html",
        "canvas-505": "new",
    }
    assert found["canvas-502"].whose.remarks == ("handed in late, says Canvas",)


def test_a_name_of_canvas_that_can_be_read_twice_needs_the_roster(tmp_path: Path) -> None:
    folder = laid_out(
        tmp_path / "submissions",
        {"lovelaceada_501_9001_1_tiny.py": "ada", "eve_502_503_9004_tiny.py": "eve"},
    )
    found = found_in(folder)
    assert {each.verdict for each in found.values()} == {Verdict.NOT_JUDGED}
    people = roster(tmp_path, "id,name,lms_user_id\nada,Ada Lovelace,501\ngrace,Grace Hopper,502\n")
    known = found_in(folder, people)
    assert known["ada"].whose.name == "Ada Lovelace"
    stranger = laid_out(tmp_path / "other", {"lovelaceada_777_9001_tiny.py": "not ada's"})
    assert set(found_in(stranger, people)) == {"canvas-777"}  # a name is not a number
    assert "grace" not in known  # user 502's work cannot be forged by a name that ends in 502


def test_a_students_files_are_never_mixed_with_a_namesakes(tmp_path: Path) -> None:
    folder = laid_out(
        tmp_path / "submissions", {"ann_7_1_tiny.py": "ann", "bob_7_2_tiny.py": "bob"}
    )
    assert "handed in twice" in found_in(folder)["canvas-7"].problem


# -------------------------------------------------------------------------- Gradescope

METADATA = """\
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: s1
    :email: ada@example.org
  - :name: Kim Li
    :sid: s2
    :email: kim@example.org
  :created_at: 2026-11-01
submission_2:
  :submitters:
  - :name: Bob
    :sid: ''
    :email: bob@example.org
"""


def test_gradescopes_export_says_whose_its_folders_are(tmp_path: Path) -> None:
    files = {
        "submission_metadata.yml": METADATA,
        "submission_1/tiny.py": "ada and kim",
        "submission_2/tiny.py": "bob",
        "submission_3/tiny.py": "unknown",
    }
    origin = tmp_path / "assignment_9_export.zip"
    origin.write_bytes(
        zipped({f"assignment_9_export/{name}": text for name, text in files.items()})
    )
    found = found_in(origin, roster(tmp_path, "SID,Name\ns1,Ada\ns2,Kim\nx,Bob\n"))
    assert sources(found) == {
        "s1": "ada and kim",
        "s2": "ada and kim",
        "x": "bob",
        "gradescope-3": "unknown",
    }
    (tmp_path / "folder").mkdir()
    laid_out(tmp_path / "folder", {**files, "submission_metadata.yml": "- [: no"})
    with pytest.raises(UserError, match=r"submission_metadata\.yml cannot be read"):
        found_in(tmp_path / "folder")


# -------------------------------------------------------------------------- the command


def test_a_download_is_graded_and_handed_back(tiny: TinyCourse) -> None:
    root = tiny.project.root
    evil = "<b>=HYPERLINK(1)</b>"
    people = roster(root, f"id,name,lms_user_id\nada,=Ada,501\nkim,{evil},503\ngus,Gus,9\n")
    files = {
        name: text.replace("ada", REFERENCE) if isinstance(text, str) else text
        for name, text in CANVAS.items()
        if "ada" in name or "kim" in name
    }
    outcome = tiny.run(laid_out(root / "download", files), roster=people)
    assert {r.student: r.whose.name for r in outcome.results} == {"ada": "=Ada", "kim": evil}
    assert [person.id for person in outcome.absent] == ["gus"]
    page = (root / "grades" / "kim.html").read_text("utf-8")
    assert "&lt;b&gt;=HYPERLINK(1)&lt;/b&gt; (kim)" in page
    assert "<b>" not in page
    (upload,) = outcome.uploads
    with zipfile.ZipFile(upload) as made:
        assert set(made.namelist()) == {
            "lovelaceada_501_9002_tiny.ipynb",
            "likim_503_9004_tiny.zip",
        }
        cell = json.loads(made.read("lovelaceada_501_9002_tiny.ipynb"))["cells"][0]
        assert "10 of 10 points" in cell["source"]
        with zipfile.ZipFile(io.BytesIO(made.read("likim_503_9004_tiny.zip"))) as inner:
            assert inner.namelist() == ["feedback.html"]


def test_feedback_for_moodle_keeps_its_names(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "all", MOODLE)
    with open_class(folder) as found:
        pages = {entry.student: f"<p>{entry.student}" for entry in found.entries}
        (upload,) = write_uploads(tmp_path, found.entries, pages.get)
    with zipfile.ZipFile(upload) as made:
        assert set(made.namelist()) == {
            "Ada Lovelace_11_assignsubmission_file_/feedback.html",
            "Grace Hopper_12_assignsubmission_file_/feedback.html",
            "Kim Li_13_assignsubmission_file/feedback.html",
            "Zoe Ü_14_assignsubmission_onlinetext_/feedback.html",
            "Alan Turing_15_assignsubmission_file_feedback.html",
        }


@pytest.mark.slow
def test_the_command_line_knows_rosters(demo_course: Path, nextword: Callable[..., Result]) -> None:
    right = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    files = {"Ada Lovelace_11_assignsubmission_file_/demo.py": right}
    (demo_course / "moodle.zip").write_bytes(zipped(files))
    (demo_course / "class.csv").write_text("id,name,email\nada,Ada Lovelace,=1+1\ngus,Gus,\n")
    options = ("--roster", "class.csv", "--jobs", "1", "--seed", "s", "--sandbox", "none")
    done = nextword("grade", "demo", "moodle.zip", "--csv", "g.csv", "--json", "g.json", *options)
    assert done.exit_code == 0, done.output
    assert "Gus (gus): nothing was handed in" in done.output
    assert "feedback-for-moodle.zip" in done.output
    assert (demo_course / "g.csv").read_text("utf-8").splitlines() == [
        "student,name,email,points,of,9.1,9.2,handed in,remarks",
        "ada,Ada Lovelace,'=1+1,10,10,4,6,,",
        "gus,Gus,,,10,,,,nothing was handed in",
    ]
    grades = json.loads((demo_course / "g.json").read_text("utf-8"))
    assert grades["submissions"][0]["name"] == "Ada Lovelace"
    assert grades["absent"] == [{"student": "gus", "name": "Gus", "email": ""}]
    assert nextword("grade", "demo", "moodle.zip", "--roster", "no.csv").exit_code == 2
