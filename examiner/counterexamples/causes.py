"""Which of a student's functions lead to which: a wrong one makes those wrong that call it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from examiner.judge.reading import TextError
from examiner.judge.wording import Source
from examiner.results import SmallestExample
from examiner.stubs import functions_of


def called(text: str, symbol: str, others: Sequence[str]) -> list[str]:
    """Return which of the other functions a function of a student's module leads to.

    >>> called("def f(): return g()\\ndef g(): return h(1)\\ndef h(x): ...", "f", ["h"])
    ['h']
    """
    try:
        tree = ast.parse(text)
        met = _Module(tree).reached(symbol)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [name for name in others if name in met and name != symbol]


class _Module:
    """The functions of a module, and the classes that their methods may be looked up in."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions = functions_of(tree)
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        self.bases = {
            each.name: [base.id for base in each.bases if isinstance(base, ast.Name)]
            for each in classes
        }

    def reached(self, symbol: str) -> set[str]:
        """Return the functions that one leads to, itself among them."""
        start = symbol, symbol.rpartition(".")[0]  # and the class of `self`
        met, waiting = {start}, [start]
        while waiting:
            name, kind = waiting.pop()
            node = self.functions.get(name)
            for each in ast.walk(node) if node else ():
                found = set(self._meant(each, kind)) - met
                met |= found
                waiting += found
        return {name for name, _ in met}

    def _meant(self, node: ast.AST, kind: str) -> Iterator[tuple[str, str]]:
        """Yield what a part of a function may call, with the class of its `self`."""
        if isinstance(node, ast.Name):
            for name in self.functions:
                owner = name.rpartition(".")[0]
                if node.id in (name, owner):  # a function, or a class that is made
                    yield name, owner
        elif isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id == "self" and kind
            if own:
                yield from self._method(node.attr, kind, kind)
            else:
                for name in self.functions:
                    owner, _, last = name.rpartition(".")
                    if owner and last == node.attr:
                        yield name, owner

    def _method(self, name: str, kind: str, of: str) -> Iterator[tuple[str, str]]:
        """Yield the method that `self.name` is in a class, its own or an inherited one."""
        if f"{of}.{name}" in self.functions:
            yield f"{of}.{name}", kind
            return
        for base in self.bases.get(of, ()):
            if found := list(self._method(name, kind, base)):
                yield from found
                return


def causes_alone(
    examples: Sequence[SmallestExample], source: Source
) -> tuple[SmallestExample, ...]:
    """Return the examples without those of functions that call another one which is wrong.

    Where two call each other, both are kept.
    """
    symbols = [each.symbol for each in examples]
    if len(symbols) < 2:
        return tuple(examples)
    try:
        leads = {each: set(source.read(called, source.text, each, symbols)) for each in symbols}
    except TextError:
        return tuple(examples)
    return tuple(
        each
        for each in examples
        if not any(each.symbol not in leads[other] for other in leads[each.symbol])
    )
