"""Submissions that look at a later question of a test before they answer an earlier one, or have a
test run again once they have seen all of it, with accomplices that are graded before them.

Each gets what it gets where every test is run from its beginning to its end, once.
"""

from pathlib import Path

import pytest

from examiner.catalogue import parse_chapter
from examiner.grading.run import Options, grade
from examiner.grading.workers import BOTH, KEPT, RUN
from examiner.project import Project
from tests.examiner.grading.conftest import Quiet, needs_sandbox
from tests.examiner.small_course import catalogue_text, write_files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.always,
    needs_sandbox,
]

CATALOGUE = catalogue_text("looks", {"Means": (12, "mean shift Numbers")})

NUMBERS = """

class Numbers:
    def __init__(self, numbers):
        self.numbers = numbers

    def mean(self):
        return mean(self.numbers)

    def shift(self, by):
        return shift(self.numbers, by)
"""

HONEST = f'''"""Means. Leaves out: all else."""


def mean(numbers):
    if not numbers:
        raise ValueError("no numbers")
    return sum(numbers) / len(numbers)


def shift(numbers, by):
    return [n - by for n in numbers]
{NUMBERS}'''

# each test says in its last question what is right in an earlier one
SUITE = '''"""The suite."""

import pytest

from examiner.suite import student_module

looks = student_module("looks")


@pytest.fixture
def numbers(rng):
    return [float(x) for x in rng.random(5)]


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_mean(looks, numbers):
    """A mean is right."""
    right = sum(numbers) / 5
    mean, shifted = looks.mean(numbers), looks.shift(numbers, right)
    assert (mean, shifted) == (right, [n - right for n in numbers])


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_no_mean(looks, numbers):
    """Nothing has no mean."""
    with pytest.raises(ValueError):
        looks.mean([])
    right = sum(numbers) / 5
    mean, shifted = looks.mean(numbers), looks.shift(numbers, right)
    assert (mean, shifted) == (right, [n - right for n in numbers])


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_numbers(looks, numbers):
    """An object has a mean."""
    right = sum(numbers) / 5
    it = looks.Numbers(numbers)
    mean, shifted = it.mean(), it.shift(right)
    assert (mean, shifted) == (right, [n - right for n in numbers])
'''

OBJECT = HONEST.replace("return sum(numbers) / len(numbers)", "return object()")
NOUGHT = HONEST.replace("return sum(numbers) / len(numbers)", "return 0.0")

# a mean that is known once a shift was asked for, which is right the second time
_AFTERWARDS = f"""
known = {{}}


def mean(numbers):
    if not numbers:
        raise ValueError
    return known.get(tuple(numbers), 0.0)


def shift(numbers, by):
    first = by not in known.values()
    known[tuple(numbers)] = by
    return [] if first else [n - by for n in numbers]
{NUMBERS}

import sys

from examiner.boundary import wire
from examiner.candidate.host import Host

frame = sys._getframe()
while not isinstance(frame.f_locals.get("self"), Host):
    frame = frame.f_back
host = frame.f_locals["self"]
plain, together = host._answer, host._operations["chain"]


def read(body):
    return wire.decode(body, lambda kind, key: key, trusted=True)
"""

# reads on in a message that holds several questions
READS_ON = f"""{_AFTERWARDS}

def chain(bodies, bare, released):
    for operation, args, *_ in map(read, bodies):
        if operation == "call" and args[0] == "shift":
            shift(*args[1:])
    return together(bodies, bare, released)


host._operations["chain"] = chain
"""

# says that it has answered more questions of a message than it could
GOES_ON = f"""{_AFTERWARDS}

def chain(bodies, bare, released):
    answer = plain(bodies[0])[0]
    number = int.from_bytes(answer[-8:], "big")
    host._objects[number + 7] = host._objects[number]
    other = answer[:-8] + (number + 7).to_bytes(8, "big")
    return [other] + [answer] * (len(bodies) - 1)


host._operations["chain"] = chain
"""

# says of a class, and of an exception, what is no answer, and goes on as if nothing were
SPOILS = f"""{_AFTERWARDS}
seen = set()


def answer(body):
    said, done = plain(body)
    operation, args, *_ = read(body)
    if operation == "describe" and args[0] % 16 == 1:  # the first object of a test
        said = wire.encode([*wire.decode(said), 5])
    if said.startswith(b"\\x92\\xa5error") and body not in seen:
        status, [kind, text, lines] = wire.decode(said)
        said = wire.encode([status, [kind, text, [-1]]])
    seen.add(body)
    return said, done


host._answer = answer
host._operations["chain"] = lambda bodies, bare, released: [answer(bodies[0])[0]]
"""

CLASS = {
    "a-object": OBJECT,
    "a-object-too": f"{OBJECT}# too\n",
    "b-nought": NOUGHT,
    "b-nought-too": f"{NOUGHT}# too\n",
    "c-honest": HONEST,
    "c-honest-too": f"{HONEST}# too\n",
    "d-spoils": SPOILS,
    "goes-on": GOES_ON,
    "reads-on": READS_ON,
    "z-honest": f"{HONEST}# last\n",
}


@pytest.mark.parametrize("judging", [RUN, KEPT, BOTH])
def test_nobody_gains_by_a_second_look(tmp_path: Path, judging: str) -> None:
    files = {"solutions/looks.py": HONEST, "tests/looks/suite/test_looks.py": SUITE}
    write_files(tmp_path, files)
    write_files(tmp_path / "class", {f"{who}/looks.py": text for who, text in CLASS.items()})
    options = Options(out=tmp_path / "out", jobs=1, seed="s", confined=True, judging=judging)
    chapter = parse_chapter(CATALOGUE)
    outcome = grade(Project(tmp_path), chapter, tmp_path / "class", options, Quiet())
    assert outcome.all_judged
    scores = {result.student: result.score for result in outcome.results}
    assert scores == {who: 12 if "honest" in who else 0 for who in CLASS}
