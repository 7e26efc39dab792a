"""Machines for trials: a scheduler and workers on this one, in folders or networks of their own."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from examiner.cluster import certificates
from examiner.sandbox.servers import EXAMINERS_PLACE

HOST = "10.99.{net}.1"  # the scheduler's, on a bridge to the workers' networks
PORT = 8786


def networks_work() -> bool:
    """Tell whether this process may make networks: root on a Linux that has `ip netns`."""
    if os.geteuid() or not shutil.which("ip"):
        return False
    made = subprocess.run(["ip", "netns", "add", "trial-probe"], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", "trial-probe"], capture_output=True, check=False)
    return made.returncode == 0


class Machine:
    """A worker as a machine of its own: its processes, its folder and its network."""

    def __init__(self, command: list[str], folder: Path, link: str, log: Path) -> None:
        self.folder, self._command, self._link, self._log = folder, command, link, log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Switch it on."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def family(self) -> list[psutil.Process]:
        """All processes of the machine, the outermost first."""
        if self.process is None:
            return []
        try:
            first = psutil.Process(self.process.pid)
            return [first, *first.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    @property
    def daskworker(self) -> psutil.Process | None:
        """The process that Dask's nanny watches over, which runs what it is asked to."""
        for process in self.family:
            with contextlib.suppress(psutil.Error):
                words = " ".join(process.cmdline())
                if "spawn_main" in words and "multiprocessing" in words:
                    return process
        return None

    def kill(self) -> None:
        """End it as a cut of its power does."""
        for process in self.family:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if self.process:
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        """Let all of it hang."""
        for process in self.family:
            with contextlib.suppress(psutil.Error):
                process.suspend()

    def cut(self, *, off: bool) -> None:
        """Pull its network cable, or put it back."""
        state = "down" if off else "up"
        subprocess.run(["ip", "link", "set", self._link, state], check=True)

    def log(self) -> str:
        """What its processes have said."""
        return self._log.read_text("utf-8", errors="replace")


class Machines:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, count: int, *, networks: bool, net: int = 0) -> None:
        self.folder, self._networks, self._net = folder, networks, net
        self.keys = folder / "keys"
        certificates.make(self.keys)
        self.host = HOST.format(net=net) if networks else "127.0.0.1"
        self.port = PORT if networks else _free_port()
        self.address = f"tls://{self.host}:{self.port}"
        self._scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[Machine] = []
        if networks:
            _run(f"ip link add {self._bridge} type bridge")
            _run(f"ip addr add {self.host}/24 dev {self._bridge}")
            _run(f"ip link set {self._bridge} up")
        for number in range(count):
            self.add(number)

    @property
    def _bridge(self) -> str:
        return f"trial{self._net}"

    def add(self, number: int, *options: str) -> Machine:
        """Make one more machine, switched off."""
        place, link = self.folder / f"machine-{number}", f"t{self._net}v{number}"
        place.mkdir()
        prefix: list[str] = []
        if self._networks:
            space = f"trial{self._net}-{number}"
            _run(f"ip netns add {space}")
            _run(f"ip link add {link} type veth peer name eth0 netns {space}")
            _run(f"ip link set {link} master {self._bridge} up")
            _run(f"ip -n {space} addr add 10.99.{self._net}.{number + 10}/24 dev eth0")
            _run(f"ip -n {space} link set eth0 up")
            _run(f"ip -n {space} link set lo up")
            prefix = ["ip", "netns", "exec", space]
        own = ["--local-directory", str(place), "--name", f"machine-{number}"]
        own += ["--memory-limit", "0", "--dashboard-address", ":0", *options]
        command = [*prefix, *_module("worker"), "--certificates", str(self.keys), self.address]
        machine = Machine([*command, *own], place, link, self.folder / f"machine-{number}.log")
        self.workers.append(machine)
        return machine

    def start_scheduler(self) -> None:
        """Start the scheduler, at the same address each time."""
        words = ["--certificates", str(self.keys), "--host", self.host, "--port", str(self.port)]
        words += ["--dashboard-address", "127.0.0.1:0"]
        with (self.folder / "scheduler.log").open("ab") as log:
            self._scheduler = subprocess.Popen(
                [*_module("scheduler"), *words], stdout=log, stderr=log, start_new_session=True
            )

    def kill_scheduler(self) -> None:
        """End the scheduler with -9."""
        assert self._scheduler is not None
        os.killpg(self._scheduler.pid, signal.SIGKILL)
        self._scheduler.wait()

    def start(self) -> None:
        """Switch all of it on."""
        self.start_scheduler()
        for machine in self.workers:
            machine.start()

    def close(self) -> None:
        """Take all of it down."""
        for machine in self.workers:
            with contextlib.suppress(psutil.Error):
                for process in machine.family:
                    process.resume()
            machine.kill()
        if self._scheduler and self._scheduler.poll() is None:
            self.kill_scheduler()
        _end_orphans(self.folder)
        if self._networks:
            for number in range(len(self.workers)):
                _run(f"ip netns del trial{self._net}-{number}", check=False)
            _run(f"ip link del {self._bridge}", check=False)


def _end_orphans(folder: Path) -> None:
    """End what a killed worker left behind, should there be anything: it works in our folder."""
    time.sleep(0.2)
    for process in psutil.process_iter(["cmdline"]):
        with contextlib.suppress(psutil.Error):
            if any(str(folder) in word for word in process.info["cmdline"] or ()):
                process.kill()


def _module(name: str) -> list[str]:
    return [
        "env",
        f"PYTHONPATH={EXAMINERS_PLACE}",
        sys.executable,
        "-m",
        f"examiner.cluster.{name}",
    ]


def _free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _run(command: str, *, check: bool = True) -> None:
    subprocess.run(command.split(), check=check, capture_output=True)


@contextmanager
def machines(folder: Path, count: int, *, networks: bool = False) -> Iterator[Machines]:
    """Start a scheduler and so many workers, for as long as the block runs."""
    found = Machines(folder, count, networks=networks)
    try:
        found.start()
        yield found
    finally:
        found.close()
