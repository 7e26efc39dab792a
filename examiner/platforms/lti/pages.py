"""The door's own pages, from templates. Leaves out the pages of feedback (grading/feedback.py)."""

from __future__ import annotations

import time
from collections.abc import Sequence

from examiner.catalogue import Chapter
from examiner.platforms.lti.ledger import (
    GRADED,
    REFUSED,
    REPLACED,
    SENT,
    WAITING,
    Link,
    Person,
    Work,
)
from examiner.platforms.lti.members import Member, Roster
from examiner.platforms.lti.settings import MEGABYTE
from examiner.templates import environment

RENEWED = 5  # seconds, while something waits
STATES = {SENT: "yes", REPLACED: "replaced", WAITING: "waits", REFUSED: "refused", "": "no column"}

_templates = environment("examiner.platforms.lti")


def _time(seconds: float) -> str:
    return time.strftime("%d %b %Y, %H:%M", time.localtime(seconds))


def _points(work: Work) -> str:
    if work.state != GRADED or work.score is None or work.most is None:
        return "waits" if work.waits_long else "is being graded"
    return f"{work.score:g} of {work.most:g}{' or more' if work.provisional else ''}"


def _sent(work: Work) -> str:
    return STATES.get(work.sent, work.sent) if work.state == GRADED else ""


_templates.filters["when"] = _time
_templates.filters["points"] = _points
_templates.filters["sent"] = _sent


def message(text: str) -> str:
    """Return a page that says one thing."""
    return _templates.get_template("message.html").render(text=text, title="Assignment")


def choice(address: str, offers: Sequence[tuple[Chapter, str]]) -> str:
    """Return the assignments that a link may lead to, each with its signed answer."""
    return _templates.get_template("choice.html").render(
        address=address, offers=offers, title="Choose an assignment"
    )


def desk(
    chapter: Chapter,
    link: Link,
    person: Person,
    works: Sequence[Work],
    form: str,
    most: int,
    *,
    trouble: str = "",
    more: bool = False,
) -> str:
    """Return a student's page; it renews itself while something waits.

    `more`: whether the form is shown all the same, on a page that stays: one that renews itself
    would forget the file that was chosen.
    """
    waits = any(each.waits and not each.waits_long for each in works)
    return _templates.get_template("desk.html").render(
        chapter=chapter,
        link=link,
        person=person,
        works=works,
        form=form,
        most=most,
        bytes=most * MEGABYTE,
        trouble=trouble,
        renewed=RENEWED if waits and not (trouble or more) else 0,
        title=chapter.heading,
    )


def whole_class(
    chapter: Chapter,
    link: Link,
    rows: Sequence[tuple[Person, Sequence[Work]]],
    roster: Roster,
    form: str,
) -> str:
    """Return the instructors' page: who handed in what, and who of the roster did not."""
    seen = {person.user for person, works in rows if works}
    absent = [each for each in roster.students if each.user not in seen]
    handed_in = [(person, works[0], len(works)) for person, works in rows if works]
    if not roster.students:  # no roster: those who came and looked
        absent = [Member(each.user, each.name, each.email) for each, works in rows if not works]
    refused = sum(work.sent == REFUSED for _, works in rows for work in works)
    return _templates.get_template("class.html").render(
        chapter=chapter,
        link=link,
        rows=handed_in,
        absent=absent,
        refused=refused,
        trouble=roster.trouble,
        form=form,
        title=f"{chapter.heading}: the class",
    )
