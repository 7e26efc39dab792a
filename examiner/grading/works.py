"""The files of what one student handed in, also those in zips in it. Leaves out which one counts.

Nothing is followed out of a folder, and zips in zips are bounded in number, depth and bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from examiner.grading.archives import (
    STUDENTS,
    Archive,
    ArchiveError,
    UnreadableError,
    is_ours,
)
from examiner.grading.opening import NotPlainError, names_in, open_file
from examiner.junk import is_junk
from examiner.results import Verdict
from examiner.term.times import Handed

MAX_DEPTH = 4  # folders in a student's folder that are searched
MAX_ENTRIES = 10_000
MAX_FILE = 64 << 20  # bytes of one file that is copied
MAX_ZIPS, MAX_ZIP_DEPTH = 30, 3  # zips in what a student handed in, and in each other
NO_WORK = "is a link; expected a folder or a zip"
ARCHIVES = {".tar", ".gz", ".tgz", ".rar", ".7z", ".bz2", ".xz"}

Load = Callable[[int], bytes]  # a file's content; raises a ProblemError or ArchiveError if longer


class ProblemError(Exception):
    """Why a submission has no module that could be graded."""

    def __init__(self, message: str, verdict: Verdict = Verdict.MISSING) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True)
class Entry:
    """What a student handed in, not yet read: folders and zips, or files that belong together."""

    student: str
    paths: tuple[Path, ...] = ()
    files: tuple[tuple[str, Path], ...] = ()  # each with the name that the student gave it
    name: str = ""
    email: str = ""
    remarks: tuple[str, ...] = ()  # for the instructor
    platform: str = ""  # that it was downloaded from
    labels: tuple[str, ...] = ()  # its names in that download, with which feedback finds home
    problem: str = ""  # why nobody can say whose it is
    fits: tuple[str, ...] = ()  # of several students that it may be of, the ids
    handed: Handed | None = None  # when, as far as a platform says


class Work:
    """What a student handed in, once. Zips in it are opened while one of `wanted` is not found.

    A file of a zip `a/b.zip` stands under `a/b`. Raises ProblemError, or ArchiveError for a zip
    that is no good; `troubles` says which zips in it could not be opened.
    """

    def __init__(self, wanted: Collection[str]) -> None:
        self.files: dict[PurePosixPath, Load] = {}
        self.troubles: list[str] = []
        self._wanted = set(wanted)
        self._archives: list[Archive] = []
        self._opened: set[PurePosixPath] = set()
        self._left = STUDENTS.archive  # bytes of zips in it

    def close(self) -> None:
        """Close the zips."""
        for archive in self._archives:
            archive.close()

    def take(self, path: Path) -> None:
        """Take the files of a folder or zip."""
        if path.is_symlink():
            raise ProblemError(f"{path.name} {NO_WORK}")
        if path.is_dir():
            for inside in _walk(path):
                self.files[inside] = partial(_read, path, inside, inside)
        elif path.suffix.lower() == ".zip":
            self._take_zip(Archive(path), PurePosixPath())
        elif path.suffix.lower() in ARCHIVES:
            raise ProblemError(f"{path.name} cannot be opened: hand in a .zip or a folder")
        else:
            wanted = sorted(self._wanted, key=lambda name: not name.endswith(".py"))[0]
            raise ProblemError(
                f"{path.name} is a single file: expected a folder or zip with {wanted}"
            )

    def take_file(self, name: str, path: Path) -> None:
        """Take one file under a name of its own."""
        self.files[PurePosixPath(name)] = partial(read_file, path.parent, PurePosixPath(path.name))

    def _take_zip(self, archive: Archive, place: PurePosixPath) -> None:
        self._archives.append(archive)
        for name in archive.files:
            if not is_junk(name) and len(self.files) < MAX_ENTRIES:
                self.files.setdefault(place / name, partial(archive.read, name))

    def open_zips(self) -> None:
        """Open zips in zips and folders, level by level, until all that is wanted is there."""
        for _ in range(MAX_ZIP_DEPTH):
            zips = [path for path in self.files if path.suffix.lower() == ".zip"]
            zips = [path for path in zips if path not in self._opened]
            if not zips or self._wanted <= {path.name for path in self.files}:
                return
            for path in zips:
                self._open_zip(path)

    def _open_zip(self, path: PurePosixPath) -> None:
        try:
            if len(self._opened) >= MAX_ZIPS:
                raise ArchiveError(f"{path} was not opened: there are more than {MAX_ZIPS} zips")
            data = self.files[path](self._left)
            self._left -= len(data)
            self._take_zip(Archive(Path(path.name), data), path.with_suffix(""))
        except (ArchiveError, ProblemError) as error:
            self.troubles.append(str(error))
        self._opened.add(path)

    def lay_out(self, target: Path) -> list[str]:
        """Write all files into a folder, so that those that are wanted lie at its top.

        Returns a line on each file that cannot be written. Raises ProblemError where that is not
        for its name: no room is not the student's fault.
        """
        root = self._root()
        left, notes = STUDENTS.unpacked, []
        for path, load in self._by_place(root):
            inside = path.relative_to(root) if path.is_relative_to(root) else path
            if path.name in self._wanted and not (target / path.name).exists():
                inside = PurePosixPath(path.name)
            copy = target / inside
            try:
                data = load(min(MAX_FILE, left))
                copy.parent.mkdir(parents=True, exist_ok=True)
                if not copy.exists():
                    copy.write_bytes(data)
                left -= len(data)
            except (ArchiveError, ProblemError) as error:
                notes.append(str(error))
            except (OSError, ValueError) as error:  # too long a name; a file that is a folder, too
                reason = getattr(error, "strerror", None) or str(error)
                if is_ours(error):
                    text = f"it cannot be unpacked here: {reason}"
                    raise ProblemError(text, Verdict.NOT_JUDGED) from None
                notes.append(f"{str(path)[:100]} cannot be unpacked: {reason}")
        return notes

    def _root(self) -> PurePosixPath:
        """Return the folder of the outermost file that is wanted, the module before others."""
        found = [path for path in self.files if path.name in self._wanted]
        found = found or [path for path in self.files if path.suffix in (".py", ".ipynb")]
        ranked = sorted(found, key=lambda p: (len(p.parts), p.suffix != ".py", p))
        return ranked[0].parent if ranked else PurePosixPath()

    def _by_place(self, root: PurePosixPath) -> Iterator[tuple[PurePosixPath, Load]]:
        """Yield the files, those in the root folder first, then from the outside in."""
        unopened = ((p, load) for p, load in self.files.items() if p not in self._opened)
        yield from sorted(
            unopened, key=lambda each: (each[0].parent != root, len(each[0].parts), each[0])
        )


@contextmanager
def open_work(entry: Entry, wanted: Collection[str]) -> Iterator[Work]:
    """Open what a student handed in, once; raises ProblemError where it cannot be read."""
    work = Work(wanted)
    try:
        for path in entry.paths:
            work.take(path)
        for name, path in entry.files:
            work.take_file(name, path)
        work.open_zips()
        yield work
    except UnreadableError as error:
        raise ProblemError(str(error), Verdict.NOT_JUDGED) from None
    except ArchiveError as error:
        raise ProblemError(str(error)) from None
    finally:
        work.close()


def _walk(folder: Path) -> list[PurePosixPath]:
    """List the files in a folder without following links."""
    found: list[PurePosixPath] = []
    try:
        for inside, names in names_in(folder, MAX_DEPTH):
            found += [inside / name for name in names if not is_junk(inside / name)]
            if len(found) > MAX_ENTRIES:
                raise ProblemError(f"more than {MAX_ENTRIES} files were handed in")
    except NotPlainError:
        raise ProblemError(f"{folder.name} {NO_WORK}") from None
    except OSError as error:
        name = Path(error.filename or folder).name
        text = f"{name} cannot be read: {error.strerror}"
        raise ProblemError(text, Verdict.NOT_JUDGED) from None
    return found


def read_file(folder: Path, inside: PurePosixPath, longest: int) -> bytes:
    """Read a regular file in a folder; nothing in the folder is followed.

    A link could lead to the solutions, a pipe would block for ever.
    """
    first, *others = inside.parts
    return _read(folder / first, PurePosixPath(*others), inside, longest)


def _read(path: Path, inside: PurePosixPath, shown: PurePosixPath, longest: int) -> bytes:
    """Read what is at a path, or inside it; `path` itself is no link either."""
    try:
        with open_file(path, inside.parts) as file:
            data = file.read(longest + 1)
    except NotPlainError as error:
        raise ProblemError(f"{shown} {error}") from None
    except OSError as error:
        text = f"{shown} cannot be read: {error.strerror}"
        raise ProblemError(text, Verdict.NOT_JUDGED) from None
    if len(data) > longest:
        raise ProblemError(f"{shown} is longer than {longest >> 10} kB")
    return data
