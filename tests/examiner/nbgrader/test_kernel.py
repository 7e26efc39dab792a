"""The kernel in the sandbox: what a cell can reach, and what a cell that hangs or dies costs."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

from examiner.candidate import seccomp
from examiner.platforms.nbgrader import kernel
from examiner.platforms.nbgrader.kernel import Executed, KernelStep, execute
from examiner.platforms.nbgrader.kernel_program import LIMITS
from examiner.platforms.nbgrader.memory_watch import held_together
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
    # the submission is read-only, and where root grades it is not even the kernel's to read
    assert error(ran, 8) in ("OSError", "PermissionError")


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


def test_no_file_beside_the_notebook_keeps_the_kernel_from_starting(tmp_path) -> None:
    """A kernel looks for these while it starts, and one that does not start is nobody's fault."""
    for name in ("debugpy.py", "ipython_kernel_config.py", "comm.py", "sitecustomize.py"):
        (tmp_path / name).write_text("import os\nos._exit(0)\n")
    (tmp_path / "ipython_config.json").write_text("no JSON")
    ran = execute([KernelStep(0, "x = 1"), KernelStep(1, fetch=("x",))], tmp_path)
    assert (ran.gone, ran.answers) == ("", {1: {"x": 1}})


def test_whoever_answers_for_the_kernel_gives_data_like_everyone(tmp_path) -> None:
    """Nothing of an answer gets on but plain values and texts, whoever wrote it."""
    forged = KernelStep(0, cheats.CODE["forged-answers"], seconds=3.0)
    steps = [forged, KernelStep(1, fetch=("unseen",), seconds=3.0), KernelStep(2, "1", seconds=3.0)]
    ran = execute(steps, tmp_path)
    assert "html" not in json.dumps(ran.outputs)
    assert set(ran.status) <= {0, 2}
    ran.gone.encode(), json.dumps(ran.status, ensure_ascii=False).encode()
    assert ran.answers.get(1, {}) in ({}, {"unseen": {1: 0.5}})


MEMORY_OF_NOBODY = """
import ctypes, os
libc, taken = ctypes.CDLL(None), {}
for place in ("/", "/dev", "/dev/shm", "/tmp", os.environ["HOME"]):
    taken[place] = 0
    try:
        for number in range(3):
            with open(f"{place}/large{number}", "wb") as file:
                for _ in range(100):
                    taken[place] += file.write(bytes(1 << 20)) >> 20
    except OSError:
        pass
given = [number >= 0 for number in (libc.memfd_create(b"x", 0), libc.shmget(0, 1 << 20, 0o1600),
    libc.msgget(0, 0o1600), libc.inotify_init1(0), libc.fcntl(os.open("own", 64 | 0), 1024, 0))]
lazy = []
for least in (lambda: os.nice(19), lambda: os.sched_setscheduler(0, 5, os.sched_param(0))):
    try:
        lazy.append(least())
    except OSError:
        pass
"""

PROCESSES = """
import os, signal, time
started = []
try:
    while len(started) < 600:
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        started.append(pid)
except OSError:
    pass
for pid in started:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
number = len(started)
"""

TOGETHER = """
import os, time
for _ in range(12):
    if os.fork() == 0:
        mine = b"x" * (100 << 20)
        time.sleep(60)
time.sleep(60)
"""


def test_a_notebook_takes_no_memory_or_processes_from_others(tmp_path) -> None:
    """Neither memory that no process has, nor more processes than its own, whoever grades."""
    steps = [
        KernelStep(0, MEMORY_OF_NOBODY),
        KernelStep(1, PROCESSES),
        KernelStep(2, fetch=("taken", "given", "lazy", "number")),
    ]
    ran = execute(steps, tmp_path)
    found = ran.answers[2]
    most = LIMITS.disk >> 20
    assert 0 == found["taken"]["/"] == found["taken"]["/dev"]
    assert all(50 < found["taken"][each] <= most for each in ("/dev/shm", "/tmp"))
    if seccomp.available():
        assert found["given"] == [False] * 5
        assert found["lazy"] == []
    assert 50 < found["number"] < LIMITS.threads


def test_a_notebooks_programs_share_one_room(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(kernel, "MOST_MEMORY", 800 << 20)
    (tmp_path / "data.txt").write_text("mine")
    open_file = KernelStep(0, "open('data.txt', 'a').write(' and more')\nx = 1")
    ran = execute([open_file, KernelStep(1, fetch=("x",)), KernelStep(2, TOGETHER)], tmp_path)
    assert ran.answers[1] == {"x": 1}
    assert ran.gone == kernel.TOO_MUCH_MEMORY


STOPS_ALL_OTHERS = """
import os, signal
for name in filter(str.isdigit, os.listdir("/proc")):
    if int(name) not in (1, os.getpid()):
        os.kill(int(name), signal.SIGSTOP)
"""


def test_who_stops_the_program_around_the_kernel_does_not_stop_the_grader(
    tmp_path, monkeypatch
) -> None:
    """All of a notebook together may sleep no longer than all tests of a module."""
    monkeypatch.setattr(kernel, "ENOUGH", 3.0)
    began = time.monotonic()
    ran = execute([KernelStep(0, STOPS_ALL_OTHERS), KernelStep(1, fetch=("x",))], tmp_path)
    assert ran.gone == "it was ended, or took too long"
    assert time.monotonic() - began < 60


def test_memory_that_processes_share_counts_once() -> None:
    code = "import os; x = b'x' * (64 << 20); os.fork(); os.fork(); print(1, flush=True); input()"
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **options) as process:
        for _ in range(4):
            process.stdout.readline()
        assert held_together(process.pid, most=1 << 40) > 256 << 20
        assert 64 << 20 < held_together(process.pid, most=128 << 20) < 128 << 20
        process.communicate(b"\n" * 4)
