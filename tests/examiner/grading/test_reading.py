"""Texts that are hard to read: each costs its own submission at most, and never a neighbour."""

import faulthandler
import os
import resource
import signal
import time
from collections.abc import Callable
from typing import NoReturn

import pytest

from examiner.candidate.confinement import mapped_memory
from examiner.counterexamples.examples import Examples
from examiner.grading.examiner import Examiner, Skip
from examiner.grading.submissions import Submission
from examiner.judge import reading
from examiner.judge.reading import TextError, memory_bound, read_apart
from examiner.results import SubmissionResult, Verdict
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

pytestmark = pytest.mark.slow

SAYS_SO = "your file could not be read"
# what is handed in, and what becomes of each test: the verdict and a part of the notice
TEXTS: dict[str, tuple[str | bytes, str, str]] = {
    "statements on a line": (f"{REFERENCE}class A: {'a=1;' * 20_000}", "passed", ""),
    "targets": (f"{REFERENCE}{'a=' * 10_000}1\n", "passed", ""),
    "many targets": (f"{REFERENCE}{''.join(f'a{n}=' for n in range(9_000))}1\n", "passed", ""),
    "too many names": (f"{REFERENCE}{''.join(f'a{n}=' for n in range(11_000))}1\n", "crashed", ""),
    "functions": (REFERENCE + "".join(f"def f{n}():0\n" for n in range(9_000)), "passed", ""),
    "classes": (REFERENCE + "".join(f"class A{n}:0\n" for n in range(9_000)), "passed", ""),
    "statements": (REFERENCE + "a=1;" * 50_000, "passed", ""),
    "chains": (REFERENCE + f"x={'-'.join(['{1}'] * 450)}\n" * 100, "passed", ""),
    "classes in classes": (
        REFERENCE + "".join(f"{' ' * n}class A:\n" for n in range(200)) + " " * 200 + "0",
        "failed",
        "IndentationError",
    ),
    "brackets": (f"{REFERENCE}x={'(' * 100_000}1", "failed", "SyntaxError"),
    "signs": (f"{REFERENCE}x={'-' * 100_000}1", "memory", "ran out of memory"),
    "lambdas": (f"{REFERENCE}x={'lambda:' * 30_000}1", "memory", "ran out of memory"),
    "elifs": (f"{REFERENCE}if 0:0\n" + "elif 0:0\n" * 20_000, "memory", ""),
    "attributes": (f"{REFERENCE}x=LIMIT{'.real' * 40_000}", "failed", "RecursionError"),
    "f-strings in each other": (REFERENCE + "x=" + "f'{" * 5_000, "failed", "SyntaxError"),
    "a long f-string": (f"{REFERENCE}x=f'{'{LIMIT}' * 10_000}'", "passed", ""),
    "a huge number": (f"{REFERENCE}x={'9' * 200_000}", "failed", "SyntaxError"),
    "a line of 5 MB": (f"{REFERENCE}x='{'a' * (5 << 20)}'", "missing", "longer than 256 kB"),
    "null bytes": (f"{REFERENCE}\0", "failed", "is not a text file"),
    "utf-7": (f"# coding: utf-7\n{REFERENCE}x='+AGE-'", "failed", "another encoding"),
    "utf-16": (REFERENCE.encode("utf-16"), "failed", "UTF-16"),
    "no such encoding": (f"# coding: nonsense\n{REFERENCE}", "failed", "SyntaxError"),
    "latin-1, all ASCII": (f"# coding: latin-1\n{REFERENCE}", "passed", ""),
    "a mark at the beginning": (b"\xef\xbb\xbf" + REFERENCE.encode(), "passed", ""),
    "old Macintosh": (REFERENCE.replace("\n", "\r"), "passed", ""),
    "form feeds": (REFERENCE.replace("\n\n\n", "\n\f\n\f\n"), "passed", ""),
    "separators of lines": (f'{REFERENCE}x = "\u2028\x0b\x1c"\n', "passed", ""),
}


def hand_in(course: TinyCourse, texts: dict[str, str | bytes]) -> dict[str, SubmissionResult]:
    folder = course.hand_in(dict.fromkeys(texts, ""))
    for name, text in texts.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / name / "tiny.py").write_bytes(data)
    return {result.student: result for result in course.run(folder).results}


@pytest.fixture(scope="module")
def results(tiny_of_module: TinyCourse) -> dict[str, SubmissionResult]:
    texts = {name: text for name, (text, _, _) in TEXTS.items()}
    neighbours = dict.fromkeys(("aaa", "n", "zzz"), REFERENCE)
    return hand_in(tiny_of_module, {**texts, **neighbours})


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_costs_its_own_submission(results: dict[str, SubmissionResult], name: str) -> None:
    _, verdict, says = TEXTS[name]
    found = results[name]
    tests = [test for task in found.tasks for test in task.tests]
    assert {test.verdict.value for test in tests} == {verdict}, found.notice
    assert says in found.notice
    assert len(found.notice) < 1500


def test_the_neighbours_are_graded(results: dict[str, SubmissionResult]) -> None:
    assert [results[name].score for name in ("aaa", "n", "zzz")] == [10, 10, 10]


# ------------------------------------------------------------------ the process that reads


def spin(text: str) -> NoReturn:
    while True:
        pass


def swell(text: str) -> int:
    return len([text * 1000 for _ in range(1000)])


def die(text: str) -> None:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.parametrize(
    ("read", "verdict", "says"),
    [
        (spin, Verdict.TIMEOUT, "more than 1 s of computing"),
        (swell, Verdict.MEMORY, "needs more than 64 MB"),
        (die, Verdict.CRASHED, "Python itself fails on it"),
    ],
)
def test_whoever_reads_too_long_ends_alone(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], object], verdict: Verdict, says: str
) -> None:
    monkeypatch.setattr(reading, "SECONDS", 1)
    monkeypatch.setattr(reading, "MEMORY", 64 << 20)
    with pytest.raises(TextError, match=says) as caught:
        read_apart(read, "x" * 1000)
    assert caught.value.verdict is verdict
    assert str(caught.value).startswith(SAYS_SO)


def test_a_sleeper_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CLOCK", 0.5)
    with pytest.raises(TextError, match=r"more than 0\.5 s"):
        read_apart(time.sleep, 60)


def test_errors_and_long_answers_cross() -> None:
    assert read_apart(bytes, 1 << 20) == bytes(1 << 20)
    with pytest.raises(ZeroDivisionError):
        read_apart(divmod, 1, 0)


def test_memory_is_bounded_in_a_block() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError), memory_bound(64 << 20, mapped_memory()):
        bytes(1 << 30)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


# ------------------------------------------------------------------ the grader itself dies


def dies_of(
    course: TinyCourse, monkeypatch: pytest.MonkeyPatch, kind: type, name: str
) -> SubmissionResult:
    """Grade a right and a deadly submission, which kills the worker in a method of a class."""
    whole, method = Examiner.judge, getattr(kind, name)
    judged: list[str] = []

    def noting(self: Examiner, submission: Submission, skip: Skip) -> SubmissionResult:
        judged.append(submission.source.text)
        return whole(self, submission, skip)

    def deadly(self: object, *args: object) -> object:
        if "deadly" in judged[-1]:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(self, *args)

    monkeypatch.setattr(Examiner, "judge", noting)
    monkeypatch.setattr(kind, name, deadly)
    wrong = REFERENCE.replace("return sum(numbers)", "return 1 + sum(numbers)")
    found = course.grade({"ann": REFERENCE, "ben": f"{wrong}# deadly\n", "cleo": REFERENCE})
    assert [found[student].score for student in ("ann", "cleo")] == [10, 10]
    return found["ben"]


def test_a_death_while_mistakes_are_explained_costs_the_words_only(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = dies_of(tiny, monkeypatch, Examples, "of")
    assert [task.verdict for task in found.tasks] == [Verdict.FAILED, Verdict.PASSED]
    assert not found.provisional
