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

POLL_SECONDS = 0.02  # between two looks at whether a command has ended


def run_forked(
    command: tuple[str, ...],
    folder: Path,
    environment: dict[str, str],
    seconds: float,
    first: Callable[[], None] = lambda: None,
) -> tuple[int, str]:
    """Run a command in a folder; return its exit status and what it says on both outputs.

    `first` is what its process does before: it may become another user.
    """
    main = _programs()[command[0]]
    with tempfile.TemporaryFile() as said:
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            assert stream is not None
            stream.flush()  # else the fork would write it again
        pid = os.fork()
        if pid == 0:
            _live(main, command, folder, environment, said.fileno(), first)
        status = _wait(pid, seconds)
        said.seek(0)
        return status, said.read().decode(errors="replace")


def _programs() -> dict[str, Callable[[], object]]:
    import nbgrader.apps.nbgraderapp

    import nextword.cli

    return {"nbgrader": nbgrader.apps.nbgraderapp.main, "nextword": nextword.cli.main}


def _live(
    main: Callable[[], object],
    command: tuple[str, ...],
    folder: Path,
    environment: dict[str, str],
    said: int,
    first: Callable[[], None],
) -> None:
    """Be the command; never return."""
    status = 1
    try:
        os.setsid()  # what it leaves running can be ended with it
        first()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        # subtle: pytest's own streams, too; modules that it has imported may hold on to them
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            assert stream is not None
            os.dup2(said, stream.fileno())
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
        time.sleep(POLL_SECONDS)
