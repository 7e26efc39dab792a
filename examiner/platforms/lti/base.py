"""What all pages of the door have in common: what they need, what they forbid, how they refuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tornado import web

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.inbox.arrivals import Inbox
from examiner.platforms.lti import pages
from examiner.platforms.lti.keys import Keys
from examiner.platforms.lti.launch import Gate
from examiner.platforms.lti.ledger import Ledger
from examiner.platforms.lti.members import Members
from examiner.platforms.lti.settings import Settings

AT, COOKIE = "/lti/at/", "launch"
LATER = "This cannot be done just now: try again in a few minutes."


@dataclass(frozen=True)
class Session:
    """What a browser's cookie says."""

    id: str
    person: int
    role: str
    form: str  # must come back with whatever is handed in, or another site has sent it
    frames: str = ""  # whose pages may show this one in a frame, beside those that lti.toml names


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

    def guard(self, forms: str = "'self'", frames: str = "") -> None:
        """Say what the page may do, where its forms go and who may show it in a frame."""
        place: Place = self.application.settings["place"]
        origins = [each.origin for each in place.settings.platforms] + frames.split()
        frames = " ".join(dict.fromkeys(origins))
        self.set_header(
            "Content-Security-Policy",
            f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            f"form-action {forms}; frame-ancestors {frames or chr(39) + 'none' + chr(39)}",
        )

    @property
    def before(self) -> str:
        """What stands before all paths, as browsers see them."""
        return self.place.settings.path

    def params(self) -> dict[str, str]:
        """Return the request's parameters, the first of each."""
        names = self.request.arguments
        return {name: values[0].decode("utf-8", "replace") for name, values in names.items()}

    def refuse(self, status: int, text: str, reason: str = "") -> None:
        """Answer with a sentence; the reason is the instructor's, on the console."""
        if reason:
            self.place.say(f"refused {reason}")
        self.set_status(status)
        self._tell(text)

    def _tell(self, text: str) -> None:
        """Show a sentence, in whatever frame: there is nothing to press."""
        self.guard(frames="*")
        self.finish(pages.message(text))

    def write_error(self, status_code: int, **about: Any) -> None:
        """Answer what nobody foresaw, without a word on what it was."""
        later = isinstance(about.get("exc_info", (None, None))[1], UserError)
        self._tell(LATER if later else f"This cannot be done ({status_code}).")

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        """Name what went wrong; what was sent may hold secrets, and is not shown."""
        if not isinstance(value, web.HTTPError):
            why = str(value) if isinstance(value, UserError) else kind.__name__
            self.place.say(f"a page failed: {why}")

    def cookie(self, name: str, value: str, path: str, seconds: int) -> None:
        """Set a cookie that browsers keep for a page inside a platform's, too."""
        kept = f"Path={path}; Max-Age={seconds}; Secure; HttpOnly; SameSite=None; Partitioned"
        self.add_header("Set-Cookie", f"{name}={value}; {kept}")
