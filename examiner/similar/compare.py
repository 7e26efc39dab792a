"""Compares a class, with itself and with classes of years past. Leaves out the page (pages.py).

A text is read, turned into fingerprints and forgotten; what a page shows is read again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from examiner.ending import end_with_parent
from examiner.errors import UserError
from examiner.grading.entries import open_class
from examiner.grading.roster import Roster
from examiner.grading.submissions import read
from examiner.similar.groups import Group, Member, grouped, pairs_of
from examiner.similar.index import Limits
from examiner.similar.known import Known, among, unique, without
from examiner.similar.winnowing import Hashes

CHUNK = 100  # submissions that a process reads before it answers
ALONE = 200  # submissions that are read sooner than other processes start


@dataclass(frozen=True)
class Like:
    """A submission of this year that has much of the reference itself."""

    student: str
    share: float  # of what it holds beyond the stub

    def to_json(self) -> dict[str, Any]:
        """Return it for `similar --json`."""
        return {"student": self.student, "share": round(self.share, 3)}


@dataclass(frozen=True)
class Comparison:
    """What was found in a class."""

    stem: str
    groups: tuple[Group, ...]
    like_the_reference: tuple[Like, ...]
    compared: int  # submissions of this year
    past: int  # submissions of years past
    short: int  # of both: too little beyond what is known to say anything
    unread: tuple[tuple[str, str], ...]  # whose submissions could not be read, and why
    common: Hashes  # fingerprints that too many share to mean anything

    def to_json(self) -> dict[str, Any]:
        """Return what `similar --json` writes."""
        return {
            "chapter": self.stem,
            "compared": self.compared,
            "past": self.past,
            "too_short": self.short,
            "unread": [{"student": name, "why": why} for name, why in self.unread],
            "groups": [group.to_json() for group in self.groups],
            "like_the_reference": [like.to_json() for like in self.like_the_reference],
        }


@contextmanager
def opened(
    folder: Path,
    past: Sequence[Path],
    roster: Roster | None = None,
    note: Callable[[str], object] = lambda line: None,
) -> Iterator[list[Member]]:
    """Open a class and those of years past: members of this year first.

    `note` is told of documents that were taken for nobody's work.

    Raises UserError where there is no such folder or zip, nothing in it, or one is given twice.
    """
    with ExitStack() as stack:
        given = [folder, *past]
        if twice := [str(p) for n, p in enumerate(given) if p.resolve() in _places(given[:n])]:
            raise UserError(f"{twice[0]} is given twice: --past is for classes of years past")
        there = stack.enter_context(open_class(folder, roster))
        members = [Member(entry.student, entry) for entry in there.entries]
        if there.passed_over:
            note(there.passed_over)
        for each in past:
            before = stack.enter_context(open_class(each))
            members += [Member(e.student, e, each.as_posix()) for e in before.entries]
            if before.passed_over:
                note(f"{each}: {before.passed_over}")
        yield members


def _places(paths: Iterable[Path]) -> set[Path]:
    return {path.resolve() for path in paths}


def compare(
    members: Sequence[Member],
    stem: str,
    known: Known,
    limits: Limits,
    jobs: int = 1,
    tick: Callable[[int], None] = lambda done: None,
) -> Comparison:
    """Compare the members' modules; `tick` hears how many have been read since it heard before."""
    kept, sets, likes, unread, short = [], [], [], [], 0
    for member, (hashes, like, problem) in zip(
        members, _summaries(members, stem, known, jobs, tick), strict=True
    ):
        if problem:
            unread.append((member.name, problem))
            continue
        if like >= limits.least and not member.past:
            likes.append(Like(member.student, like))
        if len(hashes) < limits.shared:
            short += 1
            continue
        kept.append(member)
        sets.append(hashes)
    pairs, common = pairs_of(kept, sets, limits)
    past = sum(bool(member.past) for member in kept)
    return Comparison(
        stem,
        tuple(grouped(pairs)),
        tuple(sorted(likes, key=lambda like: (-like.share, like.student))),
        len(kept) - past,
        past,
        short,
        tuple(unread),
        common,
    )


# ----------------------------------------------------------------------------- reading

# the fingerprints that count, how much of the reference there is, and why nothing could be read
Summary = tuple[Hashes, float, str]


def summary(member: Member, stem: str, known: Known) -> Summary:
    """Read a submission; return what is to be compared of it."""
    submission = read(member.entry, stem)
    if submission.problem:
        return np.zeros(0, np.uint64), 0.0, submission.problem
    own = without(unique([submission.source.text]), known.stub)
    like = float(among(own, known.reference).mean()) if len(own) else 0.0
    return without(own, known.answers), like, ""


def _summaries(
    members: Sequence[Member],
    stem: str,
    known: Known,
    jobs: int,
    tick: Callable[[int], None],
) -> Iterator[Summary]:
    """Yield the summaries in the members' order, read by several processes if there are many."""
    if jobs == 1 or len(members) <= ALONE:
        for member in members:
            yield summary(member, stem, known)
            tick(1)
        return
    chunks = (members[at : at + CHUNK] for at in range(0, len(members), CHUNK))
    with ProcessPoolExecutor(jobs, initializer=end_with_parent) as pool:
        waiting: deque[Future[list[Summary]]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(_read_chunk, chunk, stem, known))
            if len(waiting) > 2 * jobs:
                yield from _told(waiting.popleft(), tick)
        while waiting:
            yield from _told(waiting.popleft(), tick)


def _told(future: Future[list[Summary]], tick: Callable[[int], None]) -> Iterator[Summary]:
    found = future.result()
    tick(len(found))
    yield from found


def _read_chunk(chunk: Sequence[Member], stem: str, known: Known) -> list[Summary]:
    return [summary(member, stem, known) for member in chunk]
