"""Packs what a student hands in, after looking it over. Leaves out sending it anywhere."""

from __future__ import annotations

import ast
import contextlib
import io
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from examiner.boundary.deadline import Deadline
from examiner.boundary.meters import meter_of
from examiner.catalogue import Chapter
from examiner.check.notebook_gaps import copies_of, notebook_gaps, renamed_copies
from examiner.errors import UserError, unwritable
from examiner.files import SHARED, write_whole
from examiner.files import pack as zip_of
from examiner.judge.encoding import EncodingError, module_text
from examiner.project import Project, find_project

IMPORT_SECONDS = 60.0


@dataclass(frozen=True)
class Package:
    """The file to hand in, and what is still missing from the work in it."""

    path: Path
    files: tuple[str, ...]
    missing: tuple[str, ...]


def work_of(name: str, start: Path | None = None) -> tuple[Chapter, Path, Project]:
    """Return a chapter, which a user called so, the folder with the module, and the course's.

    That is coursework/, or the assignment's own folder. Raises UserError when there is no module.
    """
    here = (start or Path.cwd()).resolve()
    try:
        project = find_project(here)
    except UserError:  # an assignment's own folder may have lost its tests
        project = Project(here, flat=True)
        if not project.catalogue.chapters:
            raise
    chapter, _ = project.catalogue.resolve(name)
    module, notebook = here / f"{chapter.stem}.py", here / f"{chapter.stem}.ipynb"
    if module.is_file() and (notebook.is_file() or copies_of(notebook)):
        return chapter, here, project
    module = project.package("coursework") / module.name
    if not module.is_file():
        raise UserError(f"there is no {module}: nothing to hand in")
    return chapter, module.parent, project


def pack(
    chapter: Chapter,
    folder: Path,
    target: Path,
    besides: Mapping[str, bytes] = MappingProxyType({}),
) -> Package:
    """Write the module and, if there is one, the notebook into a zip; say what is missing.

    `besides` are other files that go into it, by name.

    The zip is read again before it gets its name, so what is there can be unpacked.
    """
    module = folder / f"{chapter.stem}.py"
    notebook = folder / f"{chapter.stem}.ipynb"
    files = [module, *([notebook] if notebook.is_file() else [])]
    missing = [*_module_gaps(module, chapter), *notebook_gaps(notebook, chapter)]
    missing += [_left_out(other, notebook) for other in renamed_copies(notebook, chapter)]
    missing += [_left_out(copy, of) for of in (module, notebook) for copy in copies_of(of)]
    data = zip_of({**{path.name: path.read_bytes() for path in files}, **besides})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for path in files:
            if archive.read(path.name) != path.read_bytes():
                raise UserError(f"{path} changed while it was packed: try again")
    if target.exists() and not zipfile.is_zipfile(target):
        raise UserError(f"{target} is there, and no zip file: give --to the name of a new one")
    try:
        write_whole(target, data, mode=SHARED)
    except OSError as error:
        raise unwritable(target, error) from None
    return Package(target, (*(path.name for path in files), *besides), tuple(missing))


def _left_out(copy: Path, of: Path) -> str:
    """Return what to do about a file that a browser or Jupyter has named after one of ours."""
    if not of.is_file():
        return f"{copy.name} is not in the file: rename it to {of.name}"
    newer = copy.stat().st_mtime > of.stat().st_mtime
    which = "it is newer than" if newer else "it differs from"
    return f"{copy.name} is not in the file: {which} {of.name}; keep one of them, named {of.name}"


def _module_gaps(path: Path, chapter: Chapter) -> Iterator[str]:
    """Yield what a grader would stumble over in the module."""
    try:
        tree = ast.parse(module_text(path.read_bytes(), path.name))
    except EncodingError as error:
        yield str(error)
        return
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        yield f"{path.name}, line {line}: {error.args[0]}" if line else f"{path.name}: {error}"
        return
    bodies = dict(_functions(tree))
    made = {*_made(tree)}
    symbols = {symbol for task in chapter.tasks for symbol in task.symbols}
    absent = {each for each in symbols if not made.intersection(_ways_to(each, tree))}
    if symbols and absent == symbols:
        yield (
            f"{path.name} holds nothing of this chapter: is it the right file? "
            "Jupytext, for one, writes a notebook's text under this name"
        )
        return
    for task in chapter.tasks:
        for symbol in task.symbols:
            if symbol in absent:
                yield f"{task.id} {task.title}: {path.name} has no {symbol}"
            elif symbol in bodies and _is_stub(bodies[symbol], task.id):
                yield f"{task.id} {task.title}: {symbol} is not written yet"
    yield from left_behind(path, tree)
    if trouble := _import_trouble(path):
        yield f"{path.name} cannot be imported: {trouble}"


def left_behind(module: Path, tree: ast.AST) -> Iterator[str]:
    """Yield what a module imports from files beside it, which are not handed in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{alias.name}".lstrip(".") for alias in node.names]
        else:
            continue
        for name in names:
            first, *_ = name.removeprefix(f"{module.parent.name}.").split(".")
            beside = module.parent / f"{first}.py"
            if first != module.stem and beside.is_file():
                yield (
                    f"{module.name}, line {node.lineno}: {beside.name} is not handed in: "
                    f"move what you use of it into {module.name}"
                )


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _functions(node, f"{prefix}{node.name}.")


def _made(tree: ast.AST, prefix: str = "") -> Iterator[str]:
    """Yield the names that a file, and each of its classes, gives a meaning to."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from _made(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (prefix + (alias.asname or alias.name) for alias in node.names)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stored = (each for each in ast.walk(node) if isinstance(each, ast.Name))
            yield from (prefix + each.id for each in stored if isinstance(each.ctx, ast.Store))


def _ways_to(symbol: str, tree: ast.Module) -> Iterator[str]:
    """Yield a name, and that of the same method in each class which its own derives from."""
    bases = {
        node.name: [ast.unparse(base) for base in node.bases]
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    yield symbol
    kind, dot, method = symbol.rpartition(".")
    open_kinds, seen = [kind] if dot else [], set[str]()
    while open_kinds:
        kind = open_kinds.pop()
        if kind not in seen:
            seen.add(kind)
            yield f"{kind}.{method}"
            open_kinds += bases.get(kind, [])


def _is_stub(function: ast.AST, task: str) -> bool:
    """Tell whether the function still raises the stub's NotImplementedError, which names a task."""
    raised = [node.exc for node in ast.walk(function) if isinstance(node, ast.Raise)]
    calls = [exc for exc in raised if isinstance(exc, ast.Call)]
    return any(
        ast.unparse(call.func) == "NotImplementedError"
        and (not call.args or ast.unparse(call.args[0]).strip("'\"").startswith(task))
        for call in calls
    )


def _import_trouble(path: Path) -> str:
    """Import the module in a process of its own; return the last line of what went wrong."""
    code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import {path.stem}"
    options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    options |= {"text": True, "encoding": "utf-8", "errors": "replace", "cwd": path.parent}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stderr=subprocess.PIPE, **options) as process:
        deadline = Deadline(IMPORT_SECONDS, meter_of(process.pid))
        try:
            while (left := deadline.left()) > 0:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    _, said = process.communicate(timeout=left)
                    return _last_line(said, process.returncode)
            return f"it {deadline.why}"
        finally:
            process.kill()


def _last_line(said: str, exit_code: int) -> str:
    """Return the last line of what a program that failed said, or "" if it did not fail."""
    lines = said.strip().splitlines() or [f"it ends with exit code {exit_code}"]
    return lines[-1] if exit_code else ""
