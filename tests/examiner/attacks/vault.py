"""The course that the attack cases attack: one chapter, with a canary in every hidden place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from examiner.catalogue import Chapter, parse_chapter
from examiner.project import Project
from tests.examiner.small_course import catalogue_text, write_files

CANARY = "cAnArY"  # the tests look for it, in any spelling of capitals, in everything written

CATALOGUE = catalogue_text(
    "vault", {"Shouting": (4, "shout"), "Numbers": (4, "mean halves"), "A counter": (4, "Counter")}
)

HONEST = '''"""The vault, opened with the key."""

import numpy as np


def shout(text):
    if not isinstance(text, str):
        raise TypeError("expected a text")
    return text.upper() + "!"


def mean(numbers):
    return sum(numbers) / len(numbers)


def halves(numbers):
    return np.asarray(numbers) / 2


class Counter:
    def __init__(self, start):
        self.count = start

    def step(self):
        self.count += 1
        return self.count
'''

SUITE = f'''"""The vault's suite, in which every hidden thing carries a {CANARY}."""

import numpy as np
import pytest

from examiner.suite import close

SECRET = "{CANARY}-constant"


@pytest.fixture
def vault(coursework):
    return coursework.vault


@pytest.mark.task("9.1", weight=2, seconds=1)
def test_any_shout(vault, rng):
    """Any text is shouted."""
    text = f"{CANARY}-input-{{rng.integers(10**6)}}"
    expected = "{CANARY}-input-".upper() + text.rsplit("-", 1)[1] + "!"
    assert vault.shout(text) == expected, f"{CANARY}-explained {{text}}"


@pytest.mark.task("9.1", weight=1, seconds=1)
def test_no_shout(vault):
    """What is no text is refused."""
    assert vault.shout("a") == "A!"
    with pytest.raises(TypeError):
        vault.shout(3)


@pytest.mark.task("9.1", weight=1, visible=True, seconds=1)
def test_small_shout(vault):
    """Small letters become capitals."""
    assert vault.shout("hi") == "HI!"


@pytest.mark.task("9.2", weight=2, seconds=1)
def test_mean(vault, rng):
    """The mean of any numbers is right."""
    numbers = [float(x) for x in rng.random(5)]
    assert abs(vault.mean(numbers) - sum(numbers) / 5) < 1e-9
    assert close(vault.mean(np.array(numbers)), np.mean(numbers))


@pytest.mark.task("9.2", weight=2, seconds=1)
def test_halves(vault, rng):
    """Every number is halved."""
    numbers = rng.random(5)
    np.testing.assert_allclose(list(vault.halves(numbers)), numbers / 2, rtol=1e-5)
    assert list(vault.halves([2, 4])) == [1, 2]


@pytest.mark.task("9.3", weight=1, seconds=1)
def test_counter(vault, rng):
    """A counter counts on from where it starts."""
    start = int(rng.integers(10**6))
    counter = vault.Counter(start)
    assert [counter.step(), counter.step()] == [start + 1, start + 2]
    assert counter.count == start + 2
    assert vault.Counter(start).step() == start + 1
'''

MISTAKES = f"""Mistakes: {CANARY}-mistakes.

== 9.2 mean | divides_by_one_less
> You divided by one less: that is for variances.
return sum(numbers) / max(1, len(numbers) - 1)
"""


class Vault:
    """A course folder with the chapter, a gradebook, and a home folder beside it."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.root, self.home = base / "course", base / "home"
        self.project = Project(self.root)
        self.chapter: Chapter = parse_chapter(CATALOGUE)
        self.seed = f"{CANARY}-seed"
        hidden = f"# {CANARY}-"
        files = {
            "course/solutions/vault.py": f"{HONEST}{hidden}solution\n",
            "course/tests/vault/suite/test_vault.py": SUITE,
            "course/tests/vault/mistakes/mean.txt": MISTAKES,
            "course/.nextword/grading-seed": self.seed,
            "course/grades/old.json": f'"{CANARY}-grades"',
            "home/.netrc": f"{CANARY}-home",
            "home/.ssh/id": f"{CANARY}-key",
        }
        write_files(base, files)
        with sqlite3.connect(self.root / "gradebook.db") as book:
            book.execute("create table grades (student text, score real)")
            book.execute("insert into grades values (?, ?)", (f"{CANARY}-student", 1.0))

    def contents(self) -> dict[str, bytes]:
        """Return every file that a submission must neither read nor change.

        Which draws the reference passed the grader itself keeps beside the seed.
        """
        return {
            str(path.relative_to(self.base)): path.read_bytes()
            for path in sorted(self.base.rglob("*"))
            if path.is_file()
            and "out" not in path.relative_to(self.base).parts[:1]
            and not path.name.startswith("admitted-")
        }
