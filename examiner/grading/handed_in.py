"""The works of a class: found first, and each read when it is its turn.

Leaves out how a class is found (entries.py) and how one work is read (submissions.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.grading.accidents import names_of
from examiner.grading.entries import ClassOfEntries, open_class
from examiner.grading.lazily import Lazily
from examiner.grading.roster import Roster, Student
from examiner.grading.submissions import Submission, read, read_package
from examiner.grading.works import Entry
from examiner.project import Project
from examiner.results import Verdict
from examiner.term.corrections import FILE, MARK, NOTHING, Corrections

CHANGED = "it was changed while the class was graded: grade again"


@dataclass(frozen=True)
class HandedIn:
    """The works of a class. `submissions` reads one each time it is asked for it."""

    submissions: Sequence[Submission]
    entries: tuple[Entry, ...] = ()
    absent: tuple[Student, ...] = ()  # of the roster
    names: tuple[str, ...] = ()  # of the course's own packages among them
    passed_over: str = ""  # a line on what was taken for nobody's work


@contextmanager
def handed_in(
    project: Project,
    chapter: Chapter,
    folder: Path | None,
    packages: Sequence[str] = (),
    roster: Roster | None = None,
    corrections: Corrections = NOTHING,
) -> Iterator[HandedIn]:
    """Find the works, which can be read for as long as the block runs.

    `packages` are some of the course folder that are graded as students' works, before them.
    Raises UserError when there is nothing to grade.
    """
    own = []
    for name in packages:
        project.module(name, chapter.stem)
        own.append(read_package(project.root / name, chapter.stem, name))
    with ExitStack() as stack:
        there = ClassOfEntries(())
        if folder is not None:
            module = f"{chapter.stem}.py"
            there = _with_files(
                stack.enter_context(open_class(folder, roster, module)), corrections
            )
        names = Counter([each.student for each in own])
        names.update(each.student for each in there.entries)
        if not names:
            raise UserError("nothing to grade: give a folder of submissions or --package NAME")
        name, times = names.most_common(1)[0]
        if times > 1:
            raise UserError(f"two submissions are named {name!r}; rename one")

        defined = names_of(project.catalogue)

        def one(number: int) -> Submission:
            if number < len(own):
                return own[number]
            entry = there.entries[number - len(own)]
            return read(entry, chapter.stem, defined, corrections.file(entry.student))

        submissions = Lazily(len(own) + len(there.entries), one)
        own_names, over = tuple(packages), there.passed_over
        yield HandedIn(submissions, there.entries, there.absent, own_names, over)


def _with_files(there: ClassOfEntries, corrections: Corrections) -> ClassOfEntries:
    """Return the class with those who handed nothing in, and have a file or a mark by hand."""
    late = [person for person in there.absent if corrections.of(person.id, FILE, MARK)]
    added = tuple(Entry(person.id, name=person.name, email=person.email) for person in late)
    absent = tuple(person for person in there.absent if person not in late)
    return replace(there, entries=(*there.entries, *added), absent=absent)


def gather(project: Project, chapter: Chapter, folder: Path) -> list[Submission]:
    """Read all works of a class at once, for those who need them all."""
    with handed_in(project, chapter, folder) as found:
        return list(found.submissions)


def unchanged(submissions: Sequence[Submission], digests: Sequence[str]) -> Sequence[Submission]:
    """Return the submissions that had these digests; one with another is not judged now."""

    def one(number: int) -> Submission:
        found = submissions[number]
        if found.digest == digests[number]:
            return found
        return replace(found, problem=CHANGED, verdict=Verdict.NOT_JUDGED)

    return Lazily(len(digests), one)
