"""An inbox that is a folder. What happens to a file is a line of renames, each whole or not at all:

    incoming/ada.zip  ->  work/TICKET/ada.zip  ->  done/TICKET/ada.zip, with record.json beside it
                                               or  refused/TICKET/…, with reason.txt beside it

So at any moment each file is in one place, and after a kill the next process goes on from there.
Whoever hands in writes under another name first (`.ada.zip`, `ada.zip.part`) and renames; a file
that is written in place is taken when it has not changed for a while.

It arrived when the system last changed it or its name (ctime): a student can set the other times of
a file, but not this one, and it holds also for what came while no process was there to take it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from examiner.errors import UserError
from examiner.files import held, write_whole
from examiner.grading.entries import shown_name
from examiner.grading.store import file_name
from examiner.inbox.arrivals import (
    HOUR,
    KINDS,
    MOST_WAITING,
    Arrival,
    InboxError,
    Overview,
    Waiting,
)
from examiner.inbox.looks import changed, look_of, renamed
from examiner.judge.wording import one_line
from examiner.junk import is_junk

INCOMING, WORK, DONE, REFUSED = PLACES = ("incoming", "work", "done", "refused")
RECORD, REASON, WHO = "record.json", "reason.txt", "student.txt"
CAME = "arrived.txt"  # seconds since 1970: to be put away changes the file's own time
OURS = (WHO, RECORD, REASON, CAME)
UNFINISHED = (".part", ".tmp", ".crdownload", ".filepart", ".swp", "~")
SETTLED = 2.0  # seconds without a change after which a file that was written in place is whole
QUIET = 0.2  # seconds without a change for one that was renamed into its place
SHOWN = 100  # that the page lists
AGAIN = 60.0  # seconds until what could not be taken in is tried again
# where the inbox can be written, this is wrong with one arrival alone: too long a name, a folder
# that only its owner may move, a disk that is mounted there; or it was taken away again
_OF_ONE = {errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV, errno.ENOENT}


@dataclass
class _Seen:
    """How a file looked when it was last looked at, and since when it has looked so."""

    look: tuple[int, ...]
    since: float


class FolderInbox:
    """The folder; one process at a time works on it."""

    is_shared = False

    def __init__(
        self, folder: Path, rate: int, settled: float = SETTLED, *, is_within: bool = False
    ) -> None:
        """Open the folder; one that `is_within` another is made where that one is made anew."""
        self._folder, self._rate, self._settled = folder, rate, settled
        self._is_within = is_within
        self._seen: dict[str, _Seen] = {}
        self._put_off: dict[str, float] = {}  # by name: until when, by the monotonic clock
        self._in_hand: dict[str, Arrival] = {}  # by student
        self._last = 0
        self._held = ExitStack()
        self.said: list[str] = []  # lines for whoever watches
        if not folder.is_dir():
            raise UserError(f"there is no folder {folder}: make it, or name another one")
        try:
            self._begin()
        except BlockingIOError:
            raise UserError(f"another process works on {folder}: one at a time") from None
        except OSError as error:
            raise UserError(f"{folder} cannot be used: {error.strerror}") from None

    def _begin(self) -> None:
        """Make what is missing in the folder, and go on from what lies there."""
        self._held.close()
        self._which: tuple[int, int] | None = None
        for name in PLACES:
            (self._folder / name).mkdir(exist_ok=True)
        self._held.enter_context(held(self._folder / ".lock", wait=False))
        self._recover()
        self._which = _identity(self._folder / WORK)

    def _begin_again_in_another(self) -> None:
        """Go on where the folder is another one: it was made anew, or a disk is mounted there.

        Where a part of it alone is gone, somebody has moved that away, and may bring it back.
        """
        which = _identity(self._folder / WORK)
        if which is None:
            is_the_same = self._folder.is_dir() and self._has_a_part()
        else:
            is_the_same = which == self._which
        if is_the_same:
            return
        if self._is_within and self._folder.parent.is_dir():
            self._folder.mkdir(exist_ok=True)
        if self._folder.is_dir():
            self._begin()
            self.said.append(f"{self._folder} is another folder now: it has what it needs again")

    def _has_a_part(self) -> bool:
        return any((self._folder / name).is_dir() for name in PLACES)

    def _recover(self) -> None:
        """Find what an earlier process left in hand, and what it has done."""
        self._queue: dict[str, deque[Arrival]] = defaultdict(deque)  # by student, oldest first
        self._claims: dict[str, deque[float]] = defaultdict(deque)  # times of the last hour
        self._latest: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        ours = {arrival.ticket for arrival in self._in_hand.values()}
        for place in sorted((self._folder / WORK).iterdir()):
            for left in place.glob(".*"):  # by a process that was killed while it wrote
                left.unlink()
            if place.name in ours:
                continue
            if arrival := self._arrival(place):
                self._queue[arrival.student].append(arrival)
            else:  # it was killed between two steps, and the file is still in incoming
                _remove_empty(place)
                if place.exists():
                    self.said.append(f"{place} holds something, but not whose it is: look at it")
        # subtle: the clock may have been set back since the last process ran
        places = [
            path.name for name in (WORK, DONE, REFUSED) for path in (self._folder / name).iterdir()
        ]
        numbers = (int(n) for n in map(_number_of, places) if n.isdecimal())
        self._last = max((self._last, *numbers))
        hour_ago = time.time() - HOUR
        records = sorted(path.name for path in (self._folder / DONE).iterdir())
        self._done, self._refused = len(records), len([*(self._folder / REFUSED).iterdir()])
        for name in records[-20 * SHOWN :]:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                record = json.loads((self._folder / DONE / name / RECORD).read_text("utf-8"))
                self._latest.appendleft(record)
                if float(record["claimed"]) > hour_ago:
                    self._claims[str(record["student"])].append(float(record["claimed"]))

    def _arrival(self, place: Path) -> Arrival | None:
        try:
            student = (place / WHO).read_text("utf-8")
            (path,) = (each for each in place.iterdir() if _is_handed_in(each))
            came = int(_number_of(place.name)) / 1e9  # when it was taken
            with contextlib.suppress(OSError, ValueError):  # an older release did not note it
                came = float((place / CAME).read_text("utf-8"))
            return Arrival(place.name, student, path, came)
        except (OSError, ValueError):
            return None

    # ------------------------------------------------------------------ handing in

    def put(self, student: str, name: str, data: bytes) -> str:
        """Hand a file in for a student; return its name in the inbox."""
        target = f"{student}--{time.time_ns()}{Path(name).suffix.lower()}"
        try:
            write_whole(self._folder / INCOMING / target, data, durable=True)
        except (OSError, ValueError) as error:
            raise InboxError(f"{self._folder} cannot be written: {error}") from None
        return target

    # ------------------------------------------------------------------ taking

    def claim(self, most: int) -> list[Arrival]:
        """Accept what is whole, and return up to so many whose turn it is."""
        try:
            self._begin_again_in_another()
            self._accept()
        except BlockingIOError:
            raise InboxError(f"another process works on {self._folder}: one at a time") from None
        except OSError as error:
            raise InboxError(f"{self._folder} cannot be used: {error.strerror}") from None
        now, found = time.time(), list[Arrival]()
        firsts = sorted(
            (queue[0] for who, queue in self._queue.items() if queue and who not in self._in_hand),
            key=lambda each: each.ticket,
        )
        for arrival in firsts:
            if len(found) >= most:
                break
            if self._allowed(arrival.student, now):
                self._queue[arrival.student].popleft()
                self._in_hand[arrival.student] = arrival
                self._claims[arrival.student].append(now)
                found.append(arrival)
        return found

    def _allowed(self, student: str, now: float) -> bool:
        claims = self._claims[student]
        while claims and not now - HOUR <= claims[0] <= now:  # what is to come: the clock was wrong
            claims.popleft()
        return len(claims) < self._rate

    def _accept(self) -> None:
        """Move what has arrived, the oldest first, to where nobody writes any more."""
        incoming, seen = self._folder / INCOMING, self._seen
        found: list[tuple[int, str]] = []
        self._seen = {}
        now = time.monotonic()
        with os.scandir(incoming) as entries:
            for entry in entries:
                if is_junk(Path(entry.name)) or entry.name.lower().endswith(UNFINISHED):
                    continue
                with contextlib.suppress(FileNotFoundError):
                    look = look_of(entry)
                    before = seen.get(entry.name)
                    same = before is not None and before.look == look
                    state = before if same and before else _Seen(look, now)
                    self._seen[entry.name] = state
                    old = time.time() - look[1] / 1e9 > self._settled
                    old = old or now - state.since > self._settled  # of a date that is to come
                    if (old or renamed(entry)) and now - state.since >= QUIET:
                        found.append((look[1], entry.name))
        self._put_off = {name: when for name, when in self._put_off.items() if name in self._seen}
        for _, name in sorted(found):
            if self._put_off.get(name, now) <= now:
                self._try_to_move_in(incoming / name)

    def _try_to_move_in(self, path: Path) -> None:
        """Move an arrival in; one that cannot be stays where it is, and holds nobody else up."""
        try:
            self._move_in(path)
        except OSError as error:
            if not (error.errno in _OF_ONE and self._can_be_written()):
                raise
            if os.path.lexists(path):
                if path.name not in self._put_off:
                    text = f"cannot be taken in: {error.strerror}; it stays in {INCOMING}"
                    self.said.append(f"{one_line(path.name, 80)} {text}, the others go on")
                self._put_off[path.name] = time.monotonic() + AGAIN
                return
        self._seen.pop(path.name, None)

    def _can_be_written(self) -> bool:
        """Tell whether files can be moved from one folder of the inbox to another."""
        ours = os.access in os.supports_effective_ids
        folders = [self._folder / name for name in (INCOMING, WORK, REFUSED)]
        return all(os.access(each, os.W_OK | os.X_OK, effective_ids=ours) for each in folders)

    def _move_in(self, path: Path) -> None:
        """Give an arrival a ticket; what is no submission is refused, with the reason."""
        kind = path.lstat().st_mode
        raw = _raw_student(path.name, is_folder=stat.S_ISDIR(kind))
        student = shown_name(raw)
        reason = ""
        if stat.S_ISLNK(kind):
            reason = "it is a link: expected a file or a folder"
        elif not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            reason = "it is no regular file: expected a file or a folder"
        elif stat.S_ISREG(kind) and path.suffix.lower() not in KINDS:
            reason = f"expected STUDENT{' or STUDENT'.join(KINDS)} or a folder"
        elif not raw.strip():
            reason = "its name says nobody's name: expected STUDENT.zip"
        elif len(self._queue[student]) >= MOST_WAITING:
            reason = f"{MOST_WAITING} of this student wait already: hand in again later"
        # subtle: time must not run back, or a later arrival of a student would be graded first
        self._last = max(time.time_ns(), self._last + 1)
        ticket = f"{self._last:020d}-{file_name(student)}"
        place = self._folder / (REFUSED if reason else WORK) / ticket
        target = place / _plain(path)
        place.mkdir()
        try:
            write_whole(place / WHO, student.encode())
            if reason:
                write_whole(place / REASON, f"{reason}\n".encode())
            write_whole(place / CAME, f"{min(changed(path), time.time())}".encode())
            path.rename(target)
        except OSError:
            if not os.path.lexists(target):  # else it was moved: a network's disk may say both
                _remove_empty(place)
                raise
        _sync(place)
        if reason:
            self._refused += 1
            self.said.append(f"{one_line(path.name, 80)} is refused: {reason}")
        elif arrival := self._arrival(place):
            self._queue[student].append(arrival)

    # ------------------------------------------------------------------ giving back

    def finish(self, arrival: Arrival, record: dict[str, Any], pages: dict[str, str]) -> None:
        """Note the record beside what was handed in, and put both away."""
        place = self._folder / WORK / arrival.ticket
        try:
            if place.is_dir():
                text = json.dumps(record, ensure_ascii=False)
                write_whole(place / RECORD, text.encode("utf-8", "replace"), durable=True)
                place.rename(self._folder / DONE / arrival.ticket)
        except OSError as error:
            raise InboxError(f"{self._folder} cannot be written: {error.strerror}") from None
        self._in_hand.pop(arrival.student, None)
        self._latest.appendleft(record)
        self._done += 1

    def results(self, tickets: Sequence[str]) -> list[tuple[dict[str, Any], str]]:
        """Nothing: what is graded here, no other host has graded."""
        return []

    def beat(self) -> None:
        """Nothing to say: the lock says it."""

    def overview(self) -> Overview:
        """Return what the page shows."""
        rows = sorted(self._rows(), key=lambda row: (row.state != "in hand", row.ticket))
        return Overview(rows[:SHOWN], len(rows), self._done, self._refused, list(self._latest))

    def _rows(self) -> Iterator[Waiting]:
        now = time.time()
        for each in list(self._in_hand.values()):
            yield Waiting(each.ticket, each.student, each.arrived, "in hand")
        for student, queue in list(self._queue.items()):
            state = "waiting" if self._allowed(student, now) else "later"
            for each in list(queue):
                yield Waiting(each.ticket, each.student, each.arrived, state)

    def close(self) -> None:
        """Let go of the folder."""
        self._held.close()


def _raw_student(name: str, *, is_folder: bool) -> str:
    """Return the student whom a name says.

    >>> [_raw_student(f"ada.may{rest}", is_folder=False) for rest in (".zip", ".py", "--2.zip")]
    ['ada.may', 'ada.may', 'ada.may']
    >>> _raw_student("ada.may", is_folder=True)
    'ada.may'
    """
    student, numbered, _ = name.partition("--")
    is_whole = numbered or is_folder
    return student if is_whole else student.removesuffix(PurePosixPath(name).suffix)


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from a later one of its name; None where there is none."""
    with contextlib.suppress(FileNotFoundError):
        found = folder.stat()
        return found.st_dev, found.st_ino
    return None


def _number_of(ticket: str) -> str:
    return ticket.partition("-")[0]


def _is_handed_in(path: Path) -> bool:
    """Tell whether it is a student's, and nothing that was noted beside it, or half so."""
    return path.name not in (WHO, RECORD, CAME) and not path.name.startswith(".")


def _remove_empty(place: Path) -> None:
    """Remove a place into which nothing was moved; one that holds a student's work stays."""
    with contextlib.suppress(OSError):
        inside = list(place.iterdir())
        if all(each.name in OURS or each.name.startswith(".") for each in inside):
            for each in inside:
                each.unlink()
            place.rmdir()


def _plain(path: Path) -> str:
    """Return the name that a file has in its place: no name of ours."""
    name = path.name.encode(errors="replace").decode()
    return f"_{name}" if name in OURS else name


def _sync(folder: Path) -> None:
    """Have the system remember a rename also if the machine stops."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
