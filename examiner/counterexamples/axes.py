"""The letters of the axes that functions return, as their signatures name them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from examiner.stubs import functions_of


def axes_of(tree: ast.Module) -> dict[str, Sequence[str]]:
    """Return the letters of the array that each function returns, where it has one shape.

    >>> axes_of(ast.parse('def f(x) -> Float[Tensor, "B T"]: ...'))
    {'f': ['B', 'T']}
    """
    found = {name: _letters(node.returns) for name, node in functions_of(tree).items()}
    return {name: letters for name, letters in found.items() if letters}


def _letters(annotation: ast.expr | None) -> list[str]:
    if not (isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple)):
        return []
    last = annotation.slice.elts[-1]
    if not (isinstance(last, ast.Constant) and isinstance(last.value, str)):
        return []
    letters = last.value.split()
    return letters if not any(each.startswith(("*", "...", "#")) for each in letters) else []
