"""The secret that a class's hidden inputs are drawn from: given, or the course folder's own."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from examiner.errors import UserError
from examiner.grading.store import write_atomically
from examiner.project import Project

NAME = "grading-seed"
EMPTY = (
    "--seed is empty: give a text that students cannot guess, or leave --seed out, "
    "and the course folder's own secret is used"
)


def seed_for(project: Project, given: str | None) -> str:
    """Return the seed to grade by; None: the course folder's own. Raises UserError for a blank."""
    if given is None:
        return own_seed(project)
    if not given.strip():
        raise UserError(EMPTY)
    return given


def _draw(path: Path) -> None:
    """Make a secret; of two commands that do so at once both take that of the first."""
    own = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
    write_atomically(own, secrets.token_hex(16))
    try:
        os.link(own, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        own.replace(path)
    own.unlink(missing_ok=True)


def own_seed(project: Project) -> str:
    """Return the secret of this course folder, which is made once.

    Raises UserError where the file is empty or no text: another seed would change grades, and
    nobody would know why.
    """
    path = project.state(NAME)
    if not path.is_file():
        _draw(path)
    shown = path.relative_to(project.root)
    try:
        found = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        found = ""
    if not found:
        raise UserError(
            f"{shown} is empty or no text: write the seed that it held into it, or delete it, and "
            "a new one is drawn; hidden inputs are then others, and grades may change"
        )
    return found
