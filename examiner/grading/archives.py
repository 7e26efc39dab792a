"""Reads files out of a zip in memory, a student's or a whole class's; unpacks nothing itself.

So an archive cannot write anywhere; what is left is to bound its size and to refuse tricks.
"""

from __future__ import annotations

import contextlib
import errno
import io
import re
import stat
import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from examiner.grading.opening import NotPlainError, open_file
from examiner.junk import is_junk

MAX_DIRECTORY = 1 << 20  # bytes of a student's table of contents: about 10,000 files
OUT = ", a path that leads out of it"
UTF8 = 0x800  # flag of a name that is written in UTF-8

# what a system says of names that it does not take, or that stand for a file and a folder
_OF_NAMES = {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ, errno.ENOTDIR, errno.EISDIR}
_OF_NAMES |= {errno.EEXIST, errno.ELOOP}

_END = struct.Struct("<4s4H2LH")  # "end of central directory"
_END64 = struct.Struct("<4sQ2H2L4Q")  # the same with larger numbers; it stands before a locator
_LOCATOR = struct.Struct("<4sLQL")  # which stands before the other one


@dataclass(frozen=True)
class Bounds:
    """How large a zip may be."""

    archive: int  # bytes of the zip itself
    files: int
    unpacked: int  # bytes of all files together, as the zip declares them


STUDENTS = Bounds(64 << 20, 5000, 256 << 20)
CLASSES = Bounds(4 << 30, 200_000, 8 << 30)  # the download of a whole class


class ArchiveError(Exception):
    """An archive that is refused; the message names the file in it that is the reason."""


class UnreadableError(ArchiveError):
    """An archive that this machine does not let us read: not the student's fault."""


class Archive:
    """A zip whose table of contents has been looked over.

    `data` is its content, where it lies in another zip. Of a whole class's zip a file that would be
    refused costs that file alone: `refused` says why, by its name.
    """

    def __init__(self, path: Path, data: bytes | None = None, bounds: Bounds = STUDENTS) -> None:
        self.refused: dict[str, str] = {}
        self.folders: list[PurePosixPath] = []  # also those that hold nothing
        self._bounds = bounds
        self._file = _open(path, bounds) if data is None else io.BytesIO(data)
        try:
            _look_over_end(self._file, path.name, bounds)
            self._zip = zipfile.ZipFile(self._file)
            self.files = self._look_over(path.name)
        except ArchiveError:
            self._file.close()
            raise
        except Exception as error:  # Python's zipfile raises what comes: struct.error, OSError, …
            self._file.close()
            raise ArchiveError(f"{path.name} is not a zip file: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _look_over(self, archive: str) -> dict[PurePosixPath, zipfile.ZipInfo]:
        entries, bounds = self._zip.infolist(), self._bounds
        if len(entries) > bounds.files:
            raise ArchiveError(f"{archive} holds {len(entries)} files, at most {bounds.files}")
        if sum(entry.file_size for entry in entries) > bounds.unpacked:
            raise ArchiveError(f"{archive} unpacks to more than {bounds.unpacked >> 20} MB")
        found: dict[PurePosixPath, zipfile.ZipInfo] = {}
        for entry in entries:
            name = _name(entry)
            path, why = PurePosixPath(name), _trick(entry, name)
            is_folder = entry.is_dir() or name.endswith("/") or not path.parts  # "." is one, too
            if why != OUT and (is_junk(path) or is_folder):
                self.folders += [] if is_junk(path) else [path]
                continue
            if why or path in found:
                text = f"{archive} holds {name!r}{why or ' twice'}"
                if bounds is not CLASSES:
                    raise ArchiveError(text)
                self.refused[name] = text
            else:
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


def _open(path: Path, bounds: Bounds) -> IO[bytes]:
    """Open a zip; only that of a whole class, which the instructor names, may lie behind a link."""
    try:
        return open_file(path.resolve() if bounds is CLASSES else path)
    except NotPlainError as error:
        raise ArchiveError(f"{path.name} {error}") from None
    except OSError as error:
        raise UnreadableError(f"{path.name} cannot be read: {error.strerror}") from None


def _name(entry: zipfile.ZipInfo) -> str:
    """Return an entry's name; many programs write UTF-8 and forget to say so."""
    name = entry.filename.replace("\\", "/")
    if not entry.flag_bits & UTF8:
        with contextlib.suppress(UnicodeError):
            return name.encode("cp437").decode("utf-8")
    return name


def is_ours(error: Exception) -> bool:
    """Tell whether a file cannot be written for a reason such as a full disk.

    It is no fault of whoever packed it; one of its own name, which is a folder's, too, would be.
    """
    return isinstance(error, OSError) and error.errno not in _OF_NAMES


def _trick(entry: zipfile.ZipInfo, name: str) -> str:
    """Return what is wrong with an entry: it would be written somewhere else; "" if nothing."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or re.match("[A-Za-z]:", name):
        return OUT
    return ", which is a link" if stat.S_ISLNK(entry.external_attr >> 16) else ""


def _look_over_end(file: IO[bytes], name: str, bounds: Bounds) -> None:
    """Bound the table of contents before Python's zipfile reads all of it into memory."""
    size = file.seek(0, 2)
    if size > bounds.archive:
        raise ArchiveError(f"{name} has {size >> 20} MB, at most {bounds.archive >> 20}")
    tail = min(size, _END.size + 65535)
    file.seek(size - tail)
    data = file.read(tail)
    at = data.rfind(b"PK\x05\x06")
    if at < 0:
        raise zipfile.BadZipFile("it has no table of contents")
    _, _, _, _, count, length, _, _ = _END.unpack_from(data, at)
    length = max(length, _length64(file, size - tail + at))
    if bounds is not CLASSES and (count == 0xFFFF or length > MAX_DIRECTORY):
        raise ArchiveError(f"{name} holds too many files")
    file.seek(0)


def _length64(file: IO[bytes], end: int) -> int:
    """Return how long the table of contents is by a record of larger numbers; 0 if there is none.

    subtle: Python's zipfile goes by that record wherever there is a locator, whatever the usual one
    says. It looks just before the locator, and newer ones look where that says, too.
    """
    file.seek(max(0, end - _LOCATOR.size))
    found = file.read(_LOCATOR.size)
    if end < _LOCATOR.size or not found.startswith(b"PK\x06\x07"):
        return 0
    length = 0
    for place in (end - _LOCATOR.size - _END64.size, _LOCATOR.unpack(found)[2]):
        if 0 <= place <= end:
            file.seek(place)
            record = file.read(_END64.size)
            if len(record) == _END64.size and record.startswith(b"PK\x06\x06"):
                length = max(length, _END64.unpack(record)[8])
    return length
