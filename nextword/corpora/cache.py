"""The folder where the course keeps what it made or fetched once, and safe writing into it."""

import json
import os
from pathlib import Path
from typing import Any

from examiner.files import write_whole

VARIABLE = "NEXTWORD_CACHE"  # an environment variable that moves the folder elsewhere


def folder(name: str = "") -> Path:
    """The user's cache folder of this course, or a folder inside it; it may not exist yet.

    >>> folder("downloads").name
    'downloads'
    """
    root = os.environ.get(VARIABLE)
    if not root:
        import pooch  # slow, and only needed here

        root = str(pooch.os_cache("nextword"))
    return Path(root) / name


def read_json(path: Path) -> Any:
    """What the JSON file holds, or None where there is no readable one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write_json(path: Path, value: Any) -> bool:
    """Write the whole file or nothing; False where the folder cannot be written."""
    try:
        write_whole(path, json.dumps(value, ensure_ascii=False).encode())
    except OSError:
        return False
    return True
