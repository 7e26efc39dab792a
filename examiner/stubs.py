"""Turns a solution into a stub: marked bodies become NotImplementedError. Touches no files."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from examiner.catalogue import Chapter
from examiner.errors import UserError

BEGIN = re.compile(r"^\s*#+\s*BEGIN SOLUTION\s*$")
END = re.compile(r"^\s*#+\s*END SOLUTION\s*$")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Region:
    """A marked region: the lines of its two markers, counted from 1."""

    begin: int
    end: int


def find_regions(text: str, name: str) -> list[Region]:
    """Return the marked regions of a file; raises UserError with file and line for a bad marker."""
    regions, opened = [], 0
    for number, line in enumerate(text.splitlines(), start=1):
        if BEGIN.match(line):
            if opened:
                raise UserError(
                    f"{name}:{number}: BEGIN SOLUTION within the one opened in line {opened}"
                )
            opened = number
        elif END.match(line):
            if not opened:
                raise UserError(f"{name}:{number}: END SOLUTION without a BEGIN SOLUTION before it")
            regions.append(Region(opened, number))
            opened = 0
    if opened:
        raise UserError(f"{name}:{opened}: BEGIN SOLUTION is never closed by an END SOLUTION")
    return regions


def functions_of(tree: ast.Module) -> dict[str, Function]:
    """Return every function and method of a module by its qualified name.

    >>> list(functions_of(ast.parse("class A:\\n  def f(self): pass")))
    ['A.f']
    """
    found: dict[str, Function] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                found[prefix + child.name] = child
            if isinstance(child, Function | ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")

    visit(tree, "")
    return found


def make_stub(text: str, chapter: Chapter, name: str) -> str:
    """Return the stub of a solution: what stands between markers is left to the student.

    Raises UserError with file and line for unclosed, nested or misplaced markers, and where the
    marked functions are not those that the task catalogue names.
    """
    regions = find_regions(text, name)
    try:
        functions = functions_of(ast.parse(text))
    except SyntaxError as error:
        raise UserError(f"{name}:{error.lineno}: {error.msg}") from error
    lines = text.splitlines()
    stubbed: list[str] = []
    pieces, position = [], 0
    for region in regions:
        symbol = _enclosing(functions, region)
        task = chapter.task_of(symbol) if symbol else None
        if symbol is None or task is None:
            where = f"in {symbol}, which no task of the catalogue names" if symbol else "outside"
            raise UserError(f"{name}:{region.begin}: the marked lines stand {where} a function")
        stubbed.append(symbol)
        indent = re.match(r"\s*", lines[region.begin - 1])
        message = f"{task.id} {symbol}: see {task.see}"
        pieces += lines[position : region.begin - 1]
        pieces.append(f'{indent.group() if indent else ""}raise NotImplementedError("{message}")')
        position = region.end
    promised = {symbol for task in chapter.tasks for symbol in task.symbols}
    if missing := sorted(promised - set(stubbed)):
        raise UserError(
            f"{name}: the catalogue names {', '.join(missing)}, but marks no lines there"
        )
    return "\n".join([*pieces, *lines[position:]]) + "\n"


def marked_regions(
    text: str, name: str, functions: dict[str, Function] | None = None
) -> dict[str, Region]:
    """Return the marked region of each function that has one, by its qualified name."""
    functions = functions_of(ast.parse(text)) if functions is None else functions
    return {str(_enclosing(functions, each)): each for each in find_regions(text, name)}


def _enclosing(functions: dict[str, Function], region: Region) -> str | None:
    """Return the innermost function that holds the region."""
    holding = [
        (node.lineno, symbol)
        for symbol, node in functions.items()
        # comments are no nodes, so the END marker may stand after the function's last node
        if node.lineno < region.begin and region.begin <= (node.end_lineno or 0) + 1
    ]
    return max(holding)[1] if holding else None
