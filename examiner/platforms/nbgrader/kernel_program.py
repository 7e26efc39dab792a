"""Runs a notebook's code in a kernel; this program is what the sandbox holds.

It answers requests over a channel, as a candidate does. What it says is worth no more than what
the student's code says: whoever reads it must not trust it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from examiner.boundary import wire
from examiner.boundary.channel import Channel, ClosedError
from examiner.boundary.deadline import Deadline
from examiner.boundary.meters import meter_of
from examiner.boundary.usage import own_meter
from examiner.candidate.confinement import Limits
from examiner.platforms.nbgrader.kernel_walls import shut

HOME = Path("/home/student")
FILES = Path("/submission")  # what the student handed in
LIMITS = Limits(
    memory=6 << 30,  # torch alone maps more than 2 GB
    threads=256,
    files=512,
    disk=128 << 20,
    cpu=900,
)
START_SECONDS = 60.0
SETTLE_SECONDS = 5.0  # for a kernel that was interrupted to become idle again
MAX_OUTPUT = 1 << 20  # characters of one cell's outputs; the rest is dropped
MAX_OUTPUTS = 1000  # of one cell; texts printed one after the other are one
MAX_ANSWER = 32 << 20  # bytes of the answer to one request
IMAGES = ("image/png", "image/jpeg")
# a notebook imports the modules beside it; the kernel itself, until it has started, must not
BESIDE = "__import__('sys').path[:0] = ['']"
ENCODE = '__import__("examiner.boundary.wire", fromlist=["encode"]).encode({}).hex()'
FORWARD = ("stream", "execute_result", "display_data", "error", "clear_output")


class GoneError(Exception):
    """The kernel does not answer any more."""


class Kernel:
    """A running kernel in the folder of the student's files.

    It is a fork of this process, which has imported all that a kernel needs.
    """

    def __init__(self, folder: Path, ours: int) -> None:
        path, _ = write_connection_file(
            str(folder.parent / "kernel.json"),
            ip=str(folder.parent / "kernel-ipc"),
            transport="ipc",
        )
        self._pid = os.fork()
        if self._pid == 0:
            _be_a_kernel(path, folder, ours)
        self._meter = meter_of(self._pid)
        self._client = BlockingKernelClient()
        self._client.load_connection_file(path)
        self._client.start_channels(stdin=False, hb=False)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        """Wait until the kernel answers, and until what it shows gets through."""
        deadline = self._deadline(START_SECONDS)
        while deadline.left() > 0 and self._is_alive():
            self._client.kernel_info()
            with contextlib.suppress(queue.Empty):
                self._client.get_shell_msg(timeout=1)
                self._client.get_iopub_msg(timeout=0.2)
                return
        raise GoneError("it did not start")

    def _deadline(self, seconds: float) -> Deadline:
        return Deadline(seconds, own_meter(), self._meter)

    def _is_alive(self) -> bool:
        return os.waitpid(self._pid, os.WNOHANG)[0] == 0

    def run(self, code: str, seconds: float) -> tuple[list[dict[str, Any]], str]:
        """Run a cell; return its outputs and how it ended: "ok", "error" or "timeout".

        Its time is what the kernel and its programs compute: other students' notebooks, which run
        beside it, do not change what it earns.
        """
        request = self._client.execute(code, allow_stdin=False, stop_on_error=False)
        outputs = Outputs()
        deadline = self._deadline(seconds)
        timed_out = False
        while not self._step(request, outputs, deadline):
            if timed_out:
                raise GoneError("it did not stop when it was interrupted")
            timed_out = True
            os.killpg(self._pid, signal.SIGINT)
            deadline = self._deadline(SETTLE_SECONDS)
        status = self._reply(request, self._deadline(2 * SETTLE_SECONDS))["status"]
        return outputs.found, "timeout" if timed_out else str(status)

    def _step(self, request: str, outputs: Outputs, deadline: Deadline) -> bool:
        """Collect outputs until the kernel is idle (True) or time is up (False)."""
        while True:
            left = deadline.left()
            if left <= 0:
                return False
            try:
                message = self._client.get_iopub_msg(timeout=min(left, 0.5))
            except queue.Empty:
                if not self._is_alive():
                    raise GoneError("it died") from None
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return True
            outputs.add(message["msg_type"], message["content"])

    def _reply(self, request: str, deadline: Deadline) -> dict[str, Any]:
        while (left := deadline.left()) > 0:
            with contextlib.suppress(queue.Empty):
                message = self._client.get_shell_msg(timeout=left)
                if message["parent_header"].get("msg_id") == request:
                    content: dict[str, Any] = message["content"]
                    return content
        raise GoneError("it does not answer")

    def fetch(self, name: str) -> bytes | str:
        """Return a variable as the wire's bytes, or why that cannot be."""
        request = self._client.execute(
            "", silent=True, allow_stdin=False, user_expressions={"v": ENCODE.format(name)}
        )
        reply = self._reply(request, self._deadline(2 * SETTLE_SECONDS))
        found = reply["user_expressions"]["v"]
        if found["status"] != "ok":
            return f"{found.get('ename')}: {found.get('evalue')}"
        try:
            value = bytes.fromhex(found["data"]["text/plain"].strip("'"))
        except ValueError:  # the notebook has changed how this kernel shows a text
            return "no value"
        return value if len(value) < MAX_ANSWER else f"{len(value) >> 20} MB are too much"


def _be_a_kernel(connection: str, folder: Path, ours: int) -> NoReturn:
    """Turn this process into a kernel; `ours` is the descriptor that it must not have."""
    try:
        os.close(ours)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.setsid()  # an interrupt then reaches the programs that the notebook has started, too
        os.chdir(folder)
        options = ["--HistoryManager.hist_file=:memory:", f"--IPKernelApp.exec_lines={BESIDE}"]
        IPKernelApp.launch_instance(["-f", connection, *options])
    finally:
        os._exit(1)


class Outputs:
    """The outputs of a cell, bounded, and of harmless types only."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self._size = 0

    def add(self, kind: str, content: dict[str, Any]) -> None:
        """Take an output if it is one that may be shown."""
        if kind not in FORWARD or self._size > MAX_OUTPUT:
            return
        if kind == "clear_output":
            self.found.clear()
            return
        made = self._output(kind, content)
        last = self.found[-1] if self.found else {}
        goes_on = kind == "stream" and last.get("name") == made["name"]
        self._size += len(json.dumps(made)) + (0 if goes_on else MAX_OUTPUT // MAX_OUTPUTS)
        if self._size > MAX_OUTPUT:
            made = {"output_type": "stream", "name": "stdout", "text": "\n… output cut off …\n"}
        if goes_on:
            last["text"] += made["text"]
        else:
            self.found.append(made)

    def _output(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        if kind == "stream":
            return {"output_type": kind, "name": content["name"], "text": content["text"]}
        if kind == "error":
            kept = {key: content[key] for key in ("ename", "evalue", "traceback")}
            return {"output_type": kind, **kept}
        # HTML and scripts would run in the browser of whoever marks the notebook
        data = {k: v for k, v in content["data"].items() if k in ("text/plain", *IMAGES)}
        return {"output_type": kind, "data": data}


def serve(channel: Channel, kernel: Kernel) -> None:
    """Do what the examiner asks, until it asks no more: an answer is why the kernel is gone, or ""
    and what was found."""
    operations: dict[str, Callable[..., Any]] = {
        "start": lambda: None,  # asked first: the answer says that the kernel has started
        "run": kernel.run,
        "fetch": kernel.fetch,
    }
    while True:
        number, _, _, body = channel.next_request()
        operation, *args = wire.decode(body, trusted=True)
        try:
            answer = ["", operations[operation](*args)]
        except GoneError as error:
            answer = [str(error), None]
        channel.answer(number, wire.encode(answer))


def main() -> None:
    """Copy the student's files to the private folder and serve: `… CHANNEL_DESCRIPTOR`."""
    descriptor = int(sys.argv[1])
    folder = HOME / "work"
    shutil.copytree(FILES, folder, ignore_dangling_symlinks=True)
    shut(LIMITS, folder)
    kernel = Kernel(folder, descriptor)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # from here on students' code runs
    with contextlib.suppress(ClosedError):
        serve(Channel(socket.socket(fileno=descriptor)), kernel)
    os._exit(0)  # bubblewrap, whose first process this is, ends the kernel with it


if __name__ == "__main__":
    main()
