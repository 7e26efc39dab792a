"""Writes what `nextword check` knows besides the tests: check/known.py."""

from __future__ import annotations

import ast
import doctest
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from examiner import counterexamples
from examiner.catalogue import Chapter
from examiner.counterexamples.examples import Examples
from examiner.counterexamples.naming import locked
from examiner.counterexamples.pool import Pool, merged, to_json
from examiner.judge.mistakes import load_misconceptions
from examiner.judge.suite import Suite, with_suite
from examiner.project import Project
from examiner.stubs import functions_of

_MECHANISM = Path(counterexamples.__file__).parent  # what is right of an example follows from it


def known_text(project: Project, chapter: Chapter) -> str:
    """Return the file of a chapter; what lies there is kept where its sources are the same."""
    path = project.known(chapter.stem)
    of = fingerprint(project, chapter)
    if path.is_file():
        text = path.read_text("utf-8")
        if f'"of": "{of}"' in text:
            return text
    reference = project.module("solutions", chapter.stem).read_text("utf-8")
    content = {
        "of": of,
        "examples": dict(_examples(reference, chapter)),
        **_shown(project, chapter),
    }
    return _laid_out(content)


def without_shown(text: str) -> str:
    """Return the file of a course that does not show at once on which inputs work is wrong."""
    content = json.loads(text)
    return _laid_out({**content, "pool": to_json(Pool({}, {})), "sentences": {}})


def _laid_out(content: dict[str, Any]) -> str:
    """Return JSON with a line for each part that a person may look for."""
    parts = []
    for key, value in content.items():
        text = _compact(value)
        if isinstance(value, dict) and value:
            rows = [f"  {json.dumps(name)}: {_compact(each)}" for name, each in value.items()]
            text = "{\n" + ",\n".join(rows) + "\n }"
        parts.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fingerprint(project: Project, chapter: Chapter) -> str:
    """Return a hash of what the file follows from."""
    stem = chapter.stem
    files = [*project.suite_files(stem), *project.mistake_files(stem)]
    files.append(project.module("solutions", stem))
    files += _MECHANISM.rglob("*.py")
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


def _shown(project: Project, chapter: Chapter) -> dict[str, Any]:
    """Return the programs on which wrong answers are shown, and locked sentences by function."""
    mistakes = load_misconceptions(project, chapter.stem)
    reference = project.module("solutions", chapter.stem)
    found: dict[str, Any] = {}

    def work(suite: Suite) -> None:
        examples = Examples(suite, chapter.stem, reference, mistakes)
        sentences: dict[str, list[list[str]]] = {}
        pools = [examples.pool(task.id) for task in chapter.tasks]
        for task in chapter.tasks:
            for symbol, said in examples.sentences(task).items():
                sentences[symbol] = locked(said)
        found.update({"pool": to_json(merged(pools)), "sentences": sentences})

    with_suite(project.suite(chapter.stem), project.root, work)
    return found
