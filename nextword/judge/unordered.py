"""Which tasks' code has to do with sets, as far as its text tells.

Python gives a set of words another order in each run. Whoever walks through one may be right by
luck, so the tests of such tasks are run in a second order, too (grading/orders.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from nextword.catalogue import Chapter

_NAMES = frozenset(("set", "frozenset", "hash"))
_METHODS = frozenset(("union", "intersection", "difference", "symmetric_difference"))
_VIEWS = frozenset(("keys", "items"))  # combined by an operator they give a set
_OPERATIONS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
# with a set in them they give the same in every order
_UNORDERED = frozenset(("len", "sorted", "set", "frozenset", "any", "all", "sum", "isinstance"))


def tasks_with_sets(source: str, reference: str, chapter: Chapter) -> frozenset[str]:
    """Return the ids of the tasks whose code makes a set, itself or in what it calls.

    What stands in the reference word for word is the course's own and does not count, nor does a
    set whose order plainly does not matter: `len(set(words))`, `word in {"a", "b"}`.

    >>> from nextword.catalogue import chapter
    >>> text = "def count_ngrams(sentences, n):\\n    return [w for w in set(sentences)]"
    >>> tasks_with_sets(text, "", chapter("ngrams"))
    frozenset({'2.2'})
    """
    own = _own(reference)
    if not own.hints.search("\n".join(set(source.splitlines()) - own.lines)):
        return frozenset()  # as nearly always: saves taking the text to pieces
    try:
        parts = _parts(source)
        written = (part for part in parts if part.text not in own.texts)
        found = {part.name for part in written if part.makes_sets or part.names & own.sets}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    found = _with_callers(found, parts)
    return frozenset(
        task.id
        for task in chapter.tasks
        if any(name in found for symbol in task.symbols for name in _needed(symbol, parts))
    )


@dataclass(frozen=True)
class _Part:
    """A function, a method, or what else a class or the module says."""

    name: str  # "count_ngrams", "Model.prob", "Model" for the rest of a class, "LIMIT"
    node: ast.AST
    text: str

    @cached_property
    def names(self) -> frozenset[str]:
        """What it uses."""
        nodes = list(ast.walk(self.node))
        names = {each.id for each in nodes if isinstance(each, ast.Name)}
        return frozenset(names | {each.attr for each in nodes if isinstance(each, ast.Attribute)})

    @property
    def makes_sets(self) -> bool:
        """Whether there is a set in it whose order might matter."""
        harmless = {id(each) for node in ast.walk(self.node) for each in _harmless_in(node)}
        return any(_is_set(node) and id(node) not in harmless for node in ast.walk(self.node))


def _parts(source: str) -> list[_Part]:
    lines = source.splitlines()

    def text(nodes: Sequence[Any]) -> str:
        return "\n".join("\n".join(lines[n.lineno - 1 : n.end_lineno]) for n in nodes)

    found: list[_Part] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            found += (_Part(f"{node.name}.{each.name}", each, text([each])) for each in methods)
            rest: list[Any] = [*node.bases, *(n for n in node.body if n not in methods)]
            found.append(_Part(node.name, ast.Module(rest, []), text(rest)))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(_Part(node.name, node, text([node])))
        else:
            found += (_Part(name, node, text([node])) for name in sorted(_given_names(node)))
    return found


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
    texts: frozenset[str]  # of its parts
    sets: frozenset[str]  # names and attributes that hold one
    hints: re.Pattern[str]  # found in all other code that has to do with sets


@cache
def _own(reference: str) -> _Own:
    parts = _parts(reference)
    nodes = [node for part in parts for node in ast.walk(part.node)]
    holders = [n for n in nodes if isinstance(n, (ast.Assign, ast.AnnAssign)) and _is_set(n.value)]
    sets = frozenset(name for node in holders for name in _given_names(node))
    words = "|".join(sorted(_NAMES | _METHODS | _VIEWS | sets))
    hints = re.compile(rf"\b(?:{words})\b|{{\s*[^}}\s]")
    return _Own(
        frozenset(reference.splitlines()), frozenset(part.text for part in parts), sets, hints
    )


def _needed(symbol: str, parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the names of the parts that a task's function, method or class consists of."""
    owner = symbol.partition(".")[0]
    for part in parts:
        mine = part.name == symbol or part.name.startswith(f"{symbol}.")
        if mine or part.name in (owner, f"{owner}.__init__"):
            yield part.name


def _with_callers(found: set[str], parts: Sequence[_Part]) -> set[str]:
    """Add what uses one of them, itself or through others."""
    callers: dict[str, list[str]] = {}
    for part in parts:
        for name in part.names:
            callers.setdefault(name, []).append(part.name)
    found, left = set(found), list(found)
    while left:
        for name in left.pop().split("."):  # a method's own name, and that of its class
            more = set(callers.pop(name, ())) - found
            found |= more
            left += more
    return found


def _is_set(node: ast.AST | None) -> bool:
    """Tell whether an expression makes a set, or depends on a hash."""
    if isinstance(node, ast.Call):
        return _called(node) in (_METHODS if isinstance(node.func, ast.Attribute) else _NAMES)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATIONS):
        return any(_is_set(side) or _is_view(side) for side in (node.left, node.right))
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
