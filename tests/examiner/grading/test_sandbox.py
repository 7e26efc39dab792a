"""The walls of the sandbox, one by one, and what happens where there are none."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from examiner.boundary.conversation import Conversation
from examiner.boundary.proxy import Module
from examiner.candidate import confinement, seccomp
from examiner.candidate.server import ServerPlan
from examiner.errors import UserError
from examiner.grading import workers
from examiner.judge.suite import Suite
from examiner.results import Verdict
from examiner.sandbox import bubblewrap, servers
from examiner.sandbox import trial as sandbox
from examiner.sandbox.servers import CandidateServer, ServerError
from tests.examiner.grading.conftest import REFERENCE, TinyCourse, needs_sandbox, sandbox_works


@needs_sandbox
def test_every_wall_stands() -> None:
    found = list(sandbox.protections())
    assert len(found) == 14
    assert [protection for protection in found if not protection.good] == []


@pytest.mark.slow
@needs_sandbox
def test_a_wall_that_is_missing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapping = bubblewrap.wrapping

    def open_wall(plan: ServerPlan) -> list[str]:
        here = str(Path.cwd() / "tests")
        command = wrapping(plan)
        at = command.index("--remount-ro")
        return [*command[:at], "--ro-bind", here, here, *command[at:]]

    monkeypatch.setattr(bubblewrap, "wrapping", open_wall)
    bad = [protection.what for protection in sandbox.protections() if not protection.good]
    assert bad == ["sandbox: tests, solutions, grades unseen"]


def test_without_bubblewrap_grading_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    with pytest.raises(UserError, match=r"apt install bubblewrap.*--sandbox none"):
        sandbox.require(sandbox.plan_for([], confined=True))
    (found,) = sandbox.protections()
    assert not found.good


def test_a_machine_without_room_for_a_process_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what a worker tells of a submission then: that it was not judged."""
    begin, begun = subprocess.Popen, []

    def popen(*args: Any, **options: Any) -> Any:
        if begun:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        begun.append(begin([sys.executable, "-c", "input()"], **options))
        return begun[0]

    monkeypatch.setattr(servers.subprocess, "Popen", popen)
    plan = sandbox.plan_for([], confined=False)
    with pytest.raises(UserError, match="temporarily unavailable, after 1 of 3"):
        sandbox.Trial(plan, 3)
    assert begun[0].poll() is not None
    with pytest.raises(ServerError, match="no process can be started"):
        CandidateServer(plan)


def test_a_worker_that_cannot_be_started_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pool: Any = workers.WorkerPool(Suite(Path(), ()), SimpleNamespace(), [], [None, None])  # type: ignore[arg-type,list-item]
    hired: list[Any] = []

    def start(process: Any) -> None:
        if hired:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        hired.append(process)

    assert workers._fork is not None
    monkeypatch.setattr(workers._fork.Process, "start", start)
    for what in ("kill", "join"):
        monkeypatch.setattr(workers._fork.Process, what, lambda process: hired.append(process))
    with pytest.raises(UserError, match="no worker can be started: Resource temporarily"):
        pool.run([0, 1], lambda *_: None, lambda: None)
    assert len(hired) == 3  # the first was started, killed and joined

    def no_pipe() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(workers._fork, "Pipe", no_pipe)
    with pytest.raises(UserError, match="no worker can be started: Too many open files; what"):
        pool.run([0], lambda *_: None, lambda: None)


def test_without_user_namespaces_grading_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: "/bin/false")
    with pytest.raises(UserError, match=r"user namespaces.*--sandbox none"):
        sandbox.require(sandbox.plan_for([], confined=True))


def start(plan: ServerPlan, source: str) -> tuple[CandidateServer, Any]:
    server = CandidateServer(plan)
    talk = Conversation(server.start().ask)
    talk.begin(0, 20)
    return server, Module(talk, talk.request("import", "tiny", source.encode()))


@needs_sandbox
def test_a_candidate_that_cannot_be_locked_in_never_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = ServerPlan(
        confinement.Limits(disk=-1), True, bubblewrap.outer_uid()
    )  # no such file system
    server = CandidateServer(plan)
    with pytest.raises(ServerError, match="mount"):
        server.start()
    server.close()


@needs_sandbox
def test_each_candidate_is_new() -> None:
    plan = sandbox.plan_for([], confined=True)
    source = "from pathlib import Path\nseen = Path('x').exists()\nPath('x').write_text('x')\n"
    server = CandidateServer(plan)
    for _ in range(3):
        channel = server.start()
        talk = Conversation(channel.ask)
        talk.begin(0, 20)
        module = Module(talk, talk.request("import", "tiny", source.encode()))
        assert module.seen is False
        channel.close()
    server.close()


@needs_sandbox
def test_what_a_library_writes_while_it_is_imported_is_for_the_server_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PyTorch for graphics cards makes a temporary file where there is a compiler."""
    writes = "import tempfile; open(tempfile.gettempdir() + '/of-the-server', 'w').close(); "
    monkeypatch.setattr(servers, "_BOOT", writes + servers._BOOT)
    source = "import os\nfound = [*os.listdir(), *os.listdir('/candidate')]\n"
    server, module = start(sandbox.plan_for([], confined=True), source)
    assert set(module.found) == {"coursework"}
    server.close()


@needs_sandbox
def test_why_a_server_died_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "_BOOT", "raise OSError('x' * 3000 + ' no such disk')")
    with pytest.raises(UserError, match=r"no such disk: a package .* cannot") as raised:
        sandbox.require(sandbox.plan_for([], confined=True))
    assert "Traceback" not in str(raised.value)


def innermost(pid: int) -> list[int]:
    """Return the processes below a process that have no children: candidates."""
    below = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [leaf for each in below for leaf in innermost(each)] or [pid]


@needs_sandbox
def test_a_candidate_that_died_while_it_waited_harms_nobody() -> None:
    server, module = start(sandbox.plan_for([], confined=True), "def two(): return 2\n")
    assert module.two() == 2
    time.sleep(0.5)  # until the next one is there, too
    candidates = innermost(server._process.pid)
    assert len(candidates) == 2
    for pid in candidates:
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.3)
    talk = Conversation(server.start().ask)
    talk.begin(0, 20)
    assert Module(talk, talk.request("import", "tiny", b"def three(): return 3\n")).three() == 3
    server.close()


def test_without_a_sandbox_nothing_is_left_either(tmp_path: Path) -> None:
    mark = f"left-{tmp_path.name}"
    source = (
        "import os, subprocess, sys\n"
        "def run():\n"
        f"    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)', '{mark}'],\n"
        "                     start_new_session=True)\n"
        "    return os.getcwd()\n"
    )
    server, module = start(sandbox.plan_for([], confined=False), source)
    folder = Path(module.run())
    assert folder.is_dir()
    assert (
        mark in subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True).stdout
    )
    server.end()
    assert (
        mark
        not in subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True).stdout
    )
    assert not folder.exists()
    server.close()


@pytest.mark.slow
def test_grading_without_a_sandbox_works(tiny: TinyCourse) -> None:
    sources = {
        "right": REFERENCE,
        "hungry": REFERENCE.replace("return sum(numbers)", "return bytearray(1 << 40)"),
        "leaves": REFERENCE.replace("return sum(numbers)", "import os; os._exit(3)"),
    }
    results = tiny.grade(sources, confined=False)
    assert {name: result.tasks[0].verdict.value for name, result in results.items()} == {
        "right": "passed",
        "hungry": "memory",
        "leaves": "crashed",
    }


@pytest.mark.slow
@pytest.mark.parametrize("confined", [True, False])
def test_computing_time_is_limited_over_all_tests(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch, confined: bool
) -> None:
    if confined and not sandbox_works():
        pytest.skip("needs bubblewrap and user namespaces: see `nextword doctor`")
    plan = ServerPlan(
        confinement.Limits(cpu=1), confined, bubblewrap.outer_uid() if confined else None
    )
    monkeypatch.setattr(sandbox, "plan_for", lambda *_, **__: plan)
    burn = "import time\n    end = time.process_time() + 0.45\n"
    burn += "    while time.process_time() < end: pass\n"
    right = "return sum(numbers) / len(numbers)"
    result = tiny.grade({"ann": REFERENCE.replace(right, f"{burn}    {right}")}, confined=confined)
    first, second, third = result["ann"].tasks[0].tests
    assert first.verdict is third.verdict is Verdict.PASSED
    assert second.verdict is Verdict.TIMEOUT
    assert second.message == "used more computing time than a submission may"
    assert result["ann"].tasks[1].verdict is Verdict.PASSED


def test_the_filter_refuses_and_allows() -> None:
    if not seccomp.available():
        pytest.skip("no filter for this kind of machine")
    code = (
        "import os, threading, socket, ctypes\n"
        "from examiner.candidate import seccomp\n"
        "seccomp.install(seccomp.program())\n"
        "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
        "for name in ('fork', 'pipe', 'getpid'):\n"
        "    try: print(name, bool(getattr(os, name)()))\n"
        "    except OSError as error: print(name, error.errno)\n"
        "try: socket.socket()\n"
        "except OSError as error: print('socket', error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:5] == [
        "thread", "fork 1", "pipe True", "getpid True", "socket 1",
    ]  # fmt: skip


def test_the_numbers_of_the_filter_are_those_of_this_machine() -> None:
    """Compare with the C library's own header, where there is one."""
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.is_file():
        pytest.skip("no header of this machine's system calls")
    lines = (line.split() for line in header.read_text().splitlines())
    numbers = {
        words[1][5:]: int(words[2]) for words in lines if len(words) == 3 and words[2].isdigit()
    }
    closer = {"fcntl": seccomp.FCNTL, "sched_setscheduler": seccomp.SET_SCHEDULER}
    closer |= {"clone": seccomp.CLONE, "clone3": seccomp.CLONE3}
    for name, (number, _) in (seccomp.REFUSED | seccomp.PRETENDED | closer).items():
        if name in numbers:
            assert numbers[name] == number, name


def test_each_server_is_ready_for_several_pools_of_workers() -> None:
    trial = sandbox.Trial(sandbox.plan_for([], confined=sandbox_works()), 2)
    try:
        trial.finish()
        assert [server._ready for server in trial.servers] == [True, True]
    finally:
        trial.close()
