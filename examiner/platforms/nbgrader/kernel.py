"""Executes a student's notebook in a kernel inside the sandbox. Leaves out judging it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from examiner.boundary import wire
from examiner.boundary.channel import Channel, ClosedError, SlowError
from examiner.boundary.deadline import ASLEEP, ENOUGH, Deadline
from examiner.boundary.errors import WireError
from examiner.boundary.measure import measure
from examiner.boundary.meters import meter_of
from examiner.errors import UserError
from examiner.platforms.nbgrader import kernel_program
from examiner.platforms.nbgrader.background import Processes
from examiner.platforms.nbgrader.kernel_program import FILES, HOME, IMAGES, LIMITS, MAX_ANSWER
from examiner.platforms.nbgrader.memory_watch import MemoryWatch, memory_watch
from examiner.sandbox import bubblewrap
from examiner.sandbox.servers import environment, places
from examiner.sandbox.trial import HOW_TO_GET

START_SECONDS = 120.0  # of the sandbox and the kernel, on a busy machine
WHOLE_SECONDS = 600.0  # a notebook's cells together, however many there are
MAX_SAID = 4000  # bytes of the program's own errors
# bytes that the kernel holds with all programs that the notebook starts: what one of them may, and
# what they have before the notebook begins
MOST_MEMORY = LIMITS.memory + (1 << 29)
TOO_MUCH_MEMORY = f"all its programs together took more than {LIMITS.memory >> 30} GB of memory"
# In one answer, in which an array counts as few. Keys of a dictionary that share one hash, chosen
# with care, take time to read that grows with the square: so many take two seconds.
MAX_VALUES = 50_000
MAX_OUTPUT = 16 << 20  # characters of a whole notebook's outputs; the rest is dropped, and said
MAX_OUTPUTS = 5_000  # of a whole notebook
CUT = "… the notebook has put out too much: cut off …\n"
NO_ANSWER = "it sent something that is no answer"


@dataclass(frozen=True)
class KernelStep:
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
    size: int = 0  # of all outputs, in characters
    number: int = 0  # of all outputs

    @property
    def is_full(self) -> bool:
        """Whether the notebook has put out so much that the rest is dropped."""
        return self.size > MAX_OUTPUT or self.number > MAX_OUTPUTS

    @property
    def note(self) -> str:
        """What a person should know of the run; "" if it went to its end."""
        ended = f"the notebook was not run to its end: {self.gone}" if self.gone else ""
        cut = f"it put out more than {MAX_OUTPUT >> 20} MB or {MAX_OUTPUTS:,} outputs: cut off"
        return "; ".join(filter(None, [ended, cut if self.is_full else ""]))

    def keep(self, cell: int, outputs: list[dict[str, Any]]) -> None:
        """Take a cell's outputs, as long as the notebook's are not too many."""
        if not self.is_full:
            self.size += sum(_size(output) for output in outputs)
            self.number += len(outputs)
        if self.is_full:  # errors stay: they decide on points
            outputs = [each for each in outputs if each["output_type"] == "error"][:1]
            outputs += [{"output_type": "stream", "name": "stdout", "text": CUT}]
        self.outputs[cell] = outputs


class KernelError(Exception):
    """The sandbox or the kernel could not be started: the grader's fault, not the student's."""


class _GoneError(Exception):
    """There will be no more answers."""


def execute(
    steps: Sequence[KernelStep],
    folder: Path,
    processes: Processes | None = None,
    library: Sequence[Path] = (),
) -> Executed:
    """Run the steps in one kernel; `folder` holds the student's files, which it sees copies of.

    The kernel is one of the `processes` that end with the run of a class. It sees the packages of
    the course's `library`.
    """
    executed = Executed()
    seconds = min(WHOLE_SECONDS, START_SECONDS + sum(step.seconds for step in steps))
    started = _program(folder, processes or Processes(), library)
    with started as (channel, said, watch):
        assert channel.meter is not None
        rest = min(ASLEEP * seconds, ENOUGH)  # as all tests of a module may
        talk = _Talk(channel, Deadline(seconds, channel.meter, asleep=rest))
        try:
            talk.ask("start")
        except _GoneError as error:
            said.seek(0)
            text = said.read(MAX_SAID).decode(errors="replace") or str(error)
            raise KernelError(f"the kernel did not start in the sandbox: {text}") from None
        try:
            for step in steps:
                _do(step, talk, executed)
        except _GoneError as error:
            executed.gone = TOO_MUCH_MEMORY if watch.ended else str(error)
    return executed


@dataclass
class _Talk:
    """What is asked of the program in the sandbox, whose every word may be the student's."""

    channel: Channel
    deadline: Deadline
    number: int = 0

    def ask(self, *request: Any) -> Any:
        """Return the answer to a request, as plain data; raises _GoneError if there is none."""
        self.number += 1
        try:
            body = self.channel.ask(self.number, 0, (), wire.encode(list(request)), self.deadline)
            gone, answer = _decode(body)
            gone = _text(gone)  # whoever took the channel may say anything
        except (SlowError, ClosedError):
            raise _GoneError("it was ended, or took too long") from None
        except (WireError, TypeError, ValueError):
            raise _GoneError(NO_ANSWER) from None
        if gone:
            raise _GoneError(gone[:200])
        return answer


def _decode(body: bytes) -> Any:
    """Return the plain value of a message from the sandbox; raises WireError for anything else."""
    if measure(body) > MAX_VALUES:
        raise WireError(f"it holds more than {MAX_VALUES:,} values")
    return wire.decode(body)


def _do(step: KernelStep, talk: _Talk, executed: Executed) -> None:
    """Take a step and note what it gave."""
    if not step.fetch:
        answer = talk.ask("run", step.code, step.seconds)
        try:
            outputs, status = answer
            shown, ended = [_output(raw) for raw in outputs], _text(status)
        except (KeyError, TypeError, ValueError):
            raise _GoneError(NO_ANSWER) from None
        executed.keep(step.cell, shown)
        executed.status[step.cell] = ended
        return
    values: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for name in step.fetch:
        answer = talk.ask("fetch", name)
        try:
            if type(answer) is not bytes:
                raise ValueError(_text(answer)[:200])
            values[name] = _decode(answer)
        except (WireError, TypeError, ValueError) as error:
            faults[name] = str(error)
    executed.answers[step.cell], executed.faults[step.cell] = values, faults


def _text(value: Any) -> str:
    """Return a text that can be written to a file; raises TypeError for what is none."""
    if type(value) is not str:
        raise TypeError("no text")
    return value.encode("utf-8", "replace").decode("utf-8")


def _output(raw: dict[str, Any]) -> dict[str, Any]:
    """Return an output with nothing but what its type has; raises for one of another shape."""
    kind = raw["output_type"]
    if kind == "stream":
        name = "stderr" if raw["name"] == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": _text(raw["text"])}
    if kind == "error":
        lines = [_text(line) for line in raw["traceback"]]
        said = {key: _text(raw[key]) for key in ("ename", "evalue")}
        return {"output_type": kind, **said, "traceback": lines}
    if kind not in ("execute_result", "display_data"):
        raise ValueError(kind)
    data = {key: _text(raw["data"][key]) for key in ("text/plain", *IMAGES) if key in raw["data"]}
    made = {"output_type": kind, "data": data, "metadata": {}}
    return made | ({"execution_count": None} if kind == "execute_result" else {})


def _size(output: Mapping[str, Any]) -> int:
    """Return how many characters an output holds."""
    texts = [*output.get("data", {}).values(), *output.get("traceback", ())]
    return len(output.get("text", "")) + len(output.get("evalue", "")) + sum(map(len, texts))


# ------------------------------------------------------------------------- the sandbox


@contextlib.contextmanager
def _program(
    folder: Path, processes: Processes, library: Sequence[Path]
) -> Iterator[tuple[Channel, IO[bytes], MemoryWatch]]:
    """Start the program in the sandbox, where it sees `folder` and the packages of `library`.

    Yields a channel to it, what it writes to stderr before the kernel runs (its own errors), and
    the watch on its memory. At the end all that is in the sandbox is ended. Raises UserError where
    bubblewrap is missing.
    """
    if bubblewrap.program() is None:
        raise UserError(
            "the sandbox for students' notebooks needs bubblewrap, which is not installed "
            f"({HOW_TO_GET})"
        )
    ours, theirs = socket.socketpair()
    wall = bubblewrap.wrapping_a_kernel(folder, str(FILES), str(HOME), LIMITS.disk, library)
    command = [sys.executable, "-P", "-m", kernel_program.__name__, str(theirs.fileno())]
    options: dict[str, Any] = {"pass_fds": [theirs.fileno()], "env": _environment(library)}
    options |= {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    # bubblewrap, when it is ended, takes everything in it along
    with (
        contextlib.closing(Channel(ours, most=MAX_ANSWER)) as channel,
        tempfile.TemporaryFile() as said,
        theirs,
        processes.running(
            [*wall, *command], **options, stderr=said, start_new_session=True
        ) as process,
        memory_watch(process, MOST_MEMORY) as watch,
    ):
        channel.meter = meter_of(process.pid)
        theirs.close()
        yield channel, said, watch


def _environment(library: Sequence[Path]) -> dict[str, str]:
    """Return what a kernel finds in its environment: what every candidate does, and its places.

    subtle: a program of Python's that a notebook starts looks for modules beside it, too.
    """
    shared = {name: value for name, value in environment().items() if name != "PYTHONSAFEPATH"}
    return {
        **shared,
        "HOME": str(HOME),
        "TMPDIR": str(HOME),
        "PYTHONPATH": os.pathsep.join(places(library)),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "NBGRADER_EXECUTION": "autograde",
    }
