"""Runs nbgrader's and nextword's command lines, each in a fork of this process.

A fresh Python needs three seconds to import nbgrader before every command. A fork has it imported
already, and is as much a process of its own: folder, environment, output, exit status.
"""

import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

SOFT_SECONDS = 0.02  # between two looks at whether a command has ended


def run_forked(
    command: tuple[str, ...], folder: Path, environment: dict[str, str], seconds: float
) -> tuple[int, str]:
    """Run a command in a folder; return its exit status and what it says on both outputs."""
    main = _programs()[command[0]]
    with tempfile.TemporaryFile() as said:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            _live(main, command, folder, environment, said.fileno())
        status = _wait(pid, seconds)
        said.seek(0)
        return status, said.read().decode(errors="replace")


def _programs() -> dict[str, Callable[[], object]]:
    import nbgrader.apps.nbgraderapp

    import nextword.cli
    import nextword.nbgrader.autograde_steps
    import nextword.nbgrader.careful_autograde
    import nextword.nbgrader.notebook_page

    return {"nbgrader": nbgrader.apps.nbgraderapp.main, "nextword": nextword.cli.main}


def _live(
    main: Callable[[], object],
    command: tuple[str, ...],
    folder: Path,
    environment: dict[str, str],
    said: int,
) -> None:
    """Be the command; never return."""
    status = 1
    try:
        os.setsid()  # what it leaves running can be ended with it
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        null = os.open(os.devnull, os.O_RDONLY)
        for descriptor, target in ((null, 0), (said, 1), (said, 2)):
            os.dup2(descriptor, target)
        # one file, no buffers: the lines stay in order
        sys.stdin = open(0)  # noqa: SIM115
        for name, number in (("stdout", 1), ("stderr", 2)):
            stream = open(number, "w", encoding="utf-8", buffering=1)  # noqa: SIM115, PTH123
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        sys.argv = list(command)
        main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _wait(pid: int, seconds: float) -> int:
    deadline = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise TimeoutError(f"the command took longer than {seconds:g} s")
        time.sleep(SOFT_SECONDS)
