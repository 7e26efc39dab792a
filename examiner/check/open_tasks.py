"""Names the open function of another task in which a test, or an example, ended."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from examiner.stubs import functions_of


def of_another(task_id: str, text: str, lines: Sequence[int], symbols: Mapping[str, str]) -> str:
    """Return what to write first, where the last line stands in another task's function; else "".

    `text` is the student's module; `symbols` tells the task of each function.

    >>> text = "class A:\\n  def f(self):\\n    raise NotImplementedError"
    >>> of_another("9.2", text, [3], {"A.f": "9.1"})
    'not judged yet: it calls A.f (9.1), which is not written yet'
    """
    try:
        functions = functions_of(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    last = lines[-1] if lines else 0
    for name, node in reversed(functions.items()):  # the innermost first
        if node.lineno <= last <= (node.end_lineno or 0):
            names = [each for each in (name, name.rpartition(".")[0]) if each in symbols]
            if names:
                task = symbols[names[0]]
                said = f"not judged yet: it calls {names[0]} ({task}), which is not written yet"
                return said if task != task_id else ""
    return ""
