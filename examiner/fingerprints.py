"""Short hashes of what a result was made from: they tell when a stored result is out of date."""

import ast
import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

ALONE = " alone"  # after a name: its function, without what the file does beside it


def fingerprint(parts: Iterable[str]) -> str:
    """A short hash of the parts and of where one ends, the same on every machine.

    >>> fingerprint(["ab", "c"]) == fingerprint(["a", "bc"])
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)} ".encode())
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def code_of(path: Path, names: Iterable[str] = ()) -> str:
    """What a Python file does: its code without comments, docstrings, layout and shapes.

    Annotations of arguments and answers are no part of it: they change no result.

    With `names`, only these functions, classes and values and whatever else of the file they use.
    A name that the file lacks counts for nothing. Text that cannot be parsed is returned as it is.
    """
    return _code_of(path.read_text(encoding="utf-8", errors="replace"), tuple(names))


@lru_cache(maxsize=512)  # the same files are asked for by many results
def _code_of(text: str, names: tuple[str, ...]) -> str:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    wanted = {id(part) for part in used_by(tree, names)}
    return "\n".join(ast.unparse(part) for part in tree.body if not wanted or id(part) in wanted)


def _is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, or a text that stands like one."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def used_by(tree: ast.Module, names: Iterable[str]) -> list[ast.stmt]:
    """Return the statements at the top of a file that define names, and those that these use.

    >>> tree = ast.parse("a = 1\\nb = a\\nc = 2")
    >>> [ast.unparse(part) for part in used_by(tree, ["b"])]
    ['a = 1', 'b = a']
    """
    body = tree.body
    found = reached([defined_names(part) for part in body], lambda at: read_names(body[at]), names)
    return [body[at] for at in found]


def reached(
    defined: Sequence[Iterable[str]], read: Callable[[int], Iterable[str]], names: Iterable[str]
) -> list[int]:
    """Return which statements define names, and which define what these read, in their order.

    `defined` holds what each of them defines; `read` says what one of them reads.

    >>> reached([["a"], ["b"], ["c"]], [[], ["a"], []].__getitem__, ["b"])
    [0, 1]
    """
    makers: dict[str, list[int]] = {}
    for at, each in enumerate(defined):
        for name in each:
            makers.setdefault(name, []).append(at)
    found: set[int] = set()
    waiting = [at for name in names for at in makers.get(name, [])]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += [other for name in read(at) for other in makers.get(name, [])]
    return sorted(found)


def read_names(part: ast.stmt) -> set[str]:
    """Return the plain names that stand in a statement."""
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}


def defined_names(part: ast.stmt) -> set[str]:
    """Return the names that a statement gives a meaning to."""
    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {part.name}
    if isinstance(part, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in part.names}
    return stored_names(part)


def stored_names(part: ast.stmt) -> set[str]:
    """Return the plain names that a statement gives values, wherever in it."""
    names = (node for node in ast.walk(part) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}
