"""All that `serve` needs, put together: the course's parts, a desk, a page; and its loop."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.cluster.keeper import House
from examiner.cluster.parcel import packed, unpacked
from examiner.cluster.plain import Form
from examiner.grading.admission import Admission
from examiner.grading.run import Options, prepare
from examiner.grading.workers import Course
from examiner.inbox.arrivals import Inbox
from examiner.inbox.board import Board
from examiner.inbox.desk import Desk, Terms, Told
from examiner.judge.suite import Suite
from examiner.project import Project

LOOK = 1.0  # seconds between two looks of the page into the inbox


def serve(
    project: Project,
    chapter: Chapter,
    inbox: Inbox,
    options: Options,
    watcher: Told,
    *,
    board: Board | None,
    stopping: Callable[[], bool],
    once: bool = False,
) -> int:
    """Grade what arrives until it is time to stop; return how many were.

    `once`: until nothing more waits that may be graded now.
    """
    made: list[tuple[Course, Form, Admission]] = []

    def use(course: Course, suite: Suite, admission: Admission) -> None:
        says = [each.says for each in course.misconceptions]
        made.append((course, Form.of(chapter, suite, says), admission))

    key = prepare(project, chapter, options, use)
    ((course, form, admission),) = made
    for fault in admission.faults:
        watcher.say(f"a test is at fault, and costs nobody points: {fault}")
    parcel = packed(project, course)
    with tempfile.TemporaryDirectory(prefix="examiner-serve-") as name:
        laid_out = unpacked(parcel.data, parcel.digest, Path(name))

        def house(slots: int) -> House:
            return House(laid_out.root, laid_out.environment(), slots)

        terms = Terms(chapter, form, key, admission, options.out, options.told)
        desk = Desk(inbox, terms, house, options.jobs, watcher)
        try:
            desk.open()
            return _loop(desk, inbox, board, stopping, once=once)
        finally:
            desk.close()


def _loop(
    desk: Desk, inbox: Inbox, board: Board | None, stopping: Callable[[], bool], *, once: bool
) -> int:
    done, looked, quiet = 0, 0.0, 0
    while not stopping():
        found = desk.turn()
        done += found
        if board and time.monotonic() - looked > LOOK:
            board.show(inbox.overview)
            looked = time.monotonic()
        quiet = quiet + 1 if desk.idle and not found else 0
        if (
            once
            and quiet > 15
            and not any(each.state != "later" for each in inbox.overview().waiting)
        ):
            break
    return done
