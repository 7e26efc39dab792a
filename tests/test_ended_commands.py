"""A command that is ended in the middle, politely or not, leaves no process and no files."""

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="by services of Linux")

CLASS_OPENED = """
import sys
from pathlib import Path
from examiner.grading.entries import open_class
from nextword.cli.stopping import tidily
with tidily(), open_class(Path(sys.argv[1])):
    print("begun", flush=True)
    sys.stdin.read()
"""
READERS_AT_WORK = """
import time
from examiner.similar import compare

def slow(*given):
    print("begun", flush=True)
    time.sleep(600)

compare._read_chunk = slow
list(compare._summaries(range(300), "tiny", None, 2, print))
"""


def begun(script: str, temporary: Path, *words: str) -> "subprocess.Popen[str]":
    """Start a script, and return when it is in the middle of its work."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words],
        stdin=-1,
        stdout=-1,
        text=True,
        env=environment,
        # as in a terminal, also where the tests themselves run under nohup
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("begun")  # two may say it at once
    return process


@pytest.fixture
def handed_in(tmp_path: Path) -> str:
    """A whole class as one zip."""
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for student in ("ada", "ben"):
            archive.writestr(f"{student}/tiny.py", "")
    return str(tmp_path / "class.zip")


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_a_class_that_was_unpacked_goes_with_a_grader_that_is_told_to_end(
    by: signal.Signals, tmp_path: Path, handed_in: str
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    process = begun(CLASS_OPENED, place, handed_in)
    assert list(place.rglob("tiny.py"))
    process.send_signal(by)
    process.communicate(timeout=60)
    assert process.returncode == 128 + by
    assert not list(place.iterdir())


def test_what_a_killed_grader_has_unpacked_the_next_one_removes(
    tmp_path: Path, handed_in: str
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    for _ in range(2):
        process = begun(CLASS_OPENED, place, handed_in)
        assert len(list(place.iterdir())) == 1
        process.kill()
        process.communicate(timeout=60)


def test_no_reader_of_texts_outlives_the_process_that_compares(tmp_path: Path) -> None:
    process = begun(READERS_AT_WORK, tmp_path)
    readers = psutil.Process(process.pid).children(recursive=True)
    assert readers
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(readers, timeout=30)
    for each in alive:
        each.kill()
    assert not alive
