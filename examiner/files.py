"""Files that are written whole or not at all, and zips that depend on their content alone."""

import io
import os
import tempfile
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

EPOCH = (1980, 1, 1, 0, 0, 0)
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


def pack(files: Mapping[str, bytes], programs: Collection[str] = ()) -> bytes:
    """Return a zip of files by their names: the same files give the same zip, byte for byte.

    `programs` are the names of those that can be run.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o755 if name in programs else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return buffer.getvalue()
