"""Hints that hold code: as they are written, cut for a function, printed and put into the book."""

import ast
import builtins
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from examiner.catalogue import Chapter, Task, parse_chapter
from examiner.check.hints import CODE, HINTS_FILE, for_function
from examiner.check.terminal import show_hint
from examiner.project import Project
from examiner.release.exercises import exercise_box
from examiner.release.plain_markdown import plain_markdown
from examiner.results import SubmissionResult, TaskResult
from tests.conftest import DEMO_CATALOGUE, DEMO_SOLUTION
from tests.course import CHAPTERS, COURSE

HINT = """\
Both add.

`pad`:

```python
# see. `windows`: not here
if n > 1:
    return [BOS, *tokens]
```

Then stop. `windows`: as in

```python
zip(*copies)
```"""
LINE = 88  # columns of a line of code in a hint


def run_together(prose: str) -> bool:
    """Tell whether a semicolon ends an assignment in a sentence."""
    return bool(re.search(r" [-+*/]?= (?:(?!\. [A-Z])[^\n;])*;", prose))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_code_in_a_hint_is_a_block_with_a_statement_a_line(chapter: Chapter) -> None:
    for task in chapter.tasks:
        assert "```" not in task.hints[0], task.id
        assert not run_together(CODE.sub("", task.hints[2])), task.id
        for hint in task.hints[1:]:
            for code in CODE.findall(hint):
                lines = [n.lineno for n in ast.walk(ast.parse(code)) if isinstance(n, ast.stmt)]
                assert len(lines) == len(set(lines)), (task.id, code)
                assert all(len(line) <= LINE for line in code.splitlines()), (task.id, code)


@pytest.mark.parametrize(
    "prose",
    [
        "h = x @ W; y = h.tanh(); return y",
        "`step`: h, c = s.chunk(2, dim=-1); i, f, g, o = (a + U(h)).chunk(4)",
        "For each t: S = 2 * S; stack them.",
    ],
)
def test_statements_in_a_sentence_are_seen(prose: str) -> None:
    assert run_together(prose)


LIBRARIES = {*sys.stdlib_module_names, "F", "nn", "np", "torch"}


def libraries_and_functions(code: str) -> set[str]:
    """The names that code can use only if the file imports or defines them."""
    nodes = list(ast.walk(ast.parse(code)))
    called = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return called | {n.id for n in nodes if isinstance(n, ast.Name) and n.id in LIBRARIES}


def bound(tree: ast.AST) -> set[str]:
    """Every name that code defines, imports, assigns or takes as an argument."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_what_a_hint_calls_is_at_hand_in_the_students_file(chapter: Chapter) -> None:
    stub = ast.parse((COURSE.root / "coursework" / f"{chapter.stem}.py").read_text("utf-8"))
    known = bound(stub) | set(dir(builtins))
    for task in chapter.tasks:
        blocks = [code for hint in task.hints for code in CODE.findall(hint)]
        of_hints = {name for code in blocks for name in bound(ast.parse(code))}
        for code in blocks:
            missing = libraries_and_functions(code) - known - of_hints
            assert not missing, f"task {task.id}: {missing}"


def test_what_is_not_at_hand_is_seen() -> None:
    assert libraries_and_functions("total += cross_entropy(z, y) * np.e") == {"cross_entropy", "np"}
    assert libraries_and_functions("for a, b in itertools.pairwise(word): pass") == {"itertools"}
    assert bound(ast.parse("from math import exp as e\nf = lambda x: x")) == {"e", "f", "x"}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_the_last_hint_names_each_function_at_the_beginning_of_a_line(chapter: Chapter) -> None:
    for task in chapter.tasks:
        for symbol in task.symbols if len(task.symbols) > 1 else ():
            part = for_function(task.hints[2], symbol, task.symbols)
            (named,) = re.findall(r"^`([\w.]+)`:", part, re.M)
            assert f".{symbol}".endswith(f".{named}"), (task.id, part)
            assert part.count("```") == 2 * len(CODE.findall(part)), (task.id, part)


def test_a_block_stays_with_its_function() -> None:
    symbols = ("pad", "windows")
    pad = HINT.partition(" `windows`: as")[0]
    assert for_function(HINT, "pad", symbols) == pad
    windows = "Both add.\n\n`windows`: as in\n\n```python\nzip(*copies)\n```"
    assert for_function(HINT, "windows", symbols) == windows
    assert for_function(f"{HINT}\n\n`pad`: done.", "pad", symbols) == f"{pad}\n\n`pad`: done."


def demo_task(hint: str) -> Task:
    """The first demonstration task, with another third hint, from the text of a catalogue."""
    text = DEMO_CATALOGUE.replace('"Return a plus b."', f"'''\n{hint}\n'''")
    return parse_chapter(text).tasks[0]


@pytest.mark.parametrize(
    ("hint", "printed"),
    [
        ("Add:\n\n```python\nc = a + b\n\nreturn c\n```\n\nThat is all.",
         "  3. Add:\n\n    c = a + b\n\n    return c\n\n  That is all.\n(that"),
        ("```python\nreturn a + b\n```", "  3.\n\n    return a + b\n\n(that"),
        ("Return a plus b.", "  3. Return a plus b.\n(that"),
    ],
)  # fmt: skip
def test_a_block_is_printed_indented_and_without_its_fences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], hint: str, printed: str
) -> None:
    assert printed in shown_hints(tmp_path, hint, capsys)


def test_code_is_coloured_in_a_terminal_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    hint = "Add:\n\n```python\nreturn a + 1\n```"
    plain = shown_hints(tmp_path, hint, capsys)
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = shown_hints(tmp_path, hint, capsys)
    assert re.search(r"\x1b\[[\d;]*3\d[\d;]*m *return\x1b", coloured)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def shown_hints(root: Path, hint: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What `nextword check 9.1 --hint` prints when two hints were shown before."""
    project = Project(root)
    project.state(HINTS_FILE).write_text(json.dumps({"9.1": 2}), "utf-8")
    open_task = TaskResult(demo_task(hint), ())
    capsys.readouterr()
    assert show_hint(project, SubmissionResult("me", (open_task,)))
    return capsys.readouterr().out


def test_a_block_is_one_in_the_box_of_the_book_and_in_a_students_notebook() -> None:
    code = "```python\nreturn a + b\n```"
    task = replace(demo_task(f"Add:\n\n{code}\n\nThat is all."), exercise="")
    box = exercise_box(task, "demo", DEMO_SOLUTION)
    title = "Third hint: nearly the code"
    assert f"{{dropdown}} {title}\nAdd:\n\n{code}\n\nThat is all.\n:::::\n" in box
    folded = f"<summary>{title}</summary>\n\nAdd:\n\n{code}\n\nThat is all.\n\n</details>"
    assert folded in plain_markdown(box)
