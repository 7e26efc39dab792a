"""The door's web server, with login and launch; what a launch leads to is in inside.py.

Tornado serves from a thread of its own. What a browser may see hangs on a signed cookie that a
launch sets, for one assignment of one person, under an address of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import threading
from dataclasses import astuple

from tornado import web
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets

from examiner.errors import UserError
from examiner.platforms.lti import pages
from examiner.platforms.lti.base import AT, COOKIE, Base, Place, Session
from examiner.platforms.lti.inside import Class, Desk, Feedback
from examiner.platforms.lti.launch import (
    INSTRUCTOR,
    STUDENT,
    UNCONFIRMED,
    RefusedError,
    deep_answer,
)
from examiner.platforms.lti.settings import JWKS, LAUNCH, LOGIN, MEGABYTE, origin_of

STATE_SECONDS, HOUR = 600, 3600
NO_PAGE = "There is nothing to see at this address. Open the assignment in your course."
OLD = "a launch by an older LTI: register this tool in the platform as one of LTI 1.3"


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
            return self.refuse(403, error.shown, str(error))
        for name, value in cookies.items():
            self.cookie(name, value, f"{self.before}{LAUNCH}", STATE_SECONDS)
        self.redirect(where)
        return None

    post = get


class TakeLaunch(Base):
    """A browser comes back from the platform with a signed launch."""

    def get(self) -> None:
        """Say that the way in leads through the course: this address was kept or typed."""
        self.refuse(404, NO_PAGE)

    async def post(self) -> None:
        """Let it in, or show an instructor which assignments there are."""
        if "lti_message_type" in self.params():
            return self.refuse(403, UNCONFIRMED, OLD)
        given = {name: morsel.value for name, morsel in self.cookies.items()}
        loop = IOLoop.current()
        try:
            launch = await loop.run_in_executor(None, self.place.gate.launch, self.params(), given)
        except RefusedError as error:
            return self.refuse(403, error.shown, str(error))
        if launch.deep:
            chapters = [chapter for chapter, _ in self.place.shelves.values()]
            target = self.place.settings.target
            offers = [
                (c, deep_answer(launch.deep, c.stem, c.heading, target(c.stem), c.points))
                for c in chapters
            ]
            self.guard(origin_of(launch.returns), " ".join(launch.frames))
            self.finish(pages.choice(launch.returns, offers))
            return None
        chapter = self.place.chapter_of(launch.target)
        if chapter is None or launch.role not in (STUDENT, INSTRUCTOR):
            text = "This link leads to no assignment: an instructor has to choose one."
            if chapter:
                text = "This page is for the students and instructors of the course."
            return self.refuse(403, text)
        person = self.place.ledger.enter(launch, chapter.stem)
        names = (secrets.token_hex(8), person.id, launch.role, secrets.token_urlsafe(16))
        self._begin(Session(*names, " ".join(launch.frames)))
        return None

    def _begin(self, session: Session) -> None:
        text = json.dumps(astuple(session))
        signed = web.create_signed_value(self.place.secret, COOKIE, text).decode()
        path = f"{self.before}{AT}{session.id}"
        self.cookie(COOKIE, signed, path, self.place.settings.session_hours * HOUR)
        self.redirect(f"{path}/", status=303)


def application(place: Place) -> web.Application:
    """Return the pages."""
    # a proxy may pass on the whole path, or what follows the address
    given, before = {"place": place}, f"(?:{re.escape(place.settings.path)})?"
    at = rf"{before}{AT}([0-9a-f]{{16}})"
    return web.Application(
        [
            (f"{before}{JWKS}", ShowKeys, given),
            (f"{before}{LOGIN}", LogIn, given),
            (rf"{before}{LAUNCH}(?:/[a-z0-9_]*)?", TakeLaunch, given),
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
