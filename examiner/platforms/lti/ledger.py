"""What must not be forgotten: who launched, what they handed in, and which points were sent.

One SQLite file beside lti.toml. A score is written down before its arrival is put away, and struck
off when the platform has it; so a kill at any moment costs at most a second sending of the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from examiner.grading.roster import letters
from examiner.inbox.arrivals import InboxError
from examiner.judge.wording import one_line
from examiner.platforms.lti.launch import Launch

FILE = "lti.sqlite"
WAITING, GRADED = "waiting", "graded"  # states of what was handed in
# seconds after which what waits may be lost: somebody may have emptied the inbox, or begun another
LONG = 3600.0
SENT, REPLACED, REFUSED = "sent", "replaced", "refused"  # and of its points, that may wait, too
# of points: their student has some of a later work, in the state that is still to be said
_LATER_POINTS = (
    "exists (select 1 from works one join works later on later.person = one.person"
    " and later.id > one.id join scores its on its.work = later.id"
    " where one.id = scores.work and"
)
TABLES = """
create table if not exists secrets (name text primary key, value text not null);
create table if not exists links (
    id integer primary key, issuer text not null, client text not null, deployment text not null,
    link text not null, chapter text not null, title text not null, context text not null,
    grades text, members text not null,
    unique (issuer, client, deployment, link, chapter));
create table if not exists people (
    id integer primary key, link integer not null references links, user text not null,
    student text not null unique, name text not null, email text not null, role text not null,
    unique (link, user));
create table if not exists works (
    id integer primary key, person integer not null references people, receipt text not null,
    ticket text unique, name text not null, arrived real not null, state text not null,
    score real, most real, provisional integer, page blob);
create index if not exists works_of on works (person, id);
create table if not exists scores (
    id integer primary key autoincrement, work integer not null unique references works,
    at text not null default '', state text not null, why text not null default '');
create index if not exists scores_open on scores (state, id);
"""


@dataclass(frozen=True)
class Link:
    """An assignment in a course of a platform."""

    id: int
    issuer: str
    client: str
    chapter: str
    title: str
    context: str
    grades: Mapping[str, Any] | None
    members: str


@dataclass(frozen=True)
class Person:
    """Somebody who launched it."""

    id: int
    link: int
    user: str  # the platform's id
    student: str  # ours, by which work is graded
    name: str
    email: str
    role: str


@dataclass(frozen=True)
class Work:
    """What a student handed in."""

    id: int
    name: str  # of the file, as its student gave it: only to be shown
    arrived: float
    state: str
    score: float | None = None
    most: float | None = None
    provisional: bool = False
    sent: str = ""  # what became of its points in the platform
    why: str = ""

    @property
    def waits(self) -> bool:
        """Whether it is being graded."""
        return self.state == WAITING

    @property
    def waits_long(self) -> bool:
        """Whether that takes so long that it may be lost."""
        return self.waits and time.time() - self.arrived > LONG


@dataclass(frozen=True)
class Score:
    """Points that a platform is to get."""

    id: int
    link: int
    user: str
    given: float
    most: float
    provisional: bool
    at: str  # when it was first sent; "" before that


class Ledger:
    """The file; threads take turns."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        try:
            # subtle: made for us alone before a name is in it
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self._db = sqlite3.connect(self.path, timeout=30, check_same_thread=False)
            self._db.row_factory = sqlite3.Row
            self._db.executescript(f"pragma journal_mode=wal; pragma synchronous=full; {TABLES}")
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"{self.path} cannot be used: {error}") from None
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let no other thread in; raises InboxError where the file cannot be used just now.

        subtle: a full disk shows when what the block wrote is committed, and not before.
        """
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise InboxError(f"{self.path} cannot be used: {error}") from None

    def _do(self, text: str, *values: Any) -> sqlite3.Cursor:
        return self._db.execute(text, values)

    def secret(self, name: str) -> str:
        """Return a secret, made once; it signs what a browser keeps for us."""
        with self._turn(), self._db:
            made = secrets.token_urlsafe(32)
            self._do("insert or ignore into secrets values (?, ?)", name, made)
            row = self._do("select value from secrets where name = ?", name).fetchone()
            return str(row[0])

    # ------------------------------------------------------------------ who launched

    def enter(self, launch: Launch, chapter: str) -> Person:
        """Write down a launch: the link's services as they are now, and who it was."""
        platform = launch.platform
        place = (platform.issuer, platform.client_id, launch.deployment, launch.link, chapter)
        grades = json.dumps(dict(launch.grades)) if launch.grades else None
        about = (launch.title, launch.context, grades, launch.members)
        with self._turn(), self._db:
            (link,) = self._do(
                "insert into links (issuer, client, deployment, link, chapter, title, context,"
                " grades, members) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " on conflict do update set title = excluded.title, context = excluded.context,"
                " grades = coalesce(excluded.grades, grades), members = excluded.members"
                " returning id",
                *(*place, *about),
            ).fetchone()
            student = student_id(launch.name, (*place, launch.user))
            who = (one_line(launch.name, 100), one_line(launch.email, 200), launch.role)
            row = self._do(
                "insert into people (link, user, student, name, email, role)"
                " values (?, ?, ?, ?, ?, ?) on conflict (link, user) do update set"
                " name = excluded.name, email = excluded.email, role = excluded.role"
                " returning *",
                *(link, launch.user, student, *who),
            ).fetchone()
            return Person(**dict(row))

    def person(self, number: int) -> Person | None:
        """Return somebody who launched."""
        with self._turn():
            row = self._do("select * from people where id = ?", number).fetchone()
            return Person(**dict(row)) if row else None

    def named(self, student: str) -> Person | None:
        """Return whom an id of ours belongs to."""
        with self._turn():
            row = self._do("select * from people where student = ?", student).fetchone()
            return Person(**dict(row)) if row else None

    def people(self, link: int) -> list[Person]:
        """Return who launched a link, by name."""
        with self._turn():
            rows = self._do("select * from people where link = ? order by name, id", link)
            return [Person(**dict(row)) for row in rows]

    def link(self, number: int) -> Link:
        """Return a link."""
        with self._turn():
            row = dict(self._do("select * from links where id = ?", number).fetchone())
        row["grades"] = json.loads(row["grades"]) if row["grades"] else None
        return Link(**{name: row[name] for name in Link.__dataclass_fields__})

    # ------------------------------------------------------------------ what was handed in

    def handed_in(self, person: Person, receipt: str, name: str) -> None:
        """Write down that something waits in the inbox, by the receipt that it gave.

        A desk that is quick may have graded it before: then its name is all that is missing.
        """
        shown = one_line(name, 100)
        with self._turn(), self._db:
            text = "update works set name = ? where person = ? and receipt = ? and name = ''"
            if self._do(text, shown, person.id, receipt).rowcount:
                return
            self._do(
                "insert into works (person, receipt, name, arrived, state) values (?, ?, ?, ?, ?)",
                *(person.id, receipt, shown, time.time(), WAITING),
            )

    def waiting(self, person: Person) -> int:
        """Return how much of somebody's waits, and is not LONG there."""
        with self._turn():
            text = "select count(*) from works where person = ? and state = ? and arrived > ?"
            return int(self._do(text, person.id, WAITING, time.time() - LONG).fetchone()[0])

    def receipts(self) -> list[str]:
        """Return the receipts of all that waits."""
        with self._turn():
            return [
                str(row[0])
                for row in self._do("select receipt from works where state = ?", WAITING)
            ]

    def graded(self, receipts: Sequence[str], record: Mapping[str, Any], page: str) -> bool:
        """Write down a result, and that the platform is to get its points; twice is once.

        Returns False where the student did not come through a platform.
        """
        person = self.named(str(record["student"]))
        if person is None:
            return False
        # subtle: a new table of an inbox counts its tickets from 1 again
        ticket = f"{record['ticket']} of {float(record['arrived']):.6f}"
        marks = ", ".join("?" * len(receipts))
        with self._turn(), self._db:
            if self._do("select 1 from works where ticket = ?", ticket).fetchone():
                return True
            found = self._do(
                "select id from works where person = ? and ticket is null"
                f" and receipt in ({marks})",
                *(person.id, *receipts),
            ).fetchone()
            if found is None:  # killed after the file was put into the inbox, before it said so
                given = (person.id, receipts[0], "", record["arrived"], WAITING)
                found = self._do(
                    "insert into works (person, receipt, name, arrived, state)"
                    " values (?, ?, ?, ?, ?) returning id",
                    *given,
                ).fetchone()
            self._do(
                "update works set ticket = ?, state = ?, score = ?, most = ?, provisional = ?,"
                " page = ? where id = ?",
                *(ticket, GRADED, record["score"], record["max_score"]),
                *(bool(record["provisional"]), zlib.compress(page.encode()), found[0]),
            )
            if self.link(person.link).grades:
                self._do("insert into scores (work, state) values (?, ?)", found[0], WAITING)
        return True

    def works(self, person: Person) -> list[Work]:
        """Return what somebody handed in, the newest first."""
        with self._turn():
            rows = self._do(
                "select works.id, name, arrived, works.state, score, most, provisional,"
                " coalesce(scores.state, '') as sent, coalesce(why, '') as why"
                " from works left join scores on scores.work = works.id"
                " where person = ? order by works.id desc limit 100",
                person.id,
            )
            return [Work(**{**dict(row), "provisional": bool(row["provisional"])}) for row in rows]

    def page(self, work: int) -> tuple[Person, str] | None:
        """Return whose a result is, and its page; None where there is none."""
        with self._turn():
            row = self._do("select person, page from works where id = ?", work).fetchone()
            if not row or row["page"] is None:
                return None
            person = self.person(row["person"])
            assert person is not None
            return person, zlib.decompress(row["page"]).decode()

    # ------------------------------------------------------------------ what is sent

    def unsent(self, most: int = 100) -> list[Score]:
        """Return the first points that a platform is still to get, in their order."""
        with self._turn():
            rows = self._do(
                "select scores.id, people.link, user, score as given, most, provisional, at"
                " from scores join works on works.id = work join people on people.id = person"
                " where scores.state = ? order by scores.id limit ?",
                *(WAITING, most),
            )
            return [Score(**{**dict(row), "provisional": bool(row["provisional"])}) for row in rows]

    def replaced(self) -> int:
        """Strike off points that wait although later ones of the same student do; how many."""
        with self._turn(), self._db:
            text = f"update scores set state = ? where state = ? and {_LATER_POINTS} its.state = ?)"
            return self._do(text, REPLACED, WAITING, WAITING).rowcount

    def stamp(self, score: Score) -> Score:
        """Return points with the time that they are sent with, whenever they are sent again.

        It is the time of the first sending, and a whole second after that of the student's last
        ones. Subtle: Moodle refuses what is not later, in whole seconds, and may go by the time
        at which it stored the last ones.
        """
        if score.at:
            return score
        with self._turn(), self._db:
            (last,) = self._do(
                "select max(at) from scores where work in (select works.id from works"
                " join people on people.id = person where link = ? and user = ?)",
                *(score.link, score.user),
            ).fetchone()
            now = time.time()
            if last:
                now = max(now, datetime.fromisoformat(last).timestamp() + 1.0)
            shown = datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds")
            at = shown.replace("+00:00", "Z")
            self._do("update scores set at = ? where id = ?", at, score.id)
            return replace(score, at=at)

    def settle(self, score: Score, state: str, why: str = "") -> None:
        """Write down what became of points."""
        with self._turn(), self._db:
            text = "update scores set state = ?, why = ? where id = ?"
            self._do(text, state, one_line(why, 200), score.id)

    def send_again(self, link: int) -> int:
        """Let points that the platform refused be sent again; return how many.

        Those that the platform has later ones of, or will get, are struck off: sent now, they would
        take the place of these.
        """
        with self._turn(), self._db:
            refused = (
                "update scores set state = ?, at = '', why = '' where state = ? and work in"
                " (select works.id from works join people on people.id = person where link = ?)"
            )
            later = f"{refused} and {_LATER_POINTS} its.state in (?, ?))"
            self._do(later, REPLACED, REFUSED, link, SENT, WAITING)
            return self._do(refused, WAITING, REFUSED, link).rowcount


def student_id(name: str, place: Sequence[str]) -> str:
    """Return an id that can name a file, and is somebody's in one course alone.

    >>> student_id("Ada Löve--lace", ["https://m.example", "1", "7"])
    'ada-love-lace-0c3bd2b39a02'
    """
    key = hashlib.sha256("\0".join(place).encode("utf-8", "replace")).hexdigest()[:12]
    words = [letters(word) for word in name.replace("-", " ").split()]
    shown = "-".join(word for word in words if word.isascii() and word)[:40].strip("-")
    return f"{shown or 'student'}-{key}"
