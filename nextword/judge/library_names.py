"""Which names of libraries the text of a function uses. Leaves out what it calls while it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)


def library_names(text: str, symbol: str) -> set[str]:
    """Return the attributes and imports that a function, or the class of a method, leads to.

    What the file does beside naming things counts for each of them: it may put other functions
    into libraries. Attributes of `self` are the student's own.

    >>> code = "from torch.nn.functional import gelu as g\\ndef f(x):\\n    return g(x).exp()"
    >>> sorted(library_names(code, "f"))
    ['exp', 'gelu']
    >>> sorted(library_names("import torch.nn as nn\\ndef f(x):\\n    return nn.GELU()(x)", "f"))
    ['GELU', 'nn', 'torch']
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    makers: dict[str, list[ast.stmt]] = {}
    for part in tree.body:
        for name in _defined(part):
            makers.setdefault(name, []).append(part)
    open_parts = [part for part in tree.body if not _names_something(part)]
    open_parts += makers.get(symbol.partition(".")[0], [])
    seen, found = set[int](), set[str]()
    while open_parts:
        part = open_parts.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        found.update(_of_libraries(part))
        for node in ast.walk(part):
            if isinstance(node, ast.Name):
                open_parts += makers.get(node.id, [])
    return found


def _names_something(part: ast.stmt) -> bool:
    """Tell whether a statement only gives names: it counts where these are used."""
    if isinstance(part, ast.Assign):
        return all(isinstance(target, ast.Name) for target in part.targets)
    if isinstance(part, ast.AnnAssign):
        return isinstance(part.target, ast.Name)
    return isinstance(part, (*DEFINITIONS, *IMPORTS))


def _defined(part: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement gives a meaning to."""
    if isinstance(part, DEFINITIONS):
        yield part.name
    elif isinstance(part, IMPORTS):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in part.names)
    else:
        nodes = (node for node in ast.walk(part) if isinstance(node, ast.Name))
        yield from (node.id for node in nodes if isinstance(node.ctx, ast.Store))


def _of_libraries(part: ast.stmt) -> Iterator[str]:
    """Yield what a statement takes from elsewhere: by a dot, by an import, by `getattr`."""
    for node in ast.walk(part):
        if isinstance(node, ast.Attribute):
            if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                yield node.attr
        elif isinstance(node, IMPORTS):
            yield from (word for alias in node.names for word in alias.name.split("."))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            texts = (each.value for each in node.args if isinstance(each, ast.Constant))
            yield from (text for text in texts if isinstance(text, str))
