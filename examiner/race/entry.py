"""What was handed in for a race: read, bounded, its weights counted; nothing of it is run here.

Leaves out finding the entries of a class (grading/entries.py) and racing them (contest.py).
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from examiner.grading.archives import ArchiveError
from examiner.grading.works import Entry, ProblemError, open_work
from examiner.judge.wording import one_line
from examiner.junk import is_junk
from examiner.race.rules import OutError, Rules
from examiner.results import Verdict

CODE, ABOUT = "model.py", "about.toml"
MAX_ABOUT = 16 << 10  # bytes
LONGEST = 200  # characters of what an entry says of itself
FULL_NUMBER = 4  # bytes: a wider number of a file counts as several
PLAIN_HEADER = 200  # bytes of a file's header that a tensor may take, its name among them
PLAIN_TENSORS = 100  # of a file that may: names without end could hold numbers as well
MOST_SIDES = 64  # of a tensor's shape
PLAIN_NAME = 50  # bytes of a file's name, its folders among them


class Track(StrEnum):
    """The tracks of a race."""

    SMALL = "small"
    OPEN = "open"
    TEN_MINUTES = "ten-minutes"


@dataclass(frozen=True)
class About:
    """What an entry says of itself, in about.toml."""

    name: str
    by: str = ""
    track: Track = Track.OPEN
    about: str = ""  # one line
    words: int = 0  # of training text; 0: not said
    weights: int = 0  # 0: not said


@dataclass(frozen=True)
class Handed:
    """An entry, read."""

    student: str  # the name of its folder or zip
    about: About
    files: dict[str, bytes] = field(default_factory=dict)
    problem: str = ""  # why it cannot be raced
    fault: bool = False  # whether that is this machine's doing, which could not read it
    remarks: tuple[str, ...] = ()

    @property
    def weights(self) -> int:
        """How many numbers its files hold."""
        return count_numbers(self.files)

    @property
    def digest(self) -> str:
        """A key of its content, by which it is known on later boards."""
        parts = [f"{name}\0{hashlib.sha256(data).hexdigest()}" for name, data in self.files.items()]
        text = "\n".join(sorted(parts)).encode(errors="surrogatepass")  # of names not in UTF-8
        return hashlib.sha256(text).hexdigest()[:16]


def read(entry: Entry, rules: Rules) -> Handed:
    """Read an entry; whatever is wrong with it becomes its problem."""
    about = About(name=entry.student)
    files: dict[str, bytes] = {}
    try:
        if entry.problem:
            raise OutError(entry.problem)
        if len(entry.paths) > 1 and not entry.platform:
            names = " and ".join(path.name for path in entry.paths)
            raise OutError(f"handed in twice: {names}; keep one")
        files = _files(entry, rules)
        about = read_about(files.get(ABOUT), entry.student)
        require_track(about, files, rules)
    except (OutError, ProblemError, ArchiveError) as problem:
        fault = _is_ours(problem)
        return Handed(entry.student, about, files, one_line(str(problem)), fault)
    except Exception as error:  # no entry may end the race of the others
        text = one_line(f"cannot be read: {type(error).__name__}: {error}")
        return Handed(entry.student, about, files, problem=text)
    found = count_numbers(files)
    remarks: tuple[str, ...] = ()
    if about.weights and about.weights != found:
        remarks = (f"says {about.weights:,} weights; its files hold {found:,} numbers",)
    return Handed(entry.student, about, files, remarks=remarks)


def _files(entry: Entry, rules: Rules) -> dict[str, bytes]:
    """Return the files beside the outermost model.py, and below, by their names from there."""
    with open_work(entry, [CODE]) as work:
        codes = sorted((p for p in work.files if p.name == CODE), key=lambda p: (len(p.parts), p))
        if not codes:
            found = ", ".join(sorted({p.name for p in work.files})[:5]) or "nothing"
            raise OutError(f"there is no {CODE}; found instead: {found}")
        root = codes[0].parent
        chosen = [p for p in work.files if p.is_relative_to(root) and not is_junk(p)]
        if len(chosen) > rules.files:
            raise OutError(f"holds {len(chosen):,} files, at most {rules.files}")
        files: dict[str, bytes] = {}
        left = rules.size
        for path in sorted(chosen):
            try:
                data = work.files[path](left)
            except (ProblemError, ArchiveError) as problem:
                if not _is_ours(problem) and (left < rules.size or path != sorted(chosen)[0]):
                    raise OutError(_too_large(rules)) from None
                raise
            files[str(path.relative_to(root))] = data
            left -= len(data)
        return files


def _is_ours(problem: Exception) -> bool:
    return isinstance(problem, ProblemError) and problem.verdict is Verdict.NOT_JUDGED


def _too_large(rules: Rules) -> str:
    return f"holds more than {rules.size >> 20} MB, or a file that cannot be read"


def read_about(data: bytes | None, student: str) -> About:
    """Return what about.toml says; OutError for a file that is missing, broken or says nonsense."""
    if data is None:
        raise OutError(f"there is no {ABOUT}, which says name, by, track, about, words, weights")
    if len(data) > MAX_ABOUT:
        raise OutError(f"{ABOUT} is longer than {MAX_ABOUT >> 10} kB")
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OutError(f"{ABOUT} is no TOML: {error}") from None
    wanted: dict[str, type] = {"name": str, "by": str, "track": str, "about": str}
    wanted |= {"words": int, "weights": int}
    for key, value in raw.items():
        if key not in wanted:
            raise OutError(f"{ABOUT}: unknown key {key!r}; the keys are {', '.join(wanted)}")
        if type(value) is not wanted[key] or (type(value) is int and not 0 <= value < 10**15):
            what = "a text" if wanted[key] is str else "a whole number"
            raise OutError(f"{ABOUT}: {key} should be {what}, it is {value!r:.60}")
    track = raw.get("track", Track.OPEN)
    if track not in tuple(Track):
        raise OutError(f"{ABOUT}: track should be {', '.join(Track)}; it is {track!r:.60}")
    texts = {key: one_line(raw.get(key, ""), LONGEST) for key in ("name", "by", "about")}
    texts["name"] = texts["name"] or student
    return About(
        **texts, track=Track(track), words=raw.get("words", 0), weights=raw.get("weights", 0)
    )


def require_track(about: About, files: Mapping[str, bytes], rules: Rules) -> None:
    """Raise OutError for an entry that its track does not admit."""
    if about.track is Track.OPEN:
        return
    if len(files[CODE]) > rules.code:
        raise OutError(f"{CODE} is longer than {rules.code >> 10} kB in the track {about.track}")
    if about.track is Track.TEN_MINUTES:
        if others := sorted(files.keys() - {CODE, ABOUT}):
            raise OutError(f"the track ten-minutes takes {CODE} and {ABOUT} alone, not {others[0]}")
        return
    found = count_numbers(files)
    if found > rules.small_weights:
        most = f"the track small has at most {rules.small_weights:,}"
        raise OutError(f"its files hold {found:,} numbers; {most}")
    if not 0 < about.words <= rules.small_words:
        said = f"{about.words:,} words" if about.words else "nothing of its words"
        most = f"the track small allows {rules.small_words:,} of training text"
        raise OutError(f"{ABOUT} says {said}; {most}")


# ------------------------------------------------------------------------------ its weights


def count_numbers(files: Mapping[str, bytes]) -> int:
    """Return how many numbers the files hold, but for model.py and about.toml.

    Each number of a safetensors file counts as one; those of more than 4 bytes, and files of any
    other kind, in which nobody can tell, as many as the bytes allow. So do names that are long.

    >>> count_numbers({"model.py": b"x = 1", "notes.txt": b"12"})
    2
    """
    others = {name: data for name, data in files.items() if name not in (CODE, ABOUT)}
    long = sum(max(0, len(name.encode(errors="surrogatepass")) - PLAIN_NAME) for name in others)
    return long + sum(_in_safetensors(data) or len(data) for data in others.values())


def _in_safetensors(data: bytes) -> int:
    """Return how many numbers a safetensors file holds; 0 for a file that is none, or is broken."""
    try:
        (length,) = struct.unpack_from("<Q", data)
        header: dict[str, Any] = json.loads(data[8 : 8 + length])
        n = used = 0
        for name, tensor in header.items():
            if name == "__metadata__":
                continue
            start, stop = tensor["data_offsets"]
            shape: list[int] = tensor["shape"]
            if not (_are_whole([start, stop, *shape]) and stop <= len(data)):
                return 0
            size, numbers = stop - start, math.prod(shape)
            if size < 0 or numbers > 8 * len(data):  # less than a bit for each
                return 0
            n += max(numbers, -(-size // FULL_NUMBER))
            used += size
    except (struct.error, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return 0
    slack = len(data) - 8 - length - used  # what no tensor names
    plain = min(len(header), PLAIN_TENSORS)
    notes = length - PLAIN_HEADER * plain  # names that are long or many, metadata, blanks
    return n + max(slack, 0) + max(notes, 0) // FULL_NUMBER


def _are_whole(numbers: list[Any]) -> bool:
    """Tell whether these are a tensor's bounds and sides: few and small enough to be multiplied."""
    few = len(numbers) <= 2 + MOST_SIDES
    return few and all(type(each) is int and 0 <= each < 1 << 63 for each in numbers)
