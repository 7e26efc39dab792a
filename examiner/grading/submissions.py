"""Reads the module of each submission; a bad one gets a clear line.

Only <chapter>.py is ever read: what lies beside it (conftest.py, numpy.py, …) has no effect.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from examiner.check.firsts import IN_SUBMISSION, LONGEST, Firsts, parsed
from examiner.errors import UserError
from examiner.grading.accidents import (
    Names,
    alike,
    nothing_fits,
    strange_content,
    wrong_content,
)
from examiner.grading.archives import ArchiveError
from examiner.grading.entries import require_one_work, shown_name
from examiner.grading.works import Entry, ProblemError, Work, open_work, read_file
from examiner.judge.encoding import EncodingError, module_text
from examiner.judge.reading import read_apart
from examiner.judge.wording import Source, one_line
from examiner.results import Verdict, Whose
from examiner.term.corrections import Correction

NO_NAMES: Names = MappingProxyType({})
MAX_SOURCE = 1 << 18  # bytes of a module: ten times a long one


@dataclass(frozen=True)
class Submission:
    """What one student handed in, read."""

    whose: Whose
    source: Source
    data: bytes = b""  # the module as it was handed in
    files: tuple[str, ...] = ()
    problem: str = ""
    verdict: Verdict = Verdict.PASSED  # of every test, where there is a problem
    note: str = ""

    @property
    def student(self) -> str:
        """The student's id."""
        return self.whose.student

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


def read(
    entry: Entry, stem: str, names: Names = NO_NAMES, counts: Correction | None = None
) -> Submission:
    """Read a student's module; whatever is wrong with it becomes the submission's problem.

    `names`: what each chapter's modules define, by which one of another chapter is known. `counts`:
    which file an instructor has chosen; raises UserError where it is not there.
    """
    wanted = f"{stem}.py"
    entry = _as_chosen(entry, counts) if counts else entry
    whose = Whose(entry.student, entry.name, entry.email, entry.remarks)
    try:
        if entry.problem:
            raise ProblemError(entry.problem, Verdict.NOT_JUDGED)
        if len(entry.paths) > 1 and not entry.platform and not counts:
            twice = " and ".join(path.name for path in entry.paths)
            raise ProblemError(f"handed in twice: {twice}; keep one", Verdict.NOT_JUDGED)
        if counts and not _is_whole(entry, counts):
            data, inside, others, firsts = _read_chosen(entry, counts, stem, names)
        else:
            data, inside, others, firsts = _read_one(entry, stem, names)
        text = _text(data, wanted)
        if wrong := wrong_content(text, stem, names):
            raise ProblemError(wrong)
    except UserError:
        raise
    except ProblemError as problem:
        text = one_line(str(problem))
        return Submission(whose, Source(wanted, ""), problem=text, verdict=problem.verdict)
    except Exception as error:  # no submission may end the run of a class
        text = one_line(f"cannot be read: {type(error).__name__}: {error}")
        return Submission(whose, Source(wanted, ""), problem=text, verdict=Verdict.NOT_JUDGED)
    note = ""
    modules = sorted({path.name for path in others if path.suffix == ".py"} - {wanted, inside.name})
    if inside.name != wanted and not counts:
        note = one_line(f"{inside.name} was graded as {wanted}: next time, hand it in as {wanted}")
    elif modules and not counts:
        note = one_line(f"only {wanted} is graded; left out: {', '.join(modules[:5])}", 300)
    note = "\n".join(filter(None, (note, strange_content(text, stem, names))))
    whose = replace(whose, first_success=firsts)
    source = Source(wanted, text, read_apart)
    return Submission(whose, source, data, (str(inside),), note=note)


def read_package(folder: Path, stem: str, name: str) -> Submission:
    """Read a package of the course folder, such as solutions, as a submission of that name."""
    return replace(read(Entry(shown_name(name), (folder,)), stem), note="")


# a file, its path, all paths, and when tasks were first right
Read = tuple[bytes, PurePosixPath, Sequence[PurePosixPath], Firsts]


def _as_chosen(entry: Entry, counts: Correction) -> Entry:
    """Return what was handed in, once, where it is a whole folder or zip that counts."""
    chosen = tuple(path for path in entry.paths if path.name == counts.value)
    return replace(
        entry, problem="", paths=chosen or entry.paths, files=() if chosen else entry.files
    )


def _is_whole(entry: Entry, counts: Correction) -> bool:
    return [path.name for path in entry.paths] == [counts.value]


def _read_chosen(entry: Entry, counts: Correction, stem: str, names: Names) -> Read:
    """Return the file that an instructor has chosen: the student's, or one beside the overrides.

    A folder stands for the module in it; one of the student's own counts first.
    """
    inside = PurePosixPath(counts.value)
    found: Sequence[PurePosixPath] = ()
    within: list[PurePosixPath] = []
    try:
        with open_work(entry, [inside.name]) as work:
            found = list(work.files)
            if inside in work.files:
                return work.files[inside](MAX_SOURCE), inside, found, _firsts(work, inside.parent)
            within = [path for path in found if inside in path.parents] if inside.name else []
            if within:
                module = _choose(within, stem, set(names) - {stem})
                return work.files[module](MAX_SOURCE), module, found, _firsts(work, module.parent)
    except ProblemError:
        if within:
            raise
    path = counts.beside / inside
    is_folder = path.is_dir() and inside.name not in ("", "..")
    if is_folder or (path.is_file() and path.suffix.lower() == ".zip"):  # a whole work
        return _read_one(replace(entry, paths=(path,), files=()), stem, names)
    if path.is_file():
        return read_file(path.parent, PurePosixPath(path.name), MAX_SOURCE), inside, (), ()
    there = one_line(", ".join(map(str, found[:5]))) or "nothing that can be read"
    raise UserError(
        f"{counts.where}: no file {counts.value!r} in what {counts.student} handed in ({there}), "
        f"nor beside the overrides"
    )


def _read_one(entry: Entry, stem: str, names: Names) -> Read:
    with open_work(entry, [f"{stem}.py"]) as work:
        files = list(work.files)
        require_one_work(entry, files)
        try:
            inside = _choose(files, stem, set(names) - {stem})
        except ProblemError as problem:
            text = "; ".join([str(problem), *work.troubles])
            raise ProblemError(text, problem.verdict) from None
        return work.files[inside](MAX_SOURCE), inside, files, _firsts(work, inside.parent)


def _firsts(work: Work, folder: PurePosixPath) -> Firsts:
    """Return when tasks were first right, as a file beside the module says."""
    path = folder / IN_SUBMISSION
    try:
        return parsed(work.files[path](LONGEST)) if path in work.files else ()
    except (ProblemError, ArchiveError):
        return ()


def _choose(
    files: Iterable[PurePosixPath], stem: str, others: Collection[str] = ()
) -> PurePosixPath:
    """Return the module's path: the outermost <stem>.py, which must be the only one there.

    Where there is none, the one file that was meant to be it, by its name.
    """
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
    names = list(dict.fromkeys(path.name for path in everything))
    if not names:
        raise ProblemError(f"there is no {wanted}: nothing was handed in")
    copies = alike(everything, stem, others)
    if len(copies) == 1:
        return copies[0]
    if copies:
        raise ProblemError(
            f"rename the one that counts to {wanted} and hand it in again: there is no {wanted}; "
            f"found instead: {', '.join(path.name for path in copies[:5])}"
        )
    raise ProblemError(nothing_fits(names, stem, others))


def _text(data: bytes, name: str) -> str:
    try:
        text = module_text(data, name)
    except EncodingError as error:
        raise ProblemError(str(error), Verdict.FAILED) from None
    if text.lstrip().startswith("{") and '"cells"' in text and '"nbformat"' in text:
        raise ProblemError(f"{name} is a notebook by another name; hand in the module")
    return text
