"""A small page of what waits: plain HTML that renews itself, and the same as JSON.

It shows names and scores, so by default it answers this machine alone.
"""

from __future__ import annotations

import html
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from examiner.errors import UserError
from examiner.inbox.arrivals import Overview

RENEWED = 5  # seconds
LOCAL = ("127.0.0.1", "localhost", "[::1]")
STATES = {
    "in hand": "is being graded",
    "waiting": "waits",
    "later": "waits: hourly rate used up",
}
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{count} waiting · {title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{renewed}"><link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }}
h1 {{ font-size: 1.4rem; }} h2 {{ font-size: 1.1rem; margin-top: 2rem; }}
table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8886;
  vertical-align: top; }}
td:nth-child(2) {{ overflow-wrap: anywhere; }}
td:first-child, td.n {{ white-space: nowrap; }}
td.n, th.n {{ text-align: right; padding-right: 0; }}
@media (max-width: 30rem) {{ body {{ font-size: .9rem; }} td, th {{ padding-right: .5rem; }} }}
.trouble {{ border-left: .3rem solid #c33; padding-left: .75rem; }}
</style></head><body>
<main><h1>{title}</h1>
{trouble}<p>{summary}</p>
<h2>What waits</h2>
{waiting}
<h2>What was graded last</h2>
{latest}
</main></body></html>
"""


class Board:
    """The page, on a port of this machine."""

    def __init__(self, title: str, host: str, port: int) -> None:
        self._title = title
        self._overview, self._trouble, self._at = Overview(), "", time.time()
        board = self

        class Handler(BaseHTTPRequestHandler):
            """Answers the two addresses that there are."""

            server_version, sys_version = "inbox", ""

            def do_GET(self) -> None:
                """Answer a browser."""
                named = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get(
                    "Host", ""
                )
                if host in LOCAL and named not in LOCAL:  # a page elsewhere may not read us
                    self.send_error(403, "this page is for this machine alone")
                elif self.path == "/":
                    self._answer("text/html", board.page())
                elif self.path == "/status.json":
                    self._answer("application/json", board.status())
                else:
                    self.send_error(404)

            def _answer(self, kind: str, text: str) -> None:
                data = text.encode("utf-8", "replace")
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Cache-Control", "no-store")
                self.send_header(
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
                )
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as error:
            raise UserError(f"--port {port} of {host} cannot be used: {error.strerror}") from None
        self.address = f"http://{host}:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def show(self, look: Callable[[], Overview]) -> None:
        """Show what an inbox holds now; where it does not answer, that."""
        try:
            self._overview, self._trouble = look(), ""
        except UserError as error:
            self._trouble = str(error)
        self._at = time.time()

    def status(self) -> str:
        """Return what the page shows as JSON."""
        return json.dumps({**asdict(self._overview), "trouble": self._trouble, "at": self._at})

    def page(self) -> str:
        """Return the page."""
        seen = self._overview
        rows = [
            (
                _time(each.arrived),
                each.student,
                STATES.get(each.state, each.state),
                _age(each.arrived),
            )
            for each in seen.waiting
        ]
        more = seen.count - len(rows)
        done = [
            (
                _time(each["arrived"]),
                str(each["student"]),
                f"{each['score']:g} of {each['max_score']:g}",
                f"{each['graded'] - each['arrived']:.1f} s",
            )
            for each in seen.latest
        ]
        summary = f"{seen.count} waiting, {seen.done} graded, {seen.refused} refused."
        summary += f" At {_time(self._at)}; renewed every {RENEWED} seconds."
        trouble = f'<p class="trouble" role="alert">{html.escape(self._trouble)}</p>\n'
        waiting = _table(("arrived", "student", "state", "waits"), rows, "Nothing waits.")
        return PAGE.format(
            title=html.escape(self._title),
            count=seen.count,
            renewed=RENEWED,
            trouble=trouble if self._trouble else "",
            summary=summary,
            waiting=waiting + (f"<p>… and {more} more.</p>" if more > 0 else ""),
            latest=_table(("arrived", "student", "points", "took"), done, "Nothing yet."),
        )

    def close(self) -> None:
        """Take the page down."""
        self._server.shutdown()
        self._server.server_close()


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], none: str) -> str:
    if not rows:
        return f"<p>{none}</p>"
    kinds = ["", "", "", ' class="n"']
    head = "".join(f'<th scope="col"{k}>{h}</th>' for h, k in zip(heads, kinds, strict=True))
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{k}>{html.escape(cell)}</td>" for cell, k in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _time(when: float) -> str:
    """Return a time of day, with the day where it is another one than today."""
    then, now = time.localtime(when), time.localtime()
    today = then[:3] == now[:3]
    return time.strftime("%H:%M:%S" if today else "%d %b %H:%M", then)


def _age(since: float) -> str:
    seconds = max(0, int(time.time() - since))
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds % 60} s"
