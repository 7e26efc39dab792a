"""Writes the sample submissions that are kept as edits of another module.

In place of its module a sample student's folder may hold `edits.toml`:

    of = "ada"              # another student, or "coursework" for the stubs; default: the reference
    encoding = "latin-1"    # default: utf-8
    newline = "\\r\\n"        # default: "\\n"
    [[edits]]
    old = "return total / len(counts)"
    new = "return total"

Each `old` text must stand in the module once, letter by letter or, as whole lines, without regard
to comments and empty lines. The module that follows is not stored.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from examiner.judge.located import located
from examiner.project import Project

EDITS = "edits.toml"


def write_samples(project: Project, stem: str) -> list[Path]:
    """Write the modules of a chapter's sample class that follow from edits; return what changed.

    Raises UserError, with the file, for edits that cannot be made.
    """
    changed = []
    for path in sorted((project.root / "tests" / stem / "class").glob(f"*/{EDITS}")):
        target, made = path.with_name(f"{stem}.py"), edited(project, stem, path.parent.name)
        if not target.is_file() or target.read_bytes() != made:
            part = target.with_suffix(f".{os.getpid()}.part")  # another run may read it now
            part.write_bytes(made)
            part.replace(target)
            changed.append(target)
    return changed


def edited(project: Project, stem: str, student: str) -> bytes:
    """Return the module that a sample student's edits make."""
    text, said = _text(project, stem, student, ())
    try:
        return text.replace("\n", said.get("newline", "\n")).encode(said.get("encoding", "utf-8"))
    except (LookupError, UnicodeError) as error:
        raise UserError(f"{student}/{EDITS}: {error}") from None


def _text(
    project: Project, stem: str, student: str, later: tuple[str, ...]
) -> tuple[str, dict[str, Any]]:
    folder = project.root / "tests" / stem / "class" / student
    path = folder / EDITS
    if not path.is_file():
        if not (folder / f"{stem}.py").is_file():
            raise UserError(f"{later[0]}/{EDITS}: there is no student {student!r}")
        return (folder / f"{stem}.py").read_text("utf-8-sig"), {}
    if student in later:
        raise UserError(f"{student}/{EDITS}: it follows from itself")
    said = _read(path)
    base = said.get("of", "solutions")
    if base in ("solutions", "coursework"):
        text = project.module(base, stem).read_text("utf-8")
    else:
        text = _text(project, stem, base, (student, *later))[0]
    for number, (old, new) in enumerate(_edits(said, path), start=1):
        times = text.count(old)
        if times == 1:
            text = text.replace(old, new)
            continue
        lines = text.split("\n")
        found = [] if times else located(lines, old.split("\n"))
        places = [place for place, indent in found if not indent]
        if len(places) != 1:
            raise UserError(
                f"{student}/{EDITS}: the old text of edit {number} stands {times or len(places)} "
                f"times in the module of {base}, not once: {old[:60]!r}"
            )
        lines[places[0]] = new.strip("\n").split("\n")
        text = "\n".join(lines)
    return text, said


def _read(path: Path) -> dict[str, Any]:
    try:
        said = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path.parent.name}/{EDITS} is no TOML: {error}") from None
    if unknown := sorted(set(said) - {"of", "encoding", "newline", "edits"}):
        raise UserError(f"{path.parent.name}/{EDITS}: unknown key {unknown[0]!r}")
    return said


def _edits(said: dict[str, Any], path: Path) -> Iterator[tuple[str, str]]:
    for number, edit in enumerate(said.get("edits", []), start=1):
        if set(edit) != {"old", "new"}:
            raise UserError(f"{path.parent.name}/{EDITS}: edit {number} needs `old` and `new`")
        yield edit["old"], edit["new"]
