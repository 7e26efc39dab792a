"""What a student reads of the smallest example: the call, what it gave, what is right, where."""

from __future__ import annotations

import ast
import contextlib
import io
import textwrap
import tokenize
from collections.abc import Sequence
from typing import Any

from examiner.counterexamples.comparing import where
from examiner.counterexamples.literals import names_in
from examiner.counterexamples.pool import SECONDS, Case, Outcome, Pool
from examiner.counterexamples.search import Found
from examiner.counterexamples.values import WIDEST, both, told
from examiner.judge.reading import TextError
from examiner.judge.wording import Source, clean
from examiner.results import SmallestExample
from examiner.stubs import functions_of

MOST_VALUES = 4
NOTHING = "your code returned None: a function gives nothing back without `return`"


def shown(found: Found, pool: Pool, source: Source) -> SmallestExample:
    """Return what a student reads of an example."""
    case = found.case
    gives, meant, how = _sides(found, source, pool.axes.get(case.symbol, ()))
    call = _call(case, pool)
    gives, meant, how = (clean(each) for each in (gives, meant, how))
    return SmallestExample(case.symbol, call, gives, meant, how, size=case.size)


def stopped(case: Case, pool: Pool, why: str) -> SmallestExample:
    """Return what a student reads of a program in which the module's process ends."""
    right = case.right
    assert right is not None
    meant = told(right.value, None) if right.kind == "value" else f"raises {right.value}"
    meant = meant if case.chances is None else _expected(case)
    return SmallestExample(case.symbol, _call(case, pool), clean(why), meant, size=case.size)


def _sides(found: Found, source: Source, letters: Sequence[str]) -> tuple[str, str, str]:
    """Return what the code gave, what is right, and in which way they differ."""
    case, got = found.case, found.got
    right = case.right
    assert right is not None
    if case.chances is not None:
        meant = _expected(case)
    else:
        meant = told(right.value, got.value) if right.kind == "value" else f"raises {right.value}"
    if got.kind == "slow":
        place = _loop(got, case.symbol, source)
        return f"no answer within {SECONDS:g} s of computing", meant, place
    if got.kind != "value":
        gives, place = _failure(got, source)
        return gives, meant, place + _called_in(got, case.symbol, source)
    if got.value is None and right.value is not None:
        return told(None, None), meant, NOTHING
    if case.chances is not None:
        return both(got.value, dict(case.chances))[0], meant, where(case, got.value)
    if found.again is not None:
        twice = f"{told(got.value, None)}, and then {_again(found.again)}"
        return twice, meant, "it gives another answer when it is called again with the same"
    if right.kind == "error":
        return told(got.value, None), meant, ""
    gives, meant = both(got.value, right.value)
    if changed := [name for name in got.changed if name not in case.changes]:
        how = f"afterwards `{changed[0]}` is another than before: work on a copy of it"
        return gives, meant, how
    if found.form:
        return gives, meant, f"the values are right; what differs is the form: {found.form}"
    return gives, meant, where(case, got.value, letters)


def _again(outcome: Outcome) -> str:
    return told(outcome.value, None) if outcome.kind == "value" else f"{outcome.value}"


def _expected(case: Case) -> str:
    """Return how often each outcome should come, in as many draws as the reference made."""
    assert case.chances is not None
    assert case.right is not None
    draws = sum(case.right.value.values())
    return "about " + told({each: round(draws * p) for each, p in case.chances.items()}, None)


def _failure(got: Outcome, source: Source) -> tuple[str, str]:
    """Return how a program failed, and in which line of the student's, with the values there."""
    if got.kind == "unwritten":
        return "not written yet", _line(got, source)
    if got.kind == "other":
        return f"an object of type {got.value}, which is no plain value", ""
    text = " ".join(got.text.split())
    if got.value == "TypeError" and "'NoneType' object" in text and not got.lines:
        return "None", NOTHING  # the program itself goes on with what it was given
    return f"{got.value}: {text}" if text else str(got.value), _line(got, source)


def _called_in(got: Outcome, symbol: str, source: Source) -> str:
    """Return "; called in line 9: `f(x)`", where a failure is in what the function calls."""
    if len(got.lines) < 2:
        return ""
    with contextlib.suppress(TextError):
        if line := source.read(_last_within, source.text, symbol, got.lines):
            said = source.quote([line]).strip().replace(f" of {source.name}", "")
            return f"; called {said}"
    return ""


def _last_within(text: str, symbol: str, lines: Sequence[int]) -> int:
    """Return the last of the lines that stands in a function, 0 if the very last does, or none.

    >>> _last_within("def f():\\n  return g()\\ndef g():\\n  return 1 / 0", "f", [2, 4])
    2
    """
    _, own = _tree_and_lines(text, symbol)
    return 0 if lines[-1] in own else next((n for n in reversed(lines) if n in own), 0)


def _tree_and_lines(text: str, symbol: str) -> tuple[ast.Module | None, range]:
    """Return the tree of a text, None where it cannot be read, and the lines of a function."""
    try:
        tree = ast.parse(text)
        node = functions_of(tree).get(symbol)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, range(0)
    return tree, range(node.lineno, (node.end_lineno or 0) + 1) if node else range(0)


def _loop(got: Outcome, symbol: str, source: Source) -> str:
    """Return "in line 2 of sorting.py: `while True:`", of the loop that had not ended."""
    with contextlib.suppress(TextError):
        if got.lines and (line := source.read(_unended, source.text, symbol, got.lines)):
            return source.quote([line]).strip()
    return ""


def _unended(text: str, symbol: str, lines: Sequence[int]) -> int:
    """Return the line of the outermost loop around lines on which something was interrupted.

    On which line of the loop it was when its time was up is luck, and so is how deep in the calls.

    >>> code = ["def f():", "  while True:", "    x = 1", "    g()", "def g():", "  y = 2"]
    >>> _unended("\\n".join(code), "f", [4, 6])
    2
    """
    tree, own = _tree_and_lines(text, symbol)
    if tree is None:
        return 0
    first = next((at for at, n in enumerate(lines) if n in own), 0)
    loops = [each for each in ast.walk(tree) if isinstance(each, ast.While | ast.For)]
    for n in lines[first:]:
        around = [each.lineno for each in loops if each.lineno <= n <= (each.end_lineno or 0)]
        if around:
            return min(around)
    return lines[first]


def _line(got: Outcome, source: Source) -> str:
    """Return "in line 3 of sorting.py: `return x[i]`, where i = 4"."""
    said = source.quote(got.lines).strip()
    if not (said and got.values):
        return said
    line = said.partition("`")[2].rpartition("`")[0]
    names = _read(line)
    known = [f"{name} = {text}" for name, text in got.values.items() if name in names and text]
    return f"{said}, where {'; '.join(known[:MOST_VALUES])}" if known else said


def _read(line: str) -> set[str]:
    """Return the names in a line of code, which may be the head of a block."""
    for text in (line, f"{line}\n pass", f"{line.removeprefix('el')}\n pass"):
        try:
            return names_in(text)
        except SyntaxError:
            continue
    return set()


# ------------------------------------------------------------------------------ the call


def _call(case: Case, pool: Pool) -> str:
    """Return the program as code to paste, below the suite's functions that it calls."""
    [[_, _, helpers]] = pool.programs([case])
    code = _shortened(case)
    return f"{helpers}\n\n{code}" if helpers else code


def _shortened(case: Case) -> str:
    """Return the program with short arguments where they are used."""
    arguments = dict(case.arguments)
    code = _inlined(case.code, arguments)
    if _fits(code):
        return code
    for least in (24, 12):  # first what is long gets a line of its own
        kept = {name: text for name, text in arguments.items() if len(text) > least}
        rest = {name: text for name, text in arguments.items() if name not in kept}
        lines = [_assigned(name, text) for name, text in kept.items()]
        code = "\n".join([*lines, _inlined(case.code, rest)])
        if _fits(code):
            break
    return code


def _fits(code: str) -> bool:
    return all(len(line) <= WIDEST for line in code.splitlines())


def _inlined(code: str, arguments: dict[str, str]) -> str:
    """Return code with arguments in the place of their names, but for those used twice."""
    tree = ast.parse(code)
    used = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    again = _evaluated_again(tree)
    once = {
        name: text
        for name, text in arguments.items()
        if used.count(name) == 1 and not (name in again and "(" in text)
    }
    lines = [_assigned(name, text) for name, text in arguments.items() if name not in once]
    written = ast.unparse(_Inlining(once).visit(tree))
    return "\n".join([*lines, _for_a_prompt(_double_quoted(written))])


def _evaluated_again(tree: ast.Module) -> set[str]:
    """Return the names in parts of code that may run several times: a generator belongs before."""
    comprehensions = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    kinds = comprehensions | ast.Lambda | ast.FunctionDef | ast.For | ast.While
    parts = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    return {each.id for part in parts for each in ast.walk(part) if isinstance(each, ast.Name)}


def _for_a_prompt(code: str) -> str:
    """Return code that can be pasted at Python's prompt: blank lines only where a block ends.

    >>> _for_a_prompt("class A:\\n\\n    def f(self):\\n        pass\\nA()")
    'class A:\\n    def f(self):\\n        pass\\n\\nA()'
    """
    lines = [line for line in code.splitlines() if line]
    inside = [line.startswith(" ") for line in lines]
    ends = [before and not now for before, now in zip([False, *inside], inside, strict=False)]
    return "\n".join(f"\n{line}" if end else line for line, end in zip(lines, ends, strict=True))


class _Inlining(ast.NodeTransformer):
    def __init__(self, arguments: dict[str, str]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> Any:
        """Put an argument in the place of its name."""
        text = self.arguments.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


def _assigned(name: str, text: str) -> str:
    """Return an assignment; where it is too long, each item of a list of lists has its own line."""
    line = f"{name} = {_double_quoted(text)}"
    if len(line) <= WIDEST:
        return line
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.List) and isinstance(node.elts[0], (ast.Dict, ast.List, ast.Tuple)):
        items = [_double_quoted(ast.get_source_segment(text, each) or "") for each in node.elts]
        return "\n".join([f"{name} = [", *(_wrapped(f"    {each},") for each in items), "]"])
    return _wrapped(line)


def _wrapped(line: str) -> str:
    """Return a line as several, none of which parts a key from its value."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    kept = line.replace(": ", ":\xa0")
    lines = textwrap.wrap(kept, WIDEST, subsequent_indent=indent, break_long_words=False)
    return "\n".join(lines).replace("\xa0", " ")


def _double_quoted(code: str) -> str:
    """Return code with its simple strings in double quotes, as the course writes them."""
    rows, lines = list(tokenize.generate_tokens(io.StringIO(code).readline)), code.splitlines()
    for each in reversed(rows):
        plain = each.type == tokenize.STRING and each.string[0] == each.string[-1] == "'"
        if plain and '"' not in each.string and "\\" not in each.string:
            line, start, end = each.start[0] - 1, each.start[1], each.end[1]
            lines[line] = f'{lines[line][:start]}"{each.string[1:-1]}"{lines[line][end:]}'
    return "\n".join(lines)
