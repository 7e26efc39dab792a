"""Files that are written whole or not at all, and zips that depend on their content alone."""

import io
import os
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

EPOCH = (1980, 1, 1, 0, 0, 0)
PRIVATE, SHARED = 0o600, 0o644


def write_whole(
    path: Path, data: bytes | Iterable[bytes], *, durable: bool = False, mode: int = PRIVATE
) -> None:
    """Write a file, and the folders above it; raises OSError and leaves what was there.

    Data that is too large for the memory comes in pieces.

    `durable`: what was written is there also if the machine stops. While it is written the data is
    beside the file, under a name like `.x.part`, which a killed process leaves behind.
    """
    with whole_file(path, durable=durable, mode=mode) as file:
        file.writelines([data] if isinstance(data, bytes) else data)


@contextmanager
def whole_file(path: Path, *, durable: bool = False, mode: int = PRIVATE) -> Iterator[IO[bytes]]:
    """Open a file that takes its place when the block ends: `write_whole` says more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
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
    pack_into(buffer, files.items(), programs)
    return buffer.getvalue()


def pack_into(
    target: IO[bytes], files: Iterable[tuple[str, bytes]], programs: Collection[str] = ()
) -> None:
    """Write such a zip, one file after the other."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o755 if name in programs else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
