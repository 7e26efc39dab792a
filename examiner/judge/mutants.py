"""Small mistakes made in the reference by a machine, to see whether the suite notices each of them.

A mutant is the reference with one operator, number, condition or statement changed in the part that
students write. Leaves out which survivors are known to be no mistakes (tests/mutants).
"""

from __future__ import annotations

import ast
import copy
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from examiner.catalogue import Chapter
from examiner.judge.bounds import Bounds
from examiner.judge.local import on_module
from examiner.judge.session import Session
from examiner.judge.suite import Suite, SuiteTest, with_suite
from examiner.project import Project
from examiner.results import Verdict
from examiner.stubs import marked_regions

SEEDS = tuple(f"mutants {number}" for number in range(5))
SECONDS = 3.0  # that a test of a mutant may take
_SWAPS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
_NAMES = {"min": "max", "max": "min", "sum": "max", "exp": "log", "flip": "abs", "True": "False"}


@dataclass(frozen=True)
class Mutant:
    """The reference with one thing changed."""

    task_id: str
    symbol: str
    change: str  # "n - 1 -> n + 1", by the smallest expression around it
    whole: ast.Module  # of the reference, unchanged
    place: int  # of the changed node in a walk
    number: int  # of the change among those of the node

    @property
    def tree(self) -> ast.Module:
        """The changed module."""
        copied = copy.deepcopy(self.whole)
        target = next(node for at, node in enumerate(ast.walk(copied)) if at == self.place)
        list(_changes(target))[self.number]()
        return ast.fix_missing_locations(copied)

    def module(self, reference: Path) -> ModuleType:
        """Return it as a fresh module."""
        module = ModuleType(f"mutant_{reference.stem}")
        module.__file__ = str(reference)
        sys.modules[module.__name__] = module
        exec(compile(self.tree, str(reference), "exec"), vars(module))
        return module


def mutants(reference: Path, chapter: Chapter) -> Iterator[Mutant]:
    """Yield every mutant of what students write, function by function."""
    text = reference.read_text("utf-8")
    tree = ast.parse(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for symbol, region in marked_regions(text, reference.name).items():
        task = chapter.task_of(symbol)
        if task is None:
            continue
        for place, node in enumerate(ast.walk(tree)):
            inside = region.begin < getattr(node, "lineno", 0) < region.end
            for number, _ in enumerate(_changes(node)) if inside else ():
                around = parents.get(node, node) if isinstance(node, ast.Constant) else node
                change = _told(around, node, number)
                yield Mutant(task.id, symbol, change, tree, place, number)


def _told(around: ast.AST, node: ast.AST, number: int) -> str:
    """Return a change in words: what stands around the node, before and after."""
    place = next(at for at, each in enumerate(ast.walk(around)) if each is node)
    changed = copy.deepcopy(around)
    target = next(each for at, each in enumerate(ast.walk(changed)) if at == place)
    list(_changes(target))[number]()
    before, after = (ast.unparse(each).split("\n")[0] for each in (around, changed))
    return f"{before} -> {after}"


def _changes(node: ast.AST) -> Iterator[Callable[[], Any]]:
    """Yield what can be changed in a node, each as a function that does it."""
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)):
        for kind in _SWAPS.get(type(node.op), ()):
            yield _setter(node, "op", kind())
    elif isinstance(node, ast.Compare):
        for kind in _SWAPS.get(type(node.ops[0]), ()):
            yield _setter(node, "ops", [kind(), *node.ops[1:]])
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        number: Any = node.value
        yield _setter(node, "value", number + 1)
        if node.value == 1:
            yield _setter(node, "value", 0)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield _setter(node, "value", not node.value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        instead = ast.UAdd() if isinstance(node.op, ast.USub) else None
        yield (
            _setter(node, "op", instead)
            if instead
            else _setter(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
        )
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield _setter(node, "test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, (ast.Name, ast.Attribute)):
        field = "id" if isinstance(node, ast.Name) else "attr"
        other = _NAMES.get(getattr(node, field))
        if other:
            yield _setter(node, field, other)
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield lambda: setattr(node, "__class__", ast.Pass)


def _setter(node: ast.AST, field: str, value: Any) -> Callable[[], Any]:
    return lambda: setattr(node, field, value)


@dataclass(frozen=True)
class Survivor:
    """A mutant that all tests of its task passed, with some seed."""

    mutant: Mutant
    seed: str
    reason: str  # why it is no mistake, "" where nobody has said so


@dataclass
class Hunt:
    """What became of a chapter's mutants, by task."""

    made: dict[str, int]
    survivors: list[Survivor]

    def killed(self, task_id: str) -> tuple[int, int]:
        """Return how many of a task's mutants were killed, of those that are mistakes."""
        mine = [each for each in self.survivors if each.mutant.task_id == task_id]
        mistakes = self.made[task_id] - sum(bool(each.reason) for each in mine)
        return mistakes - sum(not each.reason for each in mine), mistakes


def known_survivors(project: Project, stem: str) -> dict[tuple[str, str], str]:
    """Return the reasons why survivors are no mistakes, by function and change."""
    path = project.root / "tests" / "mutants" / f"{stem}.toml"
    if not path.is_file():
        return {}
    raw = tomllib.loads(path.read_text("utf-8"))
    return {(s, each["change"]): each["why"] for s, rows in raw.items() for each in rows}


def hunt(
    project: Project,
    chapter: Chapter,
    *,
    seeds: Sequence[str] = SEEDS,
    every: int = 1,
    report: Callable[[int, int], None] = lambda done, of: None,
) -> Hunt:
    """Run each mutant (or one of `every`) through the tests of its task, with each seed.

    `report` is told how many are done. Needs Linux or macOS, which can end what never ends.
    """
    reference = project.module("solutions", chapter.stem)
    reasons = known_survivors(project, chapter.stem)
    chosen = list(mutants(reference, chapter))[::every]
    found = Hunt({task.id: 0 for task in chapter.tasks}, [])

    def work(suite: Suite) -> None:
        suite.bound = Bounds()
        for number, mutant in enumerate(chosen):
            found.made[mutant.task_id] += 1
            tests = [test for test in suite.tests if test.mark.id == mutant.task_id]
            seed = _survives(mutant, reference, suite, tests, seeds)
            if seed:
                reason = reasons.get((mutant.symbol, mutant.change), "")
                found.survivors.append(Survivor(mutant, seed, reason))
            report(number + 1, len(chosen))

    with_suite(project.suite(chapter.stem), project.root, work)
    return found


def _survives(
    mutant: Mutant,
    reference: Path,
    suite: Suite,
    tests: Sequence[SuiteTest],
    seeds: Sequence[str],
) -> str:
    """Return a seed with which the mutant passes every test, or ""."""
    try:
        session = on_module(suite, reference.stem, mutant.module(reference))
    except Exception:  # it cannot even be imported
        return ""
    ordered = sorted(tests, key=lambda test: not test.mark.visible)
    for seed in seeds:
        suite.seed = seed
        killers = (test for test in ordered if not _passes(session, test))
        killer = next(killers, None)
        if killer is None:
            return seed
        if killer.mark.visible:
            return ""  # its inputs are the same with every seed
    return ""


def _passes(session: Session, test: SuiteTest) -> bool:
    return session.run(test, min(SECONDS, test.mark.seconds)).verdict is Verdict.PASSED
