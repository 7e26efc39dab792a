"""Cuts a module down to some of its definitions and what they use. Touches no files."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Import = ast.Import | ast.ImportFrom
Root = Callable[[ast.stmt], bool]


def prune(text: str, names: Set[str] = frozenset(), is_root: Root = lambda statement: False) -> str:
    """Return what defines the names, the other roots, and all that they use.

    Statements that define no name stay. Comments directly above a definition go with it. Of the
    names that one statement imports, those stay that are used.
    """
    body = ast.parse(text).body
    kept = _reached(body, lambda node: is_root(node) or bool(defined(node) & names))
    used = names | {name for index in kept for name in _used(body[index])}
    lines = text.splitlines()
    made: list[str | None] = list(lines)
    for index, node in enumerate(body):
        place = _place(node, lines)
        rest: list[str] = []
        if index in kept:
            if not isinstance(node, Import) or defined(node) <= used:
                continue
            node.names = [alias for alias in node.names if _bound(alias) in used]
            rest = [ast.unparse(node)]
        made[place] = rest + [None] * (len(made[place]) - len(rest))
    return _squeeze([line for line in made if line is not None])


def _reached(body: list[ast.stmt], is_root: Root) -> set[int]:
    """Return the indices of the statements that the roots need, and of the roots."""
    owners: dict[str, list[int]] = {}
    for index, node in enumerate(body):
        for name in defined(node):
            owners.setdefault(name, []).append(index)
    waiting = [i for i, node in enumerate(body) if not defined(node) or is_root(node)]
    found: set[int] = set()
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            waiting += [owner for name in _used(body[index]) for owner in owners.get(name, ())]
    return found


def defined(node: ast.stmt) -> set[str]:
    """Return the names that a top-level statement binds, where it does nothing else."""
    if isinstance(node, Definition):
        return {node.name}
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return set()
    if isinstance(node, Import):
        return set(map(_bound, node.names))
    if isinstance(node, ast.Assign):
        return {
            n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)
        }
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


def _bound(alias: ast.alias) -> str:
    return (alias.asname or alias.name).split(".")[0]


def _used(node: ast.stmt) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            yield child.id
        elif isinstance(child, ast.arg):
            yield child.arg  # a fixture is asked for by an argument's name
        elif isinstance(child, ast.Call) and ast.unparse(child.func).endswith("usefixtures"):
            yield from (str(arg.value) for arg in child.args if isinstance(arg, ast.Constant))


def _place(node: ast.stmt, lines: list[str]) -> slice:
    """Return where a statement's lines are, with its decorators and comments above."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    return slice(first - 1, node.end_lineno)


def _squeeze(lines: list[str]) -> str:
    """Join lines with at most two blank ones in a row."""
    kept: list[str] = []
    for line in lines:
        if line.strip() or kept[-2:] != ["", ""]:
            kept.append(line.rstrip())
    return "\n".join(kept).strip() + "\n"
