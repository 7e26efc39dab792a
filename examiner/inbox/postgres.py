"""An inbox that is a table in PostgreSQL, on which several hosts work at a time.

A host claims rows by `FOR UPDATE SKIP LOCKED` and says every few seconds that it lives; what a dead
host had in hand waits again. Results go into the same row, so whatever asks the table knows all.
"""

from __future__ import annotations

import json
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from examiner.errors import UserError
from examiner.grading.entries import shown_name
from examiner.inbox.arrivals import KINDS, MOST_WAITING, Arrival, InboxError, Overview, Waiting
from examiner.judge.wording import one_line
from examiner.passing import passing_folder
from examiner.project import COMMAND

T = TypeVar("T")
DEAD_SECONDS = 60  # without a sign of life, until what a host has in hand waits again
SHOWN = 100
HIDDEN = "…"
# before the last @ of the host's part, or as a parameter
PASSWORD = re.compile(r"//[^/?#:@]*:([^/?#]+)@|[?&]password=([^&]+)")
TABLE = """
create table if not exists grading_inbox (
    ticket bigint generated always as identity primary key,
    chapter text not null,
    student text not null,
    name text not null,
    data bytea not null,
    arrived timestamptz not null default clock_timestamp(),
    state text not null default 'waiting'
        check (state in ('waiting', 'in hand', 'done', 'refused')),
    host text,
    claimed timestamptz,
    alive timestamptz,
    record jsonb,
    page text,
    markdown text
);
create index if not exists grading_inbox_open
    on grading_inbox (chapter, student, ticket) where state in ('waiting', 'in hand');
create index if not exists grading_inbox_claims on grading_inbox (chapter, student, claimed);
create index if not exists grading_inbox_state on grading_inbox (chapter, state, ticket);
"""
# how much of the student of a row was taken in the last hour
RECENT = """(
    select count(*) from grading_inbox claimed
    where claimed.chapter = row.chapter and claimed.student = row.student
        and claimed.claimed > clock_timestamp() - interval '1 hour')"""
CLAIM = f"""
update grading_inbox set state = 'in hand', host = %(host)s,
    claimed = clock_timestamp(), alive = clock_timestamp()
where ticket in (
    select ticket from grading_inbox row
    where chapter = %(chapter)s and state = 'waiting'
        and not exists (
            select from grading_inbox earlier
            where earlier.chapter = row.chapter and earlier.student = row.student
                and earlier.ticket < row.ticket and earlier.state in ('waiting', 'in hand'))
        and %(rate)s > {RECENT}
    order by ticket limit %(most)s for update skip locked)
returning ticket, student, name, data, extract(epoch from arrived)
"""
PUT = """
insert into grading_inbox (chapter, student, name, data)
select %(chapter)s, %(student)s, %(name)s, %(data)s
where %(most)s > (
    select count(*) from grading_inbox
    where chapter = %(chapter)s and student = %(student)s and state = 'waiting')
returning ticket
"""
DEAD = """
update grading_inbox set state = 'waiting', host = null, claimed = null
where chapter = %s and state = 'in hand'
    and alive < clock_timestamp() - make_interval(secs => %s)
"""
ALIVE = """
update grading_inbox set alive = clock_timestamp()
where host = %s and state = 'in hand' and ticket = any(%s)
"""
BACK = """
update grading_inbox set state = 'waiting', claimed = null where host = %s and state = 'in hand'
"""
FINISH = """
update grading_inbox set state = 'done', record = %s, page = %s, markdown = %s
where ticket = %s and state <> 'done'
"""
OPEN = f"""
select ticket, student, extract(epoch from arrived),
    case when state = 'waiting' and %(rate)s <= {RECENT} then 'later' else state end
from grading_inbox row
where chapter = %(chapter)s and state in ('waiting', 'in hand')
order by state <> 'in hand', ticket limit %(most)s
"""
COUNTS = "select state, count(*) from grading_inbox where chapter = %s group by state"
LATEST = """
select record from grading_inbox where chapter = %s and state = 'done'
order by ticket desc limit %s
"""
RESULTS = """
select record, coalesce(page, '') from grading_inbox
where chapter = %s and state = 'done' and record is not null and ticket = any(%s)
"""


class PostgresInbox:
    """The table, for one chapter."""

    is_shared = True

    def __init__(self, url: str, chapter: str, rate: int) -> None:
        try:
            import psycopg
        except ImportError:
            raise UserError(
                f'an inbox in PostgreSQL needs: pip install "{COMMAND}[queue]"'
            ) from None
        self._psycopg, self._url, self._chapter, self._rate = psycopg, url, chapter, rate
        self._host = f"{socket.gethostname()}-{secrets.token_hex(4)}"
        self._connection: Any = None
        self._lock = threading.Lock()  # a door's thread hands in while a desk takes
        self._beaten = 0.0
        self._in_hand: set[int] = set()  # tickets; of others nobody here knows that they are ours
        self.said: list[str] = []
        self._do(lambda connection: connection.execute(TABLE))
        self._held = ExitStack()
        self._files = self._held.enter_context(passing_folder("examiner-inbox-"))

    def _do(self, work: Callable[[Any], T]) -> T:
        """Do some work in a transaction of its own, on a new connection where the old is gone."""
        with self._lock:
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = self._psycopg.connect(self._url, connect_timeout=10)
                with self._connection.transaction():
                    return work(self._connection)
            except self._psycopg.Error as error:
                if self._connection is not None:
                    self._connection.close()
                # without the place in the query, which no person knows
                said = error.diag.message_primary or str(error).strip() or repr(error)
                said = said.splitlines()[0]
                for password in _passwords(self._url):
                    said = said.replace(password, HIDDEN)
                text = f"the inbox in PostgreSQL does not answer: {one_line(said, 300)}"
                raise InboxError(text) from None

    def put(self, student: str, name: str, data: bytes) -> str:
        """Hand a file in for a student; return its ticket."""
        if Path(name).suffix.lower() not in KINDS:
            raise UserError(f"{one_line(name, 80)}: expected a file that ends in {KINDS}")
        given = {"chapter": self._chapter, "student": student, "name": name, "data": data}
        row = self._do(lambda c: c.execute(PUT, given | {"most": MOST_WAITING}).fetchone())
        if row is None:
            raise UserError(f"{MOST_WAITING} of {one_line(student, 80)} wait already")
        return str(row[0])

    def claim(self, most: int) -> list[Arrival]:
        """Return up to so many whose turn it is.

        subtle: where the answer is lost, the table has noted what nobody here knows of. So signs of
        life are given for what is known, and the rest waits again after a while.
        """
        if most <= 0:
            return []
        given = {
            "host": self._host,
            "chapter": self._chapter,
            "rate": self._rate,
            "most": most,
        }

        def work(connection: Any) -> list[Arrival]:
            rows = connection.execute(CLAIM, given).fetchall()
            return [self._arrival(*row) for row in sorted(rows)]

        try:
            found = self._do(work)
        except OSError as error:  # nothing was claimed
            text = f"{self._files} cannot be written: {error.strerror}"
            raise InboxError(text) from None
        self._in_hand |= {int(each.ticket) for each in found}
        return found

    def _arrival(self, ticket: int, student: str, name: str, data: bytes, when: Any) -> Arrival:
        suffix = Path(name).suffix.lower()
        path = self._files / f"{ticket}{suffix if suffix in KINDS else '.zip'}"
        path.write_bytes(data)
        return Arrival(f"{ticket:020d}", shown_name(student), path, float(when))

    def finish(self, arrival: Arrival, record: dict[str, Any], pages: dict[str, str]) -> None:
        """Write the result into the row."""
        text = json.dumps(record, ensure_ascii=False).replace("\\u0000", "")
        texts = (text, pages.get(".html", ""), pages.get(".md", ""))
        given = (*map(_storable, texts), int(arrival.ticket))
        self._do(lambda c: c.execute(FINISH, given))
        self._in_hand.discard(int(arrival.ticket))
        arrival.path.unlink(missing_ok=True)

    def results(self, tickets: Sequence[str]) -> list[tuple[dict[str, Any], str]]:
        """Return the record and the page of what was graded of these, by whichever host."""
        given = (self._chapter, [int(each) for each in tickets if each.isdecimal()])
        return self._do(lambda c: c.execute(RESULTS, given).fetchall())

    def beat(self) -> None:
        """Say that this host lives; what dead hosts had in hand waits again."""
        if time.monotonic() - self._beaten < DEAD_SECONDS / 6:
            return

        def work(connection: Any) -> None:
            connection.execute(ALIVE, (self._host, list(self._in_hand)))
            connection.execute(DEAD, (self._chapter, DEAD_SECONDS))

        self._do(work)
        self._beaten = time.monotonic()

    def overview(self) -> Overview:
        """Return what the page shows, of all hosts."""

        def work(connection: Any) -> Overview:
            given = {"chapter": self._chapter, "rate": self._rate, "most": SHOWN}
            rows = connection.execute(OPEN, given).fetchall()
            counts = dict(connection.execute(COUNTS, (self._chapter,)).fetchall())
            latest = connection.execute(LATEST, (self._chapter, SHOWN)).fetchall()
            waiting = [
                Waiting(f"{ticket:020d}", shown_name(student), float(when), state)
                for ticket, student, when, state in rows
            ]
            count = counts.get("waiting", 0) + counts.get("in hand", 0)
            done, refused = counts.get("done", 0), counts.get("refused", 0)
            return Overview(waiting, count, done, refused, [row[0] for row in latest])

        return self._do(work)

    def close(self) -> None:
        """Give back what is in hand."""
        try:
            self._do(lambda c: c.execute(BACK, (self._host,)))
            self._connection.close()
        except InboxError:
            pass  # it waits again when this host has been silent for a while
        self._held.close()


def without_password(url: str) -> str:
    """Return an address as it may be shown: logs are read by others.

    >>> without_password("postgresql://ada:secret@db.example.org/course")
    'postgresql://ada:…@db.example.org/course'
    """
    for password in _passwords(url):
        url = url.replace(password, HIDDEN)
    return url


def _passwords(url: str) -> list[str]:
    """Return what an address holds that nobody else should read, the longest first."""
    found = [each for pair in PASSWORD.findall(url) for each in pair if each]
    return sorted(found, key=len, reverse=True)


def _storable(text: str) -> str:
    """Return a text without what PostgreSQL cannot store: zeros, and halves of signs."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
