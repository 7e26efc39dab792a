"""Which names of libraries the text of a function uses. Leaves out what it calls while it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from examiner.fingerprints import ALONE, read_names, stored_names, used_by

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
PROGRAM = ast.unparse(ast.parse('__name__ == "__main__"'))  # what runs only as a program


def library_names(text: str, symbol: str) -> set[str]:
    """Return the attributes and imports that a function, or the class of a method, leads to.

    What the file does beside naming things counts for each of them: it may put other functions
    into libraries. Not so for "f alone", nor what is done only where the file is a program.
    Attributes of `self` are the student's own.

    >>> code = "from torch.nn.functional import gelu as g\\ndef f(x):\\n    return g(x).exp()"
    >>> sorted(library_names(code, "f"))
    ['exp', 'functional', 'gelu', 'nn', 'torch']
    >>> sorted(library_names("import torch.nn as nn\\ndef f(x):\\n    return nn.GELU()(x)", "f"))
    ['GELU', 'nn', 'torch']
    >>> code = "def f(x):\\n    return x\\nassert f(1) == F.gelu(1)"
    >>> library_names(code, "f"), library_names(code, "f alone")
    ({'gelu'}, set())
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    if "__name__" not in {name for part in tree.body for name in stored_names(part)}:
        tree.body = [part for part in tree.body if not _is_of_a_program(part)]
    symbol, alone, _ = symbol.partition(ALONE)
    beside = [part for part in tree.body if not (alone or _names_something(part))]
    begin = {symbol.partition(".")[0]}.union(*map(read_names, beside))
    return {name for part in [*beside, *used_by(tree, begin)] for name in _of_libraries(part)}


def _is_of_a_program(part: ast.stmt) -> bool:
    return isinstance(part, ast.If) and not part.orelse and ast.unparse(part.test) == PROGRAM


def _names_something(part: ast.stmt) -> bool:
    """Tell whether a statement only gives names: it counts where these are used."""
    if isinstance(part, ast.Assign):
        return all(isinstance(target, ast.Name) for target in part.targets)
    if isinstance(part, ast.AnnAssign):
        return isinstance(part.target, ast.Name)
    return isinstance(part, (*DEFINITIONS, *IMPORTS))


def _of_libraries(part: ast.stmt) -> Iterator[str]:
    """Yield what a statement takes from elsewhere: by a dot, by an import, by `getattr`."""
    for node in ast.walk(part):
        if isinstance(node, ast.Attribute):
            if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                yield node.attr
        elif isinstance(node, IMPORTS):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            names = [module or "", *(alias.name for alias in node.names)]
            yield from (word for name in names for word in name.split(".") if word)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            texts = (each.value for each in node.args if isinstance(each, ast.Constant))
            yield from (text for text in texts if isinstance(text, str))
