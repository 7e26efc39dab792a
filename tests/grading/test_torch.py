"""A chapter with torch: modules, state dicts, gradients and optimisers stay with the candidate."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch

from nextword.boundary.conversation import Conversation
from nextword.boundary.proxy import Module
from nextword.candidate.confinement import Limits
from nextword.candidate.server import Plan
from nextword.catalogue import parse_chapter
from nextword.project import Project
from nextword.results import Verdict
from nextword.sandbox import bubblewrap
from nextword.sandbox.servers import CandidateServer
from tests.grading.conftest import CATALOGUE, TinyCourse, sandbox_works

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

import pytest
import torch

from nextword.suite import gradients


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
    _, (slope,), _ = gradients(tiny.softmax, torch.tensor([0.0, 0.0]), weights=weights)
    torch.testing.assert_close(slope, torch.tensor([0.25, -0.25]))


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
    (root / "tests" / "suites" / "test_tiny.py").write_text(SUITE, "utf-8")
    (root / "tests" / "misconceptions" / "tiny.py").unlink()
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
    from nextword.check.runner import check_chapter

    suite = nets.project.suite("tiny")
    suite.write_text(suite.read_text().replace('task("9.1")', 'task("9.1", visible=True)'))
    (nets.project.root / "coursework" / "tiny.py").write_text(REFERENCE)
    for name in [name for name in sys.modules if name.startswith("tests.suites")]:
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


@pytest.mark.parametrize("setting", ["", "default"])
def test_a_candidate_computes_as_fast_and_as_exactly_as_the_examiner(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch has seen the processor and loaded its optimizers before the candidate is locked in."""
    if not sandbox_works():
        pytest.skip("needs bubblewrap and user namespaces: see `nextword doctor`")
    if setting:
        monkeypatch.setenv("ATEN_CPU_CAPABILITY", setting)
    plan = Plan(Limits(memory=2 << 30), True, bubblewrap.outer_uid(), ("torch",))
    server = CandidateServer(plan)
    talk = Conversation(server.start().ask)
    talk.begin(0, 60)
    there = Module(talk, talk.request("import", "tiny", WARM.encode()))
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
