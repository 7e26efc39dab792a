"""Submissions whose answers bring a test into trouble that looks like the test's own.

What could not be judged by the grader's fault would cost them nothing, and call for a person.
"""

from pathlib import Path

import pytest

from examiner.catalogue import parse_chapter
from examiner.grading.run import Options, grade
from examiner.grading.workers import BOTH
from examiner.project import Project
from tests.examiner.grading.conftest import Quiet, sandbox_works
from tests.examiner.small_course import catalogue_text, write_files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.always,
    pytest.mark.skipif(
        not sandbox_works(), reason="needs bubblewrap and user namespaces: see `nextword doctor`"
    ),
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


def test_who_brings_a_test_into_trouble_has_failed_it(tmp_path: Path) -> None:
    files = {"solutions/codes.py": HONEST, "tests/codes/suite/test_codes.py": SUITE}
    write_files(tmp_path, files)
    write_files(tmp_path / "class", {f"{who}/codes.py": text for who, text in CLASS.items()})
    options = Options(out=tmp_path / "out", jobs=1, seed="s", confined=True, judging=BOTH)
    outcome = grade(
        Project(tmp_path), parse_chapter(CATALOGUE), tmp_path / "class", options, Quiet()
    )
    verdicts = {
        result.student: [test.verdict.value for test in result.tasks[0].tests]
        for result in outcome.results
    }
    for who, found in verdicts.items():
        helper = "crashed" if "helper" in who else "passed"
        others = ["passed"] * 2 if "honest" in who or "helper" in who else ["failed"] * 2
        assert found == [*others, helper], who
    assert outcome.all_judged
