"""A small course whose tasks build on each other: functions, a class, methods, modules of torch."""

from pathlib import Path

from examiner.catalogue import parse_chapter
from examiner.grading.outcome import Outcome
from examiner.grading.run import Options, grade
from examiner.project import Project
from examiner.results import SubmissionResult
from tests.examiner.grading.conftest import Quiet, sandbox_works
from tests.examiner.small_course import catalogue_text, write_files

SECRET = "nobody may read this constant"
TASKS = {
    "9.1": "tokens",
    "9.2": "Bag",
    "9.3": "Model.share",
    "9.4": "surprise",
    "9.5": "Affine",
    "9.6": "Gate.forward",
    "9.7": "loss",
}
CATALOGUE = catalogue_text("chain", {f"Task {task}": (2, symbol) for task, symbol in TASKS.items()})

REFERENCE = f'''"""A chain. Leaves out: the rest."""

import math
from collections import Counter

import torch
from torch import nn


def tokens(text):
    """Split a text."""
    secret = "{SECRET}"
    return text.split()


class Bag:
    """Counts words."""

    def __init__(self, words):
        secret = "{SECRET}"
        self.counts = Counter(words)
        self.total = len(words)

    def count(self, word):
        secret = "{SECRET}"
        return self.counts[word]

    def __len__(self):
        return self.total


class Model:
    """Shares of words."""

    def __init__(self, text):
        self.bag = Bag(tokens(text))

    def size(self):
        """The number of words."""
        return len(self.bag)

    def share(self, word):
        """How much of the text a word is."""
        secret = "{SECRET}"
        return self.bag.count(word) / self.size()


def surprise(model, word):
    """Minus the logarithm of the share."""
    return -math.log(model.share(word))


class Affine(nn.Module):
    """W x + b."""

    def __init__(self, D, H):
        super().__init__()
        secret = "{SECRET}"
        self.W, self.b = nn.Parameter(torch.zeros(H, D)), nn.Parameter(torch.zeros(H))

    def forward(self, x):
        """Apply it."""
        return x @ self.W.T + self.b


class Gate(nn.Module):
    """Lets x through in part."""

    def __init__(self, D):
        super().__init__()
        self.affine = Affine(D, D)

    def forward(self, x):
        """x, times the sigmoid of W x + b."""
        secret = "{SECRET}"
        return torch.sigmoid(self.affine(x)) * x


def loss(gate, x):
    """The sum of squares of what comes through."""
    return gate(x).square().sum()
'''

SUITE = '''"""The suite."""

import math

import pytest
import torch

from examiner.suite import close, gradients, set_parameters, student_module

chain = student_module("chain")


@pytest.mark.task("9.1", visible=True, seconds=1)
def test_tokens(chain):
    """A text is split."""
    assert chain.tokens("a b a") == ["a", "b", "a"]


@pytest.mark.task("9.2", seconds=1)
def test_bag(chain):
    """Words are counted."""
    bag = chain.Bag(["a", "b", "a"])
    assert (bag.count("a"), bag.count("z"), len(bag)) == (2, 0, 3)


@pytest.mark.task("9.3", visible=True, seconds=1)
def test_share(chain):
    """A share is right."""
    assert chain.Model("a b a c").share("a") == 0.5


@pytest.mark.task("9.4", seconds=1)
def test_surprise(chain, rng):
    """The surprise is right."""
    n = int(rng.integers(2, 9))
    model = chain.Model("a " * n + "b")
    assert math.isclose(chain.surprise(model, "b"), math.log(n + 1))


def weights():
    return {"W": torch.tensor([[1.0, 2.0], [0.0, -1.0]]), "b": torch.tensor([0.5, 1.0])}


@pytest.mark.task("9.5", seconds=5)
def test_affine(chain):
    """W x + b is right."""
    net = chain.Affine(2, 2)
    set_parameters(net, weights())
    assert close(net(torch.tensor([1.0, 1.0])), torch.tensor([3.5, 0.0]))


def through(leaves, x):
    return torch.sigmoid(x @ leaves["W"].T + leaves["b"]) * x


@pytest.mark.task("9.6", seconds=5)
def test_gate(chain):
    """Values and gradients are right."""
    net = chain.Gate(2)
    set_parameters(net, {f"affine.{name}": value for name, value in weights().items()})
    x = torch.tensor([[1.0, 3.0], [2.0, -1.0]])
    value, found, by_name = gradients(net, x)
    leaves = {name: each.requires_grad_() for name, each in weights().items()}
    own = x.clone().requires_grad_()
    expected = through(leaves, own)
    expected.sum().backward()
    assert close(value, expected.detach())
    assert close(found[0], own.grad)
    for name, leaf in leaves.items():
        assert close(by_name[f"affine.{name}"], leaf.grad)


@pytest.mark.task("9.7", seconds=5)
def test_loss(chain):
    """The loss and its gradients are right."""
    net = chain.Gate(2)
    set_parameters(net, {f"affine.{name}": value for name, value in weights().items()})
    x = torch.tensor([[1.0, 3.0]])
    value, (_, found), _ = gradients(chain.loss, net, x)
    own = x.clone().requires_grad_()
    expected = through(weights(), own).square().sum()
    expected.backward()
    assert close(value, expected.detach())
    assert close(found, own.grad)
'''


class ChainCourse:
    """A course folder with the chapter."""

    def __init__(self, root: Path) -> None:
        self.project, self.chapter = Project(root), parse_chapter(CATALOGUE)
        files = {"solutions/chain.py": REFERENCE, "tests/chain/suite/test_chain.py": SUITE}
        write_files(root, files)

    def run(self, sources: dict[str, str], name: str = "class") -> Outcome:
        """Grade sources by students' names."""
        folder = self.project.root / name
        for student, source in sources.items():
            (folder / student).mkdir(parents=True)
            (folder / student / "chain.py").write_text(source, "utf-8")
        out = self.project.root / f"{name}-grades"
        options = Options(out=out, jobs=1, seed="s", confined=sandbox_works())
        return grade(self.project, self.chapter, folder, options, Quiet())

    def grade(self, sources: dict[str, str], name: str = "class") -> dict[str, SubmissionResult]:
        """Return the results by students' names."""
        return {result.student: result for result in self.run(sources, name).results}
