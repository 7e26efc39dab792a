"""Runs a notebook's code in a kernel; this program is what the sandbox holds.

It reads one job from its standard input and writes an event per line to its standard output. What
it says is worth no more than what the student's code says: whoever reads it must not trust it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

START_SECONDS = 60.0
SETTLE_SECONDS = 5.0  # for a kernel that was interrupted to become idle again
MAX_OUTPUT = 1 << 20  # characters of one cell's outputs; the rest is dropped
IMAGES = ("image/png", "image/jpeg")
ENCODE = '__import__("nextword.boundary.wire", fromlist=["encode"]).encode({}).hex()'
FORWARD = ("stream", "execute_result", "display_data", "error", "clear_output")


class GoneError(Exception):
    """The kernel does not answer any more."""


class Kernel:
    """A running kernel in the folder of the student's files."""

    def __init__(self, folder: Path) -> None:
        self.manager = KernelManager(
            transport="ipc", connection_file=str(folder.parent / "kernel.json")
        )
        self.manager.ip = str(folder.parent / "kernel-ipc")
        assert self.manager.kernel_spec is not None
        self.manager.kernel_spec.argv = [
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "--HistoryManager.hist_file=:memory:",
            "-f",
            "{connection_file}",
        ]
        environment = {k: v for k, v in os.environ.items() if k != "JPY_PARENT_PID"}
        self.manager.start_kernel(
            cwd=str(folder), env=environment, independent=True, stderr=subprocess.DEVNULL
        )
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=START_SECONDS)

    def run(self, code: str, seconds: float) -> tuple[list[dict[str, Any]], str]:
        """Run a cell; return its outputs and how it ended: "ok", "error" or "timeout"."""
        request = self.client.execute(code, allow_stdin=False, stop_on_error=False)
        outputs = Outputs()
        deadline = time.monotonic() + seconds
        timed_out = False
        while not self._step(request, outputs, deadline):
            if timed_out:
                raise GoneError("it did not stop when it was interrupted")
            timed_out = True
            self.manager.interrupt_kernel()
            deadline = time.monotonic() + SETTLE_SECONDS
        status = self._reply(request, deadline + SETTLE_SECONDS)
        return outputs.found, "timeout" if timed_out else status

    def _step(self, request: str, outputs: Outputs, deadline: float) -> bool:
        """Collect outputs until the kernel is idle (True) or time is up (False)."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            try:
                message = self.client.get_iopub_msg(timeout=min(left, 0.5))
            except queue.Empty:
                if not self.manager.is_alive():
                    raise GoneError("it died") from None
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return True
            outputs.add(message["msg_type"], message["content"])

    def _reply(self, request: str, deadline: float) -> str:
        while True:
            message = self._shell(deadline)
            if message["parent_header"].get("msg_id") == request:
                return str(message["content"]["status"])

    def _shell(self, deadline: float) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self.client.get_shell_msg(
                timeout=max(deadline - time.monotonic(), 0.01)
            )
            return found
        except queue.Empty:
            raise GoneError("it does not answer") from None

    def fetch(self, name: str) -> dict[str, str]:
        """Return a variable as the wire's bytes in hexadecimal, or why that cannot be."""
        request = self.client.execute(
            "", silent=True, allow_stdin=False, user_expressions={"v": ENCODE.format(name)}
        )
        deadline = time.monotonic() + 2 * SETTLE_SECONDS
        while True:
            message = self._shell(deadline)
            if message["parent_header"].get("msg_id") == request:
                break
        found = message["content"]["user_expressions"]["v"]
        if found["status"] != "ok":
            return {"error": f"{found.get('ename')}: {found.get('evalue')}"}
        return {"value": found["data"]["text/plain"].strip("'")}

    def end(self) -> None:
        """Kill the kernel."""
        with contextlib.suppress(Exception):
            self.client.stop_channels()
        with contextlib.suppress(Exception):
            self.manager.shutdown_kernel(now=True)


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
        self._size += len(json.dumps(made))
        if self._size > MAX_OUTPUT:
            made = {"output_type": "stream", "name": "stdout", "text": "\n… output cut off …\n"}
        last = self.found[-1] if self.found else {}
        if kind == "stream" and last.get("name") == made["name"]:
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
        extra = {"execution_count": None} if kind == "execute_result" else {}
        return {"output_type": kind, "data": data, "metadata": {}, **extra}


def run_job(job: dict[str, Any], folder: Path, events: TextIO) -> None:
    """Run the job's steps in order and write an event for each; stop when the kernel is gone."""

    def say(**event: Any) -> None:
        events.write(json.dumps(event) + "\n")
        events.flush()

    kernel = Kernel(folder)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)  # from here on students' code runs
    say(event="ready")
    try:
        for number, step in enumerate(job["steps"]):
            if "fetch" in step:
                answers = {name: kernel.fetch(name) for name in step["fetch"]}
                say(event="answers", step=number, answers=answers)
                continue
            outputs, status = kernel.run(step["code"], step["seconds"])
            say(event="cell", step=number, outputs=outputs, status=status)
    except GoneError as error:
        say(event="gone", why=str(error))
    finally:
        kernel.end()
    say(event="end")


def main() -> None:
    """Read the job, copy the student's files to the private folder and run the notebook."""
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    job = json.loads(sys.stdin.read())
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    folder = Path(job["home"]) / "work"
    shutil.copytree(job["files"], folder, ignore_dangling_symlinks=True)
    for name, value in job["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    run_job(job, folder, events)


if __name__ == "__main__":
    main()
