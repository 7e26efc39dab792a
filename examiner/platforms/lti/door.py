"""The door's web server: login, launch, handing in, feedback, and the class for instructors.

Tornado serves from a thread of its own. What a browser may see hangs on a signed cookie that a
launch sets, for one assignment of one person, under an address of its own.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from tornado import web
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.files import pack
from examiner.inbox.arrivals import Inbox, InboxError
from examiner.platforms.lti import pages
from examiner.platforms.lti.keys import Keys
from examiner.platforms.lti.launch import INSTRUCTOR, STUDENT, Gate, RefusedError, deep_answer
from examiner.platforms.lti.ledger import Ledger, Person
from examiner.platforms.lti.members import Members
from examiner.platforms.lti.settings import JWKS, LAUNCH, LOGIN, MEGABYTE, Settings

AT, COOKIE, STATE_SECONDS = "/lti/at/", "launch", 600
ENDINGS = (".py", ".zip", ".ipynb")
MOST_WAITING = 5  # of one student's
HOUR = 3600
NO_LAUNCH = "Open the assignment in your course again: this page is older than its session."
LATER = "This cannot be done just now: try again in a few minutes."
NO_COOKIES = (
    "The launch could not be confirmed. Open the assignment in your course again, in a window of "
    "its own if your browser keeps no cookies for pages inside others."
)


@dataclass(frozen=True)
class Session:
    """What a browser's cookie says."""

    id: str
    person: int
    role: str
    form: str  # must come back with whatever is handed in, or another site has sent it


@dataclass(frozen=True)
class Place:
    """All that the pages need."""

    settings: Settings
    keys: Keys
    ledger: Ledger
    gate: Gate
    members: Members
    shelves: Mapping[str, tuple[Chapter, Inbox]]
    say: Callable[[str], None]
    secret: str

    def chapter_of(self, target: str) -> Chapter | None:
        """Return the chapter that an address leads to."""
        for stem, (chapter, _) in self.shelves.items():
            if target == self.settings.target(stem):
                return chapter
        alone = len(self.shelves) == 1 and target == self.settings.target()
        return next(iter(self.shelves.values()))[0] if alone else None


class Base(web.RequestHandler):
    """What all pages have in common."""

    def initialize(self, place: Place) -> None:
        """Take what pages need."""
        self.place = place

    def set_default_headers(self) -> None:
        """Forbid whatever a page does not need."""
        self.clear_header("Server")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.guard()

    def guard(self, forms: str = "'self'") -> None:
        """Say what the page may do, where its forms go and who may show it in a frame."""
        place: Place = self.application.settings["place"]
        frames = " ".join(dict.fromkeys(each.origin for each in place.settings.platforms))
        self.set_header(
            "Content-Security-Policy",
            f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            f"form-action {forms}; frame-ancestors {frames or chr(39) + 'none' + chr(39)}",
        )

    def params(self) -> dict[str, str]:
        """Return the request's parameters, the first of each."""
        names = self.request.arguments
        return {name: values[0].decode("utf-8", "replace") for name, values in names.items()}

    def refuse(self, status: int, text: str, reason: str = "") -> None:
        """Answer with a sentence; the reason is the instructor's, on the console."""
        if reason:
            self.place.say(f"refused {reason}")
        self.set_status(status)
        self.finish(pages.message(text))

    def write_error(self, status_code: int, **about: Any) -> None:
        """Answer what nobody foresaw, without a word on what it was."""
        later = isinstance(about.get("exc_info", (None, None))[1], UserError)
        self.finish(pages.message(LATER if later else f"This cannot be done ({status_code})."))

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        """Name what went wrong; what was sent may hold secrets, and is not shown."""
        if not isinstance(value, web.HTTPError):
            why = str(value) if isinstance(value, UserError) else kind.__name__
            self.place.say(f"a page failed: {why}")

    def cookie(self, name: str, value: str, path: str, seconds: int) -> None:
        """Set a cookie that browsers keep for a page inside a platform's, too."""
        kept = f"Path={path}; Max-Age={seconds}; Secure; HttpOnly; SameSite=None; Partitioned"
        self.add_header("Set-Cookie", f"{name}={value}; {kept}")


class ShowKeys(Base):
    """The public keys, by which platforms know what this tool signed."""

    def get(self) -> None:
        """Show them."""
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(self.place.keys.published))


class LogIn(Base):
    """A platform announces a launch."""

    def get(self) -> None:
        """Send the browser to the platform, to prove who it is."""
        try:
            where, cookies = self.place.gate.login(self.params())
        except RefusedError as error:
            return self.refuse(403, "This platform is not known here.", str(error))
        for name, value in cookies.items():
            self.cookie(name, value, LAUNCH, STATE_SECONDS)
        self.redirect(where)
        return None

    post = get


class TakeLaunch(Base):
    """A browser comes back from the platform with a signed launch."""

    async def post(self) -> None:
        """Let it in, or show an instructor which assignments there are."""
        given = {name: morsel.value for name, morsel in self.cookies.items()}
        loop = IOLoop.current()
        try:
            launch = await loop.run_in_executor(None, self.place.gate.launch, self.params(), given)
        except RefusedError as error:
            return self.refuse(403, NO_COOKIES, str(error))
        if launch.deep:
            chapters = [chapter for chapter, _ in self.place.shelves.values()]
            target = self.place.settings.target
            offers = [
                (c, deep_answer(launch.deep, c.stem, c.heading, target(c.stem), c.points))
                for c in chapters
            ]
            self.guard(_origin(launch.returns))
            self.finish(pages.choice(launch.returns, offers))
            return None
        chapter = self.place.chapter_of(launch.target)
        if chapter is None or launch.role not in (STUDENT, INSTRUCTOR):
            text = "This link leads to no assignment: an instructor has to choose one."
            if chapter:
                text = "This page is for the students and instructors of the course."
            return self.refuse(403, text)
        person = self.place.ledger.enter(launch, chapter.stem)
        session = Session(secrets.token_hex(8), person.id, launch.role, secrets.token_urlsafe(16))
        self._begin(session)
        return None

    def _begin(self, session: Session) -> None:
        text = json.dumps([session.id, session.person, session.role, session.form])
        signed = web.create_signed_value(self.place.secret, COOKIE, text).decode()
        path = f"{AT}{session.id}"
        self.cookie(COOKIE, signed, path, self.place.settings.session_hours * HOUR)
        self.redirect(f"{path}/", status=303)


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
        sent = self.get_body_argument("form", "") if self.request.method == "POST" else session.form
        if not hmac.compare_digest(sent.encode(), session.form.encode()):
            self.refuse(403, NO_LAUNCH)

    @property
    def home(self) -> str:
        """The address of this session."""
        return f"{AT}{self.session.id}/"

    @property
    def shelf(self) -> tuple[Chapter, Inbox]:
        """The assignment, and where its work goes."""
        stem = self.place.ledger.link(self.person.link).chapter
        if stem not in self.place.shelves:
            raise web.HTTPError(404)
        return self.place.shelves[stem]


class Desk(Inside):
    """Where a student hands in, and sees what became of it."""

    def get(self, _: str) -> None:
        """Show it; an instructor is shown the class."""
        if self.session.role == INSTRUCTOR:
            return self.redirect(f"{self.home}class")
        self._show()
        return None

    def _show(self, trouble: str = "") -> None:
        works = self.place.ledger.works(self.person)
        link = self.place.ledger.link(self.person.link)
        most = self.place.settings.upload_mb
        chapter, _ = self.shelf
        self.finish(pages.desk(chapter, link, self.person, works, self.session.form, most, trouble))

    def post(self, _: str) -> None:
        """Take what is handed in."""
        if self.session.role != STUDENT:
            return self.refuse(403, "Only students of the course hand in here.")
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


def _origin(address: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def application(place: Place) -> web.Application:
    """Return the pages."""
    given, at = {"place": place}, rf"{AT}([0-9a-f]{{16}})"
    return web.Application(
        [
            (JWKS, ShowKeys, given),
            (LOGIN, LogIn, given),
            (LAUNCH, TakeLaunch, given),
            (rf"{at}/", Desk, given),
            (rf"{at}/class", Class, given),
            (rf"{at}/feedback/([0-9]{{1,12}})", Feedback, given),
        ],
        default_handler_class=Missing,
        default_handler_args=given,
        place=place,
        log_function=lambda handler: None,  # addresses and parameters are nobody's business
    )


class Missing(Base):
    """Whatever else is asked for."""

    def prepare(self) -> None:
        """Say that it is not there."""
        self.refuse(404, "There is no such page.")


class Door:
    """The web server, in a thread of its own."""

    def __init__(self, place: Place) -> None:
        self._place, settings = place, place.settings
        try:
            self._sockets = bind_sockets(settings.port, settings.host)
        except OSError as error:
            text = f"{settings.host}:{settings.port} cannot be used: {error.strerror}"
            raise UserError(f"lti.toml: {text}") from None
        self.port = self._sockets[0].getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        limit = (self._place.settings.upload_mb + 2) * MEGABYTE
        server = HTTPServer(
            application(self._place),
            max_body_size=limit,
            max_buffer_size=2 * limit,
            idle_connection_timeout=60,
            body_timeout=120,
        )

        async def listen() -> None:
            server.add_sockets(self._sockets)

        self._loop.run_until_complete(listen())
        self._loop.run_forever()
        server.stop()
        self._loop.close()

    def close(self) -> None:
        """Take the pages down."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
