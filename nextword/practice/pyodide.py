"""Python for the browser: Pyodide's core, fetched once from npm's registry and checked.

It is CPython compiled to WebAssembly, under the Mozilla Public License 2.0. `make book` runs this
file; a book that is built where it cannot be had does without. Leaves out every package but
Python's own library: the core's tarball has no other.
"""

from __future__ import annotations

import json
import os
import sys
import tarfile
from pathlib import Path

from examiner.errors import UserError
from nextword.corpora import cache
from nextword.corpora.fetching import Download, check, transfer

VERSION = "314.0.7"  # of Pyodide; Python 3.14
REGISTRY = "https://registry.npmjs.org"
FOLDER = f"pyodide-{VERSION}"  # in the book: a browser keeps what it has under this name
LOCK = "pyodide-lock.json"
# what a page loads, all from the tarball
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", LOCK)


def download() -> Download:
    """Return where the tarball is: at npm's registry, or the one that the environment names."""
    names = ("npm_config_registry", "NPM_CONFIG_REGISTRY")  # npm reads both
    named = next(filter(None, map(os.environ.get, names)), None)
    return Download(
        title=f"Pyodide {VERSION}: Python for the browser",
        url=f"{(named or REGISTRY).rstrip('/')}/pyodide/-/{FOLDER}.tgz",
        home="https://pyodide.org",
        licence="MPL 2.0",
        n_bytes=6_488_647,
        sha256="66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    )


def place() -> Path:
    """Return where the tarball lies on this computer, or will."""
    return cache.folder("downloads") / "pyodide" / download().file_name


def fetch(*, progress: bool = True) -> Path:
    """Return the tarball, checked; from the cache folder, else from the registry.

    Raises UserError, which says what to do, where it cannot be had.
    """
    path = place()
    if path.exists():
        check(path, download())
    else:
        transfer(download(), path, progress=progress)
    return path


def unpack(tarball: Path, folder: Path) -> list[Path]:
    """Write what a page loads into a folder; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(tarball) as archive:
        for name in FILES:
            member = archive.extractfile(f"package/{name}")
            assert member is not None  # its bytes are pinned
            data = member.read()
            (folder / name).write_bytes(_without_packages(data) if name == LOCK else data)
    return [folder / name for name in FILES]


def _without_packages(lock: bytes) -> bytes:
    """Return the list of Pyodide's packages without them: else errors speak of how to load them."""
    return json.dumps({**json.loads(lock), "packages": {}}).encode()


def main() -> int:
    """Fetch it, or say in one line why a book built here does without; never stop a build."""
    try:
        fetch(progress=sys.stderr.isatty())
    except UserError as error:
        print(f"The book's tasks cannot be checked in its pages: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
