"""nbgrader's real formgrader, in a Jupyter server of the test's own, marks a submission by hand."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.examiner.nbgrader.conftest import BIN, ROOT, Course, cells_by_id

TOKEN = "a-token-of-the-test"
WAITS = 180  # seconds for an answer: on a busy machine autograding takes long
ESSAY = "why-not-longest"
FULL = 50.0  # what can be had without marks by hand
pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap"
)
LINKS = "**Because** <script>alert('owned')</script> [see](evil.html) [or](http://example.org)"


@dataclass
class Formgrader:
    """The server's address."""

    base: str

    def get(self, path: str) -> str:
        """Fetch a page."""
        return self._ask("GET", path, None)

    def list(self, path: str) -> list[dict[str, Any]]:
        """Fetch a list of the REST API."""
        found: list[dict[str, Any]] = json.loads(self.get(f"api/{path}"))
        return found

    def put(self, path: str, **values: Any) -> dict[str, Any]:
        """Change something through the REST API."""
        found: dict[str, Any] = json.loads(self._ask("PUT", f"api/{path}", values))
        return found

    def _ask(self, method: str, path: str, values: Any) -> str:
        data = None if values is None else json.dumps(values).encode()
        request = urllib.request.Request(f"{self.base}/{path}", data, method=method)
        request.add_header("Authorization", f"token {TOKEN}")
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=WAITS) as answer:
            text: str = answer.read().decode()
        return text


@pytest.fixture(scope="module")
def graded(course: Course, reference: str, answers: dict[str, Any]) -> Course:
    """A course folder with two submissions, graded by `nextword grade`."""
    answered = course.answered(answers)
    cells_by_id(answered)[ESSAY]["source"] = LINKS
    answered["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "My picture."})
    course.hand_in("ada", answered, f"{reference}\n# </pre><script>alert('module')</script>\n")
    added = ("add", "ada", "--first-name", "Ada", "--last-name", "<Lovelace>")
    course.run("nbgrader", "db", "student", *added)
    (course.root / "submitted" / "ada" / "ngrams" / "evil.html").write_text("<script>", "utf-8")
    stub = (ROOT / "coursework" / "ngrams.py").read_text("utf-8")
    course.hand_in("ben", course.notebook("release"), stub)
    course.run("nextword", "grade", "ngrams", "submitted", "--gradebook", "gradebook.db")
    return course


@pytest.fixture(scope="module")
def formgrader(graded: Course) -> Iterator[Formgrader]:
    """The server, started in the course folder as an instructor starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [f"--port={port}", "--no-browser", f"--IdentityProvider.token={TOKEN}"]
    options += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={graded.root}"]
    if os.geteuid() == 0:
        options.append("--allow-root")
    extension = "{'nbgrader.server_extensions.formgrader': True}"
    options.append(f"--ServerApp.jpserver_extensions={extension}")
    places = {f"JUPYTER_{n}_DIR": str(graded.root / n) for n in ("CONFIG", "DATA", "RUNTIME")}
    log = (graded.root / "server.log").open("w")
    process = subprocess.Popen(
        [str(BIN / "jupyter"), "server", *options],
        cwd=graded.root,
        env={**os.environ, **places, "OMP_NUM_THREADS": "1"},
        stdout=log,
        stderr=log,
    )
    found = Formgrader(f"http://127.0.0.1:{port}/formgrader")
    try:
        for _ in range(1200):  # two minutes, on a busy machine
            try:
                found.get("api/status")
                break
            except urllib.error.URLError:
                assert process.poll() is None, (graded.root / "server.log").read_text()
                time.sleep(0.1)
        yield found
    finally:
        process.terminate()
        process.wait(20)
        log.close()


@pytest.fixture(scope="module")
def ada(formgrader: Formgrader) -> str:
    """The id of ada's notebook."""
    found = formgrader.list("submitted_notebooks/ngrams/ngrams")
    return next(str(each["id"]) for each in found if each["student"] == "ada")


def grade_of(formgrader: Formgrader, submission: str, name: str) -> dict[str, Any]:
    grades = formgrader.list(f"grades?submission_id={submission}")
    return next(each for each in grades if each["name"] == name)


def test_it_lists_the_assignment_and_the_class(formgrader):
    (found,) = formgrader.list("assignments")
    assert (found["name"], found["num_submissions"], found["max_score"]) == ("ngrams", 2, 58)
    students = {each["student"]: each for each in formgrader.list("submissions/ngrams")}
    assert students["ada"]["score"] == FULL
    assert students["ada"]["needs_manual_grade"]
    assert students["ben"]["score"] == 0
    for page in ("manage_assignments", "gradebook", "gradebook/ngrams", "manage_students/ada"):
        assert "<title>" in formgrader.get(page)


def test_the_marking_page_shows_points_words_and_answer(formgrader, ada):
    page = formgrader.get(f"submissions/{ada}")
    assert "2 of 2 points (" in page  # below the test cells
    assert "<strong>Because</strong>" in page
    for field in ("score", "extra-credit"):
        assert f'class="{field}' in page or f'{field}"' in page


def test_the_marking_page_shows_code_and_rubric_beside_the_cells(formgrader, ada):
    page = formgrader.get(f"submissions/{ada}")
    code = page.index("The student's pad, windows in ngrams.py")
    assert page.index('id="task-2-1"') < code < page.index('id="task-2-2"')
    assert '<span class="nf">windows</span>' in page[code : page.index('id="task-2-2"')]
    assert "All of ngrams.py" in page
    rubric = page.index("Rubric (4 points).")
    assert page.index(f'id="{ESSAY}"') < rubric < page.index('id="learning-curve"')
    assert "white-space: pre-wrap" in page  # long sentences below the cells
    scheme = page.index("<strong>Mark scheme.</strong>")
    assert page.index('id="learning-curve"') < scheme < page.index("4 points. 1: two models")
    assert "MARK SCHEME" not in page  # nbgrader's marks of it would be headings


def test_the_marking_page_runs_nothing_of_the_student(formgrader, ada):
    page = formgrader.get(f"submissions/{ada}")
    assert "<script>alert('owned')" not in page
    assert "&lt;script&gt;alert('module')" in page
    assert "<script>alert('module')" not in page
    # a file of the student would open in the marker's session
    assert "evil.html" not in page
    assert 'href="http://example.org"' in page
    with pytest.raises(urllib.error.HTTPError):
        formgrader.get(f"submissions/{ada}/evil.html")


def test_a_mark_and_a_comment_survive_every_regrade_and_are_exported(graded, formgrader, ada):
    essay = grade_of(formgrader, ada, ESSAY)
    assert essay["needs_manual_grade"]
    marked = formgrader.put(f"grade/{essay['id']}", manual_score=3.5, extra_credit=None)
    assert not marked["needs_manual_grade"]
    task = grade_of(formgrader, ada, "task-2-1")
    formgrader.put(f"grade/{task['id']}", manual_score=1, extra_credit=0.5)
    comments = formgrader.list(f"comments?submission_id={ada}")
    comment = next(each for each in comments if each["name"] == ESSAY)
    said = 'Say <b>what</b> happens, *please*: $n^2$ "words".'
    formgrader.put(f"comment/{comment['id']}", manual_comment=said)
    wanted = FULL + 3.5 - task["auto_score"] + 1.5

    def check() -> None:
        (again,) = [
            each
            for each in formgrader.list("submitted_notebooks/ngrams/ngrams")
            if each["student"] == "ada"
        ]
        assert again["score"] == pytest.approx(wanted)
        assert grade_of(formgrader, again["id"], ESSAY)["manual_score"] == 3.5
        found = formgrader.list(f"comments?submission_id={again['id']}")
        assert said in [each["manual_comment"] for each in found]

    graded.run("nextword", "grade", "ngrams", "submitted", "--gradebook", "gradebook.db")
    check()
    again = graded.run("nbgrader", "autograde", "ngrams", "--student", "ada", "--force")
    assert " points (" not in again  # nothing changed
    check()
    assert graded.grades()["ada"] == pytest.approx(wanted)
    graded.run("nbgrader", "generate_feedback", "ngrams", "--student", "ada")
    page = (graded.root / "feedback" / "ada" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "Say &lt;b&gt;what&lt;/b&gt; happens, <em>please</em>: <math" in page
    assert "<p>In one or more cells of your own below this one, plot" in page
    assert "### A picture" not in page
    assert "3.5 / 4" in page
    assert "<h1>Ada &lt;Lovelace&gt;</h1>" in page
    assert "Rubric" not in page
    assert "not marked yet (4)" in page  # the figure still waits
    assert "the total is provisional" in page


def test_the_formgraders_own_buttons_use_the_sandbox(graded, formgrader, reference):
    """Autograding from the web page goes the same way as from the command line."""
    (graded.root / "submitted" / "ben" / "ngrams" / "ngrams.py").write_text(reference, "utf-8")
    (graded.root / "submitted" / "ben" / "ngrams" / "page.svg").write_text("<svg/>", "utf-8")
    path = "api/submission/ngrams/ben/autograde"
    answer = json.loads(formgrader._ask("POST", path, {}))
    assert answer["success"], answer
    assert "The examiner judges 1 module\n" in answer["log"]
    assert "ben: 0 -> 40 points (another submission; 2.1, 2.2, " in answer["log"]
    kept = graded.root / "autograded" / "ben" / "ngrams"
    assert (kept / "page.svg.txt").is_file()
    assert not (kept / "page.svg").exists()
