"""Files that are written whole or not at all, or by one process at a time; zips that depend on
their content alone."""

import errno
import io
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from examiner.errors import UserError

EPOCH = (1980, 1, 1, 0, 0, 0)
PART = ".part"  # ends the name of a file that is being written
PRIVATE, SHARED = 0o600, 0o644
_STREAMS = {Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd")}


def write_whole(
    path: Path, data: bytes | Iterable[bytes], *, durable: bool = False, mode: int = PRIVATE
) -> None:
    """Write a file, and the folders above it; raises OSError and leaves what was there.

    Data that is too large for the memory comes in pieces.

    `durable`: what was written is there also if the machine stops. While it is written the data is
    beside the file, under a name like `.7-x.part`, which a killed process leaves behind.
    """
    with whole_file(path, durable=durable, mode=mode) as file:
        file.writelines([data] if isinstance(data, bytes) else data)


@contextmanager
def whole_file(path: Path, *, durable: bool = False, mode: int = PRIVATE) -> Iterator[IO[bytes]]:
    """Open a file that takes its place when the block ends: `write_whole` says more."""
    if is_stream(path):  # no file is to take the place of /dev/stdout
        with open_stream(path) as file:
            yield file
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{os.getpid()}-"
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=PART)
    try:
        with os.fdopen(descriptor, "wb") as made:
            yield made
            if durable:
                made.flush()
                os.fsync(made.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def is_stream(path: Path) -> bool:
    """Tell whether a path names a stream, such as /dev/stdout, and no file."""
    return path.parent in _STREAMS


def open_stream(path: Path, buffering: int = -1) -> IO[bytes]:
    """Open a stream by its name; what is written comes after all that was printed before.

    subtle: /dev/stdout that is led to a file, opened anew, would begin that file anew, and what is
    printed later would be written over what is written now.
    """
    names = {"stdout": "1", "stderr": "2"}
    number = names.get(path.name, "") if path.parent == Path("/dev") else path.name
    if not number.isdecimal():
        return path.open("wb", buffering)
    for printed in (sys.stdout, sys.stderr):
        printed.flush()
    return os.fdopen(os.dup(int(number)), "wb", buffering)


def left_behind(folder: Path) -> Iterator[Path]:
    """Yield what processes that are gone have left half written in a folder and those in it."""
    for path in folder.rglob(f".*{PART}"):
        number = path.name[1:].partition("-")[0]
        if not (number.isdecimal() and _runs(int(number))):
            yield path


def _runs(process: int) -> bool:
    """Tell whether there is a process of this number on this machine."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return True  # another user's
    except (OSError, OverflowError):
        return False
    return True


class NoLocksError(OSError):
    """A system or a disk that knows no locks."""


@contextmanager
def held(lock: Path, *, wait: bool) -> Iterator[None]:
    """Hold a lock file, made where it is missing, until the block ends: one process at a time.

    The lock goes with the process, however that ends. Raises BlockingIOError where another process
    holds it and we do not `wait`, NoLocksError where nothing can be held, such as on Windows, and
    OSError where the file cannot be written.
    """
    with ExitStack() as stack:
        while True:
            lock.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(lock.open("ab"))
            unlock = _lock(file, wait=wait)
            if _is_still(file, lock):
                stack.callback(unlock)  # to close the file does not do, while a fork has it open
                break
            file.close()  # who held it before has taken it away: a later process has another one
        yield


def _lock(file: IO[bytes], *, wait: bool) -> Callable[[], None]:
    """Lock an open file; return what unlocks it."""
    try:
        import fcntl
    except ImportError:
        raise NoLocksError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        raise
    except OSError as error:
        raise NoLocksError(error.errno, error.strerror) from None
    process = os.getpid()

    def unlock() -> None:
        if os.getpid() == process:  # subtle: a process that was forked meanwhile shares the lock
            fcntl.flock(file, fcntl.LOCK_UN)

    return unlock


def _is_still(file: IO[bytes], path: Path) -> bool:
    """Tell whether an open file is the one that lies there now."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let no other command in that wants to read and change this file, until the block ends.

    A second command waits. What is locked is a file beside it, `.NAME.lock`. Raises UserError where
    that cannot be.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(held(path.with_name(f".{path.name}.lock"), wait=True))
        except OSError as error:
            raise UserError(f"{path} cannot be locked: {error.strerror}") from None
        yield


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
