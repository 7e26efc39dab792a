"""What processes use is counted: all threads, children, and waiting; not what others keep busy."""

import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from examiner.boundary import deadline as rules
from examiner.boundary.deadline import Deadline
from examiner.boundary.meters import CountedMeter, meter_of
from examiner.boundary.usage import FileMeter, OwnMeter, close_all, open_files, own_meter

needs_linux = pytest.mark.skipif(
    not open_files(os.getpid()), reason="this system does not tell of each thread"
)
Start = Callable[..., "subprocess.Popen[bytes]"]
SPIN = "import time\nwhile time.process_time() < {}: pass\n"


@pytest.fixture
def program() -> Iterator[Start]:
    """Starts programs, which are gone at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(code: str, *prefix: str) -> subprocess.Popen[bytes]:
        command = [*prefix, sys.executable, "-c", f"print(flush=True)\n{code}\ninput()"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout
        process.stdout.readline()
        return process

    yield start
    for each in started:
        each.kill()
        each.wait()


def test_nothing_is_known_where_the_system_does_not_tell() -> None:
    assert open_files(-1) == []
    assert FileMeter([]).used().awake is None
    own = OwnMeter([]).used()
    assert own.awake is None
    assert own.computed > 0


@needs_linux
def test_a_process_that_is_gone_has_used_what_it_had(program: Start) -> None:
    child = program(SPIN.format(0.2))
    meter = meter_of(child.pid)
    while meter.used().computed < 0.15:
        time.sleep(0.02)
    before = meter.used()
    child.communicate(b"\n")
    assert meter.used().computed >= before.computed
    meter.close()
    assert meter.used().computed >= before.computed


@needs_linux
@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {SPIN.format(0.5)!r}])",
            id="a child, waited for",
        ),
        pytest.param(
            "import subprocess, sys\n"
            f"p = subprocess.Popen([sys.executable, '-c', {SPIN.format(9)!r}])",
            id="a child that goes on",
        ),
        pytest.param(
            "import subprocess, sys, os, threading\n"
            "def f():\n  n = os.fork()\n  if not n:\n"
            f"    exec({SPIN.format(9)!r})\n"
            "threading.Thread(target=f).start()",
            id="a child of a thread",
        ),
        pytest.param(
            "import hashlib, concurrent.futures as c\n"
            "pool = c.ThreadPoolExecutor(3)\n"
            "list(pool.map(lambda n: hashlib.pbkdf2_hmac('sha256', b'', b'', 400_000), range(9)))",
            id="a pool of threads",
        ),
    ],
)
def test_what_others_compute_for_a_process_counts(program: Start, code: str) -> None:
    child = program(code)
    deadline = Deadline(0.4, meter_of(child.pid))
    while deadline.left() > 0:
        time.sleep(0.02)
    assert deadline.why.startswith("took more than 0.4 s of computing time")


def test_other_systems_tell_the_time_of_a_process_and_of_its_children(program: Start) -> None:
    code = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {SPIN.format(9)!r}])"
    meter = CountedMeter(program(code).pid)
    before = meter.used()
    assert before.awake is None
    while meter.used().computed < before.computed + 0.3:
        time.sleep(0.02)
    meter.close()
    assert meter.used().computed >= before.computed + 0.3


@needs_linux
def test_a_process_that_sleeps_is_not_awake(program: Start) -> None:
    meter = meter_of(program("").pid)
    before = meter.used()
    time.sleep(0.5)
    after = meter.used()
    assert before.awake is not None
    assert after.awake is not None
    assert after.awake - before.awake < 0.2
    assert after.computed - before.computed < 0.2


@needs_linux
def test_a_process_that_is_stopped_computes_nothing_and_sleeps(program: Start) -> None:
    child = program(SPIN.format(99))
    deadline = Deadline(0.1, meter_of(child.pid))
    os.kill(child.pid, signal.SIGSTOP)
    end = time.monotonic() + 60
    while deadline.left() > 0 and time.monotonic() < end:
        time.sleep(0.02)
    assert deadline.left() <= 0


@needs_linux
@pytest.mark.slow
@pytest.mark.parametrize("nice", [(), ("nice", "-n", "5")])
def test_who_gets_no_processor_is_not_charged(
    program, crowded: None, nice: tuple[str, ...]
) -> None:
    child = program(SPIN.format(99), *nice)
    meter = meter_of(child.pid)
    deadline, before = Deadline(60, meter), meter.used()
    began = time.monotonic()
    time.sleep(2.5)
    used, took = meter.used(), time.monotonic() - began
    assert before.awake is not None
    assert used.awake is not None
    assert used.computed - before.computed < took / 2  # it had a quarter of the processor, or less
    # what it waited for now is counted when it runs again
    assert used.awake - before.awake > took - 1.5
    assert deadline.over() < 0


@needs_linux
def test_threads_of_this_process_are_seen() -> None:
    meter = own_meter()
    before = meter.used().computed
    others = []

    def compute(_: int) -> None:
        while time.thread_time() < 0.2:
            hashlib.pbkdf2_hmac("sha256", b"x", b"x", 20_000)  # without Python's own lock
        others.append(time.thread_time())

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compute, range(2)))
    assert meter.used().computed - before >= max(others)


@needs_linux
def test_no_file_stays_open_where_the_system_tells_only_half(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_now, real = Path("/proc/self/fd"), os.open
    before = len(list(open_now.iterdir()))

    def half(path: str, flags: int) -> int:
        if path.endswith("/task"):
            raise PermissionError
        return real(path, flags)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", half)
        assert open_files(os.getpid()) == []
    assert len(list(open_now.iterdir())) == before


@needs_linux
def test_files_can_be_handed_to_another_process(program: Start) -> None:
    ours, theirs = socket.socketpair()
    opened = open_files(program(SPIN.format(0.2)).pid)
    socket.send_fds(ours, [b"x"], opened)
    close_all(opened)
    meter = FileMeter(socket.recv_fds(theirs, 1, 8)[1])
    assert meter.used().awake is not None
    meter.close()
    ours.close()
    theirs.close()


@needs_linux
def test_a_look_in_the_middle_of_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """An alarm may ring while the main thread looks: it must not wait for itself."""
    deadline = Deadline(5)
    monkeypatch.setattr(rules, "PROCESSORS", 10**9)
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(deadline.over()))
    try:
        end = time.monotonic() + 0.5
        while time.monotonic() < end or not seen:
            signal.setitimer(signal.ITIMER_REAL, 0.0001)
            deadline.over()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert all(each < 0 for each in seen)
