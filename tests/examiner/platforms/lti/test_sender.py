"""Points on their way to the platform: in order, kept while it is down, none twice that matters."""

import json
import sqlite3
import threading
import time

import pytest

from examiner.errors import UserError
from examiner.inbox.arrivals import InboxError
from examiner.platforms.lti import ledger as ledgers
from examiner.platforms.lti import sender as senders
from examiner.platforms.lti.ledger import REFUSED, REPLACED, SENT, WAITING, Ledger
from examiner.platforms.lti.sender import FIRST, Sender
from tests.examiner.platforms.lti.platform import AGS, ROLES
from tests.examiner.platforms.lti.walk import hand_in, launch_of, record

LATER = "2999-01-01T00:00:00.000Z"


@pytest.fixture
def sender(registered, ledger, monkeypatch):
    """A sender whose words are kept; the platform sees the tool's keys without its door."""
    said = []
    made = Sender(registered.settings, registered.keys, ledger, said.append)
    made.said = said

    class Answer:
        def json(self):
            return registered.keys.published

    monkeypatch.setattr(
        "tests.examiner.platforms.lti.platform.requests.get", lambda *a, **k: Answer()
    )
    return made


@pytest.fixture
def ada(registered, ledger):
    return ledger.enter(launch_of(registered), "sorting")


def given(registered):
    return [(each["userId"], each["scoreGiven"]) for each in registered.platform.scores]


def test_points_arrive_as_the_specification_says(registered, ledger, sender, ada) -> None:
    hand_in(ledger, ada, "t1")
    sender.send_due(0.0)
    (score,) = registered.platform.scores
    assert score.pop("timestamp").endswith("Z")
    assert score == {
        "userId": "u1",
        "scoreGiven": 3.5,
        "scoreMaximum": 5,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
        "comment": "3.5 of 5; open the assignment to see why",
    }
    assert ledger.works(ada)[0].sent == SENT


def test_what_may_still_rise_is_said_to_be_pending(registered, ledger, sender, ada) -> None:
    hand_in(ledger, ada, "t1", provisional=True)
    sender.send_due(0.0)
    assert registered.platform.scores[0]["gradingProgress"] == "PendingManual"


def test_what_waits_is_sent_in_its_order_and_once(registered, ledger, sender, ada) -> None:
    bob = ledger.enter(launch_of(registered, "u2", "Bob"), "sorting")
    for ticket, (who, points) in enumerate([(ada, 1.0), (bob, 2.0), (ada, 3.0)]):
        hand_in(ledger, who, f"t{ticket}", score=points)
    sender.send_due(0.0)
    sender.send_due(1.0)
    assert given(registered) == [("u2", 2.0), ("u1", 3.0)]  # the last of hers replaces the first
    assert [work.sent for work in ledger.works(ada)] == [SENT, REPLACED]
    assert registered.platform.calls.count("/token") == 1


@pytest.mark.parametrize("status", [503, 401])
def test_a_platform_that_is_down_gets_all_of_it_later(
    registered, ledger, sender, ada, status, monkeypatch
) -> None:
    monkeypatch.setattr(senders, "LONGEST", 30.0)
    hand_in(ledger, ada, "t1", score=1.0)
    hand_in(ledger, ada, "t2", score=2.0)
    registered.platform.down = status
    pauses = [sender.send_due(0.0)]
    asked = len(registered.platform.calls)
    sender.send_due(FIRST - 0.1)  # it rests
    assert len(registered.platform.calls) == asked == 1  # nothing else was tried
    now = 0.0
    for _ in range(4):
        now += pauses[-1]
        pauses.append(sender.send_due(now))
    assert pauses[:3] == [FIRST, 2 * FIRST, 4 * FIRST]
    assert pauses[-1] == 30.0
    assert len(sender.said) == 1
    assert "kept, and sent later" in sender.said[0]
    registered.platform.down = 0
    sender.send_due(now + 30.0)
    assert given(registered) == [("u1", 2.0)]
    assert "takes grades again" in sender.said[-1]


@pytest.mark.parametrize("where", ["/token", "/lineitems/1/scores"])
def test_a_connection_that_breaks_is_tried_again(registered, ledger, sender, ada, where) -> None:
    hand_in(ledger, ada, "t1")
    registered.platform.silent.append(where)
    sender.send_due(0.0)
    assert ledger.works(ada)[0].sent == WAITING
    registered.platform.silent.clear()
    sender.send_due(FIRST)
    assert given(registered) == [("u1", 3.5)]


def test_a_platform_that_sends_us_elsewhere_has_not_got_them(
    registered, ledger, sender, ada
) -> None:
    hand_in(ledger, ada, "t1")
    registered.platform.moved.append("/lineitems/1/scores")
    sender.send_due(0.0)
    assert ledger.works(ada)[0].sent == WAITING
    assert "/jwks" not in registered.platform.calls


def test_one_platform_that_is_down_holds_no_other_up(
    registered, ledger, sender, ada, tmp_path
) -> None:
    from dataclasses import replace

    hand_in(ledger, ada, "t1")
    known = registered.settings.platforms[0]
    dead = replace(known, issuer="http://127.0.0.1:9", token="http://127.0.0.1:9/token")
    settings = replace(registered.settings, platforms=(dead, known))
    launch = replace(launch_of(registered, "u9", "Eve"), platform=dead)
    eve = ledger.enter(launch, "sorting")
    hand_in(ledger, eve, "t2")
    bob = ledger.enter(launch_of(registered, "u2", "Bob"), "sorting")
    hand_in(ledger, bob, "t3")
    Sender(settings, registered.keys, ledger, sender.said.append).send_due(0.0)
    assert [who for who, _ in given(registered)] == ["u1", "u2"]
    assert ledger.works(eve)[0].sent == WAITING


def test_what_the_platform_refuses_for_good_holds_nothing_up(
    registered, ledger, sender, ada
) -> None:
    gone = {"grades": {"scope": [], "lineitem": f"{registered.platform.address}/none"}}
    bob = ledger.enter(launch_of(registered, "u2", "Bob", link="link-2", **gone), "sorting")
    no_right = ledger.works
    gone["grades"]["scope"] = ["https://purl.imsglobal.org/spec/lti-ags/scope/score"]
    eve = ledger.enter(launch_of(registered, "u3", "Eve", link="link-3", **gone), "sorting")
    for ticket, who in enumerate([bob, eve, ada]):
        hand_in(ledger, who, f"t{ticket}")
    sender.send_due(0.0)
    assert given(registered) == [("u1", 3.5)]
    assert [no_right(who)[0].sent for who in (bob, eve)] == [REFUSED, REFUSED]
    assert "404" in ledger.works(eve)[0].why
    assert "no points" in ledger.works(bob)[0].why
    assert ledger.send_again(eve.link) == 1
    assert ledger.works(eve)[0].sent == WAITING


def test_points_that_were_refused_never_take_the_place_of_later_ones(
    registered, ledger, sender, ada
) -> None:
    bob = ledger.enter(launch_of(registered, "u2", "Bob"), "sorting")
    for who in (ada, bob):
        hand_in(ledger, who, f"{who.user}-1", score=1.0)
    registered.platform.down = 400
    for score in ledger.unsent():
        ledger.settle(score, REFUSED)
    registered.platform.down = 0
    hand_in(ledger, ada, "u1-2", score=5.0)
    sender.send_due(0.0)
    assert ledger.send_again(ada.link) == 1  # Bob's; of Ada the platform has better ones
    sender.send_due(1.0)
    assert given(registered) == [("u1", 5.0), ("u2", 1.0)]
    assert [work.sent for work in ledger.works(ada)] == [SENT, REPLACED]


@pytest.mark.parametrize(
    "columns", [{}, {"lineitems": "/odd/rows"}, {"lineitems": "/odd/nameless"}, {"lineitem": "7"}]
)
def test_a_link_whose_columns_are_not_understood_holds_nobody_up(
    registered, ledger, sender, ada, columns, monkeypatch
) -> None:
    platform = registered.platform
    odd = {"/odd/rows": {"GET": ["x"]}, "/odd/nameless": {"GET": [], "POST": {"label": "x"}}}
    found = platform._found
    monkeypatch.setattr(
        platform,
        "_found",
        lambda method, path, *rest: (
            (200, odd[path][method]) if path in odd else found(method, path, *rest)
        ),
    )
    columns = {k: v.replace("/odd", f"{platform.address}/odd") for k, v in columns.items()}
    grades = {"scope": [f"{AGS}score", f"{AGS}lineitem"], **columns}
    bob = ledger.enter(launch_of(registered, "u2", "Bob", link="odd", grades=grades), "sorting")
    for who in (bob, ada):
        hand_in(ledger, who, who.user)
    sender.send_due(0.0)
    assert given(registered) == [("u1", 3.5)]
    assert ledger.works(bob)[0].sent == REFUSED


def test_what_nobody_foresaw_does_not_end_the_thread_that_sends(
    registered, ledger, sender, ada, monkeypatch
) -> None:
    asked = threading.Event()

    def broken(*args):
        asked.set()
        raise RuntimeError("what nobody foresaw")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "replaced", broken)
        sender.start()
        assert asked.wait(10)
    hand_in(ledger, ada, "t1")
    deadline = time.monotonic() + 10
    while not given(registered) and time.monotonic() < deadline:
        sender.wake()
        time.sleep(0.02)
    sender.close()
    assert given(registered) == [("u1", 3.5)]
    assert sender.said == ["grades wait: RuntimeError"]


def test_a_disk_that_is_full_when_a_result_is_written_down_is_told(ledger, ada) -> None:
    """SQLite says so when it commits, and whoever grades goes on from a line alone."""

    class Full:
        def __init__(self, db: sqlite3.Connection) -> None:
            self.execute, self.close, self._db = db.execute, db.close, db

        def __enter__(self) -> None:
            pass

        def __exit__(self, *error: object) -> None:
            self._db.rollback()
            raise sqlite3.OperationalError("database or disk is full")

    ledger.handed_in(ada, "t1", "sorting.py")
    whole, ledger._db = ledger._db, Full(ledger._db)
    with pytest.raises(InboxError, match="disk is full"):
        ledger.graded(["t1"], record(ada, "t1"), "<p>page</p>")
    ledger._db = whole
    assert ledger.graded(["t1"], record(ada, "t1"), "<p>page</p>")
    assert [work.state for work in ledger.works(ada)] == ["graded"]


def test_a_link_without_gradebook_gets_no_points(registered, ledger, sender) -> None:
    ada = ledger.enter(launch_of(registered, grades=None), "sorting")
    hand_in(ledger, ada, "t1")
    assert ledger.unsent() == []
    assert ledger.works(ada)[0].sent == ""


def test_killed_after_sending_it_is_sent_again_as_the_same(
    registered, ledger, sender, ada, monkeypatch
) -> None:
    hand_in(ledger, ada, "t1")
    settle = Ledger.settle
    monkeypatch.setattr(Ledger, "settle", lambda *a: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        sender.send_due(0.0)
    monkeypatch.setattr(Ledger, "settle", settle)
    again = Sender(registered.settings, registered.keys, ledger, sender.said.append)
    again.send_due(0.0)
    assert registered.platform.calls.count("/lineitems/1/scores") == 2
    assert given(registered) == [("u1", 3.5)]  # of the same time: the platform keeps what it has
    assert ledger.works(ada)[0].sent == SENT


def test_an_older_score_than_the_platforms_counts_as_sent(registered, ledger, sender, ada) -> None:
    hand_in(ledger, ada, "t1")
    registered.platform.scores.append({"userId": "u1", "timestamp": LATER, "scoreGiven": 5.0})
    sender.send_due(0.0)
    assert given(registered) == [("u1", 5.0)]
    assert ledger.works(ada)[0].sent == SENT


def test_the_file_is_found_again_after_a_kill(registered, tmp_path) -> None:
    first = Ledger(tmp_path)
    ada = first.enter(launch_of(registered), "sorting")
    first.handed_in(ada, "t1", "sorting.py")
    assert first.graded(["t1"], record(ada, "t1"), "<p>page</p>")
    second = Ledger(tmp_path)  # the first was never closed
    (score,) = second.unsent()
    assert (score.user, score.given) == ("u1", 3.5)
    assert second.secret("cookies") == first.secret("cookies")
    assert second.path.stat().st_mode & 0o777 == 0o600


def test_a_result_that_comes_twice_counts_once(registered, ledger, ada) -> None:
    """Killed before the arrival was put away: it is graded again, to the same result."""
    ledger.handed_in(ada, "t1", "sorting.py")
    for _ in range(2):
        assert ledger.graded(["t1"], record(ada, "t1"), "<p>page</p>")
    assert len(ledger.unsent()) == len(ledger.works(ada)) == 1


def test_a_ticket_of_another_years_inbox_is_another(registered, ledger, ada) -> None:
    """Its table counts from 1 again, and this file stays."""
    bob = ledger.enter(launch_of(registered, "u2", "Bob"), "sorting")
    for arrived, who in enumerate((ada, bob, ada)):
        ledger.handed_in(who, "1", "sorting.py")
        noted = record(who, "00000000000000000001", arrived=float(arrived))
        assert ledger.graded(["1.py", "1"], noted, "<p>page</p>")
    assert [len(ledger.works(who)) for who in (ada, bob)] == [2, 1]
    assert {work.state for who in (ada, bob) for work in ledger.works(who)} == {"graded"}


def test_work_whose_receipt_was_lost_is_graded_all_the_same(registered, ledger, ada) -> None:
    """Killed between the inbox and its receipt."""
    assert ledger.graded(["t1"], record(ada, "t1"), "<p>page</p>")
    (work,) = ledger.works(ada)
    assert (work.score, work.sent) == (3.5, WAITING)


def test_what_did_not_come_through_a_platform_is_nothing_to_it(ledger) -> None:
    assert not ledger.graded(["t1"], {"student": "hugo", "ticket": "t1"}, "")


def test_a_students_next_points_are_a_whole_second_later(
    registered, ledger, sender, ada, monkeypatch
) -> None:
    """Also where the clock runs back: Moodle refuses what is not later, in whole seconds."""
    for ticket, now in enumerate([5000.9, 5000.95, 1000.0]):
        monkeypatch.setattr(ledgers.time, "time", lambda now=now: now)
        hand_in(ledger, ada, f"t{ticket}", score=float(ticket))
        (score,) = ledger.unsent()
        ledger.settle(ledger.stamp(score), SENT)
    with_times = ledger._db.execute("select at from scores order by id").fetchall()
    assert [row[0][14:] for row in with_times] == ["23:20.900Z", "23:21.900Z", "23:22.900Z"]


def test_the_same_person_elsewhere_is_somebody_else(registered, ledger, ada) -> None:
    again = ledger.enter(launch_of(registered, name="Ada King"), "sorting")
    other = ledger.enter(launch_of(registered, link="link-2"), "sorting")
    assert again.student == ada.student
    assert again.name == "Ada King"
    assert other.student != ada.student
    hostile = ledger.enter(launch_of(registered, "u7", "../--/\x00 Ünnïk"), "sorting")
    assert not set("./\x00") & set(hostile.student)
    assert "--" not in hostile.student


def test_the_roster_has_all_pages_and_no_teachers(registered, ledger, sender, ada) -> None:
    from examiner.platforms.lti.members import Members

    rows = [("u1", "Ada", ["Learner"]), ("t", "Tess", [f"{ROLES}Instructor", "Learner"])]
    rows += [("u2", "Bob", [f"{ROLES}Learner"])]
    registered.platform.members = [
        {"user_id": user, "name": name, "roles": roles} for user, name, roles in rows
    ] + [{"user_id": "u3", "name": "Gone", "roles": ["Learner"], "status": "Inactive"}]
    members = Members(sender)
    found = members.of(ledger.link(ada.link))
    assert [each.name for each in found.students] == ["Ada", "Bob"]
    registered.platform.down = 500
    assert members.of(ledger.link(ada.link)) == found  # kept for minutes
    assert "no roster" in Members(sender).of(ledger.link(ada.link)).trouble
    without = ledger.enter(launch_of(registered, link="x", members=""), "sorting")
    with pytest.raises(UserError, match="no roster"):
        sender.members(ledger.link(without.link))


def test_nothing_secret_is_said(registered, ledger, sender, ada, capfd) -> None:
    hand_in(ledger, ada, "t1")
    for status in (500, 401, 0):
        registered.platform.down = status
        sender.send_due(1e6 * (1 + status))
    registered.platform.silent.append("/lineitems/1/scores")
    hand_in(ledger, ada, "t2")
    sender.send_due(1e9)
    told = "\n".join(sender.said) + "".join(capfd.readouterr())
    key = registered.keys.private.splitlines()[1]
    for secret in (key, *registered.platform.tokens, *registered.platform.assertions, "eyJ"):
        assert secret not in told
    assert json.dumps(sender.said)
