"""Which tasks' code has to do with sets, as far as its text tells.

Python gives a set of words another order in each run. Whoever walks through one may be right by
luck, so the tests of such tasks are run in a second order, too (grading/orders.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from examiner.catalogue import Chapter
from examiner.judge.reading import read_apart

_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")  # as Python counts them
_NAMES = frozenset(("set", "frozenset", "hash"))
_METHODS = frozenset(("union", "intersection", "difference", "symmetric_difference"))
_VIEWS = frozenset(("keys", "items"))  # combined by an operator they give a set
_OPERATIONS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
# with a set in them they give the same in every order
_UNORDERED = frozenset(("len", "sorted", "set", "frozenset", "any", "all", "sum", "isinstance"))


def tasks_with_sets(source: str, reference: str, chapter: Chapter) -> frozenset[str]:
    """Return the ids of the tasks whose code makes a set, itself or in what it calls.

    What stands in the reference word for word is the course's own and does not count, nor does a
    set whose order plainly does not matter: `len(set(words))`, `word in {"a", "b"}`. Raises
    TextError for a text that cannot be taken to pieces within bounds.

    >>> from examiner.catalogue import chapter
    >>> text = "def count_ngrams(sentences, n):\\n    return [w for w in set(sentences)]"
    >>> tasks_with_sets(text, "", chapter("ngrams"))
    frozenset({'2.2'})
    """
    own = _own(reference)
    if not own.hints.search("\n".join(set(source.splitlines()) - own.lines)):
        return frozenset()  # as nearly always: saves taking the text to pieces
    return read_apart(_tasks, source, own, chapter)


def _tasks(source: str, own: _Own, chapter: Chapter) -> frozenset[str]:
    try:
        parts = _parts(source)
    except (SyntaxError, ValueError, RecursionError):  # whoever imports it will say so
        return frozenset()
    found = [
        part
        for part in parts
        if part.text not in own.texts and (part.makes_sets or part.uses & own.sets)
    ]
    names = _with_callers(found, parts)
    return frozenset(
        task.id
        for task in chapter.tasks
        if any(name in names for symbol in task.symbols for name in _needed(symbol, parts))
    )


@dataclass(frozen=True)
class _Part:
    """A function, a method, or what else a class or the module says."""

    names: tuple[str, ...]  # "count_ngrams", "Model.prob", "Model" for the rest of a class, "LIMIT"
    text: bytes
    uses: frozenset[str]  # names and attributes
    makes_sets: bool  # whether there is a set in it whose order might matter
    holders: frozenset[str]  # names and attributes to which it gives a set


def _parts(source: str) -> list[_Part]:
    lines = _LINES.findall(source.encode())
    return [
        _part(names, nodes, b"\n".join(_segment(lines, node) for node in nodes))
        for names, nodes in _pieces(ast.parse(source))
    ]


def _pieces(module: ast.Module) -> Iterator[tuple[tuple[str, ...], Sequence[ast.AST]]]:
    """Yield the nodes of each part. No node is in two: what is done with all of them is linear."""
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            rest: list[ast.AST] = [*node.bases]
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    yield (f"{node.name}.{each.name}",), [each]
                else:
                    rest.append(each)
            yield (node.name,), rest
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield (node.name,), [node]
        elif names := _given_names(node):
            yield tuple(sorted(names)), [node]


def _segment(lines: Sequence[bytes], node: Any) -> bytes:
    """Return the text of a node and nothing around it: a line may hold thousands of statements."""
    first, last = node.lineno - 1, node.end_lineno - 1
    if first == last:
        return lines[first][node.col_offset : node.end_col_offset]
    ends = lines[first][node.col_offset :], lines[last][: node.end_col_offset]
    return b"\n".join((ends[0], *lines[first + 1 : last], ends[1]))


def _part(names: tuple[str, ...], nodes: Sequence[ast.AST], text: bytes) -> _Part:
    every = [each for node in nodes for each in ast.walk(node)]
    sets = set[int]()  # the ids of nodes that make one
    for node in reversed(every):  # what is inside of a node first
        if _is_set(node, sets):
            sets.add(id(node))
    harmless = {id(each) for node in every for each in _harmless_in(node)}
    uses = {each.id for each in every if isinstance(each, ast.Name)}
    uses |= {each.attr for each in every if isinstance(each, ast.Attribute)}
    given = [each for each in every if isinstance(each, (ast.Assign, ast.AnnAssign))]
    holders = {name for each in given if id(each.value) in sets for name in _given_names(each)}
    return _Part(names, text, frozenset(uses), not sets <= harmless, frozenset(holders))


def _given_names(node: ast.AST) -> set[str]:
    """Return the names and attributes to which a statement gives a value."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    else:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else []
    names = {each.id for each in targets if isinstance(each, ast.Name)}
    return names | {each.attr for each in targets if isinstance(each, ast.Attribute)}


@dataclass(frozen=True)
class _Own:
    """What the course's own code says."""

    lines: frozenset[str]
    texts: frozenset[bytes]  # of its parts
    sets: frozenset[str]  # names and attributes that hold one
    hints: re.Pattern[str]  # found in all other code that has to do with sets


@cache
def _own(reference: str) -> _Own:
    parts = _parts(reference)
    sets = frozenset().union(*(part.holders for part in parts))
    words = "|".join(sorted(_NAMES | _METHODS | _VIEWS | sets))
    hints = re.compile(rf"\b(?:{words})\b|{{\s*[^}}\s]")
    return _Own(
        frozenset(reference.splitlines()), frozenset(part.text for part in parts), sets, hints
    )


def _needed(symbol: str, parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the names of the parts that a task's function, method or class consists of."""
    owner = symbol.partition(".")[0]
    for name in (name for part in parts for name in part.names):
        if name in (symbol, owner, f"{owner}.__init__") or name.startswith(f"{symbol}."):
            yield name


def _with_callers(found: Sequence[_Part], parts: Sequence[_Part]) -> set[str]:
    """Return the names of these parts, and of what uses one of them, itself or through others."""
    callers: dict[str, list[_Part]] = {}
    for part in parts:
        for name in part.uses:
            callers.setdefault(name, []).append(part)
    names, left = set[str](), list(found)
    while left:
        for full in set(left.pop().names) - names:
            names.add(full)
            for name in full.split("."):  # a method's own name, and that of its class
                left += callers.pop(name, ())
    return names


def _is_set(node: ast.AST, sets: Collection[int]) -> bool:
    """Tell whether an expression makes a set, or depends on a hash; `sets` are those inside it."""
    if isinstance(node, ast.Call):
        return _called(node) in (_METHODS if isinstance(node.func, ast.Attribute) else _NAMES)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATIONS):
        return any(id(side) in sets or _is_view(side) for side in (node.left, node.right))
    return isinstance(node, (ast.Set, ast.SetComp))


def _is_view(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) in _VIEWS and not node.args


def _harmless_in(node: ast.AST) -> Sequence[ast.AST]:
    """Return the parts of an expression in which the order of a set does not matter."""
    if isinstance(node, ast.Call) and _called(node) in _UNORDERED and not node.keywords:
        return node.args
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return []


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
