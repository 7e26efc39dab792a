"""A tiny course with one chapter, and a way to grade sources of it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from examiner.catalogue import Chapter, parse_chapter
from examiner.errors import UserError
from examiner.grading.outcome import Outcome
from examiner.grading.run import Options, grade
from examiner.project import Project
from examiner.results import SubmissionResult
from examiner.sandbox import trial as sandbox
from tests.examiner.small_course import catalogue_text, write_files

CATALOGUE = catalogue_text("tiny", {"Mean": (4, "mean"), "A bag of words": (6, "Bag")})

REFERENCE = '''"""Tiny. Leaves out: the rest."""

import collections

LIMIT = 3


def mean(numbers):
    """Return the mean."""
    if not len(numbers):
        raise ValueError("no numbers")
    return sum(numbers) / len(numbers)


class Bag:
    """Counts words."""

    def __init__(self, words):
        self.counts = collections.Counter(words)

    def count(self, word):
        return self.counts[word]

    def draw(self, rng, size):
        return [str(w) for w in rng.choice(sorted(self.counts), size)]

    def words(self):
        yield from sorted(self.counts)


def common(a, b):
    """Words that two bags share."""
    return {w for w in a.counts if w in b.counts}
'''

SUITE = '''"""The tiny suite."""

import math

import numpy as np
import pytest


@pytest.fixture
def tiny(coursework):
    return coursework.tiny


@pytest.mark.task("9.1", weight=1, visible=True, seconds=1)
def test_mean_of_two(tiny):
    """The mean of 1 and 2 lies between them."""
    assert tiny.mean([1, 2]) == 1.5


@pytest.mark.task("9.1", weight=2, seconds=1)
def test_any_mean(tiny, rng):
    """The mean is right for any numbers."""
    numbers = [float(x) for x in rng.random(5)]
    assert math.isclose(tiny.mean(numbers), math.fsum(numbers) / 5)
    assert math.isclose(tiny.mean(np.array(numbers)), math.fsum(numbers) / 5)


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_no_mean(tiny):
    """Nothing has no mean."""
    assert tiny.LIMIT == 3  # a test that waits for an error alone is failed
    with pytest.raises(ValueError):
        tiny.mean([])


@pytest.mark.task("9.2", weight=1, visible=True, seconds=1)
def test_counts(tiny):
    """Words are counted."""
    bag = tiny.Bag(["a", "b", "a"])
    assert [bag.count("a"), bag.count("b"), bag.count("c")] == [2, 1, 0]
    assert dict(bag.counts) == {"a": 2, "b": 1}


@pytest.mark.task("9.2", weight=1, seconds=1)
def test_two_bags(tiny):
    """Bags share words."""
    assert set(tiny.common(tiny.Bag("ab"), tiny.Bag("bc"))) == {"b"}
    assert list(tiny.Bag("ba").words()) == ["a", "b"]
    assert isinstance(tiny.Bag("a"), tiny.Bag)


@pytest.mark.task("9.2", weight=1, seconds=1)
def test_draws(tiny):
    """Draws come from the generator."""
    rng = np.random.default_rng(5)
    expected = [str(w) for w in np.random.default_rng(5).choice(["a", "b"], 20)]
    bag = tiny.Bag("ab")
    assert list(bag.draw(rng, 20)) == expected
    assert list(bag.draw(rng, 20)) != expected
'''

MISTAKES = """Mistakes.

== 9.1 mean | divides_by_one_less
> You divided by one less: that is for variances.
if not len(numbers):
    raise ValueError
return sum(numbers) / max(1, len(numbers) - 1)
"""


SMALL = '''"""Small inputs."""

from examiner.counterexamples import example, small


@small("9.1", "mean")
def few_numbers(draw):
    return example("mean(numbers)", numbers=draw.numbers(4, least=0))


@small("9.2", "Bag")
def few_words(draw):
    words = draw.words(3, least=1)
    return example("Bag(words).count(word)", words=words, word=draw.word())
'''


@cache
def sandbox_works() -> bool:
    """Tell whether candidates can be locked in on this machine."""
    try:
        sandbox.require(sandbox.plan_for([], confined=True))
    except UserError:
        return False
    return True


needs_sandbox = pytest.mark.skipif(
    not sandbox_works(), reason="needs bubblewrap and user namespaces: see `nextword doctor`"
)


class Quiet:
    """Watches a run and shows nothing."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def begin(self, total: int, known: int) -> None:
        pass

    def finished(self, result: SubmissionResult) -> None:
        self.seen.append(result.student)

    def tick(self) -> None:
        pass


class TinyCourse:
    """A course folder with the tiny chapter."""

    def __init__(self, root: Path) -> None:
        self.project = Project(root)
        self.chapter: Chapter = parse_chapter(CATALOGUE)
        files = {
            "solutions/tiny.py": REFERENCE,
            "coursework/__init__.py": "",
            "coursework/tiny.py": REFERENCE,
            "tests/tiny/suite/test_tiny.py": SUITE,
            "tests/tiny/suite/small.py": SMALL,
            "tests/tiny/mistakes/mean.txt": MISTAKES,
        }
        write_files(root, files)

    def hand_in(self, sources: Mapping[str, str], folder: str = "class") -> Path:
        """Write one folder per student and return the class folder."""
        where = self.project.root / folder
        for student, source in sources.items():
            (where / student).mkdir(parents=True, exist_ok=True)
            (where / student / "tiny.py").write_text(source, "utf-8")
        return where

    def run(self, folder: Path, watcher: Quiet | None = None, **options: Any) -> Outcome:
        """Grade a class folder."""
        given: dict[str, Any] = {"out": self.project.root / "grades", "jobs": 1, "seed": "s"}
        given |= {"confined": sandbox_works(), **options}
        wanted = Options(**given)
        outcome = grade(self.project, self.chapter, folder, wanted, watcher or Quiet())
        outcome.told()
        return outcome

    def grade(self, sources: Mapping[str, str], **options: Any) -> dict[str, SubmissionResult]:
        """Grade sources by students' names."""
        outcome = self.run(self.hand_in(sources), **options)
        return {result.student: result for result in outcome.results}


@pytest.fixture
def tiny(tmp_path: Path) -> TinyCourse:
    """A fresh tiny course."""
    return TinyCourse(tmp_path)


@pytest.fixture(scope="module")
def tiny_of_module(tmp_path_factory: pytest.TempPathFactory) -> TinyCourse:
    """A tiny course that the tests of a file share."""
    return TinyCourse(tmp_path_factory.mktemp("course"))
