"""Submissions whose answers bring a test into trouble that looks like the test's own.

What could not be judged by the grader's fault would cost them nothing, and call for a person.
"""

from pathlib import Path

import pytest

from examiner.catalogue import parse_chapter
from examiner.grading.outcome import Outcome
from examiner.grading.run import Options, grade
from examiner.grading.workers import BOTH
from examiner.project import Project
from tests.examiner.grading.conftest import Quiet, needs_sandbox
from tests.examiner.small_course import catalogue_text, write_files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.always,
    needs_sandbox,
]

CATALOGUE = catalogue_text("codes", {"Codes": (3, "encode decode apply")})

HONEST = '''"""Codes. Leaves out: all else."""


def encode(text):
    return [ord(letter) for letter in text]


def decode(numbers):
    return "".join(map(chr, numbers))


def apply(function, values):
    return [function(value) for value in values]
'''

SUITE = '''"""The suite."""

import pytest

from examiner.suite import ship, student_module

codes = student_module("codes")


@ship
def double(value):
    return 2 * value


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_back(codes, rng):
    """What was encoded is decoded."""
    text = str(rng.integers(10**6))
    assert codes.decode(codes.encode(text)) == text


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_sums(codes, rng):
    """Numbers can be reckoned with."""
    first, *_ = codes.encode("a")
    assert codes.decode([first**2 - 97 * 96]) == "a"


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_function(codes, rng):
    """Any function is applied."""
    assert codes.apply(double, [1, 2]) == [2, 4]
'''

_ENCODE = "return [ord(letter) for letter in text]"
DEEP = HONEST.replace(_ENCODE, "found = 1\n    for _ in range(DEPTH):\n        found = [found]\n"
    "    return found")  # fmt: skip

HELPERS = f"""{HONEST}

import sys

from examiner.boundary import wire
from examiner.candidate.host import Host

frame = sys._getframe()
while not isinstance(frame.f_locals.get("self"), Host):
    frame = frame.f_back
host = frame.f_locals["self"]
"""

CLASS = {
    "a-honest": HONEST,
    **{f"deep-{depth}": DEEP.replace("DEPTH", str(depth)) for depth in range(1018, 1025)},
    "large": HONEST.replace(_ENCODE, "return [1 << 60_000]"),
    "no-helper": f"{HELPERS}\nhost._operations['ship'] = lambda *_: [1, 2]\n",
    "helper-that-fails": f"{HELPERS}\ndef fail(*_): raise ValueError('x')\n"
    "host._operations['ship'] = fail\n",
    "z-honest": f"{HONEST}# too\n",
}


# answers with other bytes, of other kinds, of other questions, or several in place of one
MUTATES = f"""{HELPERS}
import random

rng = random.Random(SEED)
plain, together, before = host._answer, host._chain, []
SAID = [None, -1, 1 << 63, float("nan"), "", b"x", [], {{1: [2]}}, (1,), {{2}}, 1j, ..., "\\ud800"]
STATUS = ["ok", "error", "missing", "unsendable", "lent", "reply", "", 5]
KINDS = ["ValueError", "StopIteration", "KeyboardInterrupt", "MemoryError", "Stop", "__class__"]


def other(said):
    how, changed = rng.randrange(8), bytearray(said)
    if how == 0:
        changed[rng.randrange(len(said))] = rng.randrange(256)
    elif how == 1:
        del changed[rng.randrange(len(said)) :]
    elif how == 2:
        changed += rng.randbytes(5)
    elif how == 3 and before:
        return rng.choice(before)
    elif how == 4:
        return wire.encode([rng.choice(STATUS), *rng.choices(SAID, k=rng.randrange(4))])
    elif how == 5:
        lines = rng.choice([[], [1], [-1], [1 << 40]])
        return wire.encode(["error", [rng.choice(KINDS), rng.choice(["", "x" * 5000]), lines]])
    elif how == 6:
        number = rng.choice([0, 17, (1 << 62) + 1, (1 << 64) - 1])
        return b"\\x92\\xa2ok\\x92\\xc7\\x00\\x00\\xcf" + number.to_bytes(8, "big")
    elif how == 7:
        return b"\\x92\\xa2ok" + bytes([rng.randrange(0xC0, 0xE0)]) + rng.randbytes(9)
    return bytes(changed)


def answer(body):
    said, done = plain(body)
    before.append(said)
    return (other(said) if rng.random() < 0.3 else said), done


host._answer = answer
host._operations["chain"] = lambda *about: together(*about) * rng.choice([1, 1, 2])
"""


def test_no_answer_is_the_graders_fault_or_decides_for_others(tmp_path: Path) -> None:
    files = {"solutions/codes.py": HONEST, "tests/codes/suite/test_codes.py": SUITE}
    write_files(tmp_path, files)
    sources = {f"m{n:02}": MUTATES.replace("SEED", str(n)) for n in range(40)}
    sources |= {f"m{n:02}-honest": f"{HONEST}# {n}\n" for n in (0, 20, 39)}
    write_files(tmp_path / "class", {f"{who}/codes.py": text for who, text in sources.items()})
    outcome = graded(tmp_path)
    assert outcome.all_judged
    scores = {result.student: result.score for result in outcome.results}
    assert all(score == 3 for who, score in scores.items() if "honest" in who)
    found = {test.verdict.value for result in outcome.results for test in result.tasks[0].tests}
    assert found >= {"passed", "failed", "crashed"}  # so they were not all refused at once


def graded(root: Path) -> Outcome:
    options = Options(out=root / "out", jobs=1, seed="s", confined=True, judging=BOTH)
    return grade(Project(root), parse_chapter(CATALOGUE), root / "class", options, Quiet())


def test_who_brings_a_test_into_trouble_has_failed_it(tmp_path: Path) -> None:
    files = {"solutions/codes.py": HONEST, "tests/codes/suite/test_codes.py": SUITE}
    write_files(tmp_path, files)
    write_files(tmp_path / "class", {f"{who}/codes.py": text for who, text in CLASS.items()})
    outcome = graded(tmp_path)
    verdicts = {
        result.student: [test.verdict.value for test in result.tasks[0].tests]
        for result in outcome.results
    }
    for who, found in verdicts.items():
        helper = "crashed" if "helper" in who else "passed"
        others = ["passed"] * 2 if "honest" in who or "helper" in who else ["failed"] * 2
        assert found == [*others, helper], who
    assert outcome.all_judged
