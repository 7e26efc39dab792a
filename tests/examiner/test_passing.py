"""Folders of processes that were killed are cleared by the next; those of the living stay."""

import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from examiner import files
from examiner.passing import LOCK, passing_folder

SCRIPT = """
import os, signal, sys
from examiner.passing import passing_folder
with passing_folder("tried-") as folder:
    (folder / "keys").mkdir()
    print(folder, flush=True)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


def begun(what: str) -> tuple["subprocess.Popen[str]", Path]:
    """Start a process that has such a folder; return both."""
    command = [sys.executable, "-c", SCRIPT, what]
    process = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_kill_has_left_is_cleared_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    living, theirs = begun("living")
    killed, left = begun("killed")
    killed.communicate()
    (tmp_path / "tried-new").mkdir()  # whose lock is not yet there
    (tmp_path / "other-x").mkdir()
    (tmp_path / "other-x" / LOCK).touch()
    (tmp_path / "tried-link").symlink_to(tmp_path / "other-x")
    assert (left / "keys").is_dir()
    with passing_folder("tried-") as mine:
        assert not left.exists()
        assert (theirs / "keys").is_dir()
        assert (tmp_path / "tried-new").is_dir()
        assert (tmp_path / "other-x" / LOCK).is_file()
        assert mine.is_dir()
    assert not mine.exists()
    living.communicate("")
    assert not theirs.exists()


def test_a_folder_that_is_being_made_is_not_cleared_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two graders that began in the same moment, one made its folder anew, for all to read."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    clear = "from examiner.passing import _clear; _clear('tried-')"
    lock, others = files._lock, [clear]

    def late(*given: Any, **named: Any) -> Any:
        while others:
            subprocess.run([sys.executable, "-c", others.pop()], check=True)
        return lock(*given, **named)

    monkeypatch.setattr(files, "_lock", late)
    with passing_folder("tried-") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert (folder / LOCK).is_file()
    assert not folder.exists()
