"""Finds the submissions of a class and reads each student's module; a bad one gets a clear line.

Only <chapter>.py is ever read: what lies beside it (conftest.py, numpy.py, …) has no effect.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from nextword.errors import UserError
from nextword.grading.archives import Archive, ArchiveError, UnreadableError
from nextword.judge.wording import LONGEST, Source, clean
from nextword.results import Verdict

MAX_SOURCE = 1 << 20  # bytes of a module
MAX_DEPTH = 4  # folders in a student's folder that are searched
MAX_ENTRIES = 10_000
_BESIDE = {".json", ".md", ".txt", ".csv", ".html", ".pdf", ".log", ""}  # files beside students'
_ARCHIVES = {".tar", ".gz", ".tgz", ".rar", ".7z", ".bz2", ".xz"}


class ProblemError(Exception):
    """Why a submission has no module that could be graded."""

    def __init__(self, message: str, verdict: Verdict = Verdict.MISSING) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True)
class Submission:
    """What one student handed in, read."""

    student: str
    source: Source
    data: bytes = b""  # the module as it was handed in
    files: tuple[str, ...] = ()
    problem: str = ""
    verdict: Verdict = Verdict.PASSED  # of every test, where there is a problem
    note: str = ""

    @property
    def digest(self) -> str:
        """A key that changes whenever the result could."""
        content = [
            self.data,
            self.problem.encode(),
            self.note.encode(),
            "\0".join(self.files).encode(errors="surrogateescape"),
        ]
        return hashlib.sha256(
            b"\0".join(hashlib.sha256(part).digest() for part in content)
        ).hexdigest()


@dataclass(frozen=True)
class Entry:
    """A student's folder or zip, not yet read."""

    student: str
    paths: tuple[Path, ...]  # several: the student handed in more than once


def find_entries(folder: Path) -> list[Entry]:
    """Return the students' folders and zips in a class folder, by name.

    Raises UserError when there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}: expected one folder or zip per student")
    found: dict[str, list[Path]] = {}
    try:
        for path in sorted(folder.iterdir()):
            if path.name.startswith((".", "__")):
                continue
            is_folder = path.is_dir() and not path.is_symlink()
            if not is_folder and path.suffix.lower() in _BESIDE and not path.is_symlink():
                continue
            name = path.name if is_folder else path.name.removesuffix(path.suffix)
            found.setdefault(name, []).append(path)
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from None
    if not found:
        raise UserError(f"{folder} holds no submissions: expected one folder or zip per student")
    return [Entry(name, tuple(paths)) for name, paths in found.items()]


def read(entry: Entry, stem: str) -> Submission:
    """Read a student's module; whatever is wrong with it becomes the submission's problem."""
    student = shown_name(entry.student)
    wanted = f"{stem}.py"
    try:
        if len(entry.paths) > 1:
            names = " and ".join(path.name for path in entry.paths)
            raise ProblemError(f"handed in twice: {names}; keep one", Verdict.NOT_JUDGED)
        data, inside, others = _read_one(entry.paths[0], stem)
        text = _text(data, wanted)
    except ProblemError as problem:
        text = _line(str(problem))
        return Submission(student, Source(wanted, ""), problem=text, verdict=problem.verdict)
    except Exception as error:  # no submission may end the run of a class
        text = _line(f"cannot be read: {type(error).__name__}: {error}")
        return Submission(student, Source(wanted, ""), problem=text, verdict=Verdict.NOT_JUDGED)
    note = ""
    modules = sorted({path.name for path in others if path.suffix == ".py"} - {wanted})
    if modules:
        note = _line(f"only {wanted} is graded; left out: {', '.join(modules[:5])}", 300)
    return Submission(student, Source(wanted, text), data, (str(inside),), note=note)


def _line(text: str, longest: int = LONGEST) -> str:
    """Return text that is safe to show, on one line."""
    return " ".join(clean(text, longest).split())


def shown_name(raw: str) -> str:
    """Return a student's name that can be shown, still another one for every student."""
    name = _line(raw, 100)
    if name == raw:
        return name
    return f"{name} #{hashlib.sha256(raw.encode(errors='surrogateescape')).hexdigest()[:6]}"


def read_package(folder: Path, stem: str, name: str) -> Submission:
    """Read a package of the course folder, such as solutions, as a submission of that name."""
    return replace(read(Entry(name, (folder,)), stem), note="")


def _read_one(path: Path, stem: str) -> tuple[bytes, PurePosixPath, Sequence[PurePosixPath]]:
    if path.is_symlink():
        raise ProblemError(f"{path.name} is a link; expected a folder or a zip")
    if path.is_dir():
        files = _walk(path)
        inside = _choose(files, stem)
        return _read_file(path, inside), inside, files
    if path.suffix.lower() == ".zip":
        try:
            archive = Archive(path)
            try:
                files = [name for name in archive.files if not _is_junk(name)]
                inside = _choose(files, stem)
                return archive.read(inside, MAX_SOURCE), inside, files
            finally:
                archive.close()
        except UnreadableError as error:
            raise ProblemError(str(error), Verdict.NOT_JUDGED) from None
        except ArchiveError as error:
            raise ProblemError(str(error)) from None
    if path.suffix.lower() in _ARCHIVES:
        raise ProblemError(f"{path.name} cannot be opened: hand in a .zip or a folder")
    raise ProblemError(f"{path.name} is a single file: expected a folder or zip with {stem}.py")


def _is_junk(path: PurePosixPath) -> bool:
    return any(part.startswith((".", "__MACOSX", "__pycache__")) for part in path.parts)


def _walk(folder: Path) -> list[PurePosixPath]:
    """List the files in a folder without following links."""
    found: list[PurePosixPath] = []

    def refuse(error: OSError) -> None:
        name = Path(error.filename or folder).name
        raise ProblemError(f"{name} cannot be read: {error.strerror}", Verdict.NOT_JUDGED)

    for where, folders, names in os.walk(folder, onerror=refuse):
        inside = PurePosixPath(Path(where).relative_to(folder).as_posix())
        if len(inside.parts) >= MAX_DEPTH:
            folders.clear()
        found += [inside / name for name in sorted(names) if not _is_junk(inside / name)]
        if len(found) > MAX_ENTRIES:
            raise ProblemError(f"more than {MAX_ENTRIES} files were handed in")
    return found


def _choose(files: Iterable[PurePosixPath], stem: str) -> PurePosixPath:
    """Return the module's path: the outermost <stem>.py, which must be the only one there."""
    wanted = f"{stem}.py"
    everything = list(files)
    found = sorted(
        (path for path in everything if path.name == wanted), key=lambda p: (len(p.parts), p)
    )
    if found:
        same = [path for path in found if len(path.parts) == len(found[0].parts)]
        if len(same) > 1:
            raise ProblemError(f"{wanted} is there twice: {same[0]} and {same[1]}")
        return found[0]
    names = [path.name for path in everything]
    if f"{stem}.ipynb" in names:
        raise ProblemError(f"a notebook, {stem}.ipynb, where the module {wanted} was expected")
    if not names:
        raise ProblemError(f"there is no {wanted}: nothing was handed in")
    code = [name for name in names if name.lower().endswith((".py", ".ipynb"))]
    like = [name for name in names if stem in name.lower()] or code or names
    raise ProblemError(f"there is no {wanted}; found instead: {', '.join(like[:5])}")


def _read_file(folder: Path, inside: PurePosixPath) -> bytes:
    """Read a regular file: a link could lead to the solutions, a pipe would block for ever."""
    path = folder / inside
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ProblemError(f"{inside} is a link; hand in the file itself") from None
        text = f"{inside} cannot be read: {error.strerror}"
        raise ProblemError(text, Verdict.NOT_JUDGED) from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ProblemError(f"{inside} is no regular file")
        data = file.read(MAX_SOURCE + 1)
    if len(data) > MAX_SOURCE:
        raise ProblemError(f"{inside} is longer than {MAX_SOURCE >> 10} kB")
    return data


def _text(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ProblemError(f"{name} is saved as UTF-16; save it as UTF-8", Verdict.FAILED)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        text = f"{name} is not saved as UTF-8 (line {line}); save it as UTF-8"
        raise ProblemError(text, Verdict.FAILED) from None
    if "\0" in text:
        raise ProblemError(f"{name} is no text file", Verdict.FAILED)
    if text.lstrip().startswith("{") and '"cells"' in text and '"nbformat"' in text:
        raise ProblemError(f"{name} is a notebook by another name; hand in the module")
    return text
