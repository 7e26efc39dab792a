"""An honest but odd class, graded by both ways: nobody's trouble is their neighbours'."""

import base64
import io
import logging
import re
import shutil
import signal
import threading
import time
import zipfile
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from examiner.platforms.nbgrader import ahead, careful_autograde, kernel, pictures
from examiner.platforms.nbgrader.background import Background, EndedError, Processes
from examiner.platforms.nbgrader.kernel import Executed
from examiner.platforms.nbgrader.pictures import MAX_PICTURES, Attachments, redrawn
from examiner.platforms.nbgrader.student_markdown import markdown, still
from examiner.platforms.nbgrader.zips import Collect, Extract
from tests.examiner.nbgrader.conftest import Course
from tests.examiner.nbgrader.odd import LOST, ODD, picture

FULL = 50.0  # what can be had without marks by hand
NEEDS_SANDBOX = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap"
)


@pytest.fixture(scope="module")
def odd(course: Course, reference: str, answers: dict[str, Any]) -> Course:
    """The class, handed in."""
    course.add_config("c.Execute.timeout = 1")
    answered = course.answered(answers)
    for name in ("ada", *ODD, "zoe"):
        folder = course.hand_in(name, answered, reference)
        if name in ODD:
            ODD[name](folder)
    return course


@NEEDS_SANDBOX
@pytest.mark.parametrize(
    "command",
    [
        ("nextword", "grade", "ngrams", "submitted", "--gradebook", "gradebook.db"),
        ("nbgrader", "autograde", "ngrams", "--force"),
    ],
)
def test_nobodys_trouble_is_their_neighbours(odd, command):
    said = odd.run(*command, seconds=580)
    assert "Traceback" not in said
    assert "\x1b[31m" not in said
    assert "flood: it put out more than 16 MB" in said
    assert "broken-zip.zip is not a zip file" in said or command[0] == "nbgrader"
    grades = odd.grades()
    assert grades.pop("broken-zip") == grades.pop("planted-zip") == 0
    assert grades.pop("double-zip") <= FULL - 10  # the module of one of its folders, if any
    assert grades.pop("equal-hashes") < FULL - 3
    assert grades == {"ada": FULL, "zoe": FULL} | {name: FULL - less for name, less in LOST.items()}
    odd.run("nbgrader", "generate_feedback", "ngrams", "--force", "--student", "pasted")
    page = (odd.root / "feedback" / "pasted" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "<strong>this</strong>" in page
    assert "<msub><mi>n</mi><mi>i</mi></msub>" in page
    assert re.search(r'<img src="data:image/png;base64,[^"]+" alt="mine">', page)
    assert "[no picture: no.png]" in page
    assert "img-src data:" in page
    assert "modal-backdrop" not in page


# ------------------------------------------------------------------------ a few, of whom one


GRADE = ("nextword", "grade", "ngrams", "few", "--gradebook", "gradebook.db", "--jobs", "3")


@pytest.fixture
def few(odd: Course, reference: str) -> Course:
    """Three who hand in what nobody runs."""
    shutil.rmtree(odd.root / "few", ignore_errors=True)
    for name in ("one", "three", "two"):
        odd.hand_in(name, odd.notebook("release"), reference, to="few")
    return odd


@pytest.mark.parametrize("way", ["nextword", "nbgrader"])
def test_a_slow_student_and_one_who_cannot_be_judged_hold_nobody_up(few, monkeypatch, way):
    """The first student's notebook ends after those of all others have run."""
    ran = {name: threading.Event() for name in ("one", "three", "two")}

    def run(steps: Any, of: Any, folder: Path, *_: Any) -> Executed:
        name = folder.parts[-2]
        if name == "one":
            assert all(ran[other].wait(20) for other in ("three", "two"))
        ran[name].set()
        if name == "two":
            raise OSError(5, "Input/output error")
        return Executed()

    monkeypatch.setattr(ahead, "run_steps", run)
    monkeypatch.setattr(careful_autograde, "processors", lambda: 2)
    if way == "nextword":
        said = few.run(*GRADE, status=1)
        assert "two: not judged: OSError: [Errno 5] Input/output error" in said
        assert "Traceback" not in said
    else:
        few.add_config("c.CourseDirectory.submitted_directory = 'few'")
        few.run("nbgrader", "autograde", "ngrams", "--force", status=1)
    grades = few.grades()
    assert grades["one"] == grades["three"] == FULL - 10
    assert "two" not in grades  # what is not known is not written


def test_a_run_that_is_interrupted_leaves_nothing_behind():
    started = time.monotonic()
    found: list[Future[int]] = []

    def wait(processes: Processes) -> int:
        with processes.running(["sleep", "60"]) as process:
            return process.wait()

    with Background(2) as background:
        found += [background.modules(wait), *(background.notebook(wait) for _ in range(4))]
        time.sleep(0.2)
    assert time.monotonic() - started < 10
    assert [future.result() for future in found[:3]] == [-signal.SIGKILL] * 3
    assert all(future.cancelled() for future in found[3:])
    with pytest.raises(EndedError), background.processes.running(["true"]):
        pass


@pytest.mark.parametrize(
    "option", [("--seed", "x"), ("--json", "x.json"), ("--out", "x"), ("--regrade",)]
)
def test_an_option_that_has_no_effect_is_refused(course, option):
    command = ("nextword", "grade", "ngrams", "submitted", "--gradebook", "gradebook.db")
    said = course.run(*command, *option, status=2)
    assert f"--gradebook goes without {option[0]}" in said


def test_a_mistyped_gradebook_makes_no_file(course):
    course.run("nextword", "grade", "ngrams", "submitted", "--gradebook", "grades.db", status=2)
    assert not (course.root / "grades.db").exists()


# ------------------------------------------------------------------------------ zips


def pack(path: Path, **files: str | bytes) -> None:
    with zipfile.ZipFile(path, "w") as made:
        for name, data in files.items():
            made.writestr(name, data)


def test_a_download_is_taken_whatever_is_broken_in_it(tmp_path, caplog, log):
    archive, extracted = tmp_path / "archive", tmp_path / "downloaded" / "ngrams" / "extracted"
    archive.mkdir()
    pack(archive / "ada.zip", **{"ngrams.py": "ada = 1"})
    (archive / "bad.zip").write_bytes(b"PK no zip")
    (archive / "ada").mkdir()
    (archive / "ada" / "ngrams.py").write_text("ada = 0")
    pack(archive / "bob.zip", **{"backup/ngrams.py": "old = 1", "ngrams.py": "bob = 1"})
    pack(archive / "clash.zip", **{"a": "a file", "a/b": "in a file"})
    pack(archive / "long.zip", **{"x" * 300: "too long a name"})
    for name in ("CAPS.zip", "caps.zip"):
        pack(archive / name, **{"ngrams.py": "caps = 1"})
    pack(archive / "eve.zip", **{"x/extracted/ada/ngrams.py": "eve = 1"})
    pack(archive / "moodle.zip", **{"kim_7_assignsubmission_file_/ngrams.py": "kim = 1"})
    Extract(log=log).extract(str(archive), str(extracted))
    assert "ada: handed in more than once: ada.zip was graded" in caplog.text
    assert "CAPS: handed in twice: CAPS.zip and caps.zip; keep one" in caplog.text
    assert "caps.zip was graded" not in caplog.text  # neither of them is
    assert "bad: bad.zip is not a zip file" in caplog.text
    assert "clash: a/b cannot be unpacked: " in caplog.text
    assert "long: xxx" in caplog.text
    assert "moodle: moodle.zip looks like a platform's download of several works" in caplog.text
    assert collected(extracted, log) == {"ada": "ada = 1", "bob": "bob = 1", "eve": "eve = 1"}
    assert "bob: ngrams.py is there more than once: bob/ngrams.py was taken" in caplog.text


def collected(extracted: Path, log: logging.Logger) -> dict[str, str]:
    """What nbgrader would collect, by student."""
    collect = Collect(
        named_regexp=r".*?/extracted/(?P<student_id>[^/]+)/(?:.*/)?(?P<file_id>[^/]+)\.py$",
        valid_ext=[".py"],
        log=log,
    )
    taken = {}
    for path in sorted(extracted.rglob("*.py")):
        if found := collect.collect(str(path)):
            assert found["student_id"] not in taken
            taken[found["student_id"]] = path.read_text("utf-8")
    return taken


def test_a_platforms_download_is_taken_with_a_roster(tmp_path, caplog, log):
    archive, extracted = tmp_path / "archive", tmp_path / "downloaded" / "ngrams" / "extracted"
    archive.mkdir()
    pack(
        tmp_path / "inner.zip", **{"work/ngrams.py": "kim = 1", "work/timestamp.txt": "2026-01-01"}
    )
    folder = "Kim Li_7_assignsubmission_file_"
    pack(
        archive / "NLP-Assignment-4711.zip",
        **{
            f"{folder}/ngrams.zip": (tmp_path / "inner.zip").read_bytes(),
            "Ada_8_assignsubmission_file_/ngrams.py": "ada = 1",
            "Bo_9_assignsubmission_file_/ngrams.py": "bo = 1",
        },
    )
    (tmp_path / "class.csv").write_text("id,name\nkim,Kim Li\n../ada,Ada\ngus,Gus\n")
    Extract(roster=str(tmp_path / "class.csv"), log=log).extract(str(archive), str(extracted))
    assert collected(extracted, log) == {"kim": "kim = 1", "moodle-9": "bo = 1"}
    assert not list(extracted.rglob("timestamp.txt"))  # all of a zip is the student's
    for line in ("gus: nothing was handed in", "moodle-9: no row of class.csv fits", "be a folder"):
        assert line in caplog.text


# ------------------------------------------------------------- what a marker's browser gets


@pytest.mark.parametrize(
    "text",
    [
        '<div class="full-credit modal-backdrop fade">x</div>',
        '<b id="score" style="position: fixed" data-toggle="modal" onclick="x()">x</b>',
        '<span class="btn">x</span>',
        r"$\class{full-credit}{x}$ $$\style{position:fixed}{x}$$",
        r"$\cssId{a}{x} \href{javascript:x()}{y} \bbox[position:fixed]{z}$",
        *(
            rf"$\{word}{rest}$"
            for word in ("href", "class", "style")
            for rest in ("1{x}", "é{x}", "_{x}")
        ),
        "<form action=/x><button class=full-credit>x</button></form>",
    ],
)
def test_no_class_id_or_style_of_a_student_reaches_a_page(text):
    for page in (markdown(text), still(text)):
        tags = re.findall(r"<[a-z][^>]*>", page)
        assert not [tag for tag in tags if re.search(r"class|id=|style|data-|on[a-z]+=|href", tag)]
        assert not re.search(r"<(form|button|script)", page)
    assert not re.search(r"\$.*\\(class|style|cssId|href|bbox)", markdown(text)) or "<pre>" in (
        markdown(text)
    )


def test_code_keeps_its_colours():
    assert '<span class="k">for</span>' in markdown("```python\nfor x in y: pass\n```")


@pytest.mark.parametrize(
    "tex", [r"\frac{", r"\class{a}{b}", "{" * 1500, "<script>x</script>", "x" * 5000]
)
def test_any_formula_can_be_shown(tex):
    assert "<script>x" not in still(f"${tex}$")


def test_only_pixels_of_a_picture_are_kept():
    kept = Attachments().checked(
        {
            "a.png": {"image/png": picture()},
            "b.jpg": {"image/jpeg": picture("JPEG", (4000, 10))},
            "c.svg": {"image/svg+xml": "<svg onload=x()>"},
            "d.png": {"image/png": "no base64"},
            "e.png": {"image/png": picture("JPEG")},
            "f.png": {"image/png": 7},
            "g.png": "nothing",
        }
    )
    assert {name: list(kinds) for name, kinds in kept.items()} == {
        "a.png": ["image/png"],
        "b.jpg": ["image/jpeg"],
    }
    drawn = Image.open(io.BytesIO(base64.b64decode(kept["b.jpg"]["image/jpeg"])))
    assert drawn.size == (1600, 4)


def test_a_bomb_of_pixels_is_no_picture(monkeypatch):
    assert redrawn("image/png", picture(size=(30, 20)))
    monkeypatch.setattr(pictures, "MAX_PIXELS", 599)
    assert redrawn("image/png", picture(size=(30, 20))) is None


def test_a_photo_whose_metadata_cannot_be_written_is_no_picture():
    """Pillow turns it the right way up, and fails on another of its fields."""
    side, height = b"\x01\x12\0\3\0\0\0\1\0\6\0\0", b"\1\1\0\2\0\0\0\2x\0\0\0"  # which is a text
    metadata = b"Exif\0\0MM\0*\0\0\0\x08\0\2" + side + height + bytes(4)
    made = io.BytesIO()
    Image.new("RGB", (3, 2)).save(made, "JPEG", exif=metadata)
    assert redrawn("image/jpeg", base64.b64encode(made.getvalue()).decode()) is None


def test_there_is_a_most_of_pictures():
    files = {f"{n}.png": {"image/png": picture()} for n in range(MAX_PICTURES + 5)}
    assert len(Attachments().checked(files)) == MAX_PICTURES


# ---------------------------------------------------------------------- all of a notebook


def test_a_notebooks_outputs_have_a_limit_in_all(monkeypatch):
    monkeypatch.setattr(kernel, "MAX_OUTPUT", 1000)
    executed = Executed()
    for cell in range(600):
        executed.keep(cell, [{"output_type": "stream", "name": "stdout", "text": "x" * 100}])
    failed = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
    executed.keep(600, [failed])
    assert sum(len(o.get("text", "")) for each in executed.outputs.values() for o in each) < 40_000
    assert executed.outputs[600][0] == failed  # it decides on points
    assert "cut off" in executed.note


def test_a_notebooks_outputs_have_a_limit_in_number(monkeypatch):
    monkeypatch.setattr(kernel, "MAX_OUTPUTS", 10)
    executed = Executed()
    for cell in range(20):
        executed.keep(cell, [{"output_type": "stream", "name": "stdout", "text": ""}])
    assert executed.is_full
