"""The reader's own functions in a notebook, and the book's where a task is still open.

The reader's file is read with the book's version of every function that is not written yet in its
place. So a chapter runs from the first day, and its figures become the reader's own, one by one.
Leaves out whether what is written is right: `nextword check` says that.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from examiner.catalogue import Chapter
from examiner.errors import MissingPackageError, UserError
from examiner.project import Project, find_project
from examiner.stubs import Function, functions_of
from nextword.reading.look import LOOK

OWN = "coursework"
WIDTH = 96  # letters of a line


@dataclass(frozen=True)
class Mixture:
    """A module of two sources: the names of the book's functions in it, and why all of them are."""

    module: ModuleType
    chapter: Chapter
    file: Path
    lent: frozenset[str]  # those of the chapter's symbols that are the book's, or open
    trouble: str = ""  # why nothing of the reader's file could be used
    has_book: bool = True  # students' copies have none

    def __str__(self) -> str:
        symbols = [s for task in self.chapter.tasks for s in task.symbols]
        shown = f"{OWN}/{self.file.name}"
        if self.trouble:
            return f"{shown} {self.trouble}. All functions are the book's until that is mended."
        own = [symbol for symbol in symbols if symbol not in self.lent]
        if not self.lent:
            return f"{shown}: all {len(symbols)} functions are yours."
        others = "the book's" if self.has_book else "still open"
        if not own:
            return f"{shown}: nothing is written yet, so all {len(symbols)} functions are {others}."
        rest = [t.id for t in self.chapter.tasks if set(t.symbols) & self.lent]
        return (
            f"{shown}: {len(own)} of {len(symbols)} functions are yours ({', '.join(own)}). "
            f"The others are {others}: {'task' if len(rest) == 1 else 'tasks'} {', '.join(rest)}."
        )


def mine(*stems: str, course: str | os.PathLike[str] = ".") -> None:
    """Let `from coursework import STEM` give your functions, and the book's for open tasks.

    Says which are whose. When you save the file, the next cell takes up what you wrote. `course` is
    the course folder, or a path in it. Raises UserError where a chapter is not known.
    """
    _show_look()
    project = find_project(Path(course))
    for stem in stems:
        watched = _Watched(project, project.catalogue.chapter(stem))
        watched.take()
        _watch(watched)


def mix(project: Project, chapter: Chapter, module: ModuleType | None = None) -> Mixture:
    """Return the chapter's module, the reader's where it is written; fills `module` if given."""
    own = project.package(OWN) / f"{chapter.stem}.py"
    book = project.module(project.best_package, chapter.stem)
    has_book = project.best_package != OWN
    module = module or ModuleType(f"{OWN}.{chapter.stem}")
    symbols = {symbol for task in chapter.tasks for symbol in task.symbols}
    if not own.is_file():
        return _book_only(module, chapter, book, "is missing")
    try:
        tree = ast.parse(own.read_bytes())
    except (SyntaxError, ValueError) as error:
        where = f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else error
        return _book_only(module, chapter, book, f"cannot be read as Python, {where}")
    lent = frozenset(_lend(tree, ast.parse(book.read_bytes()), symbols))
    try:
        _fill(module, _marked(compile(tree, str(own), "exec"), lent, str(book)), own)
    except Exception as error:  # the reader's module may raise what it likes
        said = f"cannot be imported, {type(error).__name__}: {error}"
        return _book_only(module, chapter, book, said)
    return Mixture(module, chapter, own, lent, has_book=has_book)


def is_open(function: Function) -> bool:
    """Tell whether a function is still the stub, or not finished: it raises NotImplementedError.

    >>> is_open(ast.parse("def f(): raise NotImplementedError()").body[0])
    True
    """
    raised = (node.exc for node in ast.walk(function) if isinstance(node, ast.Raise))
    names = (exc.func if isinstance(exc, ast.Call) else exc for exc in raised)
    return any(isinstance(name, ast.Name) and name.id == "NotImplementedError" for name in names)


def _lend(tree: ast.Module, book: ast.Module, symbols: set[str]) -> set[str]:
    """Put the book's functions in place of the open ones in `tree`; return their names.

    Where a class or function is missing, all of the book's comes at the end.
    """
    own, reference = functions_of(tree), functions_of(book)
    missing = {symbol.partition(".")[0] for symbol in symbols if symbol not in own}
    wanted = {s for s in symbols if s not in own or is_open(own[s])}
    wanted |= {s for s in symbols if s.partition(".")[0] in missing}
    for symbol in wanted & own.keys() & reference.keys():
        _replace(tree, own[symbol], reference[symbol])
    for name in sorted(missing):
        tree.body += [node for node in book.body if getattr(node, "name", None) == name]
    return wanted


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and old in body:
            body[body.index(old)] = new
            return


def _marked(code: CodeType, lent: frozenset[str], file: str) -> CodeType:
    """Return the code with the book's file behind the book's functions, for tracebacks."""
    parts = tuple(
        _marked(part, lent, file) if isinstance(part, CodeType) else part for part in code.co_consts
    )
    code = code.replace(co_consts=parts)
    name = code.co_qualname.replace(".<locals>", "")
    if any(name == symbol or name.startswith(f"{symbol}.") for symbol in lent):
        return code.replace(co_filename=file)
    return code


def _fill(module: ModuleType, code: CodeType, file: Path) -> None:
    """Run the code as the module; what the module held before is gone."""
    vars(module).clear()
    vars(module).update(__name__=f"{OWN}.{file.stem}", __package__=OWN, __file__=str(file))
    sys.modules[module.__name__] = module  # dataclasses look themselves up
    exec(code, vars(module))


def _book_only(module: ModuleType, chapter: Chapter, book: Path, why: str) -> Mixture:
    """All of the book's; where there is no book, an error with the reason."""
    if book.parent.name == OWN:
        raise UserError(f"{OWN}/{book.name} {why}")
    try:
        _fill(module, compile(book.read_bytes(), str(book), "exec"), book)
    except ModuleNotFoundError as error:
        raise MissingPackageError(f"chapter {chapter.number}", str(error.name)) from None
    symbols = frozenset(symbol for task in chapter.tasks for symbol in task.symbols)
    return Mixture(module, chapter, book, symbols, why)


class _Watched:
    """A chapter's file that is read again when it was saved."""

    def __init__(self, project: Project, chapter: Chapter) -> None:
        self.project, self.chapter = project, chapter
        self.file = project.package(OWN) / f"{chapter.stem}.py"
        self._module: ModuleType | None = None
        self._seen = -1  # nothing was read yet

    def take(self, *_: object) -> None:
        """Read the file where it is new, and say whose the functions are."""
        saved = self.file.stat().st_mtime_ns if self.file.is_file() else 0
        if saved == self._seen:
            return
        self._seen = saved
        try:
            found = mix(self.project, self.chapter, self._module)
        except UserError as error:
            print(error)
            return
        self._module = found.module
        sys.modules[found.module.__name__] = found.module
        if str(self.project.root) not in sys.path:
            sys.path.insert(0, str(self.project.root))
        setattr(importlib.import_module(OWN), self.chapter.stem, found.module)
        print(textwrap.fill(str(found), WIDTH))


def _show_look() -> None:
    """Give pictures their size, in a notebook."""
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        display = importlib.import_module("IPython.display")
        display.display(display.HTML(LOOK))


_watching: dict[Path, _Watched] = {}


def _watch(watched: _Watched) -> None:
    """Have the file looked at before each cell, once for each file; outside a notebook, never."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        return
    if old := _watching.pop(watched.file, None):
        shell.events.unregister("pre_run_cell", old.take)
    _watching[watched.file] = watched
    shell.events.register("pre_run_cell", watched.take)
