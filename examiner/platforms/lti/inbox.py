"""An inbox whose results are also written down for the platform that the work came through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from examiner.inbox.arrivals import Arrival, Inbox, Overview
from examiner.platforms.lti.ledger import Ledger


class ForwardingInbox:
    """Another inbox; what is graded is written down before it is put away there."""

    def __init__(self, inner: Inbox, ledger: Ledger, wake: Callable[[], None]) -> None:
        self._inner, self._ledger, self._wake = inner, ledger, wake
        self._taken: list[Arrival] = []  # from the inner one, and not yet handed on

    @property
    def said(self) -> list[str]:
        """Lines for whoever watches."""
        said: list[str] = getattr(self._inner, "said", [])
        return said

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

    def beat(self) -> None:
        """Say that this process still lives."""
        self._inner.beat()

    def overview(self) -> Overview:
        """Return what the page shows."""
        return self._inner.overview()

    def close(self) -> None:
        """Let go of the inbox."""
        self._inner.close()
