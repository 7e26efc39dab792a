"""A term, walked once: an assignment is released, and forty hand in with every accident, some late;
they are graded, corrected and graded again, and their points go back to Moodle, Canvas and a
platform that speaks LTI.

Students' own checks are in test_another_course.py; the way through a browser and the processes of
`serve` in platforms/lti.
"""

import csv
import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from nextword.cli import app
from tests.examiner.grading.conftest import sandbox_works
from tests.examiner.platforms.lti.conftest import folder, keys, ledger, registered  # noqa: F401
from tests.examiner.platforms.lti.test_sender import sender  # noqa: F401
from tests.examiner.platforms.lti.walk import hand_in, launch_of
from tests.examiner.term.forty import (
    DUE,
    Person,
    canvas_download,
    canvas_gradebook,
    download,
    forty,
    worksheet,
)

SORTING = Path(__file__).parents[1] / "sorting"
EARLIER, LATE, MUCH_LATER = 3, 4, 5  # LATE has more time; who they are says forty.py
FITTED, HALF, BROKEN = 39, 14, 31
RULE = "10 % a day, nothing after 7 days"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sandbox_works(), reason="needs bubblewrap: see `nextword doctor`"),
]


@dataclass(frozen=True)
class Graded:
    """What a run of `grade` left."""

    said: str
    data: dict[str, Any]
    out: Path

    @property
    def scores(self) -> dict[str, float]:
        """The points of each student."""
        return {each["student"]: each["score"] for each in self.data["submissions"]}

    def of(self, person: Person) -> dict[str, Any]:
        """All that is said of a student."""
        (found,) = [each for each in self.data["submissions"] if each["student"] == person.id]
        return dict(found)


@dataclass(frozen=True)
class Term:
    """The course, its class, and what was graded, run after run."""

    course: Path
    people: list[Person]
    first: Graded
    second: Graded
    canvas: Graded

    @property
    def worked(self) -> list[Person]:
        """Who handed something in."""
        return [each for each in self.people if each.files]


def grade(course: Path, out: str, *words: str) -> Graded:
    """Run the command as it is typed."""
    data = course / f"{out}.json"
    always = ("--out", out, "--json", str(data), "--seed", "a term", "--jobs", "2")
    done = CliRunner().invoke(app, ["grade", "sorting", *words, *always])
    assert done.exit_code == 0, done.output
    return Graded(done.output, json.loads(data.read_text("utf-8")), course / out)


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Term]:
    """The term, with all that is done in it."""
    course = tmp_path_factory.mktemp("term") / "course"
    shutil.copytree(SORTING, course)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course)
        assert CliRunner().invoke(app, ["sync"]).exit_code == 0
        done = CliRunner().invoke(app, ["release", "sorting", "--to", "handout", "--github"])
        assert done.exit_code == 0, done.output
        people = forty(course)
        (course / "moodle.zip").write_bytes(download(people))
        (course / "worksheet.csv").write_text(worksheet(people), "utf-8")
        dates = ("--due", DUE, "--late", RULE)
        moodle = ("moodle.zip", "--roster", "worksheet.csv", "--marks", "moodle", *dates)
        first = grade(course, "out", *moodle)
        second = grade(course, "out", *moodle, *_by_hand(course, people))
        canvas = grade(course, "canvas", *_canvas(course, people[:8]))
        yield Term(course, people, first, second, canvas)


def _by_hand(course: Path, people: list[Person]) -> list[str]:
    """Write what a teacher writes in the weeks after; return the options that name it."""
    late, half, broken = (people[n].id for n in (LATE, HALF, BROKEN))
    tables = {
        "extensions": ["student,until,days,reason", f"{late},,3,ill"],
        "overrides": [
            "what,student,task,value,reason",
            f"mark,{half},1.2,5,right in another way",
            f"mark,{broken},,6,oral exam",
            "leave out,,1.1,test_any_item_gets_its_place,asks for more than the text",
            f"regrade,{people[0].id},1.2,,second look",
        ],
    }
    for name, lines in tables.items():
        (course / f"{name}.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (course / "requests").mkdir()
    text = f"student: {half}\ntasks: 1.2\nMine sorts in place.\n"
    (course / "requests" / "one.txt").write_text(text, "utf-8")
    named = [word for name in tables for word in (f"--{name}", f"{name}.csv")]
    return [*named, "--requests", "requests"]


def _canvas(course: Path, people: list[Person]) -> list[str]:
    (course / "canvas.zip").write_bytes(canvas_download(people))
    (course / "gradebook.csv").write_text(canvas_gradebook(people), "utf-8")
    return ["canvas.zip", "--roster", "gradebook.csv", "--marks", "canvas"]


# ----------------------------------------------------------------------------- release


def test_what_is_released_holds_the_stubs_and_no_solution(term: Term) -> None:
    handout = term.course / "handout"
    assert "NotImplementedError" in (handout / "coursework" / "sorting.py").read_text("utf-8")
    assert not list(handout.rglob("solutions"))
    assert not list(handout.rglob("*hidden*"))
    wanted = json.loads((handout / ".github" / "classroom" / "autograding.json").read_text("utf-8"))
    assert sum(test["points"] for test in wanted["tests"]) == 10


# ------------------------------------------------------------------------------ points


def test_every_mark_is_what_was_fixed_in_advance(term: Term) -> None:
    expected = {each.id: each.points for each in term.worked}
    assert len(expected) == 39
    expected |= {term.people[n].id: 8 for n in (EARLIER, LATE)}  # 10 less two days begun
    expected[term.people[MUCH_LATER].id] = 0
    assert term.first.scores == pytest.approx(expected)
    assert [each["student"] for each in term.first.data["absent"]] == [
        each.id for each in term.people if not each.files
    ]


def test_corrections_change_the_marks_that_they_name_and_no_other(term: Term) -> None:
    changed = {LATE: 10, HALF: 9, BROKEN: 6, FITTED: 10}
    expected = term.first.scores | {term.people[n].id: p for n, p in changed.items()}
    assert term.second.scores == pytest.approx(expected)
    said = term.second.of(term.people[HALF])["corrections"]
    assert "task 1.2: 5 points by hand (right in another way)" in said
    assert any("judged again" in line for line in term.second.of(term.people[0])["corrections"])


def test_what_concerns_all_is_told_once(term: Term) -> None:
    assert term.second.said.count("test_any_item_gets_its_place was left out") == 1


def test_a_request_is_listed_with_its_answer(term: Term) -> None:
    assert "Mine sorts in place. [task 1.2: 5 points by hand" in " ".join(term.second.said.split())


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (26, "sorting.py seems to define no function of this chapter"),
        (27, "sorting (1).py was graded as sorting.py"),
        (28, "Sorting.py was graded as sorting.py"),
        (29, "sorting.py.txt was graded as sorting.py"),
        (30, "sorting.py is empty"),
        (31, "SyntaxError in line 1"),
        (32, "UTF-16"),
        (37, "a notebook, sorting.ipynb"),
    ],
)
def test_an_accident_heals_or_is_named(term: Term, number: int, says: str) -> None:
    assert says in term.first.of(term.people[number])["notice"]
    assert (
        " ".join(term.first.said.split()).count(f"{term.people[number].name} (") == 2
    )  # and a row


def test_lateness_stands_on_the_students_page_until_there_is_more_time(term: Term) -> None:
    said = "handed in 1 day 3 h late: 10 - 20 % = 8"
    assert term.first.said.count(said) == 2
    (page,) = [p for p in term.second.out.glob("*.html") if said in p.read_text("utf-8")]
    assert term.people[EARLIER].name in page.read_text("utf-8")


# ------------------------------------------------------------------------------ report


def test_the_report_counts_those_who_wrote_the_task(term: Term) -> None:
    page = (term.second.out / "class" / "report.html").read_text("utf-8")
    assert "You dropped equal items" in page
    assert "task 1.2: 5 points by hand (right in another way)" in page
    assert "Mine sorts in place." in page
    assert term.second.data["report"]


# ------------------------------------------------------------------------------ back


def imported(text: str, key: str, points: str, most: str = "") -> dict[str, float]:
    """Read a file as a platform's import does: a row for each student, nothing above the most."""
    found = {}
    for row in csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))):
        if row[points] and row[key]:
            found[row[key]] = float(row[points])
            assert not most or found[row[key]] <= float(row[most])
    return found


def test_moodle_takes_the_points_and_the_pages(term: Term) -> None:
    text = (term.second.out / "class" / "marks-for-moodle.csv").read_text("utf-8")
    taken = imported(text, "Email address", "Grade", "Maximum Grade")
    assert taken == pytest.approx(term.second.scores)
    with zipfile.ZipFile(term.second.out / "class" / "feedback-for-moodle.zip") as archive:
        owners = {name.split("_assignsubmission")[0] for name in archive.namelist()}
    assert owners == {f"{each.name}_{7000 + each.number}" for each in term.worked}


def test_canvas_takes_the_points(term: Term) -> None:
    text = (term.canvas.out / "class" / "marks-for-canvas.csv").read_text("utf-8")
    taken = imported(text, "SIS Login ID", "Sorting (4711)")
    assert taken == pytest.approx({each.id: each.points for each in term.people[:8]})


def test_a_platform_takes_the_points_by_lti(term: Term, registered, ledger, sender) -> None:  # noqa: F811
    for each in term.worked:
        launch = launch_of(registered, user=each.id, name=each.name, email=each.id)
        person = ledger.enter(launch, "sorting")
        score = term.second.scores[each.id]
        hand_in(ledger, person, f"ticket-{each.number}", score=score, max_score=10)
    sender.send_due(0.0)
    taken = {each["userId"]: each["scoreGiven"] for each in registered.platform.scores}
    assert taken == pytest.approx(term.second.scores)
