"""The kernel in the sandbox: what a cell can reach, and what a cell that hangs or dies costs."""

import json
import os
import shutil
import socket

import pytest

from examiner.platforms.nbgrader.kernel import Executed, KernelStep, execute
from tests.examiner.nbgrader import cheats
from tests.examiner.nbgrader.conftest import ROOT

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap"
)

CONNECT = """
import socket
s = socket.socket()
s.settimeout(3)
s.connect(("127.0.0.1", {port}))
"""
SEEN = """
import os
found = [p for p in {paths} if os.path.exists(p)]
variables = sorted(os.environ)
interfaces = [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
processes = [p for p in os.listdir("/proc") if p.isdigit()]
"""
DESCRIPTORS = """
import os
opened = [os.readlink(f"/proc/{{os.getpid()}}/fd/{{f}}") for f in os.listdir("/proc/self/fd")
          if os.path.exists(f"/proc/{{os.getpid()}}/fd/{{f}}")]
leaked = [p for p in opened if {name!r} in p]
"""

MINE = "/home/student/work/data.txt"
HIDDEN = [str(ROOT / name) for name in ("solutions", "tests", "coursework", "pyproject.toml")]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Executed:
    """A notebook that looks for a way out, then for trouble."""
    work = tmp_path_factory.mktemp("work")
    (work / "data.txt").write_text("mine")
    secret = tmp_path_factory.mktemp("course") / "gradebook.db"
    secret.write_text("secret")
    os.environ["NEXTWORD_TEST_SECRET"] = "x"
    try:
        with socket.socket() as server, secret.open():
            server.bind(("127.0.0.1", 0))
            server.listen()
            steps = [
                KernelStep(0, CONNECT.format(port=server.getsockname()[1])),
                KernelStep(1, "import socket; socket.getaddrinfo('example.org', 80)"),
                KernelStep(2, SEEN.format(paths=[str(secret), *HIDDEN, MINE])),
                KernelStep(3, DESCRIPTORS.format(name=str(secret.parent))),
                KernelStep(4, fetch=("found", "variables", "interfaces", "processes", "leaked")),
                KernelStep(5, "import warnings; warnings.warn('loud'); x = 7"),
                KernelStep(6, "while True: pass", seconds=1.0),
                KernelStep(7, fetch=("x",)),
                KernelStep(8, "open('/submission/data.txt', 'w')"),
                KernelStep(9, "import os; os._exit(0)"),
                KernelStep(10, fetch=("x",)),
                KernelStep(11, "x = 8"),
            ]
            return execute(steps, work)
    finally:
        del os.environ["NEXTWORD_TEST_SECRET"]


def error(ran: Executed, cell: int) -> str:
    return next(o["ename"] for o in ran.outputs[cell] if o["output_type"] == "error")


def test_no_cell_reaches_a_network(ran):
    assert error(ran, 0) == "ConnectionRefusedError"
    assert error(ran, 1) == "gaierror"
    assert ran.answers[4]["interfaces"] in ([], ["lo"])


def test_a_cell_sees_its_own_files_and_nothing_of_the_grader(ran):
    assert ran.answers[4]["found"] == [MINE]
    assert "NEXTWORD_TEST_SECRET" not in ran.answers[4]["variables"]
    assert ran.answers[4]["leaked"] == []
    assert len(ran.answers[4]["processes"]) < 10
    assert error(ran, 8) == "OSError"  # the submission is read-only


def test_a_warning_costs_nothing(ran):
    assert ran.status[5] == "ok"
    assert any(output.get("name") == "stderr" for output in ran.outputs[5])


def test_a_cell_that_hangs_costs_itself_alone(ran):
    assert ran.status[6] == "timeout"
    assert ran.answers[7] == {"x": 7}


def test_a_kernel_that_dies_costs_what_comes_after(ran):
    assert ran.gone == "it died"
    assert 8 in ran.outputs
    assert not {10, 11} & (set(ran.outputs) | set(ran.answers))


@pytest.mark.parametrize("way", ["exit()", "quit()", "exit", "import sys; sys.exit(0)"])
def test_who_exits_loses_nothing_of_what_follows(way, tmp_path) -> None:
    steps = [
        KernelStep(0, f"x = 1\n{way}"),
        KernelStep(1, "y = x + 1"),
        KernelStep(2, fetch=("y",)),
    ]
    ran = execute(steps, tmp_path)
    assert (ran.gone, ran.answers) == ("", {2: {"y": 2}})


def test_a_notebook_imports_the_module_beside_it(tmp_path) -> None:
    (tmp_path / "mine.py").write_text("ANSWER = 42\n")
    ran = execute(
        [KernelStep(0, "from mine import ANSWER"), KernelStep(1, fetch=("ANSWER",))], tmp_path
    )
    assert ran.status == {0: "ok"}
    assert ran.answers[1] == {"ANSWER": 42}


def test_whoever_answers_for_the_kernel_gives_data_like_everyone(tmp_path) -> None:
    """Nothing of an answer gets on but plain values and texts, whoever wrote it."""
    forged = KernelStep(0, cheats.CODE["forged-answers"], seconds=3.0)
    steps = [forged, KernelStep(1, fetch=("unseen",), seconds=3.0), KernelStep(2, "1", seconds=3.0)]
    ran = execute(steps, tmp_path)
    assert "html" not in json.dumps(ran.outputs)
    assert set(ran.status) <= {0, 2}
    ran.gone.encode(), json.dumps(ran.status, ensure_ascii=False).encode()
    assert ran.answers.get(1, {}) in ({}, {"unseen": {1: 0.5}})
