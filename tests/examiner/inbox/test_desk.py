"""The desk: what it grades, and what it does when something fails."""

import errno
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from examiner.cluster.grader import CHARGED
from examiner.cluster.keeper import HouseError, StartError
from examiner.cluster.plain import result_of, submission_of
from examiner.errors import UserError
from examiner.grading import store
from examiner.grading.admission import Admission
from examiner.inbox import desk as desks
from examiner.inbox import folder as folders
from examiner.inbox.board import Board
from examiner.inbox.desk import Desk, Terms
from examiner.inbox.folder import DONE, WORK, FolderInbox
from examiner.sandbox.servers import EXAMINERS_PLACE
from tests.examiner.cluster.conftest import SOURCES, Known
from tests.examiner.inbox.test_folder import hand_in, names


class Watcher:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.seen: list[tuple[str, float]] = []

    def say(self, line: str) -> None:
        self.said.append(line)

    def graded(self, arrival, result) -> None:
        self.seen.append((result.student, result.score))


class House:
    """Knows the results of the tiny class; dies of jobs that hold `deadly`."""

    ready = True
    deadly = "os._exit"

    def __init__(self, known: Known) -> None:
        self._results = {
            known.submissions[name].digest: result_of(result)
            for name, result in known.results.items()
        }
        self._said: list[tuple[int, str]] = []
        self._dead = False

    def send(self, number: int, job: str) -> None:
        if self._dead or (self.deadly and self.deadly in job):
            self._dead = True
            return
        self._said.append((number, self._answer(job)))

    def ask(self, job: str) -> str:
        if self.deadly and self.deadly in job:
            raise HouseError("it has ended")
        return self._answer(job)

    def _answer(self, job: str) -> str:
        submission = submission_of(job, "tiny")
        return self._results[replace(submission, files=("tiny.py",)).digest]

    def receive(self, seconds: float) -> list[tuple[int, str]]:
        if self._dead:
            raise HouseError("it has ended")
        said, self._said = self._said, []
        return said

    def wait(self) -> None:
        pass

    def close(self) -> None:
        pass


class Gone(House):
    """Ends with whatever it has in hand."""

    def receive(self, seconds: float) -> list[tuple[int, str]]:
        raise HouseError("it has ended")


class Unstartable(Gone):
    """Ends before it is ready, as where the machine has no memory left."""

    ready = False

    def wait(self) -> None:
        raise StartError("it has ended")


@pytest.fixture
def setting(known: Known, tmp_path, monkeypatch):
    """A desk with an inbox, a house that knows all answers, and a watcher."""
    monkeypatch.setattr(desks, "PAUSE", 0.05)
    (tmp_path / "inbox").mkdir()
    inbox = FolderInbox(tmp_path / "inbox", 100)
    watcher = Watcher()
    key = {"tests": "t", "seed": "s", "grader": "g"}
    terms = Terms(
        known.course.chapter,
        known.form,
        key,
        Admission({}),
        tmp_path / "out",
        lambda result: result,
    )
    desk = Desk(inbox, terms, lambda slots: House(known), 2, watcher)
    return desk, watcher, tmp_path


def turn(desk: Desk, watcher: Watcher, until: int) -> int:
    """Let the desk work until so many are graded; return how many it says were."""
    deadline, said = time.monotonic() + 20, 0
    while len(watcher.seen) < until and time.monotonic() < deadline:
        said += desk.turn(0.02)
    assert len(watcher.seen) == until
    return said


def test_what_arrives_is_graded_and_its_page_written(setting, known: Known) -> None:
    desk, watcher, place = setting
    hand_in(place / "inbox", "ada.py", SOURCES["right"])
    hand_in(place / "inbox", "ben.py", SOURCES["wrong"])
    turn(desk, watcher, 2)
    assert dict(watcher.seen) == {"ada": 10.0, "ben": known.results["wrong"].score}
    assert "10 of 10 points" in (place / "out" / "ada.md").read_text()
    (record,) = (place / "inbox" / DONE).glob("*-ada/record.json")
    assert json.loads(record.read_text())["score"] == 10.0
    assert desk.idle


def test_code_that_was_judged_for_another_is_not_judged_again(setting, known: Known) -> None:
    """The house of these tests knows no work with such a comment, and would fail if asked."""
    desk, watcher, place = setting
    hand_in(place / "inbox", "ada.py", SOURCES["wrong"])
    turn(desk, watcher, 1)
    hand_in(place / "inbox", "ben.py", SOURCES["wrong"] + "# Ben, group 3\n")
    assert turn(desk, watcher, 2) == 1, "what was not judged is not counted"
    assert dict(watcher.seen) == dict.fromkeys(("ada", "ben"), known.results["wrong"].score)
    pages = [(place / "out" / f"{name}.md").read_text().splitlines() for name in ("ada", "ben")]
    ada, ben = ([line for line in page if "handed in on" not in line] for page in pages)
    assert [line.replace("ada", "ben") for line in ada] == ben
    hand_in(place / "inbox", "cleo.py", SOURCES["wrong"] + "group = 3\n")
    with pytest.raises(KeyError):
        turn(desk, watcher, 3)


def test_a_page_invites_to_a_second_look_where_the_course_does(setting) -> None:
    desk, watcher, place = setting
    desk._terms = replace(desk._terms, second_look="mailto:ask@x.org")
    hand_in(place / "inbox", "ada.py", SOURCES["wrong"])
    turn(desk, watcher, 1)
    for ending in ("html", "md"):
        assert "mailto:ask@x.org" in (place / "out" / f"ada.{ending}").read_text()


def test_the_later_work_is_the_page(setting) -> None:
    desk, watcher, place = setting
    for n, kind in enumerate(("right", "broken", "wrong")):
        hand_in(place / "inbox", f"ada--{n}.py", SOURCES[kind])
    turn(desk, watcher, 3)
    assert [score for _, score in watcher.seen][:2] == [10.0, 0.0]
    assert "10 of 10" not in (place / "out" / "ada.md").read_text()


def turn_without_space(desk, monkeypatch, module, turns: int) -> None:
    """Turn a desk while whatever a module writes finds the disk full."""

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_whole", full)
        for _ in range(turns):
            desk.turn(0.03)


def test_a_full_disk_loses_nothing(setting, monkeypatch) -> None:
    desk, watcher, place = setting
    hand_in(place / "inbox", "ada.py", SOURCES["right"])
    turn_without_space(desk, monkeypatch, store, 20)
    (line,) = watcher.said
    assert "No space left on device" in line
    assert "nothing is lost" in line
    assert watcher.seen == []
    assert names(place / "inbox", WORK) == ["ada"]
    turn(desk, watcher, 1)
    assert names(place / "inbox", DONE) == ["ada"]
    assert watcher.said[1:] == ["it works again"]


def test_a_full_inbox_is_told_once_however_long_it_lasts(setting, monkeypatch) -> None:
    """To find that nothing is to be given back is no sign that work can be taken again."""
    desk, watcher, place = setting
    hand_in(place / "inbox", "ada.py", SOURCES["right"])
    turn_without_space(desk, monkeypatch, folders, 30)
    (line,) = watcher.said
    assert "No space left on device" in line
    turn(desk, watcher, 1)
    assert watcher.said[1:] == ["it works again"]


def test_who_ends_the_grader_is_charged_and_nobody_else(setting) -> None:
    desk, watcher, place = setting
    for name, kind in (("ada", "right"), ("kim", "leaves"), ("ben", "wrong")):
        hand_in(place / "inbox", f"{name}.py", SOURCES[kind])
    turn(desk, watcher, 3)
    scores = dict(watcher.seen)
    assert (scores["ada"], scores["kim"]) == (10.0, 0.0)
    assert scores["ben"] > 0
    assert CHARGED in (place / "out" / "kim.md").read_text()
    assert sum("charged" in line for line in watcher.said) == 1


def test_a_machine_that_cannot_grade_gives_up_and_loses_nothing(setting, monkeypatch) -> None:
    desk, watcher, place = setting
    monkeypatch.setattr(House, "ready", False)
    hand_in(place / "inbox", "kim.py", SOURCES["leaves"])
    with pytest.raises(UserError, match="nothing can be graded here"):
        turn(desk, watcher, 1)
    assert names(place / "inbox", WORK) == ["kim"]


@pytest.mark.parametrize("trouble", [Unstartable, StartError("no process can be started")])
def test_who_is_in_hand_where_the_machine_fails_pays_nothing(setting, known, trouble) -> None:
    desk, watcher, place = setting
    houses = iter([Gone, Gone])

    def opened(slots: int) -> House:
        kind = next(houses, trouble)
        if isinstance(kind, Exception):
            raise kind
        return kind(known)

    desk._open = opened
    students = ("ada", "ben", "cleo")
    for name in students:
        hand_in(place / "inbox", f"{name}.py", SOURCES["right"])
    with pytest.raises(UserError, match="nothing can be graded here"):
        turn(desk, watcher, 1)
    assert watcher.seen == []
    desk.close()
    later = Desk(
        FolderInbox(place / "inbox", 100), desk._terms, lambda slots: House(known), 2, watcher
    )
    turn(later, watcher, 3)
    assert watcher.seen == [(name, 10.0) for name in students]


def test_a_machine_that_fails_when_work_is_taken_gives_up_too(setting, known) -> None:
    desk, watcher, place = setting

    class Closed(Unstartable):
        def send(self, number: int, job: str) -> None:
            raise HouseError("it has ended")

    desk._open = lambda slots: Closed(known)
    for name in ("ada", "ben"):
        hand_in(place / "inbox", f"{name}.py", SOURCES["right"])
    with pytest.raises(UserError, match="nothing can be graded here"):
        turn(desk, watcher, 2)
    desk.close()
    later = Desk(
        FolderInbox(place / "inbox", 100), desk._terms, lambda slots: House(known), 2, watcher
    )
    turn(later, watcher, 2)


def test_a_start_that_fails_once_after_hostile_work_ends_nothing(setting, known) -> None:
    desk, watcher, place = setting

    class EndsWithTwo(House):
        jobs = 0

        def send(self, number: int, job: str) -> None:
            self.jobs += 1
            self._dead = self.jobs == 2

    houses = iter([Gone, EndsWithTwo, House, Unstartable])
    desk._open = lambda slots: next(houses, House)(known)
    hand_in(place / "inbox", "ada.py", SOURCES["right"])
    while not desk._jobs:
        desk.turn(0.02)
    hand_in(place / "inbox", "ben.py", SOURCES["right"])
    turn(desk, watcher, 2)
    assert watcher.seen == [("ada", 10.0), ("ben", 10.0)]


def test_the_page_shows_what_waits_to_this_machine_alone(setting) -> None:
    desk, watcher, place = setting
    hand_in(place / "inbox", "<b>ada.py", SOURCES["right"])
    board = Board("Sorting & more", "127.0.0.1", 0)
    try:
        turn(desk, watcher, 1)
        board.show(desk._inbox.overview)
        with urllib.request.urlopen(board.address) as answer:
            page = answer.read().decode()
        assert "&lt;b&gt;ada" in page
        assert "<b>ada" not in page
        assert "Sorting &amp; more" in page
        with urllib.request.urlopen(f"{board.address}status.json") as answer:
            assert json.load(answer)["done"] == 1
        elsewhere = urllib.request.Request(board.address, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(elsewhere)

        def gone():
            raise UserError("the table is gone <i>")

        board.show(gone)
        assert "the table is gone &lt;i&gt;" in board.page()
    finally:
        board.close()
    with pytest.raises(UserError, match="cannot be used"):
        Board("x", "127.0.0.1", _taken())


def _taken() -> int:
    """Return a port that is in use for as long as the tests run."""
    import socket

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    _LISTENERS.append(listener)
    return int(listener.getsockname()[1])


_LISTENERS: list = []


@pytest.mark.slow
def test_a_real_server_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    """Forty hand-ins of ten students; the server is ended with -9 in the middle."""
    program = [sys.executable, str(EXAMINERS_PLACE / "benchmarks" / "inbox.py")]
    words = ["--count", "40", "--over", "6", "--kill", "5", "--kills", "1"]
    words += ["--ahead", "0", "--jobs", "1", "--patience", "100"]
    said = subprocess.run([*program, *words], capture_output=True, text=True, check=False)
    found = json.loads(said.stdout)
    assert (found["records"], found["lost"], found["twice"]) == (40, 0, 0), said.stderr
    assert found["students out of order"] == 0
    assert found["kills"] == 1
