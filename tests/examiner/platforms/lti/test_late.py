"""What goes back to a platform is what counts: less what lateness costs, days in hand by person."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from examiner.grading.admission import Admission
from examiner.inbox.arrivals import InboxError
from examiner.inbox.counting import Counting
from examiner.inbox.desk import Desk, Terms
from examiner.inbox.folder import QUIET, FolderInbox
from examiner.platforms.lti.inbox import ForwardingInbox
from examiner.platforms.lti.ledger import SENT
from examiner.term import dates
from examiner.term.ledger import read_ledger
from examiner.term.standing import Term
from tests.examiner.cluster.conftest import SOURCES, known
from tests.examiner.inbox.test_desk import House, Watcher, turn
from tests.examiner.platforms.lti.test_sender import sender
from tests.examiner.platforms.lti.walk import launch_of

__all__ = ["known", "sender"]
RULE = dates.read_rule("10 % a day, 1 day in hand")


def graded(inbox, known, out, due, person, chapter) -> None:
    """Hand in what is worth ten points, and have it graded."""
    terms = Terms(
        known.course.chapter,
        known.form,
        {"tests": "t", "seed": "s", "grader": "g"},
        Admission({}),
        out / chapter,
        lambda result: result,
        Counting(Term(chapter, dates.Terms(due, RULE)), out / "days-in-hand.json"),
    )
    watcher = Watcher()
    inbox.put(person.student, "tiny.py", SOURCES["right"].encode())
    turn(Desk(inbox, terms, lambda slots: House(known), 1, watcher), watcher, 1)


def test_work_that_is_graded_before_it_was_noted_waits_no_longer(registered, ledger) -> None:
    person = ledger.enter(launch_of(registered), "tiny")
    record = {"student": person.student, "ticket": "1", "arrived": 1.0}
    record |= {"score": 1.0, "max_score": 2.0, "provisional": False}
    ledger.graded(("r1",), record, "page")  # by a desk that is quicker than the page that took it
    ledger.handed_in(person, "r1", "tiny.py")
    assert [(work.name, work.score) for work in ledger.works(person)] == [("tiny.py", 1.0)]
    assert ledger.waiting(person) == 0
    ledger.handed_in(person, "r2", "tiny.py")
    assert ledger.waiting(person) == 1


def test_what_was_taken_when_nobody_could_be_named_is_not_lost(
    registered, ledger, tmp_path, monkeypatch
) -> None:
    (tmp_path / "inbox").mkdir()
    inbox = ForwardingInbox(FolderInbox(tmp_path / "inbox", 100, settled=0.1), ledger, lambda: None)
    for user in ("u1", "u2"):
        person = ledger.enter(launch_of(registered, user, user), "tiny")
        inbox.put(person.student, "tiny.py", b"x = 1")
    with monkeypatch.context() as patched:
        whole, asked = ledger.named, []

        def full(student: str):
            asked.append(student)
            if len(asked) == 2:
                raise InboxError("the disk is full")
            return whole(student)

        patched.setattr(ledger, "named", full)
        assert inbox.claim(2) == []
        time.sleep(QUIET + 0.05)
        with pytest.raises(InboxError, match="full"):
            inbox.claim(2)
    assert {each.name for each in (*inbox.claim(1), *inbox.claim(5))} == {"u1", "u2"}
    assert inbox.claim(5) == []


@pytest.mark.slow
def test_lateness_goes_back_with_the_points(registered, ledger, sender, known, tmp_path) -> None:
    (tmp_path / "inbox").mkdir()
    inbox = ForwardingInbox(FolderInbox(tmp_path / "inbox", 100, settled=0.1), ledger, lambda: None)
    due = datetime.now(UTC) - timedelta(hours=20)
    for number, chapter in enumerate(("first", "second")):  # one person, who has two ids
        person = ledger.enter(launch_of(registered, link=f"link-{number}"), chapter)
        when = due + timedelta(hours=number)
        graded(inbox, known, tmp_path, when, person, chapter)
    first, second = ledger.unsent()
    assert (first.given, second.given) == (10.0, 9.0)
    ledger.settle(first, SENT)  # the platform of the tests has one column
    sender.send_due(0.0)
    assert [score["scoreGiven"] for score in registered.platform.scores] == [9.0]
    (used,) = (row for row in read_ledger(tmp_path / "days-in-hand.json").rows if row.days)
    assert (used.chapter, used.student) == ("first", f"u1 of {registered.platform.address}")
