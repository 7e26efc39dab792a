"""Writes what the book and the assignment say of a task, from the catalogue: the exercise boxes,
the cells that show points, the index of tasks. Touches no files.

A cell that is written here names its task in its metadata, under `nextword`: `{"exercise": "2.1"}`
in a chapter's notebook, `{"task": "2.1"}` in an assignment's. All others stay as they are.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from examiner.catalogue import Chapter, Task
from examiner.errors import UserError
from examiner.plural import count
from examiner.project import COMMAND, ENTRY
from examiner.stubs import find_regions, functions_of

HINTS = ("First hint: a nudge", "Second hint: the idea", "Third hint: nearly the code")
SOLUTION = "A solution"

INDEX_HEAD = f"""\
# All tasks

Every task of the book, with its difficulty, the time that it takes most readers, and its points.
`{COMMAND} progress` shows which of them you have done.
"""


def exercise_box(task: Task, stem: str, solution: str) -> str:
    """Return the box of a task: what to do, how to check it, three hints and the solution, folded.

    `solution` is the text of solutions/<stem>.py, whose marked bodies the box shows.
    """
    hints = [
        f":::::{{dropdown}} {title}\n{hint}\n:::::\n"
        for title, hint in zip(HINTS, task.hints, strict=True)
    ]
    parts = [
        f"::::::{{exercise}} {task.id} {task.title}\n:nonumber:\n:label: {label(task)}\n",
        f'<p class="tags">{_facts(task)}</p>\n',
        f"{task.exercise or _default_exercise(task)}\n",
        f"Is it right? `{COMMAND} check {task.id}`\n",
        *hints,
        f":::::{{dropdown}} {SOLUTION}\n{_bodies(task, stem, solution)}\n:::::\n",
        "::::::",
    ]
    return "\n".join(parts)


def label(task: Task) -> str:
    """Return the label by which a page links to the task's box."""
    return f"task-{task.id.replace('.', '-')}"


def _facts(task: Task) -> str:
    return f"{task.difficulty} · about {task.minutes} minutes · {count(task.points, 'point')}"


def _default_exercise(task: Task) -> str:
    return f"Write {' and '.join(f'`{symbol}`' for symbol in task.symbols)}."


def _bodies(task: Task, stem: str, solution: str) -> str:
    functions = functions_of(ast.parse(solution))
    regions = find_regions(solution, f"{stem}.py")
    shown = []
    for symbol in task.symbols:
        function = functions[symbol]
        end = min(region.end for region in regions if region.end > function.lineno)
        options = [":language: python", f":pyobject: {symbol}", ":start-after: BEGIN SOLUTION"]
        if end < (function.end_lineno or 0):  # code that is given follows the marked lines
            options.append(":end-before: END SOLUTION")
        options.append(f":dedent: {function.body[0].col_offset}")
        head = f"The body of `{symbol}`:\n\n" if task.symbols != (symbol,) or "." in symbol else ""
        lines = [f"::::{{literalinclude}} ../solutions/{stem}.py", *options, "::::"]
        shown.append(head + "\n".join(lines) + "\n")
    return "\n".join(shown)


def points_cell(task: Task) -> str:
    """Return the code of the assignment's cell that shows the points of a task."""
    return f'points("{task.id}")  # {task.title}'


def task_index(chapters: Sequence[Chapter], written: Callable[[Chapter], bool]) -> str:
    """Return the page that lists every task; chapters that are `written` have boxes to link to."""
    parts = [INDEX_HEAD]
    for chapter in chapters:
        parts.append(
            f"## {chapter.number} {chapter.title}\n\n"
            f"{count(len(chapter.tasks), 'task')} · about {hours_of(chapter)} · "
            f"{count(chapter.points, 'point')}\n\n"
            "| task | title | difficulty | minutes | points |\n|---|---|---|---|---|"
        )
        for task in chapter.tasks:
            title = f"{{ref}}`{task.title} <{label(task)}>`" if written(chapter) else task.title
            facts = f"{task.difficulty} | {task.minutes} | {task.points}"
            parts.append(f"| {task.id} | {title} | {facts} |")
        parts.append("")
    return "\n".join(parts)


def hours_of(chapter: Chapter) -> str:
    """Return how long a chapter's tasks take, in words: "4 hours"."""
    return count(max(1, round(sum(task.minutes for task in chapter.tasks) / 60)), "hour")


def with_boxes(pages: Mapping[str, str], chapter: Chapter, solution: str) -> dict[str, str]:
    """Return a chapter's notebooks with the boxes of its tasks as the catalogue has them.

    `pages` holds the text of each notebook under its name. Raises UserError where a task has no
    box in any of them or two, or a box names no task of the chapter.
    """
    boxes = {task.id: exercise_box(task, chapter.stem, solution) for task in chapter.tasks}
    return _with_cells(pages, chapter, "exercise", boxes)


def with_points(text: str, name: str, chapter: Chapter) -> str:
    """Return an assignment's notebook with the points cells of the catalogue's tasks.

    Raises UserError where a task has no such cell or two, or a cell names no task of the chapter.
    """
    cells = {task.id: points_cell(task) for task in chapter.tasks}
    return _with_cells({name: text}, chapter, "task", cells)[name]


def _with_cells(
    texts: Mapping[str, str], chapter: Chapter, kind: str, wanted: dict[str, str]
) -> dict[str, str]:
    notebooks = {name: _read(text, name) for name, text in texts.items()}
    found: set[str] = set()
    for name, cell in [(name, c) for name, each in notebooks.items() for c in each["cells"]]:
        task_id = cell["metadata"].get(ENTRY, {}).get(kind)
        if task_id is None:
            continue
        where = f"{name}: cell {cell.get('id', len(found) + 1)}"
        if task_id not in wanted:
            known = ", ".join(wanted)
            raise UserError(f"{where}: chapter {chapter.stem} has no task {task_id}, only {known}")
        if task_id in found:
            raise UserError(f"{where} is the second one of task {task_id}")
        found.add(task_id)
        cell["source"] = wanted[task_id].splitlines(keepends=True)
    if missing := [task_id for task_id in wanted if task_id not in found]:
        raise UserError(
            f"{' or '.join(texts)} has no cell of task {missing[0]}: "
            f'add one with the metadata {{"{ENTRY}": {{"{kind}": "{missing[0]}"}}}}'
        )
    return {name: _write(notebook) for name, notebook in notebooks.items()}


def _read(text: str, name: str) -> dict[str, Any]:
    """Return a notebook; raises UserError where writing it back would change other bytes."""
    try:
        notebook: dict[str, Any] = json.loads(text)
        for cell in notebook["cells"]:
            cell.setdefault("metadata", {})
        same = _write(notebook) == text
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{name} is no Jupyter notebook of format 4: {error!r}") from None
    if not same:
        raise UserError(f"{name} is not stored as Jupyter stores it: save it in JupyterLab once")
    return notebook


def _write(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
