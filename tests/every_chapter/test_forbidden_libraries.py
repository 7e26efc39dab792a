"""What a docstring of chapter 6 forbids is found in calls and in the text, whatever is hidden."""

import sys
from pathlib import Path

import pytest

from examiner.judge.local import on_file
from examiner.judge.modules import Reference
from examiner.judge.runs import Terms
from examiner.judge.session import Session
from examiner.judge.suite import Suite, with_suite
from examiner.project import Project
from examiner.results import Verdict

ROOT = Path(__file__).parents[2]
PROJECT = Project(ROOT)
REFERENCE = Reference(ROOT / "solutions" / "transformers.py")
NORM = "return F.layer_norm(x, gain.shape, gain, bias, eps)"
RENAMED = "return READY_MADE(x, gain.shape, gain, bias, eps)"
WATCH_ENDS = "\nimport sys\nsys.setprofile = lambda watch: None\n"
PROGRAM = """
def norm(x: Tensor, gain: Tensor, bias: Tensor, eps: float):
    return torch.layer_norm(x, gain.shape, gain, bias, eps)
"""
CHEATS = {
    "plain": (NORM, ""),
    "by getattr": (NORM.replace("F.layer_norm", "getattr(F, 'layer_norm')"), ""),
    "by another name": (RENAMED, "\nREADY_MADE = F.layer_norm\n"),
    "ends the watch": (NORM, WATCH_ENDS),
    "ends the watch, by another name": (RENAMED, f"{WATCH_ENDS}READY_MADE = F.layer_norm\n"),
    "ends the watch, within": (f"import sys\nsys.setprofile(None)\n{NORM}", ""),
    "by a program of its own": (
        "return PROGRAM.norm(x, gain, bias, eps)",
        "\nPROGRAM = vars(torch)['j' + 'it'].CompilationUnit(" + repr(PROGRAM) + ")\n",
    ),
    "hidden from the text": (NORM.replace("F.layer_norm", "vars(F)['layer' + '_norm']"), ""),
}


COMPARED = {
    "where it is a program": (
        "\nif __name__ == '__main__':\n    x = torch.ones(3)\n    print(F.layer_norm(x, (3,)))\n"
    ),
    "by a function": (
        "\ndef compare(x):\n    return (layer_norm(x, torch.ones(3), torch.zeros(3)) - "
        "F.layer_norm(x, (3,))).abs().max()\n\nassert compare(torch.rand(4, 3)) < 1e-4\n"
    ),
    "with gradients": "\nx = torch.ones(3, requires_grad=True)\nx.sum().backward()\n",
}


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """The points of task 6.1 that a file loses: with each cheat, and each that is none."""
    path = tmp_path_factory.mktemp("forbidden") / "transformers.py"
    found: dict[str, float] = {}
    watch = sys.setprofile

    def work(suite: Suite) -> None:
        terms = Terms("forbidden")
        tests = [test for test in suite.tests if test.mark.id == "6.1"]
        honest = {name: (None, more) for name, more in COMPARED.items()}
        tried = {"nothing": ("raise RuntimeError", ""), **CHEATS, **honest}
        for name, (body, more) in tried.items():
            changed = {} if body is None else {"layer_norm": body}
            path.write_text(REFERENCE.changed(changed) + more, "utf-8")
            session = on_file(suite, path)
            assert isinstance(session, Session)
            verdicts = {test: session.run(test, terms).verdict for test in tests}
            found[name] = sum(
                test.mark.weight for test in tests if verdicts[test] is not Verdict.PASSED
            )
            sys.setprofile = watch  # a cheat has put another one there

    with_suite(PROJECT.suite("transformers"), ROOT, work)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEATS)
def test_a_ready_made_norm_earns_little(name: str, lost: dict[str, float]) -> None:
    assert lost[name] >= 0.9 * lost["nothing"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_whoever_compares_with_the_ready_made_one_loses_nothing(
    name: str, lost: dict[str, float]
) -> None:
    assert lost[name] == 0
