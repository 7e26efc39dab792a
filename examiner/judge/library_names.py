"""Which names of libraries the text of a function uses. Leaves out what it calls while it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from examiner.fingerprints import ALONE, defined_names, reached, read_names, stored_names

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
PROGRAM = ast.unparse(ast.parse('__name__ == "__main__"'))  # what runs only as a program


@dataclass(frozen=True)
class Statement:
    """What counts of a statement at the top of a file."""

    defines: frozenset[str]  # names to which it gives a meaning
    reads: frozenset[str]  # plain names that stand in it
    takes: frozenset[str]  # names of libraries
    names_something: bool  # whether that is all it does: it counts where these names are used


def statements(text: str) -> tuple[Statement, ...]:
    """Return what counts of a file, whichever function is asked for; nothing of a broken one.

    What is done only where the file is a program is left out.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    if "__name__" not in {name for part in tree.body for name in stored_names(part)}:
        tree.body = [part for part in tree.body if not _is_of_a_program(part)]
    return tuple(
        Statement(
            frozenset(defined_names(part)),
            frozenset(read_names(part)),
            frozenset(_of_libraries(part)),
            _names_something(part),
        )
        for part in tree.body
    )


def names_of(file: Sequence[Statement], symbol: str) -> frozenset[str]:
    """Return the attributes and imports that a function, or the class of a method, leads to.

    What the file does beside naming things counts for each of them: it may put other functions
    into libraries. Not so for "f alone". Attributes of `self` are the student's own.

    >>> code = "from torch.nn.functional import gelu as g\\ndef f(x):\\n    return g(x).exp()"
    >>> sorted(names_of(statements(code), "f"))
    ['exp', 'functional', 'gelu', 'nn', 'torch']
    >>> code = "import torch.nn as nn\\ndef f(x):\\n    return nn.GELU()(x)"
    >>> sorted(names_of(statements(code), "f"))
    ['GELU', 'nn', 'torch']
    >>> file = statements("def f(x):\\n    return x\\nassert f(1) == F.gelu(1)")
    >>> sorted(names_of(file, "f")), sorted(names_of(file, "f alone"))
    (['gelu'], [])
    """
    symbol, alone, _ = symbol.partition(ALONE)
    beside = [part for part in file if not (alone or part.names_something)]
    begin = {symbol.partition(".")[0]}.union(*(part.reads for part in beside))
    used = reached([part.defines for part in file], lambda at: file[at].reads, begin)
    return frozenset().union(*(part.takes for part in [*beside, *(file[at] for at in used)]))


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
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "getattr"
        ):
            texts = (each.value for each in node.args if isinstance(each, ast.Constant))
            yield from (text for text in texts if isinstance(text, str))
