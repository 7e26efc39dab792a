"""What the terminal shows of a run: progress, the table of grades, what changed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from examiner.grading.outcome import LARGE, TABLE, Change, Outcome
from examiner.plural import count
from examiner.results import AT_FAULT, Fault, SubmissionResult, TaskResult, Verdict, Whose

WIDE = 1000  # characters: more than any table of grades
_NOT_JUDGED = "[bold white on red] NOT JUDGED [/]"
LEGEND = ", ".join(f"{each.look.letter} {each.look.word}" for each in Verdict if each.look.letter)
OTHERWISE = "* not their sum: see below"


class Display:
    """A progress bar on stderr: done, not judged, per second, time left."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn("[progress.description]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            auto_refresh=False,  # no thread of its own: workers are forked while it shows
        )
        self._task = self._bar.add_task("grading", total=None, note="")
        self._short = self._unjudged = 0
        self._last: dict[str, tuple[bool, bool]] = {}  # what each has added to these

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Show the bar while the block runs."""
        with self._bar:
            yield

    def begin(self, total: int, known: int) -> None:
        """Set the length of the bar."""
        self._bar.update(self._task, total=total, completed=known)
        self._bar.refresh()

    def finished(self, result: SubmissionResult) -> None:
        """Move the bar on; a work that a cluster judges again counts once, by the last result."""
        new = result.student not in self._last
        short, unjudged = self._last.get(result.student, (False, False))
        now = result.score < result.max_score, result.provisional
        self._short += now[0] - short
        self._unjudged += now[1] - unjudged
        self._last[result.student] = now
        note = f"{self._short} below full marks"
        if self._unjudged:
            note += f", [bold red]{self._unjudged} not judged[/]"
        self._bar.update(self._task, advance=int(new), note=note)

    def tick(self) -> None:
        """Redraw the bar."""
        speed = self._bar.tasks[0].speed
        self._bar.update(self._task, description=f"grading {speed:.1f}/s" if speed else "grading")
        self._bar.refresh()


def show(console: Console, outcome: Outcome) -> None:
    """Print the table of grades, what changed, and, loudly, what could not be judged."""
    table = _grades(outcome)
    if Measurement.get(console, console.options.update(width=WIDE), table).minimum > console.width:
        table = _grades(outcome, narrow=True)
    console.print(table)
    if (more := len(outcome.results) - LARGE) > 0:
        console.print(f"and {count(more, 'more student')}: {TABLE} in the folder below has all")
    notices, lines = _notices(outcome.results), _of_the_class(outcome)
    for line in _at_most(notices, "such line", outcome.survey.notices):
        console.print(escape(line), highlight=False)
    once = len(_for_all(outcome)) * (len(outcome.results) - 1)  # told of all, counted for each
    for line in _at_most(lines, "such line", outcome.survey.remarks + len(outcome.absent) - once):
        console.print(escape(line), highlight=False, soft_wrap=True)
    for line in _of_the_term(outcome):
        console.print(escape(line), highlight=False, soft_wrap=True)
    if any(task.mistakes for task in outcome.report.tasks):
        console.print(_mistakes(outcome))
    if outcome.changes:
        console.print(changes_table(outcome.changes[:LARGE]))
        if (more := len(outcome.changes) - LARGE) > 0:
            console.print(f"and {count(more, 'more change')}")
    known = len(outcome.results) - outcome.graded
    if known:
        console.print(f"{known} unchanged since the last run: not graded again (--regrade does)")
    _shout(console, outcome)


def _at_most(lines: Iterable[str], what: str, whole: int) -> Iterator[str]:
    """Yield the first of so many lines, and how many others there are."""
    yield from islice(lines, LARGE)
    if whole > LARGE:
        yield f"and {count(whole - LARGE, f'more {what}')}"


def _notices(results: Iterable[SubmissionResult]) -> Iterator[str]:
    """Yield what concerns whole submissions."""
    for result in results:
        if result.notice:
            yield f"{result.whose.called}: {result.notice.splitlines()[0]}"


def _grades(outcome: Outcome, narrow: bool = False) -> Table:
    """A line for each student: points in all, then each task's; narrow: with fewer digits."""
    chapter, shown = outcome.chapter, outcome.results[:LARGE]
    table = Table(
        title=f"{chapter.title}: {count(chapter.points, 'point')}",
        caption=f"{LEGEND}, {OTHERWISE}" if any(map(_is_other, shown)) else LEGEND,
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 0 if narrow else 1, 0, 0),
    )
    table.add_column("student", overflow="fold", min_width=10)
    table.add_column("points", justify="right", style="bold", no_wrap=True)
    for task in chapter.tasks:
        head = task.id.partition(".")[2] if narrow else task.id
        table.add_column(head, justify="right", no_wrap=True)
    for result in shown:
        score = f"{result.score:g}" + "?" * result.provisional + "*" * _is_other(result)
        cells = [_cell(task, ".2g" if narrow else ".3g") for task in result.tasks]
        table.add_row(escape(result.whose.called), score, *cells)
    return table


def _is_other(result: SubmissionResult) -> bool:
    """Tell whether what counts is not what the tasks add up to: it was late, or marked by hand."""
    return result.score != result.earned


def _of_the_class(outcome: Outcome) -> Iterator[str]:
    """Yield what an instructor should know of how the works were handed in."""
    for_all = _for_all(outcome)
    yield from (f"all: {text}" for text in for_all)
    for result in outcome.results:
        lines = [x for x in (result.standing.lines if result.standing else ()) if x not in for_all]
        yield from (f"{result.whose.called}: {text}" for text in (*lines, *result.whose.remarks))
    for person in outcome.absent:
        yield f"{Whose(person.id, person.name).called}: {person.absence}"


def _for_all(outcome: Outcome) -> list[str]:
    """Return the corrections that concern everybody."""
    return [row.text for row in outcome.term.corrections.rows if not row.student]


def _of_the_term(outcome: Outcome) -> Iterator[str]:
    """Yield when work was due, who asks for a second look, and which chapters rest on this one."""
    if text := outcome.term.terms.text:
        yield text
    yield from outcome.notes
    lines = (each.line(outcome.term.corrections) for each in outcome.requests)
    yield from _at_most(
        (f"second look: {line}" for line in lines), "request", len(outcome.requests)
    )
    if outcome.to_grade_again:
        chapters = ", ".join(outcome.to_grade_again)
        yield f"other days in hand were used than before: grade {chapters} again"


def _cell(task: TaskResult, digits: str) -> str:
    look = task.verdict.look
    if task.by_hand is not None:
        return format(task.score, digits)
    score = "" if task.verdict is Verdict.MISSING else format(task.score, digits)
    return f"[{look.colour}]{score}{look.letter}[/]"


def _mistakes(outcome: Outcome) -> Table:
    """The most frequent mistake of each task, of those who wrote it."""
    table = Table(title="what went wrong most often", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("task", no_wrap=True)
    table.add_column("students", justify="right", no_wrap=True)
    table.add_column("mistake", overflow="fold")
    for task in outcome.report.tasks:
        for met in task.mistakes[:1]:
            who = f"{met.students:,} of {met.written:,}"
            table.add_row(task.task.id, who, escape(met.says))
    return table


def changes_table(changes: Sequence[Change]) -> Table:
    """Return whose scores are others than in the run before, and why."""
    table = Table(title="scores that changed", title_justify="left")
    for name in ("student", "before", "now", "why"):
        table.add_column(name, justify="right" if name in ("before", "now") else "left")
    for change in changes:
        row = (f"{change.before:g}", f"{change.after:g}", escape(change.why))
        table.add_row(escape(change.student), *row)
    return table


def _shout(console: Console, outcome: Outcome) -> None:
    """Say what could not be judged: tests at fault for the class, the rest for each student."""
    for line in fault_lines(outcome.faults):
        console.print(f"{_NOT_JUDGED} for the whole class: {escape(line)}", soft_wrap=True)
    lines = _unjudged(outcome.results) if outcome.survey.unjudged else ()
    for line in _at_most(lines, "such student", outcome.survey.unjudged):
        console.print(line)


def _unjudged(results: Iterable[SubmissionResult]) -> Iterator[str]:
    for result in results:
        tests = [
            (task.task.id, test)
            for task in result.tasks
            for test in task.tests
            if test.verdict is Verdict.NOT_JUDGED and test.message != AT_FAULT
        ]
        if tests:
            task_id, first = tests[0]
            yield (
                f"{_NOT_JUDGED} {escape(result.whose.called)}: "
                f"{count(len(tests), 'test')}, so the score is provisional. "
                f"{task_id} {escape(first.name)}: {escape(first.message)}"
            )


def fault_lines(faults: Sequence[Fault]) -> list[str]:
    """Return a line on each reason why tests are at fault; it names the first test of several."""
    by_reason: dict[str, list[Fault]] = {}
    for fault in faults:
        by_reason.setdefault(fault.why, []).append(fault)
    lines = []
    for first, *others in by_reason.values():
        more = f", and {count(len(others), 'more test')} for the same reason" if others else ""
        lines.append(f"{first}{more}. Nobody loses points by it.")
    return lines
