"""The walls of the sandbox, one by one, and what happens where there are none."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nextword.errors import UserError
from nextword.grading import bubblewrap, cell, sandbox, seccomp
from nextword.grading.launch import CandidateServer, ServerError
from nextword.grading.proxy import Conversation, Module
from nextword.grading.server import Plan
from tests.grading.conftest import REFERENCE, TinyCourse, sandbox_works

needs_sandbox = pytest.mark.skipif(
    not sandbox_works(), reason="needs bubblewrap and user namespaces: see `nextword doctor`"
)


@needs_sandbox
def test_every_wall_stands() -> None:
    found = list(sandbox.protections())
    assert len(found) == 14
    assert [protection for protection in found if not protection.good] == []


@needs_sandbox
def test_a_wall_that_is_missing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapping = bubblewrap.wrapping

    def open_wall(plan: Plan) -> list[str]:
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


def test_without_user_namespaces_grading_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: "/bin/false")
    with pytest.raises(UserError, match=r"user namespaces.*--sandbox none"):
        sandbox.require(sandbox.plan_for([], confined=True))


def start(plan: Plan, source: str) -> tuple[CandidateServer, Any]:
    server = CandidateServer(plan)
    talk = Conversation(server.start().ask)
    talk.begin(0, 20)
    return server, Module(talk, talk.request("import", "tiny", source.encode()))


@needs_sandbox
def test_a_candidate_that_cannot_be_locked_in_never_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(cell.Limits(disk=-1), True, bubblewrap.outer_uid())  # no such file system
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


def test_the_filter_refuses_and_allows() -> None:
    if not seccomp.available():
        pytest.skip("no filter for this kind of machine")
    code = (
        "import os, threading, socket, ctypes\n"
        "from nextword.grading import seccomp\n"
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
    for name, (number, _) in seccomp.REFUSED.items():
        if name in numbers:
            assert numbers[name] == number, name
