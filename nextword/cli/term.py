"""Dates and corrections as `nextword grade` is told them: options, course.toml, schedule.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from examiner.catalogue import Chapter
    from examiner.grading.roster import Roster
    from examiner.project import Project
    from examiner.term.dates import Terms
    from examiner.term.standing import Term


@dataclass(frozen=True)
class Said:
    """What the options say."""

    due: str | None = None
    late: str | None = None
    extensions: Path | None = None
    times: Path | None = None
    overrides: Path | None = None


def require_one_chapter(said: Said, chapters: Sequence[Chapter]) -> None:
    """Raise UserError for options of one chapter where there are several."""
    from dataclasses import asdict

    from examiner.errors import UserError

    given = [f"--{option}" for option, value in asdict(said).items() if value is not None]
    if given and len(chapters) > 1:
        text = "several have their dates from schedule.toml and course.toml"
        raise UserError(f"{' and '.join(given)}: expected one chapter, got {len(chapters)}; {text}")


def term_of(project: Project, chapter: Chapter, grades: Path, said: Said) -> Term:
    """Return what holds for a chapter; `grades` is the folder in which days in hand are kept.

    Raises UserError for what cannot be read.
    """
    from examiner.term.corrections import Corrections, read_corrections
    from examiner.term.ledger import FILE, Ledger, read_ledger
    from examiner.term.standing import Term

    terms = terms_of(project, chapter.stem, said)
    found = Corrections()
    if said.overrides:
        found = read_corrections(said.overrides, chapter, project.catalogue)
    ledger = read_ledger(grades / FILE) if terms.rule.in_hand else Ledger()
    return Term(chapter.stem, terms, found, ledger)


def terms_of(project: Project, stem: str, said: Said) -> Terms:
    """Return when a chapter is due, what lateness costs, and who has more time."""
    from examiner.catalogue.schedule import due_of
    from examiner.errors import UserError
    from examiner.term.dates import Terms, read_due, read_extensions, read_rule

    due = read_due(said.due) if said.due else due_of(project, stem)
    late, where = said.late, "--late"
    if late is None:
        late, where = project.settings.late, "course.toml: late"
    rule = read_rule(late, where)
    if said.late and due is None:
        raise UserError("--late: later than when? Give --due, or a due date in schedule.toml")
    zone = due.tzinfo if due else None
    extensions = None
    if said.extensions:
        extensions = read_extensions(said.extensions, zone, stem, project.catalogue)
    return Terms(due, rule, extensions)


def times_of(said: Said) -> Roster | None:
    """Return the table of when works were handed in; raises UserError for one that holds none."""
    from examiner.grading.roster import read_roster

    return read_roster(said.times, "the times", times=True) if said.times else None


def second_look(project: Project) -> str:
    """Return the address that students' pages invite to."""
    from examiner.term.requests import require_address

    require_address(project.settings.second_look, "course.toml")
    return project.settings.second_look
