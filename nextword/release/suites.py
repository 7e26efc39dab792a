"""Cuts a suite down to its visible tests. Touches no files."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from nextword.errors import UserError

Definition = ast.FunctionDef | ast.ClassDef


def is_task_mark(node: ast.expr) -> bool:
    """Tell whether a decorator is `@pytest.mark.task(...)`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.task"


def is_visible(test: Definition) -> bool:
    """Tell whether a test's mark says `visible=True`, literally."""
    marks = [node for node in test.decorator_list if isinstance(node, ast.Call)]
    return any(
        keyword.arg == "visible"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for mark in marks
        if is_task_mark(mark)
        for keyword in mark.keywords
    )


def visible_part(text: str, name: str) -> str:
    """Return the suite without its hidden tests and without what only they used.

    A test is hidden unless its mark says `visible=True`. Comments that stand directly above a
    removed test or helper go with it. Raises UserError for a test without a task, or inside a
    class, whose visibility could not be told.
    """
    return _part(text, name, is_visible)


def task_part(text: str, name: str, task_id: str) -> str:
    """Return the suite with the tests of one task alone, visible and hidden, and what they use."""
    return _part(text, name, lambda test: task_of(test) == task_id)


def task_of(test: Definition) -> str:
    """Return the id in a test's task mark, "" where it is no literal."""
    marks = [node for node in test.decorator_list if isinstance(node, ast.Call)]
    ids = [mark.args[0] for mark in marks if is_task_mark(mark) and mark.args]
    return next((str(node.value) for node in ids if isinstance(node, ast.Constant)), "")


def _part(text: str, name: str, keep: Callable[[Definition], bool]) -> str:
    tree = ast.parse(text)
    _refuse_unclear_tests(tree, name)
    removed: set[int] = {
        index
        for index, node in enumerate(tree.body)
        if isinstance(node, Definition) and node.name.startswith("test_") and not keep(node)
    }
    while unused := _unused(tree.body, removed):
        removed |= unused
    lines = text.splitlines()
    doomed = {number for index in removed for number in _lines_of(tree.body, index, lines)}
    kept = [line for number, line in enumerate(lines, start=1) if number not in doomed]
    return _squeeze(kept)


def _refuse_unclear_tests(tree: ast.Module, name: str) -> None:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            raise UserError(f"{name}:{node.lineno}: write tests as functions, not in a class")
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        if not any(map(is_task_mark, node.decorator_list)):
            raise UserError(f"{name}:{node.lineno}: {node.name} has no @pytest.mark.task")


def _defined(node: ast.stmt) -> set[str]:
    """Return the names that a top-level statement binds, where it does nothing else."""
    if isinstance(node, Definition):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign):
        return {
            n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)
        }
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


def _used(node: ast.stmt) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            yield child.id
        elif isinstance(child, ast.arg):
            yield child.arg  # a fixture is asked for by an argument's name


def _unused(body: list[ast.stmt], removed: set[int]) -> set[int]:
    """Return the helpers, fixtures, constants and imports that no kept statement uses."""
    kept = [(index, node) for index, node in enumerate(body) if index not in removed]
    unused = set()
    for index, node in kept:
        names = _defined(node)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        is_test = any(name.startswith("test_") for name in names)
        if not names or is_future or is_test or "pytestmark" in names:
            continue
        used = {name for other, each in kept if other != index for name in _used(each)}
        if not names & used:
            unused.add(index)
    return unused


def _lines_of(body: list[ast.stmt], index: int, lines: list[str]) -> range:
    """Return the numbers of a statement's lines with its decorators and comments above."""
    node = body[index]
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    return range(first, (node.end_lineno or node.lineno) + 1)


def _squeeze(lines: list[str]) -> str:
    """Join lines with at most two blank ones in a row."""
    kept: list[str] = []
    for line in lines:
        if line.strip() or kept[-2:] != ["", ""]:
            kept.append(line.rstrip())
    return "\n".join(kept).strip() + "\n"
