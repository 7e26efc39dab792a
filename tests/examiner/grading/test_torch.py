"""A chapter with torch: modules, state dicts, gradients and optimisers stay with the candidate."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch

from examiner.boundary.conversation import Conversation
from examiner.boundary.errors import CannotCrossError
from examiner.boundary.limits import MAX_NUMBERS
from examiner.boundary.proxy import Module
from examiner.candidate.server import ServerPlan
from examiner.catalogue import parse_chapter
from examiner.project import Project
from examiner.results import Verdict
from examiner.sandbox import trial as sandbox
from examiner.sandbox.servers import CandidateServer
from tests.examiner.grading.conftest import CATALOGUE, TinyCourse, needs_sandbox

pytestmark = pytest.mark.slow

REFERENCE = '''"""Nets. Leaves out: the rest."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, 1, bias=False)

    def forward(self, x):
        return self.linear(x).squeeze(-1)

    def doubled(self, x):
        return 2 * self(x)


class SGD:
    def __init__(self, parameters, rate):
        self.parameters, self.rate = list(parameters), rate

    @torch.no_grad()
    def step(self):
        for p in self.parameters:
            p -= self.rate * p.grad


def softmax(x):
    return x.softmax(-1)


def sample(generator):
    return torch.rand(3, generator=generator)


def batches(x):
    for row in x:
        yield row
'''

SUITE = '''"""The suite of the nets."""

import numpy as np
import pytest
import torch

from examiner.suite import gradients


@pytest.fixture
def tiny(coursework):
    return coursework.tiny


@pytest.mark.task("9.1")
def test_state(tiny, rng):
    """A state dict can be loaded and comes back."""
    weight = torch.from_numpy(rng.random((1, 3), dtype="float32"))
    net = tiny.Net(3)
    net.load_state_dict({"linear.weight": weight})
    assert torch.equal(net.state_dict()["linear.weight"], weight)
    x = torch.ones(2, 3)
    torch.testing.assert_close(net(x), x @ weight[0])
    assert net.linear.weight.shape == (1, 3)


@pytest.mark.task("9.1")
def test_gradients(tiny, rng):
    """Gradients reach inputs and parameters, and an optimiser follows them."""
    net, x = tiny.Net(3), torch.from_numpy(rng.random((4, 3), dtype="float32"))
    before = net.state_dict()["linear.weight"].clone()  # in one process it is the parameter
    value, by_input, by_parameter = gradients(net, x)
    torch.testing.assert_close(value, x @ before[0])
    torch.testing.assert_close(by_input[0], before.expand(4, 3))
    torch.testing.assert_close(by_parameter["linear.weight"], x.sum(0, keepdim=True))
    tiny.SGD(net.parameters(), 0.5).step()
    expected = before - 0.5 * x.sum(0, keepdim=True)
    torch.testing.assert_close(net.state_dict()["linear.weight"], expected)
    assert torch.allclose(gradients(net.doubled, x)[1][0], 2 * expected.expand(4, 3))
    weights = torch.tensor([1.0, 0.0])
    _, (found,), _ = gradients(tiny.softmax, torch.tensor([0.0, 0.0]), weights=weights)
    torch.testing.assert_close(found, torch.tensor([0.25, -0.25]))


@pytest.mark.task("9.2")
def test_random_numbers(tiny):
    """Random generators cross with their state."""
    drawn = tiny.sample(torch.Generator().manual_seed(3))
    assert torch.equal(drawn, torch.rand(3, generator=torch.Generator().manual_seed(3)))
    assert [row.tolist() for row in tiny.batches(torch.eye(2))] == [[1.0, 0.0], [0.0, 1.0]]
'''


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> TinyCourse:
    course = TinyCourse(tmp_path_factory.mktemp("nets"))
    course.chapter = parse_chapter(CATALOGUE)
    root = course.project.root
    (root / "solutions" / "tiny.py").write_text(REFERENCE, "utf-8")
    (root / "tests" / "tiny" / "suite" / "test_tiny.py").write_text(SUITE, "utf-8")
    (root / "tests" / "tiny" / "mistakes" / "mean.txt").unlink()
    return course


def test_modules_live_in_the_candidate(nets: TinyCourse) -> None:
    results = nets.grade(
        {
            "right": REFERENCE,
            "detached": REFERENCE.replace(
                "return self.linear(x)", "return self.linear(x.detach())"
            ),
            "wrong": REFERENCE.replace("p -= self.rate", "p += self.rate"),
        }
    )
    assert results["right"].score == 10
    for student in ("detached", "wrong"):
        verdicts = [task.verdict for task in results[student].tasks]
        assert verdicts == [Verdict.FAILED, Verdict.PASSED]


def test_check_gives_the_same(nets: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    from examiner.check.chapter import check_chapter

    suite = nets.project.suite("tiny") / "test_tiny.py"
    suite.write_text(suite.read_text().replace('task("9.1")', 'task("9.1", visible=True)'))
    named = f"{REFERENCE}\n\nmean = Net  # a function of the chapter\n"
    (nets.project.root / "coursework" / "tiny.py").write_text(named)
    for name in [name for name in sys.modules if name.startswith("tests.tiny")]:
        monkeypatch.delitem(sys.modules, name)  # the text that this process has read before
    result = check_chapter(Project(Path(nets.project.root)), nets.chapter)
    assert result.tasks[0].verdict is Verdict.PASSED


WARM = """
import sys
import torch

def imported(name):
    return name in sys.modules

def capability():
    return torch.backends.cpu.get_cpu_capability()

def softmax(x, w):
    return x.softmax(-1) @ w, x.exp().sum(), x.tanh().mean()
"""


TORCH = Path(__file__)  # a file that imports torch


def start(plan: ServerPlan, source: str) -> tuple[CandidateServer, Module]:
    server = CandidateServer(plan)
    talk = Conversation(server.start().ask)
    talk.begin(0, 60)
    return server, Module(talk, talk.request("import", "tiny", source.encode()))


@needs_sandbox
@pytest.mark.parametrize("setting", ["", "default"])
def test_a_candidate_computes_as_fast_and_as_exactly_as_the_examiner(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch has seen the processor and loaded its optimizers before the candidate is locked in."""
    if setting:
        monkeypatch.setenv("ATEN_CPU_CAPABILITY", setting)
    server, there = start(sandbox.plan_for([TORCH], confined=True), WARM)
    assert there.imported("torch._dynamo")
    luck = torch.Generator().manual_seed(0)
    x, w = torch.randn(50, 70, generator=luck), torch.randn(70, 30, generator=luck)
    code = f"""{WARM}
torch.set_num_threads(1)
x, w = torch.load(sys.argv[1])
torch.save([capability(), *softmax(x, w)], sys.argv[1])
"""
    with tempfile.NamedTemporaryFile() as file:
        torch.save([x, w], file.name)
        subprocess.run([sys.executable, "-c", code, file.name], check=True)
        capability, *here = torch.load(file.name)
    assert there.capability() == capability
    for ours, theirs in zip(here, there.softmax(x, w), strict=True):
        assert torch.equal(ours, torch.as_tensor(theirs))
    server.close()


@needs_sandbox
def test_a_candidate_that_asks_torch_for_many_threads_gets_a_few() -> None:
    """It ended the process: a candidate may not start as many as a large machine has."""
    text = "import torch\n\ndef ask():\n    torch.set_num_threads(500)\n"
    text += "    ones = torch.ones(900, 900)\n"
    text += "    return torch.get_num_threads(), float((ones @ ones).sum())\n"
    server, there = start(sandbox.plan_for([TORCH], confined=True), text)
    assert tuple(there.ask()) == (8, 900.0**3)
    server.close()


def test_torch_without_memory_is_a_matter_of_memory(nets: TinyCourse) -> None:
    hungry = REFERENCE.replace("return x.softmax(-1)", "return torch.empty(1 << 40) + x")
    endless = REFERENCE.replace("yield row", "yield row; rows = row.repeat(1 << 38)")
    results = nets.grade({"hungry": hungry, "endless": endless})
    first, second = results["hungry"].tasks
    assert (first.verdict, second.verdict) == (Verdict.MEMORY, Verdict.PASSED)
    said = {test.message for test in first.tests if test.verdict is Verdict.MEMORY}
    assert said == {"ran out of memory in line 30 of tiny.py: `return torch.empty(1 << 40) + x`"}
    assert results["endless"].tasks[1].verdict is Verdict.MEMORY


BACK = """
import numpy as np
import torch

def twice(x):
    return x * 2

def zeros(n):
    return np.zeros(n, "int8")

def size(x):
    return len(x)
"""


@needs_sandbox
def test_a_large_embedding_crosses_both_ways() -> None:
    server, module = start(sandbox.plan_for([TORCH], confined=True), BACK)
    embedding = torch.arange(50257 * 768, dtype=torch.float32).reshape(50257, 768)  # GPT-2's
    assert torch.equal(module.twice(embedding), 2 * embedding)
    server.close()
    server, module = start(sandbox.plan_for([], confined=True), BACK.replace("import torch", ""))
    part = embedding[: 50257 // 4].numpy()
    assert np.array_equal(module.twice(part), 2 * part)
    server.close()


@needs_sandbox
def test_what_is_too_large_is_told_in_both_directions() -> None:
    server, module = start(sandbox.plan_for([TORCH], confined=True), BACK)
    most = MAX_NUMBERS
    with pytest.raises(TypeError, match=rf"array of shape \({most + 1},\) is too large: at most"):
        module.zeros(most + 1)
    with pytest.raises(CannotCrossError, match=r"is too large: at most 67,108,864 numbers"):
        module.size(np.zeros(most + 1, "int8"))
    with pytest.raises(CannotCrossError, match=r"1023 MB are too much .* may have 512 MB"):
        module.size(torch.empty(most - 1, dtype=torch.complex128))
    assert module.size([1, 2]) == 2
    server.close()


def test_an_answer_that_the_examiner_has_no_room_for(
    nets: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examiner.judge.bounds.MEMORY", 200 << 20)
    large = REFERENCE.replace(
        "return torch.rand(3, generator=generator)", "return torch.zeros(40 << 20)"
    )
    first, second = nets.grade({"large": large})["large"].tasks
    assert (first.verdict, second.verdict) == (Verdict.PASSED, Verdict.MEMORY)
    assert second.tests[0].message == "your code's answer needs too much memory"
