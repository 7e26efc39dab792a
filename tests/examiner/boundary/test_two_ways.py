"""One suite, two ways: in this process, as `check` does, and in a locked candidate, as `grade`.

A small torch chapter is the touchstone: copied weights, gradients, training, a generator with a
cache, helpers of the suite. The suite's text is the same, and so are verdicts and messages.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from examiner.check.runner import run_suite
from examiner.judge.local import on_file
from examiner.results import TestResult, Verdict
from tests.examiner.boundary.attention_course import REFERENCE, SUITE
from tests.examiner.grading.conftest import TinyCourse

pytestmark = pytest.mark.slow

pytest.importorskip("torch")
Results = dict[str, TestResult]
FAILED, PASSED = Verdict.FAILED, Verdict.PASSED


def instead(old: str, new: str) -> str:
    assert old in REFERENCE, old
    return REFERENCE.replace(old, new)


def added(text: str) -> str:
    return f"{REFERENCE}\n\n{text}"


LIES = """class Lies(torch.Tensor):
    def __eq__(self, other): return torch.ones(2).bool()


def attention(q, k, v, mask=None):
    return q.as_subclass(Lies), q.as_subclass(Lies)
"""
DECOYS = """    def named_parameters(self, *_, **__):
        if "decoys" not in self.__dict__:
            weights = {"qkv.weight": torch.ones(12, 4), "out.weight": torch.ones(4, 4)}
            self.__dict__["decoys"] = weights
        yield from self.decoys.items()

    def state_dict(self, *_, **__):
        return self.decoys

"""
HOOK = """        self.cache = []
        self.register_forward_hook(lambda module, inputs, output: torch.zeros_like(output))

"""
OTHER_NAMES = """    def state_dict(self, *_, **__):
        return {"forged": torch.ones(1)}

"""
# what would make every comparison agree, if it were made beside the student's code
PATCHES = """import numpy, examiner.suite.closeness as closeness
numpy.isclose = lambda x, *_, **__: numpy.ones(numpy.shape(x), bool)
closeness.close = torch.equal = torch.allclose = lambda *_, **__: True


def attention(q, k, v, mask=None):
    return v, v @ v.transpose(-1, -2)
"""
HELPERS = """import examiner.candidate.learning as learning
learning.optimizer_steps = lambda make, parameters, steps, options: [parameters] * len(steps)
"""
NO_MODULE = """Real = Heads


class Heads:
    __class__ = nn.Module

    def __init__(self, *sizes): self.real = Real(*sizes)

    def __getattr__(self, name): return getattr(self.__dict__["real"], name)

    def __call__(self, x): return self.real(x)

    def __len__(self): return len(self.real)

    def __add__(self, other): return self.real + other
"""
SHIFTS = "functions arguments"
ALL_OF_ATTENTION = "attention gradients heads training functions helpers"
# by name: the source, the tests that do not pass, and how these end
WRONG = {
    "right": (REFERENCE, "", FAILED),
    "unscaled": (instead(" / k.shape[-1] ** 0.5", ""), "attention gradients heads", FAILED),
    "detached": (instead("weights @ v,", "weights.detach() @ v,"), "gradients", FAILED),
    "uphill": (instead("p -= self.lr", "p += self.lr"), "training", FAILED),
    "stub": (instead("return x + 1\n", "raise NotImplementedError\n"), SHIFTS, Verdict.MISSING),
    "own_error": (instead("return x + 1\n", "return {}[0]\n"), SHIFTS, FAILED),
    "sorts_in_place": (
        instead("    return Scores", "    words.sort()\n    return Scores"),
        "arguments",
        FAILED,
    ),
    "writes_to_the_query": (
        instead("    scores = q @", "    q *= 1.5\n    scores = q @"),
        ALL_OF_ATTENTION,
        FAILED,
    ),
    "empties_the_cache": (instead("self.cache[-1]", "self.cache.pop()"), "generator", FAILED),
    "plain_tuple": (instead("return Scores", "return "), "arguments", FAILED),
    # hostile
    "agrees": (added(LIES), "attention gradients heads", FAILED),
    "decoy_parameters": (
        instead("    def __len__(self):\n", DECOYS + "    def __len__(self):\n"),
        "heads training",
        FAILED,
    ),
    "rewriting_hook": (
        instead("        self.cache = []\n\n", HOOK),
        "heads training helpers",
        FAILED,
    ),
    "other_names": (
        instead("    def __len__(self):\n", OTHER_NAMES + "    def __len__(self):\n"),
        "heads",
        FAILED,
    ),
    "half_precision": (
        instead("    return weights @ v, weights", "    return (weights @ v).bfloat16(), weights"),
        ALL_OF_ATTENTION,
        FAILED,
    ),
    "lies_about_its_class": (added(NO_MODULE), "heads helpers", FAILED),
    "exits": (instead("return x + 1\n", "raise SystemExit\n"), SHIFTS, Verdict.CRASHED),
    "endless": (
        instead("    return Scores", "    while True: pass\n    return Scores"),
        "arguments",
        Verdict.TIMEOUT,
    ),
}
# these would harm a process that they share, such as the student's own
ONLY_IN_A_CANDIDATE = {
    "patches_close": (added(PATCHES), "attention gradients heads", FAILED),
    "patches_helpers": (added(HELPERS), "training", FAILED),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> TinyCourse:
    course = TinyCourse(tmp_path_factory.mktemp("two-ways"))
    root = course.project.root
    (root / "solutions" / "tiny.py").write_text(REFERENCE, "utf-8")
    (root / "tests" / "tiny" / "suite" / "test_tiny.py").write_text(SUITE, "utf-8")
    (root / "tests" / "tiny" / "mistakes" / "mean.txt").unlink()
    return course


def in_this_process(course: TinyCourse, sources: dict[str, str]) -> dict[str, Results]:
    """Run the whole suite as `check` runs the visible tests."""
    found = {}
    for student, source in sources.items():
        path = course.project.root / "mine" / student / "tiny.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
        results = checked(course, path)
        found[student] = {result.name: result for result in results}
    return found


def checked(course: TinyCourse, path: Path) -> list[TestResult]:
    suite = course.project.suite("tiny") / "test_tiny.py"
    found = run_suite(
        suite,
        lambda opened: on_file(opened, path),
        root=course.project.root,
        seed="s",
        visible_only=False,
    )
    return [result for _, result in found.results]


def in_a_candidate(course: TinyCourse, sources: dict[str, str]) -> dict[str, Results]:
    """Grade a class of these."""
    graded = course.grade(sources)
    return {
        student: {test.name: test for task in result.tasks for test in task.tests}
        for student, result in graded.items()
    }


@pytest.fixture(scope="module", params=[in_this_process, in_a_candidate], ids=["check", "grade"])
def outcome(request: pytest.FixtureRequest, course: TinyCourse) -> dict[str, Results]:
    way: Callable[[TinyCourse, dict[str, str]], dict[str, Results]] = request.param
    cases = WRONG | ONLY_IN_A_CANDIDATE if way is in_a_candidate else WRONG
    found = way(course, {student: source for student, (source, *_) in cases.items()})
    OUTCOMES[request.param.__name__] = found
    return found


OUTCOMES: dict[str, dict[str, Results]] = {}


@pytest.mark.parametrize("student", [*WRONG, *ONLY_IN_A_CANDIDATE])
def test_verdicts(outcome: dict[str, Results], student: str) -> None:
    if student not in outcome:
        pytest.skip("it would harm this process")
    _, failing, verdict = (WRONG | ONLY_IN_A_CANDIDATE)[student]
    found = {name: test for name, test in outcome[student].items() if test.verdict is not PASSED}
    told = {name: test.message for name, test in found.items()}
    assert set(found) == {f"test_{name}" for name in failing.split()}, told
    assert {test.verdict for test in found.values()} <= {verdict}, told


def test_the_two_ways_say_the_same(course: TinyCourse) -> None:
    assert len(OUTCOMES) == 2
    one, other = (OUTCOMES[way.__name__] for way in (in_this_process, in_a_candidate))
    for student in WRONG:
        for name, test in one[student].items():
            said = test.message.replace(os.sep, "/")
            if said or test.visible:  # of other hidden tests the examiner says a direction
                assert (name, said) == (name, other[student][name].message)


def test_an_argument_that_was_changed_is_named(outcome: dict[str, Results]) -> None:
    said = outcome["sorts_in_place"]["test_arguments"].message
    assert said == "your code changes its argument `words` in place: work on a copy of it"
    said = outcome["writes_to_the_query"]["test_attention"].message
    assert said == "your code changes its argument `q` in place: work on a copy of it"


def test_a_failed_comparison_says_where(outcome: dict[str, Results]) -> None:
    *call, said = outcome["unscaled"]["test_attention"].message.splitlines()
    assert said.startswith("  at [0, 1, 0]: ")
    assert len(call) <= 2
    hidden = outcome["unscaled"]["test_gradients"].message
    assert "." not in hidden  # it says in which direction, if anything, and no number of the answer
