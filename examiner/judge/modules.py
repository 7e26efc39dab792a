"""Python files as fresh modules, and a chapter's reference with other code in its functions."""

from __future__ import annotations
import __future__

import ast
import importlib.util
import sys
import textwrap
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType, ModuleType

from examiner.errors import SuiteError
from examiner.stubs import Function, functions_of, marked_regions


def load_module(path: Path, name: str) -> ModuleType:
    """Execute a Python file as a fresh module; the same path gives a new module each time.

    Raises SuiteError when there is no such file.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SuiteError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while it is executed
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Span:
    """Lines of a text, counted from 0, without the last."""

    begin: int
    end: int


class Reference:
    """A chapter's reference, read and compiled once, in which functions can be replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def text(self) -> str:
        """The whole module."""
        return self.path.read_text("utf-8")

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def _functions(self) -> dict[str, Function]:
        return functions_of(self._tree)

    @cached_property
    def _marked(self) -> dict[str, Span]:
        """The lines between the markers, by function."""
        found = marked_regions(self.text, self.path.name, self._functions)
        return {symbol: Span(each.begin, each.end - 1) for symbol, each in found.items()}

    def _whole(self, symbol: str) -> Span:
        """Return the lines of a function, with its decorators and all of its marked lines."""
        node = self._functions[symbol]
        last = self._marked[symbol].end + 1 if symbol in self._marked else 0  # a comment, perhaps
        return Span(_first_line(node), max(node.end_lineno or 0, last))

    def _code(self, symbol: str) -> Span:
        """Return the lines of a function that students write: its body if none are marked."""
        if symbol in self._marked:
            return self._marked[symbol]
        node = self._functions[symbol]
        first = node.body[ast.get_docstring(node) is not None :][0]
        return Span(_first_line(first), node.end_lineno or 0)

    def __contains__(self, symbol: str) -> bool:
        """Tell whether there is such a function."""
        return symbol in self._functions

    def body(self, symbol: str) -> str:
        """Return what students write of a function, unindented."""
        span = self._code(symbol)
        return textwrap.dedent("\n".join(self._lines[span.begin : span.end]))

    def changed(self, bodies: Mapping[str, str], helpers: str = "") -> str:
        """Return the module with other code in some functions, and `helpers` at its end.

        The code stands in place of the marked lines, or of all of the body if none are marked. If
        it begins with the function's own `def`, it is the whole function.
        """
        lines = list(self._lines)
        for span, new in reversed(self._replaced(bodies)):
            lines[span.begin : span.end] = new
        return "\n".join([*lines, *filter(None, [helpers])]) + "\n"

    def module(self, name: str, bodies: Mapping[str, str], helpers: str = "") -> ModuleType:
        """Return that module, fresh. Only statements that have changed are compiled.

        Raises SyntaxError.
        """
        code = dict(self._compiled)
        starts = sorted(code)
        of_statement: dict[int, list[tuple[Span, list[str]]]] = {}
        for span, new in self._replaced(bodies):
            start = starts[bisect_right(starts, span.begin) - 1]
            of_statement.setdefault(start, []).append((span, new))
        for start, replaced in of_statement.items():
            following = bisect_right(starts, start)
            end = starts[following] if following < len(starts) else len(self._lines)
            lines = self._lines[:end]
            for span, new in reversed(replaced):
                lines[span.begin : span.end] = new
            blank = [""] * start  # so that its lines keep their numbers
            code[start] = self._compile(ast.parse("\n".join([*blank, *lines[start:]])))
        module = ModuleType(name)
        module.__file__ = str(self.path)
        sys.modules[name] = module  # dataclasses look their module up
        for start in starts:
            exec(code[start], vars(module))
        if helpers:
            exec(self._compile(ast.parse(helpers)), vars(module))
        return module

    def _replaced(self, bodies: Mapping[str, str]) -> list[tuple[Span, list[str]]]:
        """Return which lines are replaced by which, from top to bottom."""
        found = []
        for symbol, body in bodies.items():
            own = f"def {symbol.rpartition('.')[2]}("
            span = self._whole(symbol) if body.startswith(own) else self._code(symbol)
            first = self._lines[span.begin]
            indent = first[: len(first) - len(first.lstrip())]
            found.append((span, textwrap.indent(body, indent).splitlines()))
        return sorted(found, key=lambda each: each[0].begin)

    @cached_property
    def _compiled(self) -> dict[int, CodeType]:
        """The module's statements, by the line in which each begins."""
        begun: dict[int, list[ast.stmt]] = {}
        for node in self._tree.body:
            begun.setdefault(_first_line(node), []).append(node)
        return {line: self._compile(ast.Module(nodes, [])) for line, nodes in begun.items()}

    def _compile(self, tree: ast.Module) -> CodeType:
        flags = __future__.annotations.compiler_flag if _postpones(self._tree) else 0
        return compile(tree, str(self.path), "exec", flags, dont_inherit=True)


def _first_line(node: ast.stmt) -> int:
    """Return the line in which a statement begins, counted from 0: that of a decorator, perhaps."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)]) - 1


def _postpones(tree: ast.Module) -> bool:
    """Tell whether a module has `from __future__ import annotations`, which holds for all of it."""
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return any(node.module == "__future__" for node in imports)
