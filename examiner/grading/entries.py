"""Finds the submissions of a class in a folder or zip, as they were collected or downloaded.

Leaves out what each holds (works.py) and which of its files counts (submissions.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from examiner.errors import UserError
from examiner.grading.archives import CLASSES, Archive, ArchiveError, is_ours
from examiner.grading.beside import (
    EXPECTED,
    documents,
    is_beside,
    is_work_of_one,
    passed_over,
)
from examiner.grading.downloads import (
    GRADESCOPE,
    MOODLE,
    TITLES,
    Sender,
    is_whole_class,
    own_name,
    sender_of,
)
from examiner.grading.roster import Roster, Student
from examiner.grading.works import MAX_FILE, Entry, ProblemError
from examiner.judge.wording import one_line
from examiner.junk import is_junk
from examiner.passing import passing_folder
from examiner.project import COMMAND
from examiner.results import Verdict
from examiner.term.times import Handed, of_gradescope

METADATA = "submission_metadata.yml"  # in which Gradescope says whose its folders are
MAX_METADATA = 16 << 20
_OF_PACKAGES = {"__init__.py", "__main__.py", "conftest.py", "setup.py"}  # in many folders


@dataclass(frozen=True)
class ClassOfEntries:
    """The submissions of a class."""

    entries: tuple[Entry, ...]
    absent: tuple[Student, ...] = ()  # rows of the roster without a submission
    passed_over: str = ""  # a line on documents that are no student's by their form


@contextmanager
def open_class(
    origin: Path, roster: Roster | None = None, module: str = ""
) -> Iterator[ClassOfEntries]:
    """Open a folder of submissions, or the zip of a whole class, for as long as the block runs.

    One that holds the `module` itself is one student's work, and bears that student's name. Raises
    UserError when there is no such folder or zip, or nothing in it.
    """
    with passing_folder(f"{COMMAND}-download-") as place:
        folder, troubles = origin, {}
        given = origin.suffix.lower() == ".zip" and origin.is_file()
        if archive := origin if given else _lone_zip_of_a_class(origin):
            folder = place / "class"
            folder.mkdir()
            troubles = _unpack(archive, folder)
        inner = _inner(folder, origin.stem if given else "", roster)
        if module and is_work_of_one(inner, module):
            name = origin.stem if given else origin.resolve().name
            said = tuple(one_line(text) for some in troubles.values() for text in some)
            lone = Entry(shown_name(name), (inner,), remarks=said)
            yield _completed([_named(lone, name, None, roster)], roster)
            return
        entries = find_entries(inner, roster, origin)
        places = dict.fromkeys(place for place in (origin, folder, inner) if place.is_dir())
        over = passed_over([name for place in places for name in documents(place)])
        tops = {path.name for e in entries for path in (*e.paths, *(path for _, path in e.files))}
        entries = [_with_troubles(each, troubles) for each in entries]
        for top in sorted(set(troubles) - tops):  # of whom nothing at all could be unpacked
            text = "; ".join(troubles[top])
            entries.append(Entry(shown_name(top), problem=one_line(text)))
        yield _completed(entries, roster, over)


def _completed(entries: Sequence[Entry], roster: Roster | None, over: str = "") -> ClassOfEntries:
    found = {entry.student for entry in entries}
    doubt = {student for entry in entries for student in entry.fits}
    left = (person for person in (roster.people if roster else ()) if person.id not in found)
    absent = tuple(replace(person, is_in_doubt=person.id in doubt) for person in left)
    return ClassOfEntries(tuple(entries), absent, over)


def _with_troubles(entry: Entry, troubles: dict[str, list[str]]) -> Entry:
    tops = [path.name for path in (*entry.paths, *(path for _, path in entry.files))]
    found = [one_line(text) for top in tops for text in troubles.get(top, ())]
    return replace(entry, remarks=(*entry.remarks, *found))


# ------------------------------------------------------------------- the zip of a whole class


def _unpack(path: Path, target: Path) -> dict[str, list[str]]:
    """Unpack a class; return what could not be, by its outermost folder or file.

    Raises UserError where there is no room for it: nobody handed in less for that.
    """
    try:
        archive = Archive(path, bounds=CLASSES)
    except ArchiveError as error:
        raise UserError(f"{error}: {EXPECTED}, or a zip of these") from None
    troubles: dict[str, list[str]] = {}
    for name, text in archive.refused.items():
        top = next((part for part in Path(name).parts if part not in ("/", "..")), name)
        troubles.setdefault(top, []).append(text)
    # who handed in nothing has a folder, too; one of the class may be wrapped around all of them
    for parts in sorted({inside.parts[:2] for inside in archive.folders if inside.parts}):
        with contextlib.suppress(OSError, ValueError):
            target.joinpath(*parts).mkdir(parents=True, exist_ok=True)
    try:
        for inside in archive.files:
            if is_junk(inside):
                continue
            try:
                copy = target / inside
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(archive.read(inside, MAX_FILE))
            except (ArchiveError, OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                if is_ours(error):
                    raise UserError(f"{path} cannot be unpacked into {target}: {reason}") from None
                text = f"{inside} cannot be unpacked: {reason}"
                troubles.setdefault(inside.parts[0], []).append(text)
    finally:
        archive.close()
    return troubles


def _lone_zip_of_a_class(folder: Path) -> Path | None:
    """Return the zip in a folder that is a whole class's, by its name and by what it holds.

    By both, and only where it is alone: else a student's zip could bring in works of others.
    """
    lone = _lone(folder)
    if lone is None or lone.suffix.lower() != ".zip" or not is_whole_class(lone.stem):
        return None
    try:
        archive = Archive(lone, bounds=CLASSES)
    except ArchiveError:
        return None
    archive.close()
    return lone if is_download(archive.files) else None


def is_download(files: Iterable[PurePosixPath]) -> bool:
    """Tell whether all of these paths are named as a platform names students' works."""
    return bool(_senders(files))


def of_several(files: Iterable[PurePosixPath]) -> bool:
    """Tell whether these paths look like a platform's download of several students' works.

    subtle: a student, too, may call a folder submission_2 as Gradescope does, or a file as Canvas
    does; so one sender is not enough, unless the platform's own mark is there.
    """
    files = list(files)
    senders = _senders(files)
    marked = any(path.parts[0] == METADATA for path in files) or MOODLE in dict(senders)
    return len(senders) > 1 or (marked and bool(senders))


def _senders(files: Iterable[PurePosixPath]) -> set[tuple[str, str]]:
    """Return the platforms and their numbers in these paths; none where one path has no number."""
    tops = {(path.parts[0], len(path.parts) > 1) for path in files if not is_junk(path)}
    named = [sender_of(name, folder=folder) for name, folder in tops if name != METADATA]
    return {(each.platform, each.key) for each in named if each} if all(named) else set()


def require_one_work(entry: Entry, files: Collection[PurePosixPath]) -> None:
    """Raise ProblemError where a folder or zip seems to hold works of several students."""
    if files and not entry.platform and of_several(files):
        first = min(path.parts[0] for path in files)
        raise ProblemError(
            f"{entry.paths[0].name} looks like a platform's download of several works, such as "
            f"{first}; if it is, give it by itself",
            Verdict.NOT_JUDGED,
        )


def _inner(folder: Path, stem: str, roster: Roster | None) -> Path:
    """Return the folder with the submissions, where another one is wrapped around it.

    A folder that the roster knows is a student's, whatever is in it.
    """
    lone = _lone(folder)
    if lone is None or not lone.is_dir():
        return folder
    inside = [PurePosixPath(path.name, *["-"] * path.is_dir()) for path in lone.iterdir()]
    named = lone.name == stem or is_whole_class(lone.name)
    wraps = named and (bool(stem) or is_download(inside))
    of_one = roster and roster.find(lone.name, sender_of(lone.name, folder=True))
    several = stem and (of_several(inside) or (not of_one and _holds_one_module_twice(lone)))
    return lone if wraps or several else folder


def _holds_one_module_twice(folder: Path) -> bool:
    """Tell whether two folders in this one hold a module of the same name: they are students'."""
    seen: set[str] = set()
    for inside in folder.iterdir():
        names = {path.name for path in inside.glob("*.py")} - _OF_PACKAGES
        if inside.is_dir() and names & seen:
            return True
        seen |= names
    return False


def _lone(folder: Path) -> Path | None:
    """Return what alone is in a folder, besides what is no submission."""
    if not folder.is_dir():
        return None
    with contextlib.suppress(OSError):
        found = [path for path in folder.iterdir() if not is_beside(path)]
        if len(found) == 1 and not found[0].is_symlink():
            return found[0]
    return None


# ------------------------------------------------------------------------- whose is what


def find_entries(
    folder: Path, roster: Roster | None = None, origin: Path | None = None
) -> list[Entry]:
    """Return the submissions in a class folder, by name.

    Raises UserError when there is no such folder, or nothing in it; `origin` is what the user calls
    it, where it was unpacked.
    """
    if folder.is_file():
        raise UserError(f"{folder} is a file: {EXPECTED}, or a zip of these")
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}: {EXPECTED}")
    groups: dict[tuple[str, str, str], list[tuple[Path, Sender | None]]] = {}
    try:
        for path in sorted(folder.iterdir()):
            path.lstat()  # raises in a folder that lists names alone; others say that none is there
            if is_beside(path):
                continue
            is_folder = path.is_dir() and not path.is_symlink()
            sender = sender_of(path.name, folder=is_folder)
            plain = path.name if is_folder else path.name.removesuffix(path.suffix)
            who = (sender.platform, sender.key, sender.name) if sender else ("", plain, "")
            groups.setdefault(who, []).append((path, sender))
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from None
    if not groups:
        over = passed_over(list(documents(folder)))
        raise UserError(f"{origin or folder} holds no submissions: {over or EXPECTED}")
    submitters = _submitters(folder / METADATA)
    found = []
    for (_, key, _), members in groups.items():
        entry, sender = _entry(key, members), members[0][1]
        people = submitters.get(members[0][0].name, ()) if sender else ()
        found += [_known(entry, each, roster) for each in people] or [
            _named(entry, key, sender, roster)
        ]
    return _merged(found)


def _entry(key: str, members: Sequence[tuple[Path, Sender | None]]) -> Entry:
    """Put together what one student handed in; a text typed online counts where there is no file.

    Of several files of one name, which a platform has told apart, the last one keeps the name.
    """
    if members[0][1] is None:
        return Entry(shown_name(key), tuple(path for path, _ in members))
    sent = [(path, sender) for path, sender in members if sender]
    sent = [each for each in sent if not each[1].typed] or sent
    files: dict[str, Path] = {}
    for path, sender in sorted(sent, key=lambda each: -each[1].order):
        if sender.file:
            name = own_name(sender)
            files.setdefault(name if name not in files else path.name, path)
    first = sent[0][1]
    late = any(sender.late for _, sender in sent)
    handed = Handed(late=True, source=TITLES[first.platform]) if late else None
    return Entry(
        shown_name(f"{first.platform}-{key}"),
        paths=tuple(path for path, sender in sent if not sender.file),
        files=tuple(files.items()),
        name=one_line(first.name, 100),
        remarks=(f"handed in late, says {TITLES[first.platform]}",) if late else (),
        platform=first.platform,
        labels=tuple(path.name for path, _ in sent),
        handed=handed,
    )


def _named(entry: Entry, key: str, sender: Sender | None, roster: Roster | None) -> Entry:
    """Return the entry with the id and name that the roster has for it."""
    people = roster.find(key, sender) if roster else ()
    if len(people) == 1:
        return _of(entry, people[0])
    if sender and sender.others:
        numbers = " or ".join((sender.key, *sender.others))
        text = f"{entry.labels[0]} may be of user {numbers}: rename it, or give a roster with names"
        return replace(entry, student=shown_name(entry.labels[0]), problem=one_line(text))
    if roster is None:
        return entry
    fitting = ", ".join(person.id for person in people)
    text = f"several rows of {roster.name} fit: {fitting}" if people else ""
    text = text or f"no row of {roster.name} fits"
    ids = tuple(person.id for person in people)
    return replace(entry, remarks=(*entry.remarks, one_line(text)), fits=ids)


def _known(entry: Entry, submitter: Student, roster: Roster | None) -> Entry:
    """Return the entry as that of a submitter whom Gradescope names."""
    entry = replace(entry, handed=submitter.handed or entry.handed)
    if roster is None:
        return _of(entry, submitter)
    for key in (*sorted(submitter.ids), submitter.name):
        people = roster.find(key, None)
        if len(people) == 1:
            return _of(entry, people[0])
    remarks = (*entry.remarks, f"no row of {roster.name} fits")
    return replace(_of(entry, submitter), remarks=remarks)


def _of(entry: Entry, person: Student) -> Entry:
    known = replace(entry, student=person.id, name=person.name, email=person.email)
    return replace(known, handed=person.handed or entry.handed)


def _merged(entries: Sequence[Entry]) -> list[Entry]:
    """Return one entry per student: who handed in under several names is for a person to sort out.

    A plain folder and a zip of one name are already together.
    """
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.student.casefold(), []).append(entry)
    merged = []
    for same in found.values():
        first = same[0]
        if len(same) > 1:
            paths = tuple(path for each in same for path in each.paths)
            names = [*(name for e in same for name in e.labels or [p.name for p in e.paths])]
            text = one_line(f"handed in twice: {' and '.join(names)}; keep one")
            first = replace(first, problem=text, labels=(), paths=paths)
        merged.append(first)
    return merged


def _submitters(path: Path) -> dict[str, list[Student]]:
    """Return who handed in each folder of a download of Gradescope's; a group's are several."""
    if not path.is_file() or path.stat().st_size > MAX_METADATA:
        return {}
    import yaml

    try:
        raw = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return {
            str(folder): [
                replace(_submitter(each, str(folder)), handed=of_gradescope(said))
                for each in said[":submitters"]
            ]
            for folder, said in raw.items()
        }
    except (yaml.YAMLError, OSError, KeyError, TypeError, AttributeError) as error:
        reason = one_line(f"{type(error).__name__}: {error}", 200)
        raise UserError(f"{path} cannot be read ({reason}): leave it out or mend it") from None


def _submitter(said: dict[str, Any], folder: str) -> Student:
    name, sid, email = (
        one_line(str(said.get(f":{k}") or ""), 200) for k in ("name", "sid", "email")
    )
    handle = sid or email or f"{GRADESCOPE}-{folder}"
    return Student(handle, name, email, ids=frozenset(filter(None, (sid, email))))


# ------------------------------------------------------------------------------ words


_NUMBERED = re.compile(" #[0-9a-f]{16}$")  # what no name may end with that is shown as it is


def shown_name(raw: str) -> str:
    """Return a student's name that can be shown, still another one for every student."""
    name = one_line(raw, 100)
    if name == raw and not _NUMBERED.search(name):
        return name
    return f"{name} #{hashlib.sha256(raw.encode(errors='surrogatepass')).hexdigest()[:16]}"
