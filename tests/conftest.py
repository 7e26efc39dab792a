"""What several of the library's own tests need: a small course folder and the command line."""

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from typer.testing import CliRunner, Result

from examiner.catalogue import Chapter, parse_chapter
from nextword.cli import app
from tests.browser import THOROUGH, browser, show  # noqa: F401 (fixtures, found by their names)
from tests.turns import SAID, waiting

ROOT = Path(__file__).parents[1]

DEMO_SETTINGS = """\
[project]
name = "demo"
version = "1.0"
license-files = ["LICENSE*"]

[tool.setuptools.packages.find]
include = ["examiner*"]

[tool.setuptools.package-data]
examiner = ["**/*.ini"]
"""

DEMO_CATALOGUE = """
stem = "demo"
number = 9
title = "Demo"
[[tasks]]
id = "9.1"
title = "Adding"
symbols = ["add"]
see = "section 9.1"
points = 4
minutes = 5
difficulty = "easy"
hints = ["What is a sum?", "There is an operator for it.", "Return a plus b."]
[[tasks]]
id = "9.2"
title = "A counter"
symbols = ["Counter.step"]
see = "section 9.2"
points = 6
minutes = 5
difficulty = "hard"
hints = ["Where is the count kept?", "In the object.", "Add one to self.count and return it."]
"""

DEMO_SOLUTION = '''"""A demonstration chapter. Leaves out: nearly everything."""


def add(a: int, b: int) -> int:
    """Return the sum. About 1 line."""
    # BEGIN SOLUTION
    return a + b
    # END SOLUTION


class Counter:
    """Counts its steps."""

    def __init__(self) -> None:
        self.count = 0

    def step(self) -> int:
        """Return how many steps were taken."""
        # BEGIN SOLUTION
        self.count += 1
        return self.count
        # END SOLUTION
'''

DEMO_SMALL = '''"""Small inputs of the demonstration chapter."""

from examiner.counterexamples import example, small


@small("9.1", "add")
def two_numbers(draw):
    return example("add(a, b)", a=draw.integer(0, 3), b=draw.integer(0, 3))


@small("9.2", "Counter.step")
def a_few_steps(draw):
    return example("counter = Counter()\\n[counter.step() for _ in range(n)]", n=draw.integer(1, 3))
'''

DEMO_SUITE = '''"""The suite of the demonstration chapter."""

import math

import pytest


@pytest.fixture
def demo(coursework):
    return coursework.demo


# the oracle of a hidden test
def slow_sum(numbers):
    return math.fsum(numbers)


@pytest.mark.task("9.1", weight=1, visible=True)
def test_small_sum(demo):
    """One and two are three."""
    assert demo.add(1, 2) == 3


@pytest.mark.task("9.1", weight=3)
def test_random_sums(demo, rng):
    """Sums of any numbers are right."""
    a, b = (int(n) for n in rng.integers(1000, size=2))
    assert demo.add(a, b) == slow_sum([a, b])


@pytest.mark.task("9.2", weight=1, visible=True, seconds=1)
def test_counter(demo):
    """A counter counts."""
    counter = demo.Counter()
    assert [counter.step(), counter.step()] == [1, 2]
'''


# files that take longest, beginning with the longest: no worker shall be left with one at the end
LONG = (
    "tests/examiner/grading/test_sample_class.py",
    "tests/book/test_every_page.py",
    "tests/examiner/nbgrader/test_walk.py",
    "chapters/02-ngrams-writing.ipynb",
    "tests/every_chapter/test_counterexamples.py",
    "tests/examiner/attacks/test_attacks.py",
    "tests/every_chapter/test_fresh_seeds.py",
    "tests/every_chapter/test_right_answers.py",
    "chapters/05-attention-words.ipynb",
    "tests/examiner/test_mutants.py",
    "tests/nextword/test_train.py",
    "tests/examiner/grading/test_torch.py",
    "tests/every_chapter/test_generic_cheats.py",
    "tests/every_chapter/test_misconceptions.py",
    "tests/examiner/test_new_chapter.py",
    "chapters/06-transformers-today.ipynb",
    "chapters/03-embeddings-measured.ipynb",
    "chapters/03-embeddings-learned.ipynb",
    "chapters/03-embeddings.ipynb",
    "chapters/01-language-models.ipynb",
    "chapters/04-rnns.ipynb",
    "tests/examiner/nbgrader/test_stock.py",
)

# a crowded machine makes any input slow
settings.register_profile("course", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("course")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has no turn today or only in `make test-thorough`; put long files first."""
    left = waiting(items, config.args)
    if not THOROUGH:
        left |= {item.nodeid for item in items if item.get_closest_marker("thorough")}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
    items[:] = [item for item in items if item.nodeid not in left]
    order = {ROOT / name: k for k, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path, len(order)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Let no garbage collection look through thousands of collected tests again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor those that are to come: they leave the tests alone."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_report_header() -> str:
    """Say whose turn it is."""
    return f"turn: {SAID} (TURN={SAID} make test repeats it, TURN=all make test tries all)"


@pytest.fixture
def demo_chapter() -> Chapter:
    """A chapter of two tasks, the only one of the course folder below."""
    return parse_chapter(DEMO_CATALOGUE)


@pytest.fixture
def demo_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course folder with the demonstration chapter; it is the working folder."""
    for folder in ("solutions", "coursework", "tests/demo/suite", "chapters"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "solutions" / "__init__.py").touch()
    (tmp_path / "solutions" / "demo.py").write_text(DEMO_SOLUTION, "utf-8")
    (tmp_path / "solutions" / "demo.toml").write_text(DEMO_CATALOGUE, "utf-8")
    (tmp_path / "tests" / "demo" / "suite" / "test_demo.py").write_text(DEMO_SUITE, "utf-8")
    (tmp_path / "tests" / "demo" / "suite" / "small.py").write_text(DEMO_SMALL, "utf-8")
    for name in ("constraints.txt", "requirements.txt", "LICENSE", "LICENSE-TEXT"):
        (tmp_path / name).write_text(name, "utf-8")
    (tmp_path / "pyproject.toml").write_text(DEMO_SETTINGS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def nextword() -> Callable[..., Result]:
    """Run the command line in this process: `nextword("check", "2.1")`."""
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, list(arguments))


@pytest.fixture(scope="session")
def made_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, Callable[[Path], object]], Path]:
    """A folder that is made once for all workers: `made_once("book", make)`, with `make(folder)`.

    Nobody may change what is in it: tests that do take a copy. Where it cannot be made, nothing is
    left of it, and whoever asks next tries again.
    """
    several = hasattr(request.config, "workerinput")  # the environment is a child's, too
    base = tmp_path_factory.getbasetemp()
    base = base.parent if several else base

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder = base / name
        with FileLock(folder.with_suffix(".lock")):
            if not folder.is_dir():
                try:
                    make(folder)
                except BaseException:
                    shutil.rmtree(folder, ignore_errors=True)
                    raise
        return folder

    return made


@pytest.fixture(scope="session")
def site(made_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The book, built with warnings as errors."""
    pytest.importorskip("jupyter_book", reason="the book is built with pip install '.[book]'")
    return made_once("book", _build_book) / "_build" / "html"


def _build_book(out: Path) -> None:
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", ROOT, "--path-output", out, "--all", "-W", "-n"]
    done = subprocess.run(
        [*map(str, command), "--keep-going"], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture
def crowded() -> Iterator[None]:
    """One processor for this test and what it starts, with three endless loops on it."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
        os.sched_setaffinity(0, allowed)
