"""An inbox whose results are also written down for the platform that the work came through."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from examiner.inbox.arrivals import Arrival, Inbox, Overview
from examiner.platforms.lti.ledger import Ledger

LOOK = 10.0  # seconds between two looks at what other hosts have graded


class ForwardingInbox:
    """Another inbox; what is graded is written down before it is put away there."""

    def __init__(self, inner: Inbox, ledger: Ledger, wake: Callable[[], None]) -> None:
        self._inner, self._ledger, self._wake = inner, ledger, wake
        self._next = 0.0  # when it is looked for what other hosts have graded
        self._taken: list[Arrival] = []  # from the inner one, and not yet handed on

    @property
    def said(self) -> list[str]:
        """Lines for whoever watches."""
        return self._inner.said

    @property
    def is_shared(self) -> bool:
        """Whether other hosts take from it, too."""
        return self._inner.is_shared

    def put(self, student: str, name: str, data: bytes) -> str:
        """Hand a file in for a student; return its ticket."""
        return self._inner.put(student, name, data)

    def claim(self, most: int) -> list[Arrival]:
        """Return up to so many whose turn it is, with the names that the platform gave.

        What was taken when the names could not be read comes with the next call.
        """
        if len(self._taken) < most:
            self._taken += self._inner.claim(most - len(self._taken))
        found = [self._named(each) for each in self._taken[:most]]
        del self._taken[:most]
        return found

    def _named(self, arrival: Arrival) -> Arrival:
        person = self._ledger.named(arrival.student)
        if person is None:
            return arrival
        account = f"{person.user} of {self._ledger.link(person.link).issuer}"
        return replace(arrival, name=person.name, email=person.email, account=account)

    def finish(self, arrival: Arrival, record: dict[str, Any], pages: dict[str, str]) -> None:
        """Note that one is graded, for the platform first: a kill in between changes nothing."""
        receipts = (arrival.path.name, arrival.ticket, arrival.ticket.lstrip("0"))
        if self._ledger.graded(receipts, record, pages.get(".html", "")):
            self._wake()
        self._inner.finish(arrival, record, pages)

    def results(self, tickets: Sequence[str]) -> list[tuple[dict[str, Any], str]]:
        """Return the record and the page of what was graded of these, by whichever host."""
        return self._inner.results(tickets)

    def beat(self) -> None:
        """Say that this process still lives; write down what other hosts have graded for it."""
        self._inner.beat()
        if not self.is_shared or time.monotonic() < self._next:
            return
        for record, page in self.results(self._ledger.receipts()):
            if self._ledger.graded([str(record["ticket"]).lstrip("0")], record, page):
                self._wake()
        self._next = time.monotonic() + LOOK

    def overview(self) -> Overview:
        """Return what the page shows."""
        return self._inner.overview()

    def close(self) -> None:
        """Let go of the inbox."""
        self._inner.close()
