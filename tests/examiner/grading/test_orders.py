"""Answers that depend on the order of a set: wrong, even where one order happens to be right."""

import ast
import os
import subprocess
import sys

import pytest

from examiner.catalogue import parse_chapter
from examiner.grading.candidates import FIRST, SECOND
from examiner.grading.examiner import UNORDERED
from examiner.results import SubmissionResult, TestResult
from tests.examiner.grading.conftest import CATALOGUE, TinyCourse

pytestmark = pytest.mark.slow

CHAPTER = parse_chapter(CATALOGUE.replace('["mean"]', '["top"]').replace('["Bag"]', '["Ranking"]'))
TOP = "return max(list(dict.fromkeys(words)), key=words.count)"
DRAW = "return sorted(self.known)[int(rng.integers(len(self.known)))]"
BEST = "return top(self.words)"
REFERENCE = f'''"""Rankings. Leaves out: the rest."""


def top(words):
    """Return the most frequent word; of several, the one that comes first."""
    {TOP}


class Ranking:
    def __init__(self, words):
        self.words = list(words)
        self.known = frozenset(words)

    def best(self):
        {BEST}

    def draw(self, rng):
        {DRAW}

    def knows(self, word):
        return word in self.known
'''
SUITE = '''"""The suite of rankings."""

import numpy as np
import pytest

PAIRS = {pairs!r}


@pytest.fixture
def tiny(coursework):
    return coursework.tiny


@pytest.mark.task("9.1", visible=True, orders=2, seconds=1)
@pytest.mark.parametrize("which", list(PAIRS))
def test_two_words(tiny, which):
    """Of two words the first one is taken."""
    assert tiny.top(PAIRS[which]) == PAIRS[which][0]


@pytest.mark.task("9.1", orders=2, seconds=1)
def test_many_words(tiny, rng):
    """The first of the most frequent words is taken."""
    for _ in range(8):
        words = ["".join(rng.choice(list("abcdef"), 4)) for _ in range(6)]
        assert tiny.top(words * 2) == max(words, key=words.count)


@pytest.mark.task("9.2", orders=2)
def test_best(tiny, rng):
    """The best word is the first."""
    for _ in range(8):
        words = ["".join(rng.choice(list("abcdef"), 4)) for _ in range(6)]
        ranking = tiny.Ranking(words)
        assert ranking.best() == max(words, key=words.count)
        assert ranking.knows(words[0]) and not ranking.knows("z")


@pytest.mark.task("9.2", repeats=True)
def test_draws(tiny):
    """Only the generator decides which word is drawn."""
    ranking = tiny.Ranking("abcdefghijklmnop")
    assert all(len(ranking.draw(np.random.default_rng(seed))) == 1 for seed in range(9))
'''
SORTS = "kept = set(words); return max(sorted(kept, key=words.index), key=words.count)"
WALKS = "return max(set(words), key=words.count)"
HIDES = "return max(vars(__import__('builtins'))['s' + 'et'](words), key=words.count)"
HELPER = f"\n\ndef helper(words):\n    {WALKS}\n"
OWN_BEST = "return max(self.known, key=self.words.count)"
# in the second order of sets only
ELSE = "if __import__('os').environ['PYTHONHASHSEED'] == '1': "
DIES, SPINS = f"{ELSE}__import__('os')._exit(0)", f"{ELSE}[0 for _ in iter(int, 1)]"
IS_STUB, REFUSES = f"{ELSE}raise NotImplementedError", f"\n{ELSE}raise ImportError\n"
SOURCES = {
    "right": REFERENCE,
    "counts a set": REFERENCE.replace(TOP, f"assert len(set(words)) > 1; {TOP}"),
    "sorts a set": REFERENCE.replace(TOP, SORTS),
    "walks": REFERENCE.replace(TOP, WALKS),
    "walks through a hidden set": REFERENCE.replace(TOP, HIDES),
    "dies": REFERENCE.replace(TOP, f"{DIES}\n    {TOP}"),
    "spins": REFERENCE.replace(TOP, f"{SPINS}\n    {TOP}"),
    "is a stub": REFERENCE.replace(TOP, f"{IS_STUB}\n    {TOP}"),
    "cannot be imported": REFERENCE + REFUSES,
    "dies, and walks later": REFERENCE.replace(TOP, f"{DIES}\n    {TOP}").replace(BEST, OWN_BEST),
    "walks in a helper": REFERENCE.replace(TOP, "return helper(words)") + HELPER,
    "walks through ours": REFERENCE.replace(BEST, OWN_BEST),
    "walks twice": REFERENCE.replace(TOP, WALKS).replace(BEST, OWN_BEST),
    "draws from a set": REFERENCE.replace(DRAW, DRAW.replace("sorted", "list")),
    "by hash": REFERENCE.replace(TOP, "return max(words, key=lambda w: (words.count(w), hash(w)))"),
    "wrong": REFERENCE.replace(TOP, "return {'never'}.pop()"),
    "wrong, and draws from a set": REFERENCE.replace(TOP, "return {'never'}.pop()").replace(
        DRAW, f"top(self.words); {DRAW.replace('sorted', 'list')}"
    ),
    "wrong, and walks later": REFERENCE.replace(TOP, "return {'never'}.pop()").replace(
        BEST, f"top(self.words); {OWN_BEST}"
    ),
    "wrong, and draws by it": REFERENCE.replace(TOP, "return {'never'}.pop()").replace(
        DRAW, f"top(self.words); {DRAW}"
    ),
}
FIRST_OF = "import sys; print([next(iter({a, b})) == a for a, b in eval(sys.argv[1])])"


def is_first(seed: int, pairs: list[tuple[str, str]]) -> list[bool]:
    """Tell of which pairs of words a set gives the first one first, in a Python with this seed."""
    command = [sys.executable, "-c", FIRST_OF, repr(pairs)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return [bool(each) for each in ast.literal_eval(done.stdout)]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SubmissionResult]:
    pairs = [(f"a{n}", f"b{n}") for n in range(100)]
    by_order = dict(
        zip(zip(is_first(FIRST, pairs), is_first(SECOND, pairs), strict=True), pairs, strict=True)
    )
    lucky = {f"{one}-{other}": list(pair) for (one, other), pair in sorted(by_order.items())}
    course = TinyCourse(tmp_path_factory.mktemp("orders"))
    course.chapter = CHAPTER
    for name, text in (
        ("solutions/tiny.py", REFERENCE),
        ("tests/tiny/suite/test_tiny.py", SUITE.format(pairs=lucky)),
        ("tests/tiny/mistakes/mean.txt", "None.\n"),
    ):
        (course.project.root / name).write_text(text, "utf-8")
    return course.grade(SOURCES)


def by_name(result: SubmissionResult) -> dict[str, TestResult]:
    return {test.name: test for task in result.tasks for test in task.tests}


def lost(result: SubmissionResult) -> list[str]:
    return [task.task.id for task in result.tasks if task.score < task.task.points]


@pytest.mark.parametrize(
    ("student", "tasks"),
    [
        ("right", []),
        ("counts a set", []),
        ("sorts a set", []),
        ("walks", ["9.1"]),
        ("walks through a hidden set", ["9.1"]),
        ("dies", ["9.1"]),
        ("spins", ["9.1"]),
        ("is a stub", ["9.1"]),
        ("cannot be imported", ["9.1", "9.2"]),
        ("dies, and walks later", ["9.1", "9.2"]),
        ("walks in a helper", ["9.1"]),
        ("walks through ours", ["9.2"]),
        ("walks twice", ["9.1", "9.2"]),
        ("draws from a set", ["9.2"]),
        ("by hash", ["9.1"]),
        ("wrong", ["9.1"]),
        ("wrong, and draws from a set", ["9.1", "9.2"]),
        ("wrong, and walks later", ["9.1", "9.2"]),
        ("wrong, and draws by it", ["9.1"]),
    ],
)
def test_an_answer_in_the_order_of_a_set_is_wrong(
    results: dict[str, SubmissionResult], student: str, tasks: list[str]
) -> None:
    assert lost(results[student]) == tasks
    assert not results[student].provisional


def test_luck_with_either_order_does_not_help_and_the_feedback_says_so(
    results: dict[str, SubmissionResult],
) -> None:
    found = by_name(results["walks"])
    verdicts = {
        name: (test.verdict.value, test.message == UNORDERED) for name, test in found.items()
    }
    assert verdicts["test_two_words[True-True]"] == ("passed", False)
    assert verdicts["test_two_words[True-False]"] == ("failed", True)
    assert verdicts["test_two_words[False-True]"] == ("failed", True)
    assert verdicts["test_two_words[False-False]"] == ("failed", False)
    assert found["test_best"].message == "right, given a right 9.1"
    assert all(test.message != UNORDERED for test in by_name(results["wrong"]).values())
