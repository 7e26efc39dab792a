"""Gradebooks that cannot be used, other databases, and grade files."""

import csv
import os
import shutil
from functools import partial
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from traitlets.config import Config

from examiner.errors import UserError
from examiner.platforms.nbgrader import exports
from examiner.platforms.nbgrader.check_cells import CellScore
from examiner.platforms.nbgrader.command import find_course
from examiner.platforms.nbgrader.course import Assignment, assignment, course_folder
from examiner.platforms.nbgrader.gradebook import (
    Book,
    GradebookEntry,
    GradedNotebook,
    open_gradebook,
    write_scores,
)
from examiner.platforms.nbgrader.late_rule import LateRule
from tests.postgres import server


def make(book: Gradebook) -> None:
    """An assignment of one task and one written answer."""
    book.update_or_create_assignment("hw", duedate="2026-01-10 12:00:00 UTC")
    book.update_or_create_notebook("hw", "hw")
    for name, kind in (("task-2-1", "code"), ("why", "markdown")):
        book.add_grade_cell(name, "hw", "hw", max_score=4, cell_type=kind)
    book.add_solution_cell("why", "hw", "hw")


def graded(student: str, points: float) -> GradedNotebook:
    cells = []
    for name, kind in (("task-2-1", "code"), ("why", "markdown")):
        entry = {"grade_id": name, "grade": True, "solution": name == "why", "points": 4}
        entry |= {"locked": False, "task": False, "schema_version": 3, "cell_type": kind}
        new = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
        cells.append(new("an answer", metadata={"nbgrader": entry}))
    nb = nbformat.v4.new_notebook(cells=cells)
    return GradedNotebook(student, "hw", "hw", nb, {"task-2-1": CellScore(points, "")})


def handed_in(book: Book, student: str, time: str) -> Book:
    """The book, which knows when a student handed in."""
    book.api.update_or_create_student(student)
    book.api.update_or_create_submission("hw", student, timestamp=time)
    return book


SETTINGS = Config({"LateSubmissionPlugin": {"penalty_method": "zero"}})


def walk(url: str) -> None:
    """Grade, mark by hand, hand in late, grade again."""
    with Gradebook(url, "default_course") as book:
        make(book)
    with open_gradebook(url, SETTINGS) as book:
        first = write_scores(book, graded("ada", 3.5))
        assert first == GradebookEntry("ada", 3.5, 8, 0, ("why",))
        grade = book.api.find_grade("why", "hw", "hw", "ada")
        grade.manual_score = 2
        book.api.db.commit()
        again = write_scores(book, graded("ada", 4))
        assert (again.before, again.points, again.changed) == (5.5, 6, ("task-2-1",))
        assert not again.waiting
        judged = book.api.find_grade("task-2-1", "hw", "hw", "ada")
        judged.manual_score = 1  # a person says otherwise
        book.api.db.commit()
        kept = write_scores(book, graded("ada", 4))
        assert (kept.before, kept.points, kept.changed) == (3, 3, ())
        late = write_scores(handed_in(book, "bob", "2026-01-11 12:00:00 UTC"), graded("bob", 4))
        assert late == GradebookEntry("bob", 0, 8, 4, ("why",), late=86400)
        on_time = write_scores(handed_in(book, "bob", "2026-01-09 12:00:00 UTC"), graded("bob", 4))
        assert on_time == GradebookEntry("bob", 4, 8, 0, ("why",), before=0)


@pytest.fixture(scope="session")
def _new(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    Gradebook(f"sqlite:///{path}").close()  # a second or two: it runs alembic
    return path


@pytest.fixture
def path(_new, tmp_path) -> Path:
    """An SQLite gradebook without an assignment."""
    return Path(shutil.copy(_new, tmp_path / "gradebook.db"))


def test_marks_and_penalties_in_sqlite(path):
    walk(f"sqlite:///{path}")


@pytest.fixture
def postgres(tmp_path_factory):
    """A PostgreSQL server of the test's own."""
    with server(tmp_path_factory.mktemp("postgres")) as address:
        yield address


def test_marks_and_penalties_in_postgresql(postgres):
    import time

    import sqlalchemy

    for _ in range(100):
        try:
            sqlalchemy.create_engine(postgres).connect().close()
            break
        except sqlalchemy.exc.OperationalError:
            time.sleep(0.1)
    walk(postgres)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense://x", "no database URL"),
        ("oracle://me:secret@host/x", r"me:\*\*\*@host"),
        ("sqlite:////no/such/folder/x.db", "cannot be used"),
    ],
)
def test_a_wrong_url_is_a_clear_error(url, said):
    with pytest.raises(UserError, match=said), open_gradebook(url, Config()):
        pass


def test_an_unknown_assignment_is_a_clear_error(path):
    said = "nbgrader generate_assignment hw"
    with pytest.raises(UserError, match=said), open_gradebook(str(path), Config()) as book:
        book.notebook(Assignment(Path("source/hw")))


def test_a_folder_that_is_no_course_is_a_clear_error(tmp_path, monkeypatch):
    with pytest.raises(UserError, match="no nbgrader course folder"):
        course_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"nbgrader_config\.py"):
        find_course(tmp_path, "gradebook.db")


def test_a_source_that_is_no_notebook_is_a_clear_error(tmp_path):
    folder = tmp_path / "source" / "hw"
    folder.mkdir(parents=True)
    (folder / "hw.ipynb").write_text("[1, 2")
    with pytest.raises(UserError, match=r"hw\.ipynb is no Jupyter notebook"):
        assignment(tmp_path, "hw")


# ------------------------------------------------------------------------- grade files

NAMES = {
    "007": ("Ада", "O'Neil, jr", "ada@example.org"),
    "0815": ('Grace "Amazing"', "Hopper\nB", "grace@example.org"),
    "zoe": ("Zoë", "李", "zoe@example.org"),
}


@pytest.fixture
def book(path):
    with open_gradebook(str(path), SETTINGS) as opened:
        make(opened.api)
        for name, (first, last, email) in NAMES.items():
            opened.api.add_student(name, first_name=first, last_name=last, email=email)
        write_scores(opened, graded("007", 3.25))
        write_scores(handed_in(opened, "0815", "2026-01-11 12:00:00 UTC"), graded("0815", 4))
        yield opened.api


def table(kind, book, tmp_path) -> list[list[str]]:
    path = tmp_path / "out.csv"
    kind(to=str(path)).export(book)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize(
    "kind", [exports.Plain, exports.Canvas, exports.Moodle, exports.Gradescope]
)
def test_names_and_ids_come_back_whole(kind, book, tmp_path):
    rows = table(kind, book, tmp_path)
    assert len({len(row) for row in rows}) == 1
    text = [cell for row in rows for cell in row]
    for name, (first, last, _) in NAMES.items():
        assert name in text
        assert any(first in cell for cell in text)
        assert any(last in cell for cell in text)


def test_an_export_that_ends_in_the_middle_leaves_the_file_before(book, tmp_path):
    class Broken(exports.Plain):
        def rows(self, grades):
            yield ["assignment"]
            raise RuntimeError("a full disk")

    table(exports.Plain, book, tmp_path)
    before = (tmp_path / "out.csv").read_bytes()
    with pytest.raises(RuntimeError):
        table(Broken, book, tmp_path)
    assert (tmp_path / "out.csv").read_bytes() == before


def test_an_export_can_be_read_by_whom_the_file_before_could(book, tmp_path):
    """Instructors share a course: a file for its owner alone would keep the others out."""
    mask = os.umask(0o027)
    try:
        table(exports.Plain, book, tmp_path)
    finally:
        os.umask(mask)
    assert (tmp_path / "out.csv").stat().st_mode & 0o777 == 0o640
    (tmp_path / "out.csv").chmod(0o664)
    table(exports.Plain, book, tmp_path)
    assert (tmp_path / "out.csv").stat().st_mode & 0o777 == 0o664


def test_exports_say_what_is_not_marked_yet(book, tmp_path, caplog, log):
    head, *rows = table(exports.Plain, book, tmp_path)
    assert head[-1] == "not_marked"
    assert {row[3]: row[-1] for row in rows} == {"007": "why", "0815": "why", "zoe": ""}
    book.find_grade("why", "hw", "hw", "007").manual_score = 2
    book.db.commit()
    caplog.clear()
    table(partial(exports.Canvas, log=log), book, tmp_path)
    assert "hw, 0815: not marked yet: why" in caplog.text
    assert "007" not in caplog.text
    assert "1 grade is not whole yet" in caplog.text


def test_canvas_has_its_own_columns_and_the_row_of_points(book, tmp_path):
    head, possible, *rows = table(exports.Canvas, book, tmp_path)
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "hw"]
    assert possible[0].strip() == "Points Possible"
    assert possible[-1] == "8"
    assert {row[2]: row[-1] for row in rows} == {"007": "3.25", "0815": "0", "zoe": ""}


def test_moodle_maps_by_id_number(book, tmp_path):
    head, *rows = table(exports.Moodle, book, tmp_path)
    assert head[2] == "ID number"
    assert {row[2]: row[-1] for row in rows} == {"007": "3.25", "0815": "0", "zoe": "-"}


def test_our_csv_says_what_nbgraders_says(book, tmp_path):
    head, *rows = table(exports.Plain, book, tmp_path)
    found = {row[3]: dict(zip(head, row, strict=True)) for row in rows}
    assert found["0815"]["raw_score"] == "4"
    assert found["0815"]["late_submission_penalty"] == "4"
    assert found["0815"]["score"] == "0"
    assert found["zoe"]["score"] == "0"


@pytest.mark.parametrize(
    "kind", [exports.Plain, exports.Canvas, exports.Moodle, exports.Gradescope]
)
def test_no_name_becomes_a_formula(kind, book, tmp_path):
    evil = {"first_name": '=HYPERLINK("http://example.org","x")', "last_name": "@SUM(A1)"}
    book.update_or_create_student("+1+cmd|' /C calc'!A0", **evil, email="-2")
    book.update_or_create_student("tab", first_name="\t=1", last_name=" =1")
    text = [cell for row in table(kind, book, tmp_path) for cell in row]
    assert any("HYPERLINK" in cell for cell in text)
    starts = [cell.lstrip()[:1] for cell in text if cell != "-"]  # Moodle's word for no grade
    assert not {"=", "+", "-", "@"} & set(starts)
    assert not any(cell[:1] in "\t\r\n" for cell in text if cell)


# ------------------------------------------------------------------------- lateness


@pytest.mark.parametrize(
    ("rule", "hours", "penalty"),
    [
        ("10 % a day", 1, 0.5),
        ("10 % a day", 25, 1.0),
        ("10 % a day, at most 15 %", 25, 0.75),
        ("2 hours of grace, 10 % a day", 1.9, 0.0),
        ("2 hours of grace, 10 % a day", 2.1, 0.5),
        ("1 point a day, nothing after 2 days", 47, 2.0),
        ("1 point a day, nothing after 2 days", 49, 5.0),
        ("", 49, 0.0),
    ],
)
def test_a_rule_in_words_is_nbgraders_penalty(rule, hours, penalty):
    plugin = LateRule(config=Config({"LateRule": {"rule": rule}}))
    assert plugin.late_submission_penalty("ada", 5.0, hours * 3600) == penalty


@pytest.mark.parametrize(
    ("rule", "says"), [("10 % a day, 2 days in hand", "counts no days"), ("dear", "no part")]
)
def test_a_rule_that_nbgrader_cannot_keep_is_one_line(rule, says):
    plugin = LateRule(config=Config({"LateRule": {"rule": rule}}))
    with pytest.raises(UserError, match=rf"^nbgrader_config\.py: c\.LateRule\.rule: .*{says}"):
        plugin.late_submission_penalty("ada", 5.0, 1.0)


def test_a_mark_by_hand_takes_part_in_lateness_when_it_is_graded_again(path):
    settings = Config(
        {
            "AssignLatePenalties": {"plugin_class": f"{LateRule.__module__}.LateRule"},
            "LateRule": {"rule": "50 % a day"},
        }
    )
    with open_gradebook(str(path), settings) as opened:
        make(opened.api)
        handed_in(opened, "ada", "2026-01-10 13:00:00 UTC")
        first = write_scores(opened, graded("ada", 4))
        opened.api.find_grade("why", "hw", "hw", "ada").manual_score = 2
        opened.api.db.commit()
        again = write_scores(opened, graded("ada", 4))
    assert (first.penalty, again.penalty) == (2.0, 3.0)
