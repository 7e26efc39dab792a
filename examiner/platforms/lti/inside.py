"""The pages of whoever has launched: handing in, feedback, and the class for instructors."""

from __future__ import annotations

import hmac
import json
from pathlib import PurePath

from tornado import web
from tornado.http1connection import HTTP1Connection
from tornado.httputil import HTTPInputError, parse_body_arguments
from tornado.ioloop import IOLoop

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.files import pack
from examiner.inbox.arrivals import Inbox, InboxError
from examiner.platforms.lti import pages
from examiner.platforms.lti.base import AT, COOKIE, Base, Place, Session
from examiner.platforms.lti.launch import INSTRUCTOR, STUDENT
from examiner.platforms.lti.ledger import Person
from examiner.platforms.lti.settings import MEGABYTE

ENDINGS = (".py", ".zip", ".ipynb")
MOST_WAITING = 5  # of one student's
MORE = "more"  # asks for the form although something waits
MOST_READ, READ_SECONDS = 1 << 30, 600.0  # of a file that is too large
NO_LAUNCH = "Open the assignment in your course again: this page is older than its session."


class Inside(Base):
    """A page of somebody who launched."""

    def prepare(self) -> None:
        """Let nobody in without a session of this address."""
        days = self.place.settings.session_hours / 24
        given = self.cookies.get(COOKIE)
        text = web.decode_signed_value(
            self.place.secret, COOKIE, given.value if given else None, max_age_days=days
        )
        session = Session(*json.loads(text)) if text else None
        person = self.place.ledger.person(session.person) if session else None
        if session is None or person is None or session.id != self.path_args[0]:
            self.refuse(403, NO_LAUNCH)
            return
        self.session, self.person = session, person
        self.guard(frames=session.frames)
        if self.request.method == "POST":
            self.begin_post()

    def begin_post(self) -> None:
        """Let nothing in that another site has sent."""
        self.sent_from_here()

    def sent_from_here(self) -> bool:
        """Tell whether a page of this session has sent it; refuse it where it has not."""
        sent = self.get_body_argument("form", "")
        if hmac.compare_digest(sent.encode(), self.session.form.encode()):
            return True
        self.refuse(403, NO_LAUNCH)
        return False

    @property
    def home(self) -> str:
        """The address of this session."""
        return f"{self.before}{AT}{self.session.id}/"

    @property
    def shelf(self) -> tuple[Chapter, Inbox]:
        """The assignment, and where its work goes."""
        stem = self.place.ledger.link(self.person.link).chapter
        if stem not in self.place.shelves:
            raise web.HTTPError(404)
        return self.place.shelves[stem]


@web.stream_request_body
class Desk(Inside):
    """Where a student hands in, and sees what became of it.

    subtle: the server ends the connection of whoever sends too much, and a browser then shows an
    error of its own. So what is sent here is read to its end, and forgotten if it is too much.
    """

    def initialize(self, place: Place) -> None:
        """Take what pages need; nothing is kept of what is sent before a session is known."""
        super().initialize(place)
        self._most, self._size, self._parts = 0, 0, list[bytes]()

    def begin_post(self) -> None:
        """Make ready for what follows."""
        self._most = (self.place.settings.upload_mb + 1) * MEGABYTE
        connection = self.request.connection
        assert isinstance(connection, HTTP1Connection)
        connection.set_max_body_size(MOST_READ)
        connection.set_body_timeout(READ_SECONDS)

    def data_received(self, chunk: bytes) -> None:
        """Keep a piece of what is sent."""
        self._size += len(chunk)
        if self._size <= self._most:
            self._parts.append(chunk)
        else:
            self._parts.clear()

    def _too_much(self) -> bool:
        """Read what was sent as a form; tell whether it was too much to be one."""
        if self._size > self._most:
            return True
        about, request = self.request.headers, self.request
        kind = about.get("Content-Type", "")
        body = b"".join(self._parts)
        try:
            parse_body_arguments(kind, body, request.body_arguments, request.files, about)
        except HTTPInputError:
            raise web.HTTPError(400) from None
        return False

    def get(self, _: str) -> None:
        """Show it; an instructor is shown the class."""
        if self.session.role == INSTRUCTOR:
            return self.redirect(f"{self.home}class")
        self._show(more=MORE in self.request.query_arguments)
        return None

    def _show(self, trouble: str = "", more: bool = True) -> None:
        works = self.place.ledger.works(self.person)
        link = self.place.ledger.link(self.person.link)
        most = self.place.settings.upload_mb
        chapter, _ = self.shelf
        self.finish(
            pages.desk(
                chapter,
                link,
                self.person,
                works,
                self.session.form,
                most,
                trouble=trouble,
                more=more,
            )
        )

    def post(self, _: str) -> None:
        """Take what is handed in."""
        if self.session.role != STUDENT:
            return self.refuse(403, "Only students of the course hand in here.")
        if self._too_much():
            self.set_status(413)
            return self._show(f"The file is larger than {self.place.settings.upload_mb} MB.")
        if not self.sent_from_here():
            return None
        chapter, inbox = self.shelf
        try:
            name, data = self._upload(chapter)
        except InboxError:  # no fault of the file's
            raise
        except UserError as error:
            self.set_status(400)
            return self._show(str(error))
        receipt = inbox.put(self.person.student, name, data)
        self.place.ledger.handed_in(self.person, receipt, self.request.files["work"][0].filename)
        self.redirect(self.home, status=303)
        return None

    def _upload(self, chapter: Chapter) -> tuple[str, bytes]:
        """Return what was sent, under a name of our own; raises UserError where it is none."""
        found = self.request.files.get("work", [])
        ending = PurePath(found[0].filename).suffix.lower() if found else ""
        most = self.place.settings.upload_mb
        if len(found) != 1 or ending not in ENDINGS:
            raise UserError(f"Choose one file: {chapter.stem}.py, or a zip that holds it.")
        if len(found[0].body) > most * MEGABYTE:
            raise UserError(f"The file is larger than {most} MB.")
        if self.place.ledger.waiting(self.person) >= MOST_WAITING:
            raise UserError(f"{MOST_WAITING} of your files wait already: wait for their results.")
        if ending == ".ipynb":
            return f"{chapter.stem}.zip", pack({f"{chapter.stem}.ipynb": found[0].body})
        return f"{chapter.stem}{ending}", found[0].body


class Feedback(Inside):
    """The page of feedback on one piece of work."""

    def get(self, _: str, work: str) -> None:
        """Show it to its student, and to the course's instructors."""
        found = self.place.ledger.page(int(work))
        if found is None or not self._may_see(found[0]):
            return self.refuse(404, "There is no such page.")
        self.finish(found[1])
        return None

    def _may_see(self, whose: Person) -> bool:
        if self.session.role == INSTRUCTOR:
            return whose.link == self.person.link
        return whose.id == self.person.id


class Class(Inside):
    """The class, for its instructors."""

    async def get(self, _: str) -> None:
        """Show who handed in what, and who did not."""
        if self.session.role != INSTRUCTOR:
            return self.refuse(403, "This page is for the course's instructors.")
        link = self.place.ledger.link(self.person.link)
        chapter, _inbox = self.shelf
        members = await IOLoop.current().run_in_executor(None, self.place.members.of, link)
        ledger = self.place.ledger
        people = [each for each in ledger.people(link.id) if each.role == STUDENT]
        rows = [(each, ledger.works(each)) for each in people]
        self.finish(pages.whole_class(chapter, link, rows, members, self.session.form))
        return None

    def post(self, _: str) -> None:
        """Have points that the platform refused sent again."""
        if self.session.role != INSTRUCTOR:
            return self.refuse(403, "This page is for the course's instructors.")
        self.place.ledger.send_again(self.person.link)
        self.place.members.wake()
        self.redirect(f"{self.home}class", status=303)
        return None
