"""Executes a student's notebook in a kernel inside the sandbox. Leaves out judging it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nextword.boundary import wire
from nextword.errors import UserError
from nextword.sandbox import bubblewrap
from nextword.sandbox.servers import LIBRARY, environment
from nextword.sandbox.trial import HOW_TO_GET

HOME = "/home/student"
FILES = "/submission"
MAX_SAID = 4000  # bytes of its own errors
MAX_LINE = 32 << 20  # bytes of one event
WHOLE_SECONDS = 600.0  # a notebook's cells together, however many there are
LIMITS = {  # of the resource module
    "RLIMIT_AS": 6 << 30,  # torch alone maps more than 2 GB
    "RLIMIT_NPROC": 256,
    "RLIMIT_NOFILE": 512,
    "RLIMIT_FSIZE": 64 << 20,
    "RLIMIT_CPU": 900,
    "RLIMIT_CORE": 0,
}
DISK = 128 << 20  # bytes of the private folder


@dataclass(frozen=True)
class Step:
    """Run a cell, or fetch variables."""

    cell: int  # its place in the notebook
    code: str = ""
    seconds: float = 30.0
    fetch: tuple[str, ...] = ()


@dataclass
class Executed:
    """What the kernel gave."""

    outputs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)  # by cell
    status: dict[int, str] = field(default_factory=dict)  # by cell: ok, error, timeout
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)  # by cell: plain values
    faults: dict[int, dict[str, str]] = field(default_factory=dict)  # variables without a value
    gone: str = ""  # why the kernel ended early


class KernelError(Exception):
    """The sandbox or the kernel could not be started: the grader's fault, not the student's."""


def execute(steps: Sequence[Step], folder: Path) -> Executed:
    """Run the steps in one kernel; `folder` holds the student's files, which it sees copies of."""
    job = {
        "home": HOME,
        "files": FILES,
        "limits": LIMITS,
        "steps": [
            {"fetch": step.fetch} if step.fetch else {"code": step.code, "seconds": step.seconds}
            for step in steps
        ],
    }
    limit = min(WHOLE_SECONDS, 120 + sum(step.seconds for step in steps))
    executed = Executed()
    started = ended = False
    said: list[str] = []
    for event in _events(job, folder, limit, said):
        kind = event.get("event")
        started = started or kind == "ready"
        ended = ended or kind == "end"
        try:
            _take(event, steps, executed)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):
            executed.gone = "it sent something that is no answer"
            break
    if not started:
        raise KernelError(f"the kernel did not start in the sandbox: {''.join(said)}")
    if not ended and not executed.gone:
        executed.gone = "it was ended, or took too long"
    return executed


def _take(event: dict[str, Any], steps: Sequence[Step], executed: Executed) -> None:
    kind = event["event"]
    if kind == "gone":
        executed.gone = str(event["why"])[:200]
    if kind not in ("cell", "answers"):
        return
    step = steps[event["step"]]
    if kind == "cell" and not step.fetch:
        executed.outputs[step.cell] = [_output(raw) for raw in event["outputs"]]
        executed.status[step.cell] = str(event["status"])
    elif kind == "answers" and step.fetch:
        values, faults = {}, {}
        for name in step.fetch:
            answer = event["answers"][name]
            try:
                if "value" not in answer:
                    raise ValueError(str(answer["error"])[:200])
                values[name] = wire.decode(bytes.fromhex(answer["value"]))
            except (wire.WireError, ValueError) as error:
                faults[name] = str(error)
        executed.answers[step.cell], executed.faults[step.cell] = values, faults


def _output(raw: dict[str, Any]) -> dict[str, Any]:
    """Return an output with nothing but what its type has; raises for one of another shape."""
    kind = raw["output_type"]
    if kind == "stream":
        name = "stderr" if raw["name"] == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": str(raw["text"])}
    if kind == "error":
        lines = [str(line) for line in raw["traceback"]]
        return {
            "output_type": kind,
            "ename": str(raw["ename"]),
            "evalue": str(raw["evalue"]),
            "traceback": lines,
        }
    if kind not in ("execute_result", "display_data"):
        raise ValueError(kind)
    data = {
        key: str(raw["data"][key])
        for key in ("text/plain", "image/png", "image/jpeg")
        if key in raw["data"]
    }
    made = {"output_type": kind, "data": data, "metadata": {}}
    return made | ({"execution_count": None} if kind == "execute_result" else {})


# ------------------------------------------------------------------------- the sandbox


def _events(
    job: dict[str, Any], folder: Path, limit: float, said: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield what the program in the sandbox says, until it ends or its time is up.

    What it writes to stderr before the kernel runs (its own errors) is added to `said`.
    """
    errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
    process = subprocess.Popen(
        sandboxed([sys.executable, "-P", "-m", "nextword.nbgrader.kernel_program"], folder),
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,
    )
    timer = threading.Timer(limit, process.kill)
    timer.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(job).encode())
            process.stdin.close()
        except BrokenPipeError:
            return
        while line := process.stdout.readline(MAX_LINE):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                return
            yield event if isinstance(event, dict) else {}
    finally:
        timer.cancel()
        process.kill()  # bwrap takes everything in it along
        process.wait()
        if process.stdout:
            process.stdout.close()
        errors.seek(0)
        said.append(errors.read(MAX_SAID).decode(errors="replace")[-MAX_SAID:])
        errors.close()


def sandboxed(command: Sequence[str], folder: Path) -> list[str]:
    """Return the command line that runs `command` in the sandbox, where it sees `folder`.

    Raises UserError where bubblewrap is missing.
    """
    if bubblewrap.program() is None:
        raise UserError(
            "the sandbox for students' notebooks needs bubblewrap, which is not installed "
            f"({HOW_TO_GET})"
        )
    return [*bubblewrap.wrapping_a_kernel(folder, FILES, HOME, DISK), *command]


def _environment() -> dict[str, str]:
    """Return what a kernel finds in its environment: what every candidate does, and its places.

    subtle: a notebook imports the module beside it, so its folder must stay on Python's path.
    """
    shared = {name: value for name, value in environment().items() if name != "PYTHONSAFEPATH"}
    return {
        **shared,
        "HOME": HOME,
        "TMPDIR": HOME,
        "PYTHONPATH": str(LIBRARY),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "NBGRADER_EXECUTION": "autograde",
    }
