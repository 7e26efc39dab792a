"""Reads one file out of a student's zip in memory. Nothing is ever unpacked to disk.

So an archive cannot write anywhere; what is left is to bound its size and to refuse tricks.
"""

from __future__ import annotations

import stat
import struct
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO

MAX_ARCHIVE = 64 << 20  # bytes of the zip itself
MAX_DIRECTORY = 1 << 20  # bytes of its table of contents: about 10,000 files
MAX_FILES = 5000
MAX_UNPACKED = 256 << 20  # bytes of all files together, as the zip declares them

_END = struct.Struct("<4s4H2LH")  # "end of central directory"


class ArchiveError(Exception):
    """An archive that is refused; the message names the file in it that is the reason."""


class UnreadableError(ArchiveError):
    """An archive that this machine does not let us read: not the student's fault."""


class Archive:
    """A zip whose table of contents has been looked over."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: IO[bytes] = path.open("rb")
        except OSError as error:
            raise UnreadableError(f"{path.name} cannot be read: {error.strerror}") from None
        try:
            _look_over_end(self._file, path.name)
            self._zip = zipfile.ZipFile(self._file)
            self.files = self._look_over(path.name)
        except ArchiveError:
            self._file.close()
            raise
        except Exception as error:  # Python's zipfile raises what comes: struct.error, OSError, …
            self._file.close()
            raise ArchiveError(f"{path.name} is no zip file: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _look_over(self, archive: str) -> dict[PurePosixPath, zipfile.ZipInfo]:
        entries = self._zip.infolist()
        if len(entries) > MAX_FILES:
            raise ArchiveError(f"{archive} holds {len(entries)} files, at most {MAX_FILES}")
        if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
            raise ArchiveError(f"{archive} unpacks to more than {MAX_UNPACKED >> 20} MB")
        found: dict[PurePosixPath, zipfile.ZipInfo] = {}
        for entry in entries:
            name = entry.filename.replace("\\", "/")
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or ":" in name.split("/")[0]:
                raise ArchiveError(f"{archive} holds {name!r}, a path that leads out of it")
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise ArchiveError(f"{archive} holds {name!r}, which is a link")
            if entry.is_dir() or name.endswith("/"):
                continue
            if path in found:
                raise ArchiveError(f"{archive} holds {name!r} twice")
            found[path] = entry
        return found

    def read(self, path: PurePosixPath, longest: int) -> bytes:
        """Return a file's content; raises ArchiveError when it is broken or too long."""
        entry = self.files[path]
        if entry.flag_bits & 1:
            raise ArchiveError(f"{path} is encrypted")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ArchiveError(f"{path} is packed in an unusual way: make the zip anew")
        try:
            with self._zip.open(entry) as stream:
                data = stream.read(longest + 1)
        except Exception as error:  # BadZipFile, zlib.error, EOFError, UnicodeDecodeError, …
            raise ArchiveError(f"{path} in the zip is broken: {error}") from None
        if len(data) > longest:
            raise ArchiveError(f"{path} is longer than {longest >> 10} kB")
        return data


def _look_over_end(file: IO[bytes], name: str) -> None:
    """Bound the table of contents before Python's zipfile reads all of it into memory."""
    size = file.seek(0, 2)
    if size > MAX_ARCHIVE:
        raise ArchiveError(f"{name} has {size >> 20} MB, at most {MAX_ARCHIVE >> 20}")
    tail = min(size, _END.size + 65535)
    file.seek(size - tail)
    data = file.read(tail)
    at = data.rfind(b"PK\x05\x06")
    if at < 0:
        raise zipfile.BadZipFile("it has no table of contents")
    _, _, _, _, count, length, _, _ = _END.unpack_from(data, at)
    if count == 0xFFFF or length > MAX_DIRECTORY:
        raise ArchiveError(f"{name} holds too many files")
    file.seek(0)
