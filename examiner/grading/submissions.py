"""Reads the module of each submission; a bad one gets a clear line.

Only <chapter>.py is ever read: what lies beside it (conftest.py, numpy.py, …) has no effect.
"""

from __future__ import annotations

import hashlib
import io
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from examiner.grading.entries import one_line, require_one_work, shown_name
from examiner.grading.works import Entry, ProblemError, open_work
from examiner.judge.reading import read_apart
from examiner.judge.wording import Source
from examiner.results import Verdict, Whose

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


def read(entry: Entry, stem: str) -> Submission:
    """Read a student's module; whatever is wrong with it becomes the submission's problem."""
    wanted = f"{stem}.py"
    whose = Whose(entry.student, entry.name, entry.email, entry.remarks)
    try:
        if entry.problem:
            raise ProblemError(entry.problem, Verdict.NOT_JUDGED)
        if len(entry.paths) > 1 and not entry.platform:
            names = " and ".join(path.name for path in entry.paths)
            raise ProblemError(f"handed in twice: {names}; keep one", Verdict.NOT_JUDGED)
        data, inside, others = _read_one(entry, stem)
        text = _text(data, wanted)
    except ProblemError as problem:
        text = one_line(str(problem))
        return Submission(whose, Source(wanted, ""), problem=text, verdict=problem.verdict)
    except Exception as error:  # no submission may end the run of a class
        text = one_line(f"cannot be read: {type(error).__name__}: {error}")
        return Submission(whose, Source(wanted, ""), problem=text, verdict=Verdict.NOT_JUDGED)
    note = ""
    modules = sorted({path.name for path in others if path.suffix == ".py"} - {wanted})
    if modules:
        note = one_line(f"only {wanted} is graded; left out: {', '.join(modules[:5])}", 300)
    source = Source(wanted, text, read_apart)
    return Submission(whose, source, data, (str(inside),), note=note)


def read_package(folder: Path, stem: str, name: str) -> Submission:
    """Read a package of the course folder, such as solutions, as a submission of that name."""
    return replace(read(Entry(shown_name(name), (folder,)), stem), note="")


def _read_one(entry: Entry, stem: str) -> tuple[bytes, PurePosixPath, Sequence[PurePosixPath]]:
    with open_work(entry, [f"{stem}.py"]) as work:
        files = list(work.files)
        require_one_work(entry, files)
        try:
            inside = _choose(files, stem)
        except ProblemError as problem:
            text = "; ".join([str(problem), *work.troubles])
            raise ProblemError(text, problem.verdict) from None
        return work.files[inside](MAX_SOURCE), inside, files


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
    names = list(dict.fromkeys(path.name for path in everything))
    if f"{stem}.ipynb" in names:
        raise ProblemError(f"a notebook, {stem}.ipynb, where the module {wanted} was expected")
    if not names:
        raise ProblemError(f"there is no {wanted}: nothing was handed in")
    code = [name for name in names if name.lower().endswith((".py", ".ipynb"))]
    like = [name for name in names if stem in name.lower()] or code or names
    raise ProblemError(f"there is no {wanted}; found instead: {', '.join(like[:5])}")


def _text(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ProblemError(f"{name} is saved as UTF-16; save it as UTF-8", Verdict.FAILED)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        text = f"{name} is not saved as UTF-8 (line {line}); save it as UTF-8"
        raise ProblemError(text, Verdict.FAILED) from None
    if not _is_declared(data, text):
        text = f"the first lines of {name} declare another encoding; save it as UTF-8"
        raise ProblemError(text, Verdict.FAILED)
    if "\0" in text:
        raise ProblemError(f"{name} is no text file", Verdict.FAILED)
    if text.lstrip().startswith("{") and '"cells"' in text and '"nbformat"' in text:
        raise ProblemError(f"{name} is a notebook by another name; hand in the module")
    return text


def _is_declared(data: bytes, text: str) -> bool:
    """Tell whether Python will read the same text: `# coding: utf-7` makes another one of it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding) == text
    except (SyntaxError, UnicodeDecodeError):  # an encoding that does not exist: its import says so
        return True
