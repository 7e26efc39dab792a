"""Cuts a chapter's suite down to some of its tests, with as much of its helpers as they use."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from examiner.errors import UserError
from examiner.project import Project
from examiner.release.prune import Definition, defined, prune

PACKAGE = "tests"
Texts = dict[str, str]  # by path below tests: "sorting/suite/test_sorting.py"
Test = ast.FunctionDef
Keep = Callable[[Test], bool]


def is_task_mark(node: ast.expr) -> bool:
    """Tell whether a decorator is `@pytest.mark.task(...)`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.task"


def is_visible(test: Test) -> bool:
    """Tell whether a test's mark says `visible=True`, literally."""
    return any(
        keyword.arg == "visible"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for mark in _task_marks(test)
        for keyword in mark.keywords
    )


def task_of(test: Test) -> str:
    """Return the id in a test's task mark, "" where it is no literal."""
    ids = [mark.args[0] for mark in _task_marks(test) if mark.args]
    return next((str(node.value) for node in ids if isinstance(node, ast.Constant)), "")


def _task_marks(test: Test) -> Iterator[ast.Call]:
    for node in test.decorator_list:
        if isinstance(node, ast.Call) and is_task_mark(node):
            yield node


@dataclass(frozen=True)
class SuiteTexts:
    """The files of a chapter's suite: those with tests, and the helpers that they import."""

    tests: Mapping[str, str]
    helpers: Mapping[str, str]

    def visible(self) -> Texts:
        """Return the files that students get: nothing of a hidden test, and no oracle of one.

        A test is hidden unless its mark says `visible=True`. Raises UserError, with file and line,
        for a test without a task, or inside a class, whose visibility could not be told, and for an
        import of a helper from which it cannot be told what is used.
        """
        return self._part(is_visible)

    def of_task(self, task_id: str) -> Texts:
        """Return the files with the tests of one task alone, visible and hidden."""
        return self._part(lambda test: task_of(test) == task_id)

    def _part(self, keep: Keep) -> Texts:
        made: Texts = {}
        for path, text in {**self.tests, **self.helpers}.items():
            _refuse_unclear_imports(text, path)
        for path, text in self.tests.items():
            kept = _with_tests(text, path, keep)
            if any(map(_is_test, ast.parse(kept).body)):
                made[path] = kept
        needed: dict[str, set[str]] = {}
        while (grown := self._needed(made)) != needed:
            needed = grown
            for path, names in needed.items():
                made[path] = self._helper(path, names)
        return dict(sorted(made.items()))

    def _needed(self, made: Texts) -> dict[str, set[str]]:
        """Return which names of which helpers the files use."""
        needed: dict[str, set[str]] = {}
        for path, text in made.items():
            for helper, names in _names_of_helpers(text, path, self.helpers):
                needed.setdefault(helper, set()).update(names)
        return needed

    def _helper(self, path: str, names: set[str]) -> str:
        text = self.helpers[path]
        known = {name for node in ast.parse(text).body for name in defined(node)}
        if unknown := sorted(names - known):
            raise UserError(f"{path} has no {unknown[0]}, which a test of the suite uses")
        return prune(text, names)


def read_suite(project: Project, stem: str) -> SuiteTexts:
    """Read a chapter's suite and the helpers in tests that it imports.

    Raises UserError, with file and line, where one of them is no Python.
    """
    suites = project.root / "tests"
    texts = {
        path.relative_to(suites).as_posix(): path.read_text("utf-8")
        for path in project.suite_files(stem)
        if path.is_relative_to(suites)
    }
    tests = {p: t for p, t in texts.items() if p.rpartition("/")[2].startswith("test_")}
    return SuiteTexts(tests, {p: t for p, t in texts.items() if p not in tests})


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, Test) and node.name.startswith("test_")


def _is_autouse(node: ast.stmt) -> bool:
    return isinstance(node, Definition) and any(
        "autouse=True" in ast.unparse(each) for each in node.decorator_list
    )


def _refuse_unclear_imports(text: str, path: str) -> None:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import) and any(a.name.startswith("tests.") for a in node.names):
            raise UserError(f"{path}:{node.lineno}: write `from tests.CHAPTER.suite import HELPER`")
        if isinstance(node, ast.ImportFrom) and (node.level or node.names[0].name == "*"):
            raise UserError(
                f"{path}:{node.lineno}: write `from tests.CHAPTER.suite.HELPER import NAME`"
            )


def _with_tests(text: str, path: str, keep: Keep) -> str:
    body = ast.parse(text).body
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            raise UserError(f"{path}:{node.lineno}: write tests as functions, not in a class")
        if isinstance(node, Test) and _is_test(node) and not any(_task_marks(node)):
            raise UserError(f"{path}:{node.lineno}: {node.name} has no @pytest.mark.task")

    def is_root(node: ast.stmt) -> bool:
        if isinstance(node, Test) and _is_test(node):
            return keep(node)
        return "pytestmark" in defined(node) or _is_autouse(node)

    return prune(text, is_root=is_root)


def _names_of_helpers(
    text: str, path: str, helpers: Mapping[str, str]
) -> Iterator[tuple[str, set[str]]]:
    """Yield each helper that a file imports, with the names that it uses of it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        if not isinstance(node, ast.ImportFrom) or not module.startswith(f"{PACKAGE}."):
            continue
        folder = module.removeprefix(f"{PACKAGE}.").replace(".", "/")
        whole = f"{folder.rstrip('/')}.py"
        for alias in node.names:
            part, name = f"{folder}{alias.name}.py", alias.asname or alias.name
            if part in helpers:
                yield part, _attributes(tree, name, path)
            elif whole in helpers:
                yield whole, {alias.name}


def _attributes(tree: ast.Module, module: str, path: str) -> set[str]:
    """Return the attributes of an imported module that a file names."""
    named, whole = set(), set(ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == module:
                named.add(node.attr)
            whole.discard(node.value)
    for node in whole:
        if isinstance(node, ast.Name) and node.id == module:
            raise UserError(f"{path}:{node.lineno}: say which part of {module} is used: {module}.x")
    return named
