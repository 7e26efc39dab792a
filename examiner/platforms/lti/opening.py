"""The door, opened: all its parts put together, and shut in the right order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from examiner.catalogue import Chapter
from examiner.inbox.arrivals import Inbox
from examiner.platforms.lti.door import Door, Place
from examiner.platforms.lti.inbox import ForwardingInbox
from examiner.platforms.lti.keys import Keys
from examiner.platforms.lti.launch import Gate
from examiner.platforms.lti.ledger import Ledger
from examiner.platforms.lti.members import Members
from examiner.platforms.lti.sender import Sender
from examiner.platforms.lti.settings import Settings


@dataclass(frozen=True)
class Tool:
    """A door that is open."""

    door: Door
    ledger: Ledger
    sender: Sender
    inboxes: Mapping[str, ForwardingInbox]  # by chapter: what a desk is to take from


@contextmanager
def opened(
    settings: Settings,
    keys: Keys,
    shelves: Mapping[str, tuple[Chapter, Inbox]],
    say: Callable[[str], None],
) -> Iterator[Tool]:
    """Open the door for as long as the block runs; points that wait are sent meanwhile."""
    ledger = Ledger(settings.folder)
    sender = Sender(settings, keys, ledger, say)
    try:
        targets = [settings.target(), *map(settings.target, shelves)]
        gate = Gate(settings, keys, targets)
        inboxes = {
            stem: ForwardingInbox(inbox, ledger, sender.wake)
            for stem, (_, inbox) in shelves.items()
        }
        secret = ledger.secret("cookies")
        members = Members(sender)
        door = Door(Place(settings, keys, ledger, gate, members, dict(shelves), say, secret))
        try:
            sender.start()
            yield Tool(door, ledger, sender, inboxes)
        finally:
            door.close()
            sender.close()
    finally:
        ledger.close()
