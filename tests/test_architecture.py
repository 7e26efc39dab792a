"""The rules of the repository that a machine can check: who imports whom, length of files."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.course import COURSE

ROOT = Path(__file__).parents[1]
LONGEST_FILE = 400
STUDENTS_MAY_IMPORT = {"numpy", "torch", "einops", "jaxtyping", *COURSE.settings.library}


def tracked(*patterns: str) -> list[Path]:
    """Return the files that git knows, or every file of those patterns where there is no git."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        return [path for pattern in patterns for path in ROOT.rglob(pattern)]
    return [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).is_file()]


def imports(path: Path) -> Iterator[str]:
    """Yield the full names of the modules that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers(*folders: str) -> list[Path]:
    return [path for folder in folders for path in tracked(f"{folder}/**.py", f"{folder}/*.py")]


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@pytest.mark.parametrize("path", importers("nextword", "examiner"), ids=lambda path: path.name)
def test_the_library_never_names_the_reference(path: Path) -> None:
    assert not [name for name in imports(path) if within(name, "solutions")]


@pytest.mark.parametrize("path", importers("examiner/check"), ids=lambda path: path.name)
def test_checking_does_not_import_grading(path: Path) -> None:
    assert not [name for name in imports(path) if within(name, "examiner.grading")]


@pytest.mark.parametrize("path", importers("solutions", "coursework"), ids=lambda path: path.name)
def test_student_code_imports_little(path: Path) -> None:
    import sys

    for name in imports(path):
        top = name.split(".")[0]
        allowed = top in sys.stdlib_module_names or any(
            within(name, package) or within(package, name) for package in STUDENTS_MAY_IMPORT
        )
        assert allowed, f"{path.name} imports {name}"


def imported_modules(path: Path, known: set[str]) -> set[str]:
    """Return the modules imported when this one is: inside a function, an import waits."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            # `from package import module` needs the module, not what the package defines
            found |= {name if name in known else node.module for name in full}
    return found & known


def test_no_import_circles() -> None:
    paths = {}
    for path in importers("nextword", "examiner"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph = {name: imported_modules(path, set(paths)) - {name} for name, path in paths.items()}
    while leaves := [module for module, targets in graph.items() if not targets & set(graph)]:
        for module in leaves:
            del graph[module]
    assert not graph, f"modules on or behind a circle: {sorted(graph)}"


@pytest.mark.parametrize("wing", ["nextword", "examiner"])
def test_no_circles_between_packages(wing: str) -> None:
    """At any level of import: one inside a function, or for types alone, ties packages, too."""
    graph: dict[str, set[str]] = {}
    for path in importers(wing):
        inside = path.relative_to(ROOT / wing).with_suffix("").parts
        names = [name.split(".") for name in imports(path) if within(name, wing)]
        folders = {parts[1] for parts in names if len(parts) > 1}
        graph.setdefault(inside[0], set()).update(folders - {inside[0]})
    assert {"judge": "examiner", "corpora": "nextword"}.keys() & graph.keys()
    while leaves := [name for name, others in graph.items() if not others & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert not graph, f"packages on or behind a circle: {sorted(graph)}"


def test_files_are_short() -> None:
    """Files that readers study from top to bottom are as long as their chapter."""
    read_whole = {ROOT / "solutions", ROOT / "coursework"}
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8", "replace").splitlines())
        for path in tracked("*.py")
        if not (read_whole & {*path.parents} or "class" in path.parts)
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}
