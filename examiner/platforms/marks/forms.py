"""Fills points into the very file that a platform gave: Canvas' gradebook, Moodle's worksheet.

What the platform wrote into other cells, and how it writes numbers, stays. Where the roster is no
such file, or the platform has none, rows.py makes one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.grading.downloads import MOODLE
from examiner.grading.headers import COMMENTS, GRADES, MAXIMUM_GRADES, SCALES
from examiner.grading.roster import Roster, Student, parted
from examiner.grading.sheet import Sheet, read_sheet
from examiner.grading.spreadsheet import number
from examiner.platforms.marks.rows import MAKERS, Mark, written
from examiner.results import SubmissionResult
from examiner.term.table import letters

CANVAS_HEAD = ("student", "id", "sisuserid", "sisloginid", "section")
NUMBERED = re.compile(r"(.*?) \([0-9]+\)", re.DOTALL)  # as Canvas writes an assignment's column


@dataclass(frozen=True)
class Form:
    """Where a class's points are to be written, looked over before the class is graded."""

    platform: str
    chapter: Chapter
    roster: Roster | None = None
    sheet: Sheet | None = None  # the platform's own file, where it was given
    column: int = -1  # of the points in it
    comments: int = -1  # of the words on them, in Moodle's worksheet
    comma: bool = False  # whether its numbers have a decimal comma
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Filled:
    """A file to import, and what is to be known of it."""

    text: str
    notes: list[str] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.text.encode("utf-8", "replace")


def form_for(
    platform: str,
    chapter: Chapter,
    path: Path | None = None,
    roster: Roster | None = None,
    column: str = "",
) -> Form:
    """Look over the file that the points go into; raises UserError where they cannot.

    `column` is the assignment's name in Canvas, where it is not the chapter's title.
    """
    if platform not in MAKERS:
        *others, last = MAKERS
        raise UserError(f"--marks {platform}: expected {', '.join(others)} or {last}")
    sheet = read_sheet(path) if path else None
    keys = [letters(text) for text in sheet.head] if sheet else []
    if sheet and platform == "canvas" and "sisloginid" in keys:
        return _canvas(chapter, sheet, roster, column or chapter.title)
    if column:
        raise UserError("--marks-column goes with --marks canvas and Canvas' export as --roster")
    if sheet and platform == MOODLE and _is_worksheet(keys, roster):
        return _moodle(chapter, sheet, roster, keys)
    return Form(platform, chapter, roster)


def _canvas(chapter: Chapter, sheet: Sheet, roster: Roster | None, wanted: str) -> Form:
    names = {n: _plain(text) for n, text in enumerate(sheet.head)}
    found = [n for n, name in names.items() if n >= len(CANVAS_HEAD) and name == _plain(wanted)]
    if len(found) > 1:
        raise UserError(f"Canvas' export has {len(found)} columns {wanted!r}: rename one there")
    if not found:
        new = f"Canvas' export has no column {wanted!r}: the import makes a new assignment"
        head = [*sheet.head, wanted]
        comma = _has_commas(text for row, _ in sheet.rows for text in row[len(CANVAS_HEAD) :])
        most = number(chapter.points, comma=comma)
        rows = [([*row, most if _is_possible(row) else ""], who) for row, who in sheet.rows]
        sheet = Sheet(sheet.mark, sheet.byte_order_mark, head, rows)
        return Form("canvas", chapter, roster, sheet, len(head) - 1, comma=comma, notes=(new,))
    for row, who in sheet.rows:
        if who is None and _is_possible(row):
            _require_the_same("Canvas", row[found[0]], chapter)
    points = (row[found[0]] for row, who in sheet.rows if who or _is_possible(row))
    comma = _has_commas(points)
    return Form("canvas", chapter, roster, sheet, found[0], comma=comma)


def _plain(name: str) -> str:
    """Return an assignment's name without the number that Canvas adds.

    >>> _plain("N-grams (4711)") == _plain("n-grams")
    True
    """
    found = NUMBERED.fullmatch(name)
    return " ".join((found[1] if found else name).casefold().split())


def _is_possible(row: list[str]) -> bool:
    return bool(row) and row[0].strip().startswith("Points Possible")


def _has_commas(cells: Iterable[str]) -> bool:
    """Tell whether the numbers among these texts have a decimal comma.

    >>> _has_commas(["5,00", "EX"]), _has_commas(["5.00", "ill, excused"])
    (True, False)
    """
    return any(re.fullmatch(r"\d+,\d{1,2}", text.strip()) for text in cells)


def _is_worksheet(keys: Collection[str], roster: Roster | None) -> bool:
    """Tell whether a list is Moodle's grading worksheet: "Participant 12" says whose a row is."""
    numbers = {number for person in roster.people for number in person.numbers} if roster else ()
    return "identifier" in keys or any(platform == MOODLE for platform, _ in numbers)


def _moodle(chapter: Chapter, sheet: Sheet, roster: Roster | None, keys: list[str]) -> Form:
    column, most, comments, scale = (
        next((keys.index(name) for name in names if name in keys), -1)
        for names in (GRADES, MAXIMUM_GRADES, COMMENTS, SCALES)
    )
    if most < 0 and scale >= 0:
        raise UserError(
            f"Moodle grades this assignment by a scale, {sheet.head[scale]!r}, and not in points: "
            f"set its grade to {chapter.points} points in Moodle and download the worksheet again"
        )
    if column < 0:
        raise UserError(
            "Moodle's worksheet has no column Grade: download it with Moodle's language set to "
            "English, German, French or Spanish"
        )
    shown = [row[most] for row, who in sheet.rows if who and row[most]] if most >= 0 else []
    for text in shown[:1]:
        _require_the_same("Moodle", text, chapter)
    comma = _has_commas(shown)
    return Form("moodle", chapter, roster, sheet, column, comments, comma)


def _require_the_same(platform: str, text: str, chapter: Chapter) -> None:
    """Raise UserError where the platform counts to another number of points."""
    try:
        most = float(text.replace(",", "."))
    except ValueError:
        return  # "(read only)"
    if most != chapter.points:
        raise UserError(
            f"{platform} counts {number(most)} points for it, and {chapter.title} has "
            f"{chapter.points}: set the assignment's points in {platform} and export again"
        )


# ---------------------------------------------------------------------------- filling


@dataclass(frozen=True)
class Earned:
    """What a file needs of a result, and no more: a class may be large."""

    score: float
    provisional: bool
    comment: str  # HTML, as Moodle reads it
    name: str
    email: str


def fill(form: Form, results: Iterable[SubmissionResult]) -> Filled:
    """Return the file with everybody's points in it; results are looked at one by one."""
    found = {result.student: _earned(result) for result in results}
    if form.sheet is None:
        text = written(MAKERS[form.platform](_marks(form, found)))
        return Filled(text, [*_unknown(form, found), *_provisional(found)])
    rows = form.sheet.rows
    if form.platform == "canvas":
        rows = [(row, who) for row, who in rows if who or _is_possible(row) or _is_posting(row)]
    filled = [_filled(form, row, found.get(who or "")) for row, who in rows]
    kept = _columns(form)
    cut = [[row[n] for n in kept] for row in (form.sheet.head, *filled)]
    text = written(cut, form.sheet.mark)
    there = {who for _, who in rows}
    notes = [f"{each}: no row of the file is theirs" for each in found if each not in there]
    bom = "\ufeff" if form.sheet.byte_order_mark else ""
    return Filled(bom + text, [*form.notes, *notes, *_provisional(found)])


def _is_posting(row: list[str]) -> bool:
    return any(cell == "Manual Posting" for cell in row)


def _columns(form: Form) -> list[int]:
    """Return the columns that go back: of Canvas' gradebook who it is and this assignment."""
    assert form.sheet is not None
    every = range(len(form.sheet.head))
    if form.platform != "canvas":
        return list(every)
    who = [n for n in every if letters(form.sheet.head[n]) in CANVAS_HEAD and n != form.column]
    return [*who, form.column]


def _filled(form: Form, row: list[str], result: Earned | None) -> list[str]:
    """Return a row with a student's points; without a submission it stays as it is."""
    if result is None:
        return row
    cells = {form.column: number(result.score, comma=form.comma)}
    if form.comments >= 0:
        cells[form.comments] = result.comment
    return [cells.get(n, cell) for n, cell in enumerate(row)]


def _earned(result: SubmissionResult) -> Earned:
    lost = [task for task in result.tasks if task.score < task.task.points]
    lines = [f"{number(result.score)} of {number(result.max_score)} points."]
    lines += [*(result.standing.lines if result.standing else ()), *result.notice.splitlines()[:1]]
    lines += [
        f"{task.task.id} {task.task.title}: {number(task.score)} of {number(task.task.points)}"
        for task in lost
    ]
    comment = "<br>".join(html.escape(line, quote=False) for line in lines)
    whose = result.whose
    return Earned(result.score, result.provisional, comment, whose.name, whose.email)


def _provisional(found: Mapping[str, Earned]) -> list[str]:
    text = "points may still rise: some tests could not be judged"
    return [f"{student}: {text}" for student, each in found.items() if each.provisional]


def _number_in(form: Form, student: str) -> str:
    """Return the platform's number in the name of a student who is on no list; "" for none."""
    number_of = re.fullmatch(rf"{form.platform}-([0-9]+)", student)
    return number_of[1] if number_of else ""


def _unknown(form: Form, found: Mapping[str, Earned]) -> Iterator[str]:
    """Yield a line where Moodle would find nobody: its numbers are those of one assignment."""
    if form.platform == MOODLE and (lost := [each for each in found if _number_in(form, each)]):
        yield (
            f"Moodle finds nobody by {lost[0]}: give its grading worksheet as --roster, and the "
            "points are filled into it"
        )


def _marks(form: Form, found: Mapping[str, Earned]) -> list[Mark]:
    """Return everybody's marks, those of the roster who handed nothing in among them."""
    people = {person.id: person for person in form.roster.people} if form.roster else {}
    made = []
    for student in [*found, *(each for each in people if each not in found)]:
        person, result = people.get(student), found.get(student)
        named = person if person and (person.name or person.last) else None
        first, last = parted(named or Student(student, result.name if result else ""))
        email = (person.email if person else "") or (result.email if result else "")
        numbers = dict(person.numbers) if person else {form.platform: _number_in(form, student)}
        made.append(
            Mark(
                form.chapter.title,
                form.chapter.points,
                student,
                result.score if result else None,
                first,
                last,
                email,
                numbers.get(form.platform, ""),
                "Not all judged" if result and result.provisional else "Graded",
            )
        )
    return made
