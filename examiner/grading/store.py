"""Keeps results as each submission ends, so that a killed run goes on where it was.

A result is found again only while everything that could change it is the same: the key is a hash
of the submission, the suite, the reference, the seed, the versions and the grader itself.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import numpy as np

from examiner.catalogue import Chapter
from examiner.catalogue.settings import files_of, place_of
from examiner.errors import KEPT, unwritable
from examiner.files import write_whole
from examiner.results import SmallestExample, SubmissionResult, TaskResult, TestResult, Verdict
from examiner.sandbox.servers import chosen_kernels

_EXAMINER = Path(__file__).parents[1]
_ROOMS = (
    "boundary",
    "candidate",
    "check",
    "grading",
    "counterexamples",
    "judge",
    "sandbox",
    "suite",
)
_GRADER = (*(f"{room}/**/*.py" for room in _ROOMS), "results.py")  # decides a grade
# that can change a digit or a message
PACKAGES = ("numpy", "torch", "einops", "jaxtyping", "msgpack", "pytest")

DRAWS = "draws"  # which tests take another draw of their inputs than the first, where one does
Key = dict[str, str]  # what a result depends on: a hash for each of REASONS but DRAWS
REASONS = {
    "submission": "another submission",
    "tests": "other tests",
    "seed": "another seed",
    DRAWS: "other draws of a test's inputs",
    "grader": "another grader or other versions of the packages",
}

# raised by what is no result
_NO_RESULT = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)
T = TypeVar("T")
_KINDS: dict[type, dict[str, type]] = {
    made: get_type_hints(made) for made in (TestResult, SmallestExample)
}


@dataclass(frozen=True)
class Kept:
    """A result of an earlier run, with the points that it gave then."""

    key: Key
    result: SubmissionResult  # with the tasks and points of now
    score: float
    scores: dict[str, float]  # by task


def run_key(
    tests: Iterable[Path | None],
    chapter: Any,
    seed: str,
    plan: str,
    library: Iterable[str] = (),
) -> Key:
    """Return what all results of a run depend on besides the submissions.

    `library` names what of the course students' code and suites import: its text counts, too, and
    what lies beside it to be read.
    """
    texts = [path.read_bytes() if path else b"-" for path in tests]
    own = sorted(path for pattern in _GRADER for path in _EXAMINER.glob(pattern))
    own += sorted(path for name in library for path in files_of(place_of(name)))
    versions = [
        f"python {platform.python_version()}",
        *map(_version, PACKAGES),
        plan,
        capability(),
    ]
    return {
        "tests": _hash([json.dumps(chapter, sort_keys=True).encode(), *texts]),
        "seed": _hash([seed.encode()]),
        "grader": _hash([path.read_bytes() for path in own] + [v.encode() for v in versions]),
    }


def draws_of(attempts: Mapping[str, int]) -> Key:
    """Return what results depend on that were judged on these draws, by test.

    >>> draws_of({"test_a": 0, "test_b": 2})
    {'draws': '{"test_b": 2}'}
    """
    later = {test: attempt for test, attempt in sorted(attempts.items()) if attempt}
    return {DRAWS: json.dumps(later)} if later else {}


def capability() -> str:
    """Return by which instructions this machine computes, which decides the last digits.

    torch, numpy and their libraries choose kernels by what the processor can do and by settings;
    numpy tells the first without the second that it takes to import torch.
    """
    found: Any = np.show_config(mode="dicts")
    features = found.get("SIMD Extensions", {}).get("found", [])
    return json.dumps([platform.machine(), features, chosen_kernels()])


def _hash(parts: Iterable[bytes]) -> str:
    inner = b"".join(hashlib.sha256(part).digest() for part in parts)
    return hashlib.sha256(inner).hexdigest()


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package


# small letters alone: some systems take A for a, and write accents in other ways
_PLAIN = re.compile(r"[a-z0-9_](?:[a-z0-9_. -]{0,38}[a-z0-9_-])?")
_HASHED = re.compile(r"-[0-9a-f]{16}$")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)", re.IGNORECASE)


def file_name(student: str) -> str:
    """Return a safe file name for a student, another one for every student and on every system.

    A plain name stays as it is. Any other gets a hash; a plain one never ends like it.

    >>> file_name("ada lovelace"), file_name("../x")
    ('ada lovelace', '_._x-d6b96a97d147daaa')
    """
    plain = _PLAIN.fullmatch(student) and not _HASHED.search(student)
    if plain and not _DEVICE.match(student):
        return student
    # no leading dot hides it, no leading minus makes it an option, no name is a device of Windows
    safe = re.sub(r"[^\w.\- ]|^[.-]", "_", student)[:40].strip() or "_"
    safe = f"_{safe}" if _DEVICE.match(safe) else safe
    digest = hashlib.sha256(student.encode(errors="surrogatepass")).hexdigest()
    return f"{safe.encode(errors='replace').decode()}-{digest[:16]}"


def write_atomically(path: Path, text: str | Iterable[str], *, durable: bool = True) -> None:
    """Write a whole file or nothing, from a text or its pieces; raises UserError on a full disk.

    `durable`: also if the machine stops. Pages that can be made again need not be.
    """
    try:
        pieces = [text] if isinstance(text, str) else text
        data = (piece.encode("utf-8", errors="replace") for piece in pieces)
        write_whole(path, data, durable=durable)
    except OSError as error:
        raise unwritable(path, error, but=KEPT) from None


class Store:
    """The results of a class in a folder, one file per student."""

    def __init__(self, folder: Path, chapter: Chapter) -> None:
        self.folder, self._chapter = folder, chapter

    def _path(self, student: str) -> Path:
        return self.folder / f"{file_name(student)}.json"

    def load(self, student: str) -> Kept | None:
        """Return a student's last result, or None where there is none to be read."""
        try:
            raw = json.loads(self._path(student).read_text("utf-8"))
            if raw["result"]["student"] != student:
                return None
            scores = {str(task): _number(score) for task, score in raw["scores"].items()}
            key = {str(name): str(value) for name, value in raw["key"].items()}
            return Kept(key, self._result(raw["result"]), _number(raw["score"]), scores)
        except (OSError, *_NO_RESULT):
            return None  # a broken file is graded again

    def holds(self, student: str) -> bool:
        """Tell whether there is a file for a student, whatever is in it."""
        return self._path(student).is_file()

    def save(self, key: Key, result: SubmissionResult) -> None:
        """Keep a result."""
        raw = {
            "key": key,
            "score": result.score,
            "scores": {each.task.id: each.score for each in result.tasks},
            "result": {
                "student": result.student,
                "notice": result.notice,
                "files": result.files,
                "tasks": {
                    each.task.id: [vars(test) for test in each.tests] for each in result.tasks
                },
                "examples": {
                    each.task.id: [vars(example) for example in each.examples]
                    for each in result.tasks
                },
            },
        }
        write_atomically(self._path(result.student), json.dumps(raw, ensure_ascii=False))

    def _result(self, raw: dict[str, Any]) -> SubmissionResult:
        tasks = tuple(
            TaskResult(
                task,
                tuple(_test(each) for each in raw["tasks"].get(task.id, ())),
                tuple(_typed(SmallestExample(**e)) for e in raw["examples"].get(task.id, ())),
            )
            for task in self._chapter.tasks
        )
        files = tuple(map(_text, raw["files"]))
        return SubmissionResult(raw["student"], tasks, _text(raw["notice"]), files)


def _test(raw: dict[str, Any]) -> TestResult:
    return _typed(TestResult(**{**raw, "verdict": Verdict(raw["verdict"])}))


def _typed(made: T) -> T:
    """Return it if each of its fields holds what it should; raises ValueError.

    A file may have been edited by hand, or be of a bad disk.
    """
    fields = vars(made)
    for name, kind in _KINDS[type(made)].items():
        value = fields[name]
        if kind is float:
            _number(value)
        elif type(value) is not kind:  # True is no number
            raise ValueError(f"{name}: expected {kind.__name__}")
    return made


def _number(value: Any) -> float:
    """Return a number that can be reckoned with; raises ValueError."""
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("expected a number")
    return float(value)


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("expected a text")
    return value
