"""Writes what `nextword check` knows besides the tests: examples, and sentences on mistakes."""

from __future__ import annotations

import ast
import doctest
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from examiner.catalogue import Chapter
from examiner.check.known import key_of, lock
from examiner.judge.local import on_module
from examiner.judge.mistakes import load_misconceptions
from examiner.judge.suite import Suite, SuiteTest, with_suite
from examiner.project import Project
from examiner.results import Verdict
from examiner.stubs import functions_of


def known_text(project: Project, chapter: Chapter) -> str:
    """Return the file of a chapter; what lies there is kept where its sources are the same."""
    path = project.known(chapter.stem)
    of = _fingerprint(project, chapter)
    if path.is_file():
        text = path.read_text("utf-8")
        if f'"of": "{of}"' in text:
            return text
    reference = project.module("solutions", chapter.stem).read_text("utf-8")
    content = {
        "of": of,
        "examples": dict(_examples(reference, chapter)),
        "sentences": _sentences(project, chapter),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _fingerprint(project: Project, chapter: Chapter) -> str:
    stem = chapter.stem
    files = [*project.suite_files(stem), *project.mistake_files(stem)]
    files.append(project.module("solutions", stem))
    inner = [hashlib.sha256(path.read_bytes()).digest() for path in sorted(files)]
    return hashlib.sha256(b"".join(inner)).hexdigest()[:16]


def _examples(text: str, chapter: Chapter) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield each function of a task with the examples of its docstring, or of its class alone."""
    tree = ast.parse(text)
    nodes: dict[str, Any] = dict(functions_of(tree))
    nodes |= {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for task in chapter.tasks:
        for symbol in task.symbols:
            docstring = ast.get_docstring(nodes[symbol]) if symbol in nodes else ""
            found = doctest.DocTestParser().get_examples(docstring or "")
            if found:
                rows = [{"source": each.source, "want": each.want} for each in found]
                yield symbol, rows


def _sentences(project: Project, chapter: Chapter) -> dict[str, list[list[str]]]:
    """Return, for each visible test, the sentences of mistakes that alone answer as they do."""
    mistakes = load_misconceptions(project, chapter.stem)
    keys: dict[str, list[tuple[bytes, str]]] = {}

    def work(suite: Suite) -> None:
        for mistake in mistakes:
            session = on_module(suite, chapter.stem, mistake.module())
            for test in _visible(suite, mistake.task_id):
                judged = session.run(test)
                if judged.verdict is Verdict.FAILED:
                    key = key_of(test.name, judged.transcript)
                    keys.setdefault(test.name, []).append((key, mistake.says))

    with_suite(project.suite(chapter.stem), project.root, work)
    return {test: _alone(found) for test, found in keys.items()}


def _visible(suite: Suite, task_id: str) -> list[SuiteTest]:
    return [test for test in suite.tests if test.mark.visible and test.mark.id == task_id]


def _alone(found: list[tuple[bytes, str]]) -> list[list[str]]:
    times = Counter(key for key, _ in found)
    return sorted(lock(says, key) for key, says in found if times[key] == 1)
