"""Which tasks can be checked in the page, and what the page's scripts must know of them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

from examiner.catalogue import Chapter, Task
from examiner.project import ENTRY, Project
from examiner.release.student import chapter_files
from examiner.results import Verdict

# tasks that compute with arrays wait for an installation: the page's numpy is a small one
WAITING = {"ngrams": (), "language_models": ("1.2", "1.3", "1.5", "1.6", "1.11")}
STEMS = tuple(WAITING)


def is_offered(chapter: Chapter, task_id: str) -> bool:
    """Tell whether a task can be checked in the page."""
    return chapter.stem in WAITING and task_id not in WAITING[chapter.stem]


def described(project: Project, chapter: Chapter) -> dict[str, Any]:
    """Return what the page's scripts know of a chapter: its stub, and where each task stands in it.

    A part of a task is a function or a whole class of the module, `begin` its first line and `end`
    the line after its last one, both counted from 0.
    """
    stub = chapter_files(project, chapter)[f"{chapter.stem}.py"]
    examples = json.loads(project.known(chapter.stem).read_text("utf-8"))["examples"]
    pages = dict(_pages(project, chapter))
    spans = {
        node.name: (
            min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1,
            node.end_lineno,
        )
        for node in ast.parse(stub).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    return {
        "stem": chapter.stem,
        "stub": stub,
        "looks": {verdict.value: (verdict.look.sign, verdict.look.word) for verdict in Verdict},
        "tasks": {
            task.id: {
                "title": task.title,
                "page": pages[task.id],
                "example": "".join(each["source"] for each in examples[task.symbols[0]]).rstrip(),
                "parts": [
                    {"name": name, "begin": spans[name][0], "end": spans[name][1]}
                    for name in parts(task)
                ],
            }
            for task in chapter.tasks
            if is_offered(chapter, task.id)
        },
    }


def _pages(project: Project, chapter: Chapter) -> Iterator[tuple[str, str]]:
    """Yield each task with the page that holds its box."""
    for page in project.notebooks(chapter.number, chapter.stem):
        for cell in json.loads(page.read_text("utf-8"))["cells"]:
            if task_id := cell["metadata"].get(ENTRY, {}).get("exercise"):
                yield task_id, f"{page.stem}.html"


def parts(task: Task) -> list[str]:
    """Return the functions and classes of a module that a task is about, each once.

    >>> parts(Task("2.7", "", ("A.saved", "A.estimate", "pad"), "", 1, 1, "easy", (), ""))
    ['A', 'pad']
    """
    return list(dict.fromkeys(symbol.partition(".")[0] for symbol in task.symbols))
