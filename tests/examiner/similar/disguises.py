"""Ways to make a copy look like one's own, as functions from module to module.

Each is done wherever it can be, so a copy is disguised more thoroughly than by hand. All keep what
the code does, or nearly: what is compared is never run.
"""

from __future__ import annotations

import ast
import builtins
import copy
import io
import itertools
import random
import re
import tokenize
from collections.abc import Callable, Sequence
from token import DEDENT, INDENT, OP
from typing import Any

Disguise = Callable[[str, random.Random], str]


def comments(text: str, luck: random.Random) -> str:
    """A remark of one's own above every third line, and other docstrings."""
    lines = []
    for line in ast.unparse(ast.parse(docstrings(text, luck))).splitlines():
        if line.strip() and luck.random() < 0.3:
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f"{indent}# now {luck.choice(['we count', 'this is next', 'see above'])}")
        lines.append(line)
    return "\n".join(lines) + "\n"


def docstrings(text: str, luck: random.Random) -> str:
    """Every docstring is another one."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
            said = luck.choice(["My own words on it.", "Computes what is asked for.\n\nSee above."])
            node.body.insert(0, ast.Expr(ast.Constant(said)))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def hints(text: str, luck: random.Random) -> str:
    """No type hints."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(tree) + "\n"


def renamed(text: str, luck: random.Random) -> str:
    """Every name of one's own is another one."""
    tree = ast.parse(text)
    known = {*dir(builtins), "self"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            known |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.add(node.name)
    names: dict[str, str] = {}

    def new(name: str) -> str:
        number = len(names) + luck.randrange(5)
        return name if name in known else names.setdefault(name, f"my_{number}_{len(names)}")

    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = new(node.id)
        elif isinstance(node, ast.arg):
            node.arg = new(node.arg)
    return ast.unparse(tree) + "\n"


def moved(text: str, luck: random.Random) -> str:
    """Functions, classes and their methods in another order."""
    tree = ast.parse(text)
    for node in [tree, *(each for each in ast.walk(tree) if isinstance(each, ast.ClassDef))]:
        kinds = ast.FunctionDef, ast.ClassDef
        places = [n for n, each in enumerate(node.body) if isinstance(each, kinds)]
        chosen = [node.body[n] for n in places]
        luck.shuffle(chosen)
        for place, each in zip(places, chosen, strict=True):
            node.body[place] = each
    return ast.unparse(tree) + "\n"


def split(text: str, luck: random.Random) -> str:
    """Lines broken after commas in brackets, with parentheses around what is returned."""
    text = re.sub(
        r"^( *)return ([^#\n]*[^#\n([{,])$", r"\1return (\n\1    \2\n\1)", text, flags=re.M
    )
    broken, depth, at = [], 0, (1, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        gap = " " * (token.start[1] - at[1]) if token.start[0] == at[0] else " " * token.start[1]
        depth += (token.string in "([{") - (token.string in ")]}") if token.type == OP else 0
        if token.type not in (INDENT, DEDENT):
            broken.append(gap + token.string)
            at = token.end if "\n" not in token.string else (token.end[0] + 1, 0)
        if token.string == "," and depth:
            broken.append("\n        ")
    return "".join(broken)


def dead_code(text: str, luck: random.Random) -> str:
    """A line that does nothing in front of every third statement."""
    spare = ["unused = 0", "assert True", "if False:\n    pass", "checked = [None]"]

    def with_spare(body: list[ast.stmt]) -> list[ast.stmt]:
        lines = []
        for each in body:
            if luck.random() < 1 / 3 and not _is_docstring(each):
                lines += ast.parse(luck.choice(spare)).body
            lines.append(each)
        return lines

    return _bodies(text, with_spare)


def statements(text: str, luck: random.Random) -> str:
    """Assignments next to each other change places, where neither uses the other."""

    def swapped(body: list[ast.stmt]) -> list[ast.stmt]:
        body = list(body)
        for n in range(len(body) - 1):
            one, other = body[n : n + 2]
            both = isinstance(one, ast.Assign) and isinstance(other, ast.Assign)
            if both and not _uses(one, other) and not _uses(other, one):
                body[n : n + 2] = other, one
        return body

    return _bodies(text, swapped)


def loops(text: str, luck: random.Random) -> str:
    """Every `for` is a `while` over an iterator."""

    class While(ast.NodeTransformer):
        count = itertools.count()

        def visit_For(self, node: ast.For) -> Any:
            self.generic_visit(node)
            if node.orelse:
                return node
            name = f"walk{next(self.count)}"
            start, turn = ast.parse(f"{name} = iter(0)\nx = next({name}, None)").body
            end = ast.parse("if x is None:\n    break").body
            start.value.args = [node.iter]
            turn.targets = [node.target]
            end[0].test.left = copy.deepcopy(node.target)
            while_ = ast.While(ast.Constant(True), [turn, *end, *node.body], [])
            return [start, while_]

    return ast.unparse(ast.fix_missing_locations(While().visit(ast.parse(text)))) + "\n"


def comprehensions(text: str, luck: random.Random) -> str:
    """What is returned or assigned as a list comprehension is a loop that appends."""

    def unrolled(body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for each in body:
            value = getattr(each, "value", None)
            if isinstance(each, ast.Assign | ast.Return) and isinstance(value, ast.ListComp):
                found += ast.parse("gathered = []").body
                found.append(_loop(value))
                each.value = ast.Name("gathered")
            found.append(each)
        return found

    return _bodies(text, unrolled)


def half(text: str, luck: random.Random) -> str:
    """Every second function rewritten until nothing is left of it."""
    tree = ast.parse(text)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    for node in functions[::2]:
        other = "total = {}\nwhile total is None:\n    yield from range(7, 9)\nelse:\n    del total"
        node.body = ast.parse(other).body
    return ast.unparse(tree) + "\n"


def together(text: str, luck: random.Random) -> str:
    """New names, another order, other docstrings and comments, broken lines, no type hints."""
    for disguise in (hints, renamed, moved, comments, split):
        text = disguise(text, luck)
    return text


DISGUISES: dict[str, Disguise] = {
    "comments and docstrings": comments,
    "no type hints": hints,
    "other names": renamed,
    "functions in another order": moved,
    "lines split, parentheses": split,
    "all of these": together,
    "statements in another order": statements,
    "dead code at every third statement": dead_code,
    "every for is a while": loops,
    "list comprehensions are loops": comprehensions,
    "every second function rewritten": half,
}


def _loop(value: ast.ListComp) -> ast.stmt:
    inner: ast.stmt = ast.Expr(ast.parse("gathered.append(0)").body[0].value)  # type: ignore[attr-defined]
    inner.value.args = [value.elt]  # type: ignore[attr-defined]
    for part in reversed(value.generators):
        for test in reversed(part.ifs):
            inner = ast.If(test, [inner], [])
        inner = ast.For(part.target, part.iter, [inner], [])
    return inner


def _bodies(text: str, change: Callable[[list[ast.stmt]], Sequence[ast.stmt]]) -> str:
    """Return the module with every block of a function's statements changed."""
    tree = ast.parse(text)
    for function in [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]:
        for node in [each for each in ast.walk(function) if isinstance(each, ast.stmt)]:
            if isinstance(node, ast.FunctionDef) and node is not function:
                continue
            for name in ("body", "orelse"):
                if block := getattr(node, name, None):
                    setattr(node, name, list(change(block)))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _uses(one: ast.stmt, other: ast.stmt) -> bool:
    """Tell whether a statement has a name to which the other one gives a value."""
    return bool(_names(one) & _names(other, ast.Store))


def _names(node: ast.AST, kind: type[ast.expr_context] = ast.expr_context) -> set[str]:
    found = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in found if isinstance(each.ctx, kind)}
