"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

PRIVATE, SHARED = 0o600, 0o644


def write_whole(path: Path, data: bytes, *, durable: bool = False, mode: int = PRIVATE) -> None:
    """Write a file, and the folders above it; raises OSError and leaves what was there.

    `durable`: what was written is there also if the machine stops. While it is written the data is
    beside the file, under a name like `.x.part`, which a killed process leaves behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
