"""The page of a report: one file, no script, nothing loaded, for a screen, a phone or A4."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from examiner.plural import count
from examiner.report import pictures
from examiner.report.besides import Besides
from examiner.report.formulas import Estimate
from examiner.report.mistakes import in_short
from examiner.report.reckoning import ENOUGH, FEW
from examiner.report.report import Report
from examiner.report.splits import Split
from examiner.report.tally import Group, Level
from examiner.results import Fault
from examiner.templates import environment, marked, style_sheet, unmarked

MOST_SHOWN = 5  # mistakes of a task
MOST_TESTS = 12  # that fail the good
MOST_CALLS = 100  # that split the class
MOST_NAMES = 10  # of students beside something
MOST_ROWS = 200  # of corrections, and of requests

LEVEL_WORDS = {
    Level.FULL: "all points",
    Level.PART: "some",
    Level.NONE: "none",
    Level.UNWRITTEN: "not written",
    Level.NOT_JUDGED: "not judged",
}


def page(
    report: Report,
    splits: Sequence[Split] = (),
    faults: Sequence[Fault] = (),
    besides: Besides | None = None,
) -> str:
    """Return the report as HTML, with the tests at fault and the calls that split the class.

    `besides`: what was settled by hand and by date.
    """
    css, digest = style_sheet("examiner.report", "report.css")
    correlated = [(t.task.id, t.discrimination) for t in report.tasks if t.discrimination]
    timed = [(t.task.id, t.first) for t in report.tasks if t.first]
    scores, shown = report.scores, _of_most(splits)
    return (
        _templates()
        .get_template("report.html")
        .render(
            css=css,
            digest=digest,
            report=report,
            of=report.groups,
            Group=Group,
            words=LEVEL_WORDS,
            used=[level for level in Level if any(t.levels[level] for t in report.tasks)],
            distribution=pictures.distribution(scores, report.chapter.points) if scores else None,
            stacks=pictures.stacks(report.tasks),
            correlations=pictures.correlations(correlated) if correlated else None,
            times=pictures.times(timed) if timed else None,
            splits=shown,
            lone=sum(len(each.students) == 1 for each in shown),
            splits_left_out=max(0, len(splits) - MOST_CALLS),
            faults=faults,
            besides=besides,
            limits={
                **{"shown": MOST_SHOWN, "tests": MOST_TESTS, "rows": MOST_ROWS},
                **{"enough": ENOUGH, "few": FEW},
            },
        )
    )


def _of_most(splits: Sequence[Split]) -> list[Split]:
    """Return so many calls as a page can show, those that split most students, in their order."""
    ranked = sorted(range(len(splits)), key=lambda n: (-len(splits[n].students), n))
    return [splits[n] for n in sorted(ranked[:MOST_CALLS])]


def _percent(each: Estimate) -> Markup:
    """Return a share with its interval.

    >>> str(_percent(Estimate(0.4, 0.25, 0.573)))
    '40 % <small>25 to 57</small>'
    """
    low, value, high = (f"{100 * x:.0f}" for x in (each.low, each.value, each.high))
    return Markup("{} % <small>{} to {}</small>").format(value, low, high)


def _around(each: Estimate) -> Markup:
    """Return a number between -1 and 1 with its interval.

    >>> str(_around(Estimate(0.4, 0.2, 0.623)))
    '0.40 <small>0.20 to 0.62</small>'
    """
    low, value, high = (
        f"{x:.2f}".replace("-", "\N{MINUS SIGN}") for x in (each.low, each.value, each.high)
    )
    return Markup("{} <small>{} to {}</small>").format(value, low, high)


def _coded(text: str) -> Markup:
    """Return a line of Markdown as HTML: what stands between backticks is code.

    >>> str(_coded("`a < b`, not `c`"))
    '<code>a &lt; b</code>, not <code>c</code>'
    """
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def _names(students: Sequence[str], others: int = 0) -> str:
    """Return names, so many as can be read, and how many more there are.

    >>> _names(["ann", "bo"], 3)
    'ann, bo and 3 more'
    """
    more = others + max(0, len(students) - MOST_NAMES)
    return ", ".join(students[:MOST_NAMES]) + (f" and {more:,} more" if more else "")


@cache
def _templates() -> Environment:
    found = environment("examiner.report")
    filters: dict[str, Any] = {
        "number": lambda value: f"{value:.1f}".removesuffix(".0"),
        "count": count,
        "percent": _percent,
        "around": _around,
        "coded": _coded,
        "marked": marked,
        "unmarked": unmarked,
        "names": _names,
        "in_line": in_short,
        "moment": pictures.moment,
        "px": lambda value: f"{value:.1f}".removesuffix(".0"),
    }
    found.filters |= filters
    return found
