"""An inbox that is a table, on which hosts work at a time."""

import errno
import threading
from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.inbox import postgres
from examiner.inbox.arrivals import InboxError
from examiner.inbox.postgres import PostgresInbox
from examiner.platforms.lti.inbox import ForwardingInbox
from examiner.platforms.lti.launch import Launch
from examiner.platforms.lti.ledger import Ledger
from examiner.platforms.lti.settings import Platform
from tests.postgres import server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server of these tests' own."""
    with server(tmp_path_factory.mktemp("postgres")) as found:
        import psycopg

        for _ in range(100):  # it starts
            try:
                psycopg.connect(found, connect_timeout=2).close()
                break
            except psycopg.Error:
                import time

                time.sleep(0.1)
        yield found


@pytest.fixture
def table(address):
    """A connection to a server without the table."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("drop table if exists grading_inbox")
        yield connection


def students(arrivals):
    return [each.student for each in arrivals]


RECORD = {"ticket": "1", "student": "ada", "score": 1.0, "notice": "a \0 in it \ud800"}


@pytest.mark.parametrize(
    "where",
    [
        "postgresql://ada:p%40ss@{host}/x",
        "postgresql://ada:p@ss:w0rd@{host}/x?connect_timeout=5",
        "postgresql:///x?host=h&user=ada&password=secret&port=5",
    ],
)
def test_no_password_is_shown(where: str) -> None:
    shown = postgres.without_password(where.format(host="db:5432"))
    assert not any(secret in shown for secret in ("p%40ss", "p@ss", "w0rd", "secret"))
    assert shown.startswith(("postgresql://ada:…@db:5432/x", "postgresql:///x?host=h&user=ada"))
    assert postgres.without_password("inbox") == "inbox"
    assert postgres.without_password("postgresql://ada@h:5432/x") == "postgresql://ada@h:5432/x"


def test_an_address_that_cannot_be_read_shows_no_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(UserError, match="invalid percent-encoded token") as found:
        PostgresInbox("postgresql://ada:gehe%im@127.0.0.1:1/x", "tiny", rate=1)
    assert "gehe" not in str(found.value)


def test_two_hosts_share_the_work_and_keep_each_students_order(address, table) -> None:
    one, two = (PostgresInbox(address, "tiny", rate=100) for _ in range(2))
    for n, student in enumerate(("ada", "ada", "ben", "cleo")):
        one.put(student, "tiny.py", str(n).encode())
    first, second = one.claim(2), two.claim(5)
    assert (students(first), students(second)) == (["ada", "ben"], ["cleo"])
    assert one.claim(5) == two.claim(5) == []
    one.finish(first[0], RECORD, {".html": "page\0", ".md": "text"})
    (later,) = two.claim(5)
    assert (later.student, later.path.read_bytes()) == ("ada", b"1")
    assert table.execute(
        "select page, markdown from grading_inbox where state = 'done'"
    ).fetchall() == [("page", "text")]
    seen = one.overview()
    assert (seen.count, seen.done) == (3, 1)
    one.close()
    two.close()
    assert table.execute(
        "select count(*) from grading_inbox where state = 'in hand'"
    ).fetchone() == (0,)


def test_what_a_dead_host_had_in_hand_waits_again(address, table, monkeypatch) -> None:
    dead, alive = (PostgresInbox(address, "tiny", rate=100) for _ in range(2))
    dead.put("ada", "tiny.zip", b"x")
    (arrival,) = dead.claim(1)
    alive.beat()
    assert alive.claim(1) == []
    table.execute("update grading_inbox set alive = clock_timestamp() - interval '61 seconds'")
    alive._beaten = -1e9
    alive.beat()
    (again,) = alive.claim(1)
    assert again.ticket == arrival.ticket
    alive.finish(again, RECORD, {})
    dead.finish(arrival, {**RECORD, "score": 2.0}, {})  # it was only slow: the first counts
    (row,) = table.execute("select record->>'score' from grading_inbox").fetchall()
    assert row == ("1.0",)


def test_what_was_claimed_when_the_answer_was_lost_waits_again(address, table) -> None:
    inbox = PostgresInbox(address, "tiny", rate=100)
    for student in ("ada", "ben"):
        inbox.put(student, "tiny.zip", b"x")
    (known,) = inbox.claim(1)
    given = {"host": inbox._host, "chapter": "tiny", "rate": 100, "most": 5}
    inbox._do(lambda connection: connection.execute(postgres.CLAIM, given).fetchall())
    assert inbox.claim(5) == []
    table.execute("update grading_inbox set alive = clock_timestamp() - interval '61 seconds'")
    inbox._beaten = -1e9
    inbox.beat()
    assert students(inbox.claim(5)) == ["ben"]
    assert known.student == "ada"


def test_a_disk_that_is_full_leaves_what_was_to_be_claimed_in_the_table(
    address, table, monkeypatch
) -> None:
    inbox = PostgresInbox(address, "tiny", rate=1)
    inbox.put("ada", "tiny.zip", b"x")

    def full(self: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(InboxError, match="No space left"):
            inbox.claim(1)
    assert students(inbox.claim(1)) == ["ada"]


def test_a_door_hands_in_while_a_desk_takes(address, table) -> None:
    inbox = PostgresInbox(address, "tiny", rate=100)
    faults: list[Exception] = []

    def hand_in() -> None:
        for number in range(60):
            try:
                inbox.put(f"s{number}", "tiny.py", b"x" * 1000)
            except UserError as error:
                faults.append(error)

    door = threading.Thread(target=hand_in)
    door.start()
    done = 0
    while door.is_alive() or done < 60:
        found = inbox.claim(3)
        for each in found:
            inbox.finish(each, RECORD, {})
        done += len(found)
        if not (found or door.is_alive()):
            break
    door.join()
    assert faults == []
    assert done == 60


def test_the_rate_and_the_most_that_wait(address, table, monkeypatch) -> None:
    monkeypatch.setattr(postgres, "MOST_WAITING", 2)
    inbox = PostgresInbox(address, "tiny", rate=1)
    inbox.put("ada", "a.py", b"1")
    inbox.put("ada", "a.py", b"2")
    with pytest.raises(UserError, match="2 of ada wait already"):
        inbox.put("ada", "a.py", b"3")
    with pytest.raises(UserError, match="expected a file"):
        inbox.put("ada", "a.exe", b"3")
    (arrival,) = inbox.claim(5)
    inbox.finish(arrival, RECORD, {})
    assert inbox.claim(5) == []


def test_who_waits_for_the_next_hour_is_told_apart(address, table) -> None:
    """`serve --once` ends where nothing but these is left."""
    inbox = PostgresInbox(address, "tiny", rate=1)
    for student in ("ada", "ada", "ben"):
        inbox.put(student, "tiny.py", b"x")
    states = [(each.student, each.state) for each in inbox.overview().waiting]
    assert states == [("ada", "waiting"), ("ada", "waiting"), ("ben", "waiting")]
    for arrival in inbox.claim(5):
        inbox.finish(arrival, RECORD, {})
    states = [(each.student, each.state) for each in inbox.overview().waiting]
    assert states == [("ada", "later")]


def test_a_table_or_server_that_is_gone_is_one_line(address, table) -> None:
    inbox = PostgresInbox(address, "tiny", rate=1)
    table.execute("drop table grading_inbox")
    with pytest.raises(InboxError, match="grading_inbox") as raised:
        inbox.claim(1)
    assert "\n" not in str(raised.value)
    assert "at character" not in str(raised.value)  # of each query another one: no line for each
    with pytest.raises(InboxError, match="does not answer"):
        PostgresInbox("postgresql://nobody@127.0.0.1:1/x", "tiny", rate=1)


def test_points_reach_a_platform_whichever_host_graded_the_work(address, table, tmp_path) -> None:
    """Else they were never sent, and who had five such files could hand in no more."""
    woken: list[bool] = []
    ledger = Ledger(tmp_path)
    door = ForwardingInbox(
        PostgresInbox(address, "tiny", rate=100), ledger, lambda: woken.append(True)
    )
    other = PostgresInbox(address, "tiny", rate=100)
    platform = Platform("School", "https://school.example", "tool", ("1",), "", "", "")
    launch = Launch(platform, "1", "u1", "student", "", "Ada", grades={"scope": []})
    ada = ledger.enter(launch, "tiny")
    receipt = door.put(ada.student, "tiny.py", b"x = 1")
    ledger.handed_in(ada, receipt, "tiny.py")
    (arrival,) = other.claim(5)
    graded = {"score": 2.0, "max_score": 4.0, "provisional": False, "arrived": arrival.arrived}
    record = {**graded, "student": arrival.student, "ticket": arrival.ticket}
    door.beat()
    assert ledger.waiting(ada) == 1
    other.finish(arrival, record, {".html": "<h1>2 of 4</h1>"})
    for _ in range(2):
        door._next = 0.0
        door.beat()
    assert ledger.waiting(ada) == 0
    assert [(score.user, score.given) for score in ledger.unsent()] == [("u1", 2.0)]
    (work,) = ledger.works(ada)
    assert ledger.page(work.id) == (ada, "<h1>2 of 4</h1>")
    assert woken == [True]
    for each in (door, other, ledger):
        each.close()
