"""All that `serve` needs, put together: the course's parts, desks, a page; and its loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from examiner.catalogue import Chapter
from examiner.cluster.keeper import House
from examiner.cluster.parcel import packed, unpacked
from examiner.cluster.plain import Form
from examiner.grading.admission import Admission
from examiner.grading.run import Options, prepare
from examiner.grading.workers import Course
from examiner.inbox.arrivals import Inbox, Overview
from examiner.inbox.board import Board
from examiner.inbox.counting import Counting, require_applicable
from examiner.inbox.desk import Desk, Terms, Told
from examiner.judge.suite import Suite
from examiner.passing import passing_folder
from examiner.project import Project
from examiner.term.ledger import FILE

LOOK = 1.0  # seconds between two looks of the page into the inbox
TURN = 0.2  # seconds that all desks together wait for results


@dataclass(frozen=True)
class Counter:
    """A chapter whose work is taken in, where it lies, and how it is graded."""

    chapter: Chapter
    inbox: Inbox
    options: Options


def serve(
    project: Project,
    counters: Sequence[Counter],
    watcher: Told,
    *,
    board: Board | None,
    stopping: Callable[[], bool],
    once: bool = False,
) -> int:
    """Grade what arrives until it is time to stop; return how many were.

    `once`: until nothing more waits that may be graded now.
    """
    with ExitStack() as stack:
        desks = [_desk(project, counter, watcher, stack) for counter in counters]
        for desk in desks:
            stack.callback(desk.close)
        if len(desks) == 1:  # of several, each starts its process when it is needed
            desks[0].open()
        inboxes = [counter.inbox for counter in counters]
        return _loop(desks, inboxes, board, stopping, once=once)


def _desk(project: Project, counter: Counter, watcher: Told, stack: ExitStack) -> Desk:
    made: list[tuple[Course, Form, Admission]] = []
    chapter, options = counter.chapter, counter.options

    def use(course: Course, suite: Suite, admission: Admission) -> None:
        says = [each.says for each in course.misconceptions]
        made.append((course, Form.of(chapter, suite, says), admission))

    key = prepare(project, chapter, options, use)
    ((course, form, admission),) = made
    require_applicable(options.term.corrections, form)
    for fault in admission.faults:
        watcher.say(f"a test is at fault, and costs nobody points: {fault}")
    parcel = packed(project, course)
    folder = stack.enter_context(passing_folder("examiner-serve-"))
    laid_out = unpacked(parcel.data, parcel.digest, folder)

    def house(slots: int) -> House:
        return House(laid_out.root, laid_out.environment(), slots)

    counting = Counting(options.term, options.out.parent / FILE)
    terms = Terms(
        *(chapter, form, key, admission, options.out, options.told),
        *(counting, options.second_look),
    )
    return Desk(counter.inbox, terms, house, options.jobs, watcher)


def _loop(
    desks: Sequence[Desk],
    inboxes: Sequence[Inbox],
    board: Board | None,
    stopping: Callable[[], bool],
    *,
    once: bool,
) -> int:
    done, looked, quiet = 0, 0.0, 0

    def overview() -> Overview:
        return together([inbox.overview() for inbox in inboxes])

    while not stopping():
        found = sum(desk.turn(TURN / len(desks)) for desk in desks)
        done += found
        if board and time.monotonic() - looked > LOOK:
            board.show(overview)
            looked = time.monotonic()
        quiet = quiet + 1 if all(desk.idle for desk in desks) and not found else 0
        if once and quiet > 15 and not any(each.state != "later" for each in overview().waiting):
            break
    return done


def together(seen: Sequence[Overview]) -> Overview:
    """Return what several inboxes hold as what one would.

    >>> together([Overview(count=2, done=1), Overview(count=3)]).count
    5
    """
    if len(seen) == 1:
        return seen[0]
    waiting = [each for one in seen for each in one.waiting]
    latest = [each for one in seen for each in one.latest]
    return Overview(
        sorted(waiting, key=lambda each: each.arrived),
        sum(one.count for one in seen),
        sum(one.done for one in seen),
        sum(one.refused for one in seen),
        sorted(latest, key=lambda each: -float(each["graded"])),
    )
