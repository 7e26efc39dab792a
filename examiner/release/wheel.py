"""Packs what students install into one file, a wheel, which pip installs from their folder.

Leaves out which files those are (library.py). setuptools builds it, from the course's pyproject.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from examiner.errors import UserError

SETTINGS = "pyproject.toml"
FOLDER = "library"  # where the wheel lies in the students' folder
SHELF_DATE = "315532800"  # 1980, the first year that a zip knows: equal files give equal bytes
BUILD = "import sys, setuptools.build_meta as build; print(build.build_wheel(sys.argv[1]))"

REQUIREMENTS = """\
# The course's library comes with this folder; the packages that it needs come from the internet.
# In this folder: pip install -r requirements.txt
./{place}
"""


@dataclass(frozen=True)
class Wheel:
    """A wheel and its file name."""

    name: str
    data: bytes

    @property
    def files(self) -> dict[str, bytes]:
        """What students install from, by place: the wheel, and the requirements that name it."""
        place = f"{FOLDER}/{self.name}"
        return {place: self.data, "requirements.txt": REQUIREMENTS.format(place=place).encode()}


def wheel_of(files: Mapping[str, bytes]) -> Wheel:
    """Build a wheel of files by place, one of which is pyproject.toml.

    Its version ends with a hash of the files, so that pip takes a corrected library for another
    one. Raises UserError where setuptools cannot build it.
    """
    whole = hashlib.sha256()
    for place, data in sorted(files.items()):
        whole.update(f"{place}\0{len(data)}\0".encode() + data)
    settings = _versioned(files[SETTINGS].decode("utf-8"), whole.hexdigest()[:8])
    with tempfile.TemporaryDirectory() as name:
        source, out = Path(name, "source"), Path(name, "wheel")
        # the pyproject names a README, which says nothing to students that their folder's does not
        staged = {"README.md": b"", **files, SETTINGS: settings.encode()}
        for place, data in staged.items():
            (source / place).parent.mkdir(parents=True, exist_ok=True)
            (source / place).write_bytes(data)
        out.mkdir()
        _build(source, out)
        (made,) = out.glob("*.whl")
        return Wheel(made.name, made.read_bytes())


def _versioned(settings: str, mark: str) -> str:
    """Return the text of a pyproject whose version has a local part."""
    return re.sub(r'^(version = "[^"+]+)[^"]*"', rf'\1+{mark}"', settings, count=1, flags=re.M)


def _build(source: Path, out: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", BUILD, str(out)],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": SHELF_DATE},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise UserError(f"{SETTINGS}: the library cannot be packed (setuptools 77 or newer): {why}")
