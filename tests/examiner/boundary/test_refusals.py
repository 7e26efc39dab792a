"""What a test cannot do with the student's code raises at once, in both ways, and says what to do.

Each case is the body of a test; the suite is at fault, never the student.
"""

import re

import pytest

from examiner.results import Verdict
from tests.examiner.boundary.attention_course import REFERENCE, SUITE
from tests.examiner.boundary.test_two_ways import Results, in_a_candidate, in_this_process
from tests.examiner.grading.conftest import TinyCourse

pytest.importorskip("torch")
CASES = {
    "tiny.apply(lambda x: x, 1)": "the function <lambda> of the test: ship it",
    "tiny.apply(own, 1)": "the function own of the test: ship it with examiner.suite.ship",
    "tiny.apply(Own, 1)": "the class Own of the test: ship it",
    "tiny.train(nn.Linear(1, 1), 1, 1, 1, 1)": "an object of type Linear: make it in a helper",
    "tiny.shift(Own())": "an object of type Own: pass plain data",
    "tiny.shift([changes([1])])": "changes(…) must be an argument itself",
    "class Mine(tiny.Heads): pass": "derives a class from Heads: do so in a helper",
    "nn.init.zeros_(net.out.weight)": "use examiner.suite.set_parameters or a shipped helper",
    "net.out.weight.data.copy_(torch.ones(4, 4))": "use examiner.suite.set_parameters",
    "for p in net.parameters(): p.zero_()": "use examiner.suite.set_parameters",
    "net(torch.ones(1, 2, 4)).sum().backward()": "use examiner.suite.gradients",
    "uses_a_number(net)": "uses_a_number uses NUMBER of the suite: pass it as an argument",
    "import copy; copy.copy(net)": "cannot be copied or stored",
    "inner(net)": "helper uses local, local around it: pass it as an argument",
}
HEAD = (
    SUITE[: SUITE.index("@ship\nclass Doubling")]
    + """
NUMBER = 3


def own(x):
    return x


class Own:
    pass


@ship
def uses_a_number(net):
    return NUMBER


def inner(net):
    local = 3

    def helper(net):
        return local

    return ship(helper)(net)
"""
)
TEST = '''

@pytest.mark.task("{task}", visible=True)
def test_{number}(tiny):
    """A test that cannot work."""
    net = tiny.Heads(4, 2)
    {body}
'''


def suite() -> str:
    tests = [
        TEST.format(task=f"9.{1 + number % 2}", number=number, body=body)
        for number, body in enumerate(CASES)
    ]
    return HEAD + "".join(tests)


@pytest.fixture(scope="module", params=[in_this_process, in_a_candidate], ids=["check", "grade"])
def outcome(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    course = TinyCourse(tmp_path_factory.mktemp("refusals"))
    root = course.project.root
    (root / "solutions" / "tiny.py").write_text(REFERENCE, "utf-8")
    (root / "tests" / "tiny" / "suite" / "test_tiny.py").write_text(suite(), "utf-8")
    (root / "tests" / "tiny" / "mistakes" / "mean.txt").unlink()
    found: dict[str, Results] = request.param(course, {"right": REFERENCE})
    return found["right"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "body"), [*enumerate(CASES)])
def test_it_is_refused_and_says_what_to_do(outcome: Results, number: int, body: str) -> None:
    result = outcome[f"test_{number}"]
    assert re.search(re.escape(CASES[body]), result.message), result.message
    assert result.verdict is Verdict.NOT_JUDGED
    assert "\n" not in result.message
