"""Finds and copies what students handed in, without following a link out of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC
from fnmatch import fnmatchcase
from mimetypes import guess_type
from pathlib import Path, PurePosixPath

from nbgrader.utils import parse_utc

from examiner.check.terminal import printable
from examiner.grading.accidents import alike
from examiner.term.moments import aware
from examiner.term.times import Handed

MAX_FILE = 64 << 20  # bytes of one file
ACTIVE = ("html", "xml", "svg", "javascript")  # in types of files that a browser runs
TIMESTAMP = "timestamp.txt"  # in which nbgrader notes beside a work when it was handed in


def by_student(pattern: str, students: str = "*") -> Iterator[tuple[str, Path]]:
    """Yield student and folder for what matches a path in which * stands for the student.

    `students` is a glob that chooses some of them.
    """
    whole = Path(pattern)
    place = whole.parts.index("*")
    for path in sorted(Path(*whole.parts[:place]).glob(str(Path(*whole.parts[place:])))):
        if path.is_dir() and fnmatchcase(path.parts[place], students):
            yield path.parts[place], path


def time_in(folder: Path) -> str | None:
    """Return when the work in a folder was handed in; None where that is not noted.

    Raises ValueError, with words for a person, for a file that holds no time.
    """
    path = folder / TIMESTAMP
    if not path.is_file():
        return None
    text = path.read_text("utf-8", errors="replace").strip()[:100]
    try:
        return text if text and parse_utc(text) else None
    except (ValueError, OverflowError):
        raise ValueError(f"{TIMESTAMP} holds no time such as 2026-12-01 11:58:00 UTC") from None


def note_time(folder: Path, handed: Handed | None) -> None:
    """Note in a work's folder when a platform says that it was handed in, where it says a time.

    The student's own note gives way to it. A time without a zone is this machine's.
    """
    if handed is None or handed.at is None:
        return
    at = aware(handed.at, None).astimezone(UTC)
    clear_the_way(folder, Path(TIMESTAMP))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TIMESTAMP).unlink(missing_ok=True)
    (folder / TIMESTAMP).write_text(f"{at:%Y-%m-%d %H:%M:%S} UTC\n", "utf-8")


def plain_files(folder: Path) -> Iterator[Path]:
    """Yield the regular files in a folder; no links, nothing behind a link, no devices."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not Path(place, each).is_symlink())
        yield from (path for each in sorted(names) if is_plain(path := Path(place, each)))


def is_plain(path: Path) -> bool:
    """Tell whether the path is a file, and neither a link nor a pipe or device."""
    return path.is_file() and not path.is_symlink()


def modules_in(folder: Path, stem: str, others: Collection[str] = ()) -> list[Path]:
    """Return <stem>.py at a folder's top, or, where there is none, what was meant to be it.

    `others` are the stems of other chapters.
    """
    own = folder / f"{stem}.py"
    if is_plain(own) or own.is_symlink() or not folder.is_dir():
        return [own]
    names = [PurePosixPath(path.name) for path in folder.iterdir() if is_plain(path)]
    return [folder / name for name in alike(names, stem, others)]


def links_in(folder: Path) -> list[str]:
    """Return a line on each link in a folder: none is followed."""
    found = []
    for place, folders, names in os.walk(folder):
        paths = [Path(place, each) for each in (*folders, *names)]
        found += [path.relative_to(folder).as_posix() for path in paths if path.is_symlink()]
    return [f"the link {printable(path)} was not followed" for path in sorted(found)]


def clear_the_way(folder: Path, inside: Path) -> None:
    """Remove a file where a folder is to be, and a folder where a file is to be."""
    for parent in inside.parents:
        if (folder / parent).is_file():
            (folder / parent).unlink()
    if (folder / inside).is_dir():
        shutil.rmtree(folder / inside)


def copy_plain_files(
    origin: Path, target: Path, wanted: Iterable[Path] | None = None
) -> list[Path]:
    """Copy the regular files of a folder (of `wanted`, where given) that are not too large.

    Returns the copies.
    """
    made = []
    chosen = None if wanted is None else set(wanted)
    for path in plain_files(origin):
        if path.stat().st_size > MAX_FILE or (chosen is not None and path not in chosen):
            continue
        copy = target / path.relative_to(origin)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)  # nbgrader makes its copies read-only
        shutil.copyfile(path, copy)
        made.append(copy)
    return made


def copy_for_marking(origin: Path, target: Path, wanted: Iterable[Path] | None = None) -> None:
    """Copy what is no notebook to where the formgrader finds it.

    It hands these files to the marker's browser: pages and scripts become plain text.
    """
    chosen = plain_files(origin) if wanted is None else wanted
    others = (path for path in chosen if ".ipynb" not in str(path.relative_to(origin)))
    for copy in copy_plain_files(origin, target, others):
        if any(word in (guess_type(copy.name)[0] or "") for word in ACTIVE):
            copy.rename(copy.with_name(copy.name + ".txt"))
